"""Churn that is drawn: one join or leave a round, and machines of a cluster that fail.

Both are those of ElastO's evaluation (§7.1). The numbers that a round or a machine draws
depend on the seed and its number alone.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import ParameterError
from gossamer.kernels.random import mix_words, stream_key
from gossamer.model import ChurnEvents, Sessions
from gossamer.model.interests import freeze
from gossamer.time import DAY, SECOND

__all__ = ["churn_rounds", "machine_events"]

WHETHER, WHO, AT_FIRST, STAYS, DOWNTIMES = (np.uint64(0xC40 + purpose) for purpose in range(5))
"""What random words are for: each purpose has its own."""
MONTH = 29.0
"""Days of Google's trace of 2011."""
MAX_EVENTS = 10_000_000
NORMAL = NormalDist()


def churn_rounds(
    node_count: int, rounds: int, *, seed: int = 0, present: float = 1.0, join: float = 0.5
) -> tuple[NDArray[np.bool_], ChurnEvents]:
    """Draw one event a round: a random node joins or leaves (ElastO §7.1).

    It is a join with a probability of one half; a leave if every node is present, and a join if
    only two are left. Rounds are a second apart, the first at one second.

    Parameters
    ----------
    node_count
        How many nodes there are, there and away together: 3 or more.
    rounds
        How many events to draw.
    seed
        Seed of the random number generator.
    present
        The share of nodes, chosen at random, that are there at the start: all of them if not
        given, and never less than two nodes.
    join
        The probability of a join.

    Returns
    -------
    present, events
        Whether each node is there at the start, and what happens.

    Examples
    --------
    >>> present, events = churn_rounds(5, 3, seed=1)
    >>> int(present.sum()), len(events), events.times.tolist()
    (5, 3, [1000000, 2000000, 3000000])
    """
    if node_count < 3:
        raise ParameterError(f"{node_count} nodes; expected 3 or more, as two always stay")
    if not 0 <= rounds <= MAX_EVENTS:
        raise ParameterError(f"{rounds} rounds; expected 0 to {MAX_EVENTS}")
    for what, share in (("present", present), ("join", join)):
        if not 0 <= share <= 1:
            raise ParameterError(f"{what} is {share}; expected a share, 0 to 1")
    pool = np.argsort(_words(seed, AT_FIRST, node_count), kind="stable").tolist()
    few = max(2, round(present * node_count))
    there, away = sorted(pool[:few]), sorted(pool[few:])
    at_first = np.zeros(node_count, dtype=np.bool_)
    at_first[there] = True
    coins = (_units(seed, WHETHER, rounds) < join).tolist()
    places = _units(seed, WHO, rounds).tolist()
    nodes, joins = [], []
    for coin, place in zip(coins, places, strict=True):
        joining = bool(away) and (coin or len(there) == 2)
        source, target = (away, there) if joining else (there, away)
        chosen = int(place * len(source))
        source[chosen], source[-1] = source[-1], source[chosen]
        target.append(source.pop())
        nodes.append(target[-1])
        joins.append(joining)
    times = np.arange(1, rounds + 1, dtype=np.int64) * SECOND
    return freeze(at_first), ChurnEvents.from_columns(times, nodes, joins)


def machine_events(
    machines: int = 11_000,
    *,
    seed: int = 0,
    days: float = MONTH,
    removals: float = 0.7,
    downtime: float = 30.0,
    spread: float = 1.5,
) -> Sessions:
    """Draw when machines are there, in the manner of Google's cluster trace of 2011.

    ElastO (§7.1) plays that trace: about eleven thousand machines over a month. Here every
    machine is there at the start, stays for exponential times and comes back after log-normal
    ones. That machines are removed about 0.7 times a month is that trace's; the shape of both
    laws, and the median and spread of downtimes, are ours, and nothing was fitted.

    Parameters
    ----------
    machines
        How many.
    seed
        What a machine draws depends on it and the machine's number alone.
    days
        For how long; the sessions of all machines that are there at the end end then.
    removals
        How often a machine is removed in 29 days that it is there, on average.
    downtime
        The median of the minutes that it is away.
    spread
        The standard deviation of the logarithm of downtimes.

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
    """Return random numbers in [0, 1), the same on any machine."""
    return (_words(seed, purpose, count) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def _words(seed: int, purpose: np.uint64, count: int) -> NDArray[np.uint64]:
    return _words_of(seed, purpose, np.arange(count, dtype=np.int64))


def _units_of(seed: int, purpose: np.uint64, numbers: NDArray[np.int64]) -> NDArray[np.float64]:
    return (_words_of(seed, purpose, numbers) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def _words_of(seed: int, purpose: np.uint64, numbers: NDArray[np.int64]) -> NDArray[np.uint64]:
    if seed < 0:
        raise ParameterError(f"seed is {seed}; expected 0 or more")
    words = (numbers + 1).astype(np.uint64)
    mix_words(words, np.uint64(stream_key(np.uint64(seed % (1 << 64)), purpose)))
    return words
