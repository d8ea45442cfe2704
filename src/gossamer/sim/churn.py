"""When nodes are there: sessions drawn from distributions, and their text on the command line.

A node alternates between being there and being away (SpiderCast §3.8): for times drawn from a
distribution, and away for exponential ones. At the start it is there as often as in the long
run. What a node draws depends on the seed and the node alone.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Protocol

from gossamer.host import Stream, stream_of
from gossamer.model import ParameterError, Sessions
from gossamer.protocols.contract import MICROSECONDS

__all__ = ["Churn", "Exponential", "Lifetimes", "Pareto", "Weibull", "draw_sessions", "parse_churn"]


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
class Churn:
    """How long nodes are there, and for how long away on average, in seconds."""

    there: Lifetimes
    away: float


def draw_sessions(churn: Churn, *, nodes: int, until: int, seed: int) -> Sessions:
    """Draw when each node is there, up to a time in microseconds.

    O(nodes + sessions). The first session of a node that is there at the start is a whole
    lifetime, which is exact for exponential ones.
    """
    who: list[int] = []
    starts: list[int] = []
    ends: list[int] = []
    away = Exponential(churn.away)
    present = churn.there.mean / (churn.there.mean + churn.away)
    for node in range(nodes):
        random = stream_of(seed, "sessions", node)
        time = 0 if random.unit() < present else _microseconds(away, random)
        while time < until:
            end = time + _microseconds(churn.there, random)
            who.append(node)
            starts.append(time)
            ends.append(end)
            time = end + _microseconds(away, random)
    return Sessions.from_columns(who, starts, ends)


def _microseconds(lifetimes: Lifetimes, random: Stream) -> int:
    return max(1, round(lifetimes.draw(1.0 - random.unit()) * MICROSECONDS))


NUMBER = r"(\d+(?:\.\d+)?)"


def parse_churn(text: str) -> Churn:
    """Turn a text into a churn: seconds there, and away (a quarter of that if not given).

    ``exponential:300`` or ``exponential:300:75``; ``weibull:SHAPE:SCALE[:AWAY]``;
    ``pareto:ALPHA:LEAST[:AWAY]``.

    Examples
    --------
    >>> parse_churn("exponential:300")
    Churn(there=Exponential(mean=300.0), away=75.0)
    """
    name, *parts = text.strip().lower().split(":")
    counts = {"exponential": 1, "weibull": 2, "pareto": 2}
    numbers = [float(part) for part in parts if re.fullmatch(NUMBER, part)]
    wanted = counts.get(name, 0)
    good = len(numbers) == len(parts) and wanted <= len(numbers) <= wanted + 1
    if not wanted or not good or min(numbers, default=0) <= 0:
        raise ParameterError(
            f"churn is {text!r}; expected exponential:SECONDS, weibull:SHAPE:SECONDS or "
            "pareto:ALPHA:SECONDS, each with :SECONDS away if wanted, or a table of sessions"
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
    return Churn(there, away)
