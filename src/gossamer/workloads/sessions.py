"""Sessions drawn from laws, and flash crowds.

A node alternates between presence, of lengths drawn from a law, and absence, of exponential lengths
(SpiderCast §3.8). The share of nodes present at the start is that of the long run. The sessions
of a node depend on the seed and the node only. A flash crowd adds nodes that join at nearly the
same time to any sessions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from gossamer.errors import ParameterError
from gossamer.model import Sessions
from gossamer.random_stream import Stream, stream_of
from gossamer.time import SECOND

CROWD_WINDOW, CROWD_STAY = 10.0, 600.0
"""Default seconds within which a flash crowd joins, and for which it stays (ours)."""


class Lifetimes(Protocol):
    """Law of session lengths in seconds."""

    @property
    def mean(self) -> float:
        """Mean length."""
        ...

    def draw(self, unit: float) -> float:
        """Return the length at which the survival function is ``unit``, in (0, 1]."""
        ...


@dataclass(frozen=True)
class ExponentialLifetimes:
    """Exponential session lengths: without memory."""

    mean: float

    def draw(self, unit: float) -> float:
        """Return the length at which the survival function is ``unit``, in (0, 1]."""
        return -self.mean * math.log(unit)


@dataclass(frozen=True)
class WeibullLifetimes:
    """Weibull session lengths; below a shape of 1, long sessions tend to last longer."""

    shape: float
    scale: float

    @property
    def mean(self) -> float:
        """Mean length."""
        return self.scale * math.gamma(1 + 1 / self.shape)

    def draw(self, unit: float) -> float:
        """Return the length at which the survival function is ``unit``, in (0, 1]."""
        return float(self.scale * (-math.log(unit)) ** (1 / self.shape))


@dataclass(frozen=True)
class ParetoLifetimes:
    """Heavy-tailed session lengths: P(longer than x) = (minimum / x)^alpha, with alpha above 1."""

    alpha: float
    minimum: float

    @property
    def mean(self) -> float:
        """Mean length."""
        return self.alpha * self.minimum / (self.alpha - 1)

    def draw(self, unit: float) -> float:
        """Return the length at which the survival function is ``unit``, in (0, 1]."""
        return float(self.minimum * unit ** (-1 / self.alpha))


@dataclass(frozen=True)
class FlashCrowd:
    """Nodes that join at nearly the same time (Vitis §IV-F). Times are in seconds.

    Attributes
    ----------
    at
        Time of the first possible join.
    joining
        Number of nodes.
    window
        Length of the interval in which they join.
    stay
        Minimum time for which each of them stays.
    """

    at: float
    joining: int
    window: float = CROWD_WINDOW
    stay: float = CROWD_STAY

    def added_to(self, sessions: Sessions, *, nodes: int, seed: int) -> Sessions:
        """Return the sessions with this crowd added; see :func:`with_flash_crowd`."""
        return with_flash_crowd(
            sessions,
            nodes=nodes,
            at=round(self.at * SECOND),
            window=round(self.window * SECOND),
            joining=self.joining,
            stay=round(self.stay * SECOND),
            seed=seed,
        )


@dataclass(frozen=True)
class ChurnLaw:
    """Law of presence: lengths of sessions, mean seconds of absence, and flash crowds."""

    present: Lifetimes
    absent: float
    crowds: tuple[FlashCrowd, ...] = ()


def draw_sessions(churn: ChurnLaw, *, nodes: int, until: int, seed: int) -> Sessions:
    """Draw the sessions of each node up to a time in microseconds. O(nodes + sessions).

    The first session of a node that is present at the start has a whole lifetime, which is exact
    for exponential ones. Flash crowds are added afterwards, one after the other.
    """
    owners: list[int] = []
    starts: list[int] = []
    ends: list[int] = []
    absences = ExponentialLifetimes(churn.absent)
    present = churn.present.mean / (churn.present.mean + churn.absent)
    for node in range(nodes):
        random = stream_of(seed, "sessions", node)
        time = 0 if random.random() < present else _microseconds(absences, random)
        while time < until:
            end = time + _microseconds(churn.present, random)
            owners.append(node)
            starts.append(time)
            ends.append(end)
            time = end + _microseconds(absences, random)
    sessions = Sessions.from_columns(owners, starts, ends)
    for crowd in churn.crowds:
        sessions = crowd.added_to(sessions, nodes=nodes, seed=seed)
    return sessions


def with_flash_crowd(
    sessions: Sessions,
    *,
    nodes: int,
    at: int,
    window: int,
    joining: int,
    stay: int,
    seed: int,
) -> Sessions:
    """Return the sessions with a flash crowd added: nodes that join at nearly the same time.

    The crowd is drawn at random from the nodes that are absent at ``at``. Sessions of such a node
    that overlap its stay are merged with it. All other sessions are unchanged. Times are in
    microseconds.

    Parameters
    ----------
    sessions
        Sessions without the crowd.
    nodes
        Number of nodes; a node without a session is absent.
    at, window
        Start and length of the interval in which the crowd joins.
    joining
        Number of nodes in the crowd.
    stay
        Minimum time for which each of them stays.
    seed
        Seed of the random number generator.

    Raises
    ------
    ParameterError
        If fewer nodes are absent at that time, or a time is out of range.

    Notes
    -----
    O(nodes + sessions).

    Examples
    --------
    >>> before = Sessions.from_columns([0, 1], [0, 9], [5, 12])
    >>> crowded = with_flash_crowd(before, nodes=3, at=6, window=0, joining=3, stay=4, seed=1)
    >>> list(zip(crowded.nodes.tolist(), crowded.starts.tolist(), crowded.ends.tolist()))
    [(0, 0, 5), (0, 6, 10), (1, 6, 12), (2, 6, 10)]
    """
    for what, value, minimum in (("at", at, 0), ("window", window, 0), ("stay", stay, 1)):
        if value < minimum:
            raise ParameterError(
                f"a flash crowd's {what} is {value} µs; expected {minimum} µs or more"
            )
    if joining < 1:
        raise ParameterError(f"{joining} nodes join in a flash crowd; expected 1 or more")
    present = np.zeros(nodes, dtype=np.bool_)
    present[sessions.nodes[(sessions.starts <= at) & (sessions.ends > at)]] = True
    absent = np.flatnonzero(~present).tolist()
    if joining > len(absent):
        raise ParameterError(
            f"{joining:,} nodes join in a flash crowd at {at / SECOND:g} s, but only "
            f"{len(absent):,} of {nodes:,} are absent then"
        )
    random = stream_of(seed, "flash crowd", at)
    joins = np.full(nodes, -1, dtype=np.int64)
    for node in random.sample(absent, joining):
        joins[node] = at + (random.randbelow(window) if window else 0)
    begins = joins[sessions.nodes]
    met = (begins >= 0) & (sessions.starts <= begins + stay) & (sessions.ends >= begins)
    chosen = np.flatnonzero(joins >= 0)
    first, last = joins.copy(), joins + stay
    np.minimum.at(first, sessions.nodes[met], sessions.starts[met])
    np.maximum.at(last, sessions.nodes[met], sessions.ends[met])
    return Sessions.from_columns(
        np.concatenate((sessions.nodes[~met], chosen)),
        np.concatenate((sessions.starts[~met], first[chosen])),
        np.concatenate((sessions.ends[~met], last[chosen])),
    )


def _microseconds(lifetimes: Lifetimes, random: Stream) -> int:
    return max(1, round(lifetimes.draw(1.0 - random.random()) * SECOND))
