"""Drawn churn: one event per round, and failing machines of a cluster.

Both follow ElastO's evaluation (§7.1); changes of interests are ours. The random numbers of a round
or a machine depend on the seed and its number only.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import ParameterError
from gossamer.kernels.random import mix_words, stream_key
from gossamer.model import ChurnEvents, Interests, Sessions
from gossamer.model.churn import JOIN, LEAVE, NO_TOPIC
from gossamer.model.interests import freeze
from gossamer.random_stream import check_seed
from gossamer.time import DAY, SECOND
from gossamer.workloads.interest_changes import ATTEMPTS, InterestChanges

WHETHER, WHO, AT_FIRST, STAYS, DOWNTIMES, CHANGES, CHANGED = (
    np.uint64(0xC40 + purpose) for purpose in range(7)
)
"""Purposes of random words; each has its own stream."""
MONTH = 29.0
"""Days of Google's trace of 2011."""
MAX_EVENTS = 10_000_000
NORMAL = NormalDist()


def churn_rounds(
    nodes: int | Interests,
    rounds: int,
    *,
    seed: int = 0,
    present: float = 1.0,
    join: float = 0.5,
    interest_changes: float = 0.0,
) -> tuple[NDArray[np.bool_], ChurnEvents]:
    """Draw one event per round: a random node joins or leaves (ElastO §7.1), or changes interests.

    The event is a join with probability ``join``; always a leave when no node is absent, and
    always a join when only two are present. Rounds are a second apart, the first at one second.
    A change of interests is that of a random present node, as
    :mod:`gossamer.workloads.interest_changes` draws it.

    Parameters
    ----------
    nodes
        Number of nodes, present and absent: 3 or more; or their interests.
    rounds
        Number of events.
    seed
        Seed of the random number generator.
    present
        Share of the nodes, chosen at random, that are present at the start; two nodes at least.
    join
        Probability that an event is a join, where it is no change of interests.
    interest_changes
        Probability that an event is a change of interests, which need interests as ``nodes``.

    Returns
    -------
    tuple[NDArray, ChurnEvents]
        Presence of each node at the start, and the events.

    Examples
    --------
    >>> present, events = churn_rounds(5, 3, seed=1)
    >>> int(present.sum()), len(events), events.times.tolist()
    (5, 3, [1000000, 2000000, 3000000])
    """
    interests = nodes if isinstance(nodes, Interests) else None
    node_count = nodes.node_count if isinstance(nodes, Interests) else nodes
    if node_count < 3:
        raise ParameterError(f"{node_count} nodes; expected 3 or more, as two always stay")
    if not 0 <= rounds <= MAX_EVENTS:
        raise ParameterError(f"{rounds} rounds; expected 0 to {MAX_EVENTS}")
    for what, share in (
        ("present", present), ("join", join), ("interest_changes", interest_changes)
    ):  # fmt: skip
        if not 0 <= share <= 1:
            raise ParameterError(f"{what} is {share}; expected a share, 0 to 1")
    pool = np.argsort(_words(seed, AT_FIRST, node_count), kind="stable").tolist()
    count = max(2, round(present * node_count))
    online, offline = sorted(pool[:count]), sorted(pool[count:])
    at_first = np.zeros(node_count, dtype=np.bool_)
    at_first[online] = True
    coins = (_units(seed, WHETHER, rounds) < join).tolist()
    places = _units(seed, WHO, rounds).tolist()
    changing = np.zeros(rounds, dtype=np.bool_)
    if interest_changes:
        changing = _units(seed, CHANGES, rounds) < interest_changes
        changes = _interest_changes(interests, seed)
    happened: list[tuple[int, int, int]] = []
    for number, (coin, place) in enumerate(zip(coins, places, strict=True)):
        if changing[number]:
            node = online[int(place * len(online))]
            happened.append((node, *changes.draw(number, node)))
            continue
        joining = bool(offline) and (coin or len(online) == 2)
        source, target = (offline, online) if joining else (online, offline)
        chosen = int(place * len(source))
        source[chosen], source[-1] = source[-1], source[chosen]
        target.append(source.pop())
        happened.append((target[-1], JOIN if joining else LEAVE, NO_TOPIC))
    times = np.arange(1, rounds + 1, dtype=np.int64) * SECOND
    columns = np.array(happened, dtype=np.int64).reshape(-1, 3).T
    return freeze(at_first), ChurnEvents.from_columns(times, *columns)


def _interest_changes(interests: Interests | None, seed: int) -> InterestChanges:
    if interests is None:
        raise ParameterError(
            "changes of interests need the interests of the nodes, and not their number alone; "
            "expected a table of subscriptions"
        )
    width = ATTEMPTS + 2

    def units(number: int) -> NDArray[np.float64]:
        return _units_of(seed, CHANGED, np.arange(number * width, (number + 1) * width))

    return InterestChanges(interests, units)


def machine_events(
    machines: int = 11_000,
    *,
    seed: int = 0,
    days: float = MONTH,
    removals: float = 0.7,
    downtime: float = 30.0,
    spread: float = 1.5,
) -> Sessions:
    """Draw the sessions of machines, modelled on Google's cluster trace of 2011.

    ElastO (§7.1) replays that trace: about eleven thousand machines over a month. Here every
    machine is present at the start, stays for exponential times and returns after log-normal
    ones. The removal rate of about 0.7 per month is that of the trace; the shape of both laws,
    and the median and spread of downtimes, are ours, and not fitted.

    Parameters
    ----------
    machines
        Number of machines.
    seed
        Seed of the random number generator.
    days
        Length in days; the last sessions end with it.
    removals
        Mean number of removals of a machine in 29 days of presence.
    downtime
        Median downtime in minutes.
    spread
        Standard deviation of the logarithm of downtimes.

    Examples
    --------
    >>> sessions = machine_events(100, seed=1)
    >>> bool((sessions.ends.max() == 29 * 86_400_000_000)), len(sessions) > 100
    (True, True)
    """
    if not 1 <= machines <= MAX_EVENTS:
        raise ParameterError(f"{machines} machines; expected 1 to {MAX_EVENTS}")
    for what, value, most in (
        ("days", days, 10_000), ("removals", removals, 1e6), ("downtime", downtime, 1e9)
    ):  # fmt: skip
        if not 0 < value <= most:
            raise ParameterError(f"{what} is {value}; expected above 0, and at most {most:g}")
    if not 0 <= spread <= 10:
        raise ParameterError(f"spread is {spread}; expected 0 to 10")
    until = round(days * DAY)
    stay = MONTH / removals * DAY
    nodes = np.arange(machines, dtype=np.int64)
    time = np.zeros(machines, dtype=np.int64)
    columns: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]] = []
    life = 0
    while len(nodes):
        words = nodes + life * MAX_EVENTS
        stays = -np.log1p(-_units_of(seed, STAYS, words)) * stay
        ends = np.minimum(time + np.maximum(np.minimum(stays, until), 1).astype(np.int64), until)
        columns.append((nodes, time, ends))
        normal = np.array(
            [NORMAL.inv_cdf(max(u, 2.0**-53)) for u in _units_of(seed, DOWNTIMES, words).tolist()]
        )
        gone = np.exp(np.minimum(math.log(downtime * 60 * SECOND) + spread * normal, 60.0))
        back = ends + np.maximum(np.minimum(gone, until), 1).astype(np.int64)
        again = (ends < until) & (back < until)
        nodes, time = nodes[again], back[again]
        life += 1
    return Sessions.from_columns(*(np.concatenate(column) for column in zip(*columns, strict=True)))


def _units(seed: int, purpose: np.uint64, count: int) -> NDArray[np.float64]:
    """Return random numbers in [0, 1), the same on any computer."""
    return (_words(seed, purpose, count) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def _words(seed: int, purpose: np.uint64, count: int) -> NDArray[np.uint64]:
    return _words_of(seed, purpose, np.arange(count, dtype=np.int64))


def _units_of(seed: int, purpose: np.uint64, numbers: NDArray[np.int64]) -> NDArray[np.float64]:
    return (_words_of(seed, purpose, numbers) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def _words_of(seed: int, purpose: np.uint64, numbers: NDArray[np.int64]) -> NDArray[np.uint64]:
    check_seed(seed)
    words = (numbers + 1).astype(np.uint64)
    mix_words(words, np.uint64(stream_key(np.uint64(seed), purpose)))
    return words
