"""Dissemination on given links: computed exactly, or simulated with loss, delays and churn.

Where all links have the same delay, no message is lost and every node is present, both engines
give the same numbers, and the exact one is far faster.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import ParameterError
from gossamer.host import Codec
from gossamer.model import Overlay, Publications, Scenario
from gossamer.model.overlay import check_fit
from gossamer.model.scenario import check_scenario
from gossamer.progress import Progress, silent
from gossamer.protocols.components.dissemination import MESSAGES, Publication, PublicationId
from gossamer.quality.dissemination import (
    FLOODS,
    Dissemination,
    Flood,
    flood_publications,
)
from gossamer.quality.topic_graphs import TopicGraphs
from gossamer.sim.fixed_links import fixed_links
from gossamer.sim.network import network_rules
from gossamer.sim.publications import PublicationMeter, check_payload
from gossamer.sim.world import World
from gossamer.time import SECOND
from gossamer.workloads.presence import resolve_sessions

REST = 30 * SECOND
"""Time simulated after the last publication: many digests."""
DIGEST_SECONDS, NEVER = 1.0, 1e9
"""Seconds between two digests."""
STEPS = 100
Mode = Literal["crosspost", "simple", "tree"]
MODES: tuple[Mode, ...] = (*FLOODS, "tree")
"""Forwarding modes on given links."""


def disseminate(
    scenario: Scenario,
    overlay: Overlay | TopicGraphs,
    *,
    flood: Mode = "crosspost",
    repair: bool = True,
    progress: Progress | None = None,
) -> Dissemination:
    """Publish on given links, and measure deliveries, hops and copies.

    With latency, loss, another fault or churn in the scenario, or with publishers that do not
    subscribe to their topics, protocol machines flood in a simulated world, exchange digests, and
    request what they miss. Trees are always simulated. Otherwise the same floods are computed for
    links of equal delay and without repair: see
    :func:`gossamer.quality.dissemination.flood_publications`.

    Parameters
    ----------
    scenario
        Interests, publications and their payload, and what can go wrong. Sessions end without a
        message. Its duration is not used: a simulation ends 30 s after the last publication.
    overlay
        Links, for all topics that both ends share; or neighbours on each topic.
    flood
        Forwarding mode. *crosspost*: one copy to a neighbour, whatever the number of topics;
        *simple*: one for each topic; *tree*: one to each node, along trees of links.
    repair
        Whether simulated machines exchange digests, so that lost copies are requested; trees
        always do.
    progress
        Callback that is given the stage and the share done.

    Examples
    --------
    >>> from gossamer.model import Interests
    >>> interests = Interests.from_lists({0: [7], 1: [7], 2: [7]})
    >>> overlay = Overlay.from_links(3, [(0, 1), (1, 2)])
    >>> published = Publications.from_lists([0], [[0]])
    >>> disseminate(Scenario(interests, publications=published), overlay).hit_ratio
    1.0
    >>> lossy = Scenario(interests, publications=published, loss=0.5, seed=1)
    >>> disseminate(lossy, overlay).hit_ratio
    1.0
    """
    check_scenario(scenario)
    report = progress or silent
    interests, publications = scenario.interests, scenario.publications
    if publications is None:
        raise ParameterError("the scenario has no publications; expected some to disseminate")
    check_payload(scenario.payload)
    if flood not in MODES:
        raise ParameterError(f"flood is {flood!r}; expected {', '.join(MODES[:-1])} or {MODES[-1]}")
    if flood == "tree" and not repair:
        raise ParameterError("repair is False; expected True for trees, which depend on it")
    if isinstance(overlay, TopicGraphs):
        graphs = overlay
    else:
        check_fit(interests, overlay)
        graphs = TopicGraphs.of(interests, overlay)
    if flood != "tree" and not simulates(scenario):
        sizes = message_sizes(publications, flood=flood, payload=scenario.payload)
        return flood_publications(
            interests, graphs, publications, flood=flood, sizes=sizes, progress=report
        )
    end = int(publications.times[-1]) + REST if len(publications) else REST
    sessions, _ = resolve_sessions(scenario, seconds=end / SECOND)
    meter = PublicationMeter(publications, scenario.payload, scenario.warm_up or 0.0)
    report("creating nodes", 0.0)
    world = World(
        fixed_links(interests, graphs),
        interests,
        options={"flood": flood, "digest_seconds": DIGEST_SECONDS if repair else NEVER},
        rules=network_rules(scenario),
        sessions=sessions,
        departure="crash",
        seed=scenario.seed,
        deliver=meter.deliver,
        compound=scenario.compound,
    )
    meter.attach(world)
    ends = np.unique(np.quantile(publications.times, np.linspace(0, 1, STEPS), method="lower"))
    for step, until in enumerate([*(ends.tolist() if len(publications) else []), end]):
        report(f"publishing in a simulated world ({flood})", step / STEPS)
        world.run(int(until))
    return meter.result(flood)


def simulates(scenario: Scenario) -> bool:
    """Whether a dissemination in the scenario is simulated rather than computed."""
    faults = (scenario.loss, scenario.duplicate, scenario.reorder, scenario.partition)
    values = (scenario.latency, scenario.churn)
    if any(faults) or any(one is not None for one in values) or scenario.faults:
        return True
    published = scenario.publications
    return published is not None and not published.are_by_subscribers(scenario.interests).all()


def message_sizes(
    publications: Publications, *, flood: Flood = "crosspost", payload: int = 0
) -> NDArray[np.int64]:
    """Return the bytes of a copy as a simulated node sends it, after one hop.

    Of each publication with *crosspost*, and of each topic of each with *simple*. A copy that
    has travelled more than 127 hops is a byte or more longer. Names of live nodes and topics are
    text, and longer than the numbers here. O(topics listed).
    """
    codec = Codec(MESSAGES)
    extra = codec.size(bytes(check_payload(payload))) - codec.size(b"")
    by_publisher: defaultdict[int, int] = defaultdict(int)
    by_topic: defaultdict[tuple[int, int], int] = defaultdict(int)
    sizes: list[int] = []
    topics, bounds = publications.topics.tolist(), publications.offsets.tolist()
    for row, publisher in enumerate(publications.publishers.tolist()):
        tags = tuple(topics[bounds[row] : bounds[row + 1]])
        by_publisher[publisher] += 1
        for topic in tags:
            by_topic[publisher, topic] += 1
        identifier = PublicationId(publisher, 0, by_publisher[publisher])
        places = tuple(by_topic[publisher, topic] for topic in tags)
        sizes += [
            codec.size(Publication(identifier, tags, places, b"", 1, on)) + extra
            for on in (tags if flood == "simple" else (None,))
        ]
    return np.array(sizes, dtype=np.int64)
