"""Publications for interests: drawn by rate, or the workload of StaN's appendix A.

A publication on several topics has one topic and its most correlated ones: those with most
subscribers in common. Its publisher subscribes to all of them.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gossamer.errors import ParameterError
from gossamer.kernels.generate.publishers import choose_publishers, correlated_topics
from gossamer.kernels.random import mix_words, stream_key
from gossamer.kernels.relation import relation_of
from gossamer.model import Interests, Publications
from gossamer.model.csr import offsets_of
from gossamer.model.publications import MAX_TAGS
from gossamer.random_stream import check_seed
from gossamer.time import SECOND

STRANGERS = np.uint64(0x9E0)
STRANGERS_TRIED = 16
"""Nodes drawn for a publication until one subscribes to none of its topics."""
TOPICS, GAPS, PUBLISHERS, TRIPLETS = (np.uint64(0x9C0 + purpose) for purpose in range(4))
"""Purposes of random words; each has its own stream."""
MAX_PUBLICATIONS = 10_000_000


def draw_publications(
    interests: Interests,
    count: int,
    *,
    rates: ArrayLike | None = None,
    crosspost: int = 1,
    per_second: float = 10.0,
    poisson: bool = False,
    non_subscribers: float = 0.0,
    seed: int = 0,
) -> Publications:
    """Draw publications: their topics, publishers and times.

    A publication has a topic, drawn by rate, and the ``crosspost - 1`` topics with most
    subscribers in common with it (ties go to the lower identifier). Its publisher is a random
    node that subscribes to all of them; if there is none, the last topic is dropped, and so on.
    Costs the topics of the subscribers of each drawn topic, and the subscribers of the rarest
    topic of each publication.

    Parameters
    ----------
    interests
        Topics of each node.
    count
        Number of publications.
    rates
        Publication rate of each topic, in any unit; if not given, equal for topics with two
        subscribers or more. A topic without subscribers is never drawn.
    crosspost
        Number of topics of each publication.
    per_second
        Publications per second, over all topics.
    poisson
        Whether publications are a Poisson process; else they are evenly spaced.
    non_subscribers
        Share of publications whose publisher is a random node that subscribes to none of their
        topics, if one of a few drawn nodes is.
    seed
        Seed of the random number generator.

    Examples
    --------
    >>> interests = Interests.from_lists({"ann": ["tea", "jazz"], "bob": ["jazz", "tea"]})
    >>> draw_publications(interests, 3, crosspost=2, seed=1)
    Publications(3 publications on 6 topics together)
    """
    if not 0 <= count <= MAX_PUBLICATIONS:
        raise ParameterError(f"{count} publications; expected 0 to {MAX_PUBLICATIONS}")
    if not 1 <= crosspost <= MAX_TAGS:
        raise ParameterError(f"crosspost is {crosspost}; expected 1 to {MAX_TAGS} topics")
    if not (math.isfinite(per_second) and per_second > 0):
        raise ParameterError(f"{per_second} publications a second; expected more than 0")
    if not 0 <= non_subscribers <= 1:
        raise ParameterError(f"non_subscribers is {non_subscribers}; expected a share of 0 to 1")
    chances = _chances(interests, rates)
    able = np.flatnonzero(chances)
    if count and not len(able):
        raise ParameterError(
            "no topic can be published on: none has two subscribers or more, or none has a rate"
        )
    sums = np.cumsum(chances[able])
    wanted = _units(seed, TOPICS, count) * sums[-1:].sum()
    drawn = able[np.minimum(np.searchsorted(sums, wanted, "right"), len(able) - 1)]
    topics, places = np.unique(drawn, return_inverse=True)
    tags = _with_correlated(interests, topics, crosspost)[places]
    lengths, publishers = _publishers(interests, tags, 1, seed, PUBLISHERS)
    if non_subscribers:
        publishers[:, 0] = _with_non_subscribers(
            interests, publishers[:, 0], tags, lengths, non_subscribers, seed
        )
    gaps = -np.log1p(-_units(seed, GAPS, count)) if poisson else np.ones(count)
    times = np.floor(np.cumsum(gaps) / per_second * SECOND).astype(np.int64)
    return _publications(times, publishers[:, 0], tags, lengths)


def crosspost_triplets(
    interests: Interests, *, each: int = 10, per_second: float = 10.0, seed: int = 0
) -> Publications:
    """Draw the workload of StaN, appendix A.1: messages on three correlated topics.

    For each topic T with two subscribers or more, T' and T'' are the topics with most
    subscribers in common with it. Up to ``each`` random nodes that subscribe to all three publish
    one message each on the three; without such a node, on fewer topics. Costs the topics of the
    subscribers of all topics.

    Parameters
    ----------
    interests
        Topics of each node.
    each
        Maximum number of publishers per topic.
    per_second
        Publications per second, over all topics.
    seed
        Seed of the random number generator.
    """
    if not 1 <= each <= 1_000_000:
        raise ParameterError(f"{each} publications a topic; expected 1 to 1000000")
    if not (math.isfinite(per_second) and per_second > 0):
        raise ParameterError(f"{per_second} publications a second; expected more than 0")
    topics = np.flatnonzero(interests.popularity >= 2)
    most = min(each, int(interests.popularity.max(initial=1)))
    tags = _with_correlated(interests, topics, 3)
    lengths, publishers = _publishers(interests, tags, most, seed, TRIPLETS)
    rows, columns = np.nonzero(publishers >= 0)
    times = np.floor((np.arange(len(rows)) + 1) / per_second * SECOND).astype(np.int64)
    return _publications(times, publishers[rows, columns], tags[rows], lengths[rows])


def _chances(interests: Interests, rates: ArrayLike | None) -> NDArray[np.float64]:
    if rates is None:
        return (interests.popularity >= 2).astype(np.float64)
    given = np.asarray(rates, dtype=np.float64)
    if given.shape != (interests.topic_count,):
        raise ParameterError(f"{given.size} rates for {interests.topic_count} topics")
    if not (np.isfinite(given).all() and (given >= 0).all()):
        raise ParameterError("rates must be finite and 0 or more")
    return np.where(interests.popularity > 0, given, 0.0)


def _units(seed: int, purpose: np.uint64, count: int) -> NDArray[np.float64]:
    """Return random numbers in [0, 1), the same on any computer."""
    words = np.arange(1, count + 1, dtype=np.uint64)
    mix_words(words, _key(seed, purpose))
    return (words >> np.uint64(11)).astype(np.float64) * 2.0**-53


def _key(seed: int, purpose: np.uint64) -> np.uint64:
    check_seed(seed)
    return np.uint64(stream_key(np.uint64(seed), purpose))


def _with_correlated(
    interests: Interests, topics: NDArray[np.int64], together: int
) -> NDArray[np.int32]:
    """Return a row for each topic: the topic and its most correlated ones, padded with -1."""
    asked = topics.astype(np.int32)
    others = correlated_topics(relation_of(interests), asked, together - 1)
    return np.concatenate((asked[:, None], others), axis=1)


def _publishers(
    interests: Interests, tags: NDArray[np.int32], each: int, seed: int, purpose: np.uint64
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    listed = tags >= 0
    offsets = offsets_of(listed.sum(axis=1))
    return choose_publishers(
        relation_of(interests), offsets, tags[listed], each, _key(seed, purpose)
    )


def _with_non_subscribers(
    interests: Interests,
    publishers: NDArray[np.int32],
    tags: NDArray[np.int32],
    lengths: NDArray[np.int64],
    share: float,
    seed: int,
) -> NDArray[np.int32]:
    """Replace a share of the publishers by nodes that subscribe to none of the topics."""
    count = len(publishers)
    wanted = _units(seed, STRANGERS, count) < share
    listed = np.arange(tags.shape[1]) < lengths[:, None]
    rows = np.nonzero(listed)[0]
    replaced = publishers.copy()
    for attempt in range(STRANGERS_TRIED):
        drawn = _units(seed, STRANGERS + np.uint64(attempt + 1), count) * interests.node_count
        drawn = np.minimum(drawn.astype(np.int32), interests.node_count - 1)
        known = np.zeros(count, dtype=np.bool_)
        known[rows[interests.are_subscribed(drawn[rows], tags[listed])]] = True
        found = wanted & ~known
        replaced[found] = drawn[found]
        wanted &= known
    return replaced


def _publications(
    times: NDArray[np.int64],
    publishers: NDArray[np.int32],
    tags: NDArray[np.int32],
    lengths: NDArray[np.int64],
) -> Publications:
    kept = np.arange(tags.shape[1]) < lengths[:, None]
    offsets = offsets_of(lengths)
    return Publications(times, publishers, offsets, tags[kept])
