"""What happens to messages on the way: ordered rules, apart from routing and from time.

Each rule is given the delays of the copies of a message that are under way, one to begin with,
and returns those that remain: none if it is lost, several if it is doubled. They are asked in
order, so a loss before a doubling is another thing than one after.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import ParameterError
from gossamer.model import Latency
from gossamer.random_stream import Stream, stream_of

__all__ = [
    "Cut",
    "Delay",
    "Double",
    "Lose",
    "Reorder",
    "Rule",
    "Silence",
    "SiteDelay",
    "judged",
    "scattered",
]

Delays = tuple[int, ...]
NONE: Delays = ()


class Rule(Protocol):
    """Decides over the copies of one message."""

    def judge(self, now: int, source: int, target: int, delays: Delays, random: Stream) -> Delays:
        """Return the delays of the copies that remain, in microseconds."""
        ...


@dataclass(frozen=True)
class Delay:
    """Every message takes from ``least`` to ``most`` microseconds, evenly spread."""

    least: int
    most: int

    def __post_init__(self) -> None:
        if not 0 <= self.least <= self.most:
            raise ParameterError(
                f"a delay is from {self.least} to {self.most} µs; expected 0 <= least <= most"
            )

    def judge(self, now: int, source: int, target: int, delays: Delays, random: Stream) -> Delays:
        """Add a delay to each copy."""
        span = self.most - self.least + 1
        if len(delays) == 1:
            return (delays[0] + self.least + random.randbelow(span),)
        return tuple(delay + self.least + random.randbelow(span) for delay in delays)


@dataclass(frozen=True, eq=False)
class SiteDelay:
    """A message takes as long as it is from its source's site to its target's."""

    latency: Latency

    def judge(self, now: int, source: int, target: int, delays: Delays, random: Stream) -> Delays:
        """Add the delay between the two sites to each copy."""
        between = self.latency.between(source, target)
        return tuple(delay + between for delay in delays)


@dataclass(frozen=True)
class Lose:
    """Each copy is lost with this chance."""

    chance: float

    def __post_init__(self) -> None:
        _check_chance("loss", self.chance)

    def judge(self, now: int, source: int, target: int, delays: Delays, random: Stream) -> Delays:
        """Drop some copies."""
        if len(delays) == 1:
            return NONE if random.random() < self.chance else delays
        return tuple(delay for delay in delays if random.random() >= self.chance)


@dataclass(frozen=True)
class Double:
    """A message comes twice with this chance, the second time up to ``later`` after the first."""

    chance: float
    later: int = 50_000

    def __post_init__(self) -> None:
        _check_chance("doubling", self.chance)

    def judge(self, now: int, source: int, target: int, delays: Delays, random: Stream) -> Delays:
        """Add copies."""
        if random.random() >= self.chance:
            return delays
        return (*delays, *(delay + random.randbelow(self.later + 1) for delay in delays))


@dataclass(frozen=True)
class Reorder:
    """With this chance a copy is held up by as much as ``later``, and overtaken by others."""

    chance: float
    later: int = 100_000

    def __post_init__(self) -> None:
        _check_chance("reordering", self.chance)

    def judge(self, now: int, source: int, target: int, delays: Delays, random: Stream) -> Delays:
        """Hold up some copies."""
        return tuple(
            delay + random.randbelow(self.later + 1) if random.random() < self.chance else delay
            for delay in delays
        )


@dataclass(frozen=True)
class Cut:
    """No message passes between two sides for some time: a partition that heals.

    Attributes
    ----------
    side
        Says of a node on which side it is.
    since, until
        From when on, and until when (excluded), by the time of sending.
    """

    side: Callable[[int], object]
    since: int
    until: int

    def judge(self, now: int, source: int, target: int, delays: Delays, random: Stream) -> Delays:
        """Drop what would cross."""
        if self.since <= now < self.until and self.side(source) != self.side(target):
            return NONE
        return delays


@dataclass(frozen=True)
class Silence:
    """Some nodes are cut off from all others: as if they had crashed, though they run on.

    Attributes
    ----------
    nodes
        Which.
    since, until
        From when on, and until when (excluded), by the time of sending.
    """

    nodes: frozenset[int]
    since: int = 0
    until: int = 1 << 62

    def judge(self, now: int, source: int, target: int, delays: Delays, random: Stream) -> Delays:
        """Drop what goes to them or comes from them."""
        silent = source in self.nodes or target in self.nodes
        return NONE if silent and self.since <= now < self.until else delays


def scattered(matrix: NDArray[np.int64], nodes: int, seed: int) -> Latency:
    """Put nodes at random sites of a matrix of delays."""
    random = stream_of(seed, "sites")
    return Latency.from_matrix(matrix, [random.randbelow(len(matrix)) for _ in range(nodes)])


def judged(rules: Sequence[Rule], now: int, source: int, target: int, random: Stream) -> Delays:
    """Return the delays of the copies of a message that arrive."""
    delays: Delays = (0,)
    for rule in rules:
        delays = rule.judge(now, source, target, delays, random)
        if not delays:
            break
    return delays


def _check_chance(what: str, chance: float) -> None:
    if not 0 <= chance <= 1:
        raise ParameterError(f"{what} is {chance}; expected a chance from 0 to 1")
