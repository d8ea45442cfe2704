"""Publishing on links that are given: computed exactly, or simulated with what can go wrong.

Where all links take equally long, nothing is lost and everybody is there, both engines give the
same numbers, and the exact one is far faster; a test holds them to each other.
"""

from __future__ import annotations

import os
from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import ParameterError
from gossamer.host import Codec
from gossamer.model import Interests, Overlay, Publications, Sessions
from gossamer.progress import Progress, silent
from gossamer.protocols.components.dissemination import MESSAGES, Publication, PublicationId
from gossamer.quality.dissemination import FLOODS, Dissemination, Flood, flood_publications
from gossamer.quality.topic_graphs import TopicGraphs, check_fit
from gossamer.sim.fixed_links import fixed_links
from gossamer.sim.publications import PublicationMeter, check_payload
from gossamer.sim.rules import Lose, Rule
from gossamer.sim.setting import find_delay, find_sessions
from gossamer.sim.world import DELAY, World
from gossamer.time import SECOND

__all__ = ["disseminate", "message_sizes"]

REST = 30 * SECOND
"""How long a world runs on after the last publication: many digests."""
DIGEST, NEVER = 1.0, 1e9
"""Seconds between two digests."""
STEPS = 100


def disseminate(
    interests: Interests,
    overlay: Overlay | TopicGraphs,
    publications: Publications,
    *,
    flood: Flood = "crosspost",
    payload: int = 0,
    loss: float = 0.0,
    latency: str | os.PathLike[str] | Rule | None = None,
    churn: str | os.PathLike[str] | Sessions | None = None,
    repair: bool = True,
    seed: int = 0,
    progress: Progress | None = None,
) -> Dissemination:
    """Publish on given links, and measure who gets it, over how many hops, in how many copies.

    With ``loss``, ``latency`` or ``churn``, real machines flood in a simulated world, tell each
    other what they have, and ask for what they miss; without, the same floods are computed, for
    links that all take equally long and without repair: see
    :func:`gossamer.quality.dissemination.flood_publications` for what they do and cost.

    Parameters
    ----------
    interests
        Who wants what.
    overlay
        Who is linked to whom, for all topics that both ends want; or neighbours on each topic.
    publications
        What is published, by nodes that want its topics.
    flood
        *crosspost*: one copy to a neighbour, however many topics; *simple*: one for each topic.
    payload
        Bytes of each publication.
    loss
        The share of messages that is lost.
    latency
        How long messages take, as for :func:`gossamer.sim.simulate`.
    churn
        Who is there when, as for :func:`gossamer.sim.simulate`; sessions end without a word.
    repair
        Whether machines in a simulated world tell each other what they have, so that what was
        lost is mended.
    seed
        Settles every random choice.
    progress
        Told how far it is.

    Examples
    --------
    >>> interests = Interests.from_lists({0: [7], 1: [7], 2: [7]})
    >>> overlay = Overlay.from_links(3, [(0, 1), (1, 2)])
    >>> published = Publications.from_lists([0], [[0]])
    >>> disseminate(interests, overlay, published).hit_ratio
    1.0
    >>> disseminate(interests, overlay, published, loss=0.5, seed=1).hit_ratio
    1.0
    """
    tell = progress or silent
    if seed < 0:
        raise ParameterError(f"seed is {seed}; expected 0 or more")
    check_payload(payload)
    if isinstance(overlay, Overlay):
        check_fit(interests, overlay)
        graphs = TopicGraphs.of(interests, overlay)
    else:
        graphs = overlay
    if not loss and latency is None and churn is None:
        if flood not in FLOODS:
            raise ParameterError(f"flood is {flood!r}; expected {' or '.join(FLOODS)}")
        sizes = message_sizes(publications, flood=flood, payload=payload)
        return flood_publications(
            interests, graphs, publications, flood=flood, sizes=sizes, progress=tell
        )
    publications.check(interests)
    end = int(publications.times[-1]) + REST if len(publications) else REST
    if churn is None or isinstance(churn, Sessions):
        sessions = churn
    else:
        sessions, _ = find_sessions(churn, interests, until=end / SECOND, seed=seed)
    delay = latency if latency is not None else DELAY
    if isinstance(delay, str | os.PathLike):
        delay = find_delay(delay, interests, seed)
    meter = PublicationMeter(publications, payload)
    tell("creating nodes", 0.0)
    world = World(
        fixed_links(interests, graphs),
        interests,
        options={"flood": flood, "digest_seconds": DIGEST if repair else NEVER},
        rules=[delay, *([Lose(loss)] if loss else ())],
        sessions=sessions,
        departure="crash",
        seed=seed,
        deliver=meter.deliver,
    )
    meter.attach(world)
    ends = np.unique(np.quantile(publications.times, np.linspace(0, 1, STEPS), method="lower"))
    for step, until in enumerate([*(ends.tolist() if len(publications) else []), end]):
        tell(f"publishing in a simulated world ({flood})", step / STEPS)
        world.run(int(until))
    return meter.result(flood)


def message_sizes(
    publications: Publications, *, flood: Flood = "crosspost", payload: int = 0
) -> NDArray[np.int64]:
    """Return the bytes of a copy as a simulated node sends it, after one hop.

    Of each publication with *crosspost*, and of each topic of each with *simple*. A copy that
    has gone over more than 127 links is a byte or more longer. Names of live nodes and topics
    are text, and longer than the numbers here. O(topics listed).
    """
    codec = Codec(MESSAGES)
    more = codec.size(bytes(check_payload(payload))) - codec.size(b"")
    numbers: defaultdict[int, int] = defaultdict(int)
    places: defaultdict[tuple[int, int], int] = defaultdict(int)
    found: list[int] = []
    topics, bounds = publications.topics.tolist(), publications.offsets.tolist()
    for row, publisher in enumerate(publications.publishers.tolist()):
        tags = tuple(topics[bounds[row] : bounds[row + 1]])
        numbers[publisher] += 1
        for topic in tags:
            places[publisher, topic] += 1
        one = PublicationId(publisher, 0, numbers[publisher])
        at = tuple(places[publisher, topic] for topic in tags)
        found += [
            codec.size(Publication(one, tags, at, b"", 1, on)) + more
            for on in (tags if flood == "simple" else (None,))
        ]
    return np.array(found, dtype=np.int64)
