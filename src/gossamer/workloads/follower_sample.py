"""Breadth-first samples of a follower graph in memory (Vitis §IV-E).

The users and relations equal those of the Spark job ``gossamer sample`` along the users followed,
its search along followers.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import InputError, ParameterError
from gossamer.kernels.generate.follower_graph import hash_names, search_levels
from gossamer.model import Interests
from gossamer.model.csr import offsets_of
from gossamer.random_stream import check_seed


def sample_followers(
    interests: Interests, users: int, *, seed: int = 0, starts: int = 10
) -> Interests:
    """Return a breadth-first sample of a follower graph, whose topics are users too.

    The search starts at a few random users and continues along the users that they follow, level by
    level, until ``users`` are reached; the last level is cut at random. If the search ends before
    that, it continues from new users: as many as at first, then twice as many each time. The sample
    has all relations among its users; subscriptions to others are dropped.

    Parameters
    ----------
    interests
        Users that each user follows: a topic is the user of that name. Users without relations are
        never sampled.
    users
        Exact number of users in the sample; all are nodes and topics of it.
    seed
        Seed of the random number generator, 0 to 2^63 - 1.
    starts
        Number of users from which the search starts.

    Raises
    ------
    InputError
        If no topic is a node, or names are numbers on one side and texts on the other.
    ParameterError
        If there are fewer users, or a parameter is out of range.

    Notes ----- O(U log U + S) for U users with S subscriptions. A choice depends on the seed and
    the names only, not on the order of rows, and equals that of :func:`gossamer.pipeline.sample`.

    Examples
    --------
    >>> chain = Interests.from_pairs(list(range(9)), list(range(1, 10)))
    >>> sample_followers(chain, 4, starts=1)
    Interests(4 nodes, 4 topics, 3 subscriptions)
    """
    _check("users", users, 1, None)
    _check("starts", starts, 1, None)
    check_seed(seed, bits=63)
    names, followers, followed = _relations(interests)
    present = np.unique(np.concatenate((followers, followed)))
    if users > len(present):
        raise ParameterError(
            f"users is {users:,}; expected {len(present):,} or fewer, as many as the graph has"
        )
    sizes = np.bincount(followers, minlength=len(names))
    offsets = offsets_of(sizes)
    order = present[_seeded_order(names[present], seed)]
    levels = search_levels(offsets, followed.astype(np.int32), order, users, starts)
    taken = levels >= 0
    inside = taken[followers] & taken[followed]
    number = np.cumsum(taken) - 1
    return Interests.from_ids(
        number[followers[inside]],
        number[followed[inside]],
        node_names=names[taken],
        topic_names=names[taken],
    )


def _check(what: str, value: int, least: int, most: int | None) -> None:
    try:
        number = operator.index(value)
    except TypeError:
        raise ParameterError(f"{what} is {value!r}; expected a whole number") from None
    if number < least or (most is not None and number > most):
        expected = f"{least} or more" if most is None else f"{least} to 2^63 - 1"
        raise ParameterError(f"{what} is {number}; expected {expected}")


def _relations(interests: Interests) -> tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64]]:
    """Return the names of all users, and follower and followed of each relation, by follower."""
    nodes, topics = interests.node_names, interests.topic_names
    if len(nodes) and len(topics) and nodes.dtype != topics.dtype:
        kinds = ["texts" if names.dtype == object else "numbers" for names in (nodes, topics)]
        raise InputError(
            f"nodes are {kinds[0]} and topics {kinds[1]}; to be sampled, both must be users of "
            "one kind"
        )
    if not np.isin(nodes, topics).any():
        raise InputError(
            "no topic is a node, so there is no user to follow; expected relations among users, or "
            "subscriptions whose topics are nodes"
        )
    names = np.union1d(nodes, topics)
    node_places, topic_places = np.searchsorted(names, nodes), np.searchsorted(names, topics)
    return names, node_places[interests.node_column], topic_places[interests.node_topics]


def _seeded_order(names: NDArray[Any], seed: int) -> NDArray[np.int64]:
    """Return a random order of sorted names: by hash, as Spark compares it."""
    texts = [str(name).encode() for name in names.tolist()]
    offsets = offsets_of([len(text) for text in texts])
    hashes = np.empty(len(texts), dtype=np.uint64)
    hash_names(
        np.frombuffer(seed.to_bytes(8, "little"), dtype=np.uint8),
        np.frombuffer(b"".join(texts), dtype=np.uint8),
        offsets,
        hashes,
    )
    return np.argsort(hashes.view(np.int64), kind="stable")
