"""When nodes are there: sessions drawn from distributions, and their text on the command line.

A node alternates between being there and being away (SpiderCast §3.8): for times drawn from a
distribution, and away for exponential ones. At the start it is there as often as in the long
run. What a node draws depends on the seed and the node alone. Many may join at nearly the same
time: flash crowds, in sessions of any origin.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from gossamer.errors import ParameterError
from gossamer.model import Sessions
from gossamer.random_stream import Stream, stream_of
from gossamer.time import SECOND

__all__ = [
    "Churn",
    "Exponential",
    "FlashCrowd",
    "Lifetimes",
    "Pareto",
    "Weibull",
    "draw_sessions",
    "parse_churn",
    "split_crowds",
    "with_flash_crowd",
]

WITHIN, STAY = 10.0, 600.0
"""Of a flash crowd, in seconds, where a text does not say it. Both are ours."""


class Lifetimes(Protocol):
    """How long nodes stay, in seconds."""

    @property
    def mean(self) -> float:
        """The mean."""
        ...

    def draw(self, unit: float) -> float:
        """Turn a number in (0, 1] into a lifetime: the inverse of the survival function."""
        ...


@dataclass(frozen=True)
class Exponential:
    """As if a node forgot how long it has been there."""

    mean: float

    def draw(self, unit: float) -> float:
        """Turn a number in (0, 1] into a lifetime."""
        return -self.mean * math.log(unit)


@dataclass(frozen=True)
class Weibull:
    """Below a shape of 1: whoever has stayed long stays longer."""

    shape: float
    scale: float

    @property
    def mean(self) -> float:
        """The mean."""
        return self.scale * math.gamma(1 + 1 / self.shape)

    def draw(self, unit: float) -> float:
        """Turn a number in (0, 1] into a lifetime."""
        return float(self.scale * (-math.log(unit)) ** (1 / self.shape))


@dataclass(frozen=True)
class Pareto:
    """A heavy tail: P(longer than x) = (least / x)^alpha, with alpha above 1."""

    alpha: float
    least: float

    @property
    def mean(self) -> float:
        """The mean."""
        return self.alpha * self.least / (self.alpha - 1)

    def draw(self, unit: float) -> float:
        """Turn a number in (0, 1] into a lifetime."""
        return float(self.least * unit ** (-1 / self.alpha))


@dataclass(frozen=True)
class FlashCrowd:
    """Many nodes that join at nearly the same time (Vitis §IV-F). Times are in seconds.

    Attributes
    ----------
    at
        From when on they join.
    joining
        How many.
    within
        By when all of them have joined, after ``at``.
    stay
        How long each stays at least.
    """

    at: float
    joining: int
    within: float = WITHIN
    stay: float = STAY

    def added_to(self, sessions: Sessions, *, nodes: int, seed: int) -> Sessions:
        """Return the sessions of so many nodes with this crowd in them."""
        return with_flash_crowd(
            sessions,
            nodes=nodes,
            at=round(self.at * SECOND),
            within=round(self.within * SECOND),
            joining=self.joining,
            stay=round(self.stay * SECOND),
            seed=seed,
        )


@dataclass(frozen=True)
class Churn:
    """How long nodes are there, and for how long away on average, in seconds; and crowds."""

    there: Lifetimes
    away: float
    crowds: tuple[FlashCrowd, ...] = ()


def draw_sessions(churn: Churn, *, nodes: int, until: int, seed: int) -> Sessions:
    """Draw when each node is there, up to a time in microseconds.

    O(nodes + sessions). The first session of a node that is there at the start is a whole
    lifetime, which is exact for exponential ones. Flash crowds are put in afterwards, one
    after the other.
    """
    who: list[int] = []
    starts: list[int] = []
    ends: list[int] = []
    away = Exponential(churn.away)
    present = churn.there.mean / (churn.there.mean + churn.away)
    for node in range(nodes):
        random = stream_of(seed, "sessions", node)
        time = 0 if random.random() < present else _microseconds(away, random)
        while time < until:
            end = time + _microseconds(churn.there, random)
            who.append(node)
            starts.append(time)
            ends.append(end)
            time = end + _microseconds(away, random)
    sessions = Sessions.from_columns(who, starts, ends)
    for crowd in churn.crowds:
        sessions = crowd.added_to(sessions, nodes=nodes, seed=seed)
    return sessions


def with_flash_crowd(
    sessions: Sessions,
    *,
    nodes: int,
    at: int,
    within: int,
    joining: int,
    stay: int,
    seed: int,
) -> Sessions:
    """Return the sessions with a flash crowd in them: many nodes join at nearly the same time.

    Of the nodes that are away at a time, so many, chosen at random, join at random times from
    then on and stay. Sessions of a node that meet its stay become one with it, so a node that
    would have come by itself meanwhile does come then, and stays at least as long. All other
    sessions are as they were. Times are in microseconds, as those of sessions.

    Parameters
    ----------
    sessions
        When nodes are there without the crowd.
    nodes
        How many nodes there are; whoever has no session is always away.
    at, within
        From when on they join, and by when after it: all at once if ``within`` is 0.
    joining
        How many.
    stay
        How long each stays from its joining on.
    seed
        Settles who joins, and when.

    Raises
    ------
    ParameterError
        If fewer nodes are away at that time, or a time makes no sense.

    Notes
    -----
    O(nodes + sessions).

    Examples
    --------
    >>> there = Sessions.from_columns([0, 1], [0, 9], [5, 12])
    >>> crowded = with_flash_crowd(there, nodes=3, at=6, within=0, joining=3, stay=4, seed=1)
    >>> list(zip(crowded.nodes.tolist(), crowded.starts.tolist(), crowded.ends.tolist()))
    [(0, 0, 5), (0, 6, 10), (1, 6, 12), (2, 6, 10)]
    """
    for what, value, least in (("at", at, 0), ("within", within, 0), ("stay", stay, 1)):
        if value < least:
            raise ParameterError(
                f"a flash crowd's {what} is {value} µs; expected {least} µs or more"
            )
    if joining < 1:
        raise ParameterError(f"{joining} nodes join in a flash crowd; expected 1 or more")
    there = np.zeros(nodes, dtype=np.bool_)
    there[sessions.nodes[(sessions.starts <= at) & (sessions.ends > at)]] = True
    away = np.flatnonzero(~there).tolist()
    if joining > len(away):
        raise ParameterError(
            f"{joining:,} nodes are to join in a flash crowd at {at / SECOND:g} s, and "
            f"{len(away):,} of {nodes:,} are away then; expected so many or fewer"
        )
    random = stream_of(seed, "flash crowd", at)
    joins = np.full(nodes, -1, dtype=np.int64)
    for node in random.sample(away, joining):
        joins[node] = at + (random.randbelow(within) if within else 0)
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


NUMBER = r"(\d+(?:\.\d+)?)"


def split_crowds(text: str) -> tuple[str, tuple[FlashCrowd, ...]]:
    """Take flash crowds off the end of a text: ``,flash:AT:JOINING[:WITHIN[:STAY]]``, in seconds.

    Without a window they join within 10 s, and without a stay for 600 s.

    Examples
    --------
    >>> split_crowds("sessions.parquet,flash:600:1000")
    ('sessions.parquet', (FlashCrowd(at=600.0, joining=1000, within=10.0, stay=600.0),))
    """
    base, *parts = re.split(r",\s*flash(?=[:,]|\s*$)", text, flags=re.IGNORECASE)
    crowds = []
    for part in parts:
        found = re.fullmatch(
            rf":{NUMBER}:(\d+)(?::{NUMBER})?(?::{NUMBER})?\s*", part, flags=re.ASCII
        )
        stays = found[4] is None or float(found[4]) > 0 if found else False
        if found is None or not int(found[2]) or not stays:
            raise ParameterError(
                f"churn is {text!r}: a flash crowd is {'flash' + part!r}; expected "
                "flash:AT:JOINING, as in flash:600:1000, with :WITHIN and :STAY if wanted, in "
                "seconds"
            )
        within = WITHIN if found[3] is None else float(found[3])
        stay = STAY if found[4] is None else float(found[4])
        crowds.append(FlashCrowd(float(found[1]), int(found[2]), within, stay))
    return base, tuple(crowds)


def parse_churn(text: str) -> Churn:
    """Turn a text into a churn: seconds there, and away (a quarter of that if not given).

    ``exponential:300`` or ``exponential:300:75``; ``weibull:SHAPE:SCALE[:AWAY]``;
    ``pareto:ALPHA:LEAST[:AWAY]``; each with flash crowds after it, as :func:`split_crowds`
    reads them: ``exponential:300,flash:600:1000``.

    Examples
    --------
    >>> parse_churn("exponential:300")
    Churn(there=Exponential(mean=300.0), away=75.0, crowds=())
    """
    law, crowds = split_crowds(text)
    name, *parts = law.strip().lower().split(":")
    counts = {"exponential": 1, "weibull": 2, "pareto": 2}
    numbers = [float(part) for part in parts if re.fullmatch(NUMBER, part)]
    wanted = counts.get(name, 0)
    good = len(numbers) == len(parts) and wanted <= len(numbers) <= wanted + 1
    if not wanted or not good or min(numbers, default=0) <= 0:
        raise ParameterError(
            f"churn is {text!r}; expected exponential:SECONDS, weibull:SHAPE:SECONDS or "
            "pareto:ALPHA:SECONDS, each with :SECONDS away if wanted, superpeer, or a table of "
            "sessions; and ,flash:AT:JOINING after it if wanted"
        )
    there: Lifetimes
    if name == "exponential":
        there = Exponential(numbers[0])
    elif name == "weibull":
        there = Weibull(numbers[0], numbers[1])
    else:
        if numbers[0] <= 1:
            raise ParameterError(f"churn is {text!r}: alpha is {numbers[0]}; expected above 1")
        there = Pareto(numbers[0], numbers[1])
    away = numbers[wanted] if len(numbers) > wanted else there.mean / 4
    return Churn(there, away, crowds)
