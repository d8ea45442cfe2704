"""Network rules: delay, loss, duplication, reordering, partitions and isolated nodes.

A rule takes the delays of the copies of a message in flight, one at first, and returns those that
remain: none if the message is lost, several if it is duplicated. Rules apply in order, so a loss
before a duplication differs from one after it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gossamer.errors import ParameterError
from gossamer.model import Latency
from gossamer.model.scenario import Delays, Rule
from gossamer.random_stream import Stream

__all__ = [
    "DEFAULT_DELAY",
    "Delay",
    "Duplication",
    "Isolation",
    "Loss",
    "Reordering",
    "Rule",
    "Separation",
    "SiteDelay",
    "apply_rules",
]

LOST: Delays = ()
ALWAYS = 1 << 62


@dataclass(frozen=True)
class Delay:
    """Uniform delay of each copy, from ``minimum`` to ``maximum`` microseconds."""

    minimum: int
    maximum: int

    def __post_init__(self) -> None:
        if not 0 <= self.minimum <= self.maximum:
            raise ParameterError(
                f"a delay is from {self.minimum} to {self.maximum} µs; expected 0 <= minimum <= "
                "maximum"
            )

    def judge(self, now: int, source: int, target: int, delays: Delays, random: Stream) -> Delays:
        """Add a delay to each copy."""
        span = self.maximum - self.minimum + 1
        if len(delays) == 1:
            return (delays[0] + self.minimum + random.randbelow(span),)
        return tuple(delay + self.minimum + random.randbelow(span) for delay in delays)


DEFAULT_DELAY = Delay(5_000, 15_000)


@dataclass(frozen=True, eq=False)
class SiteDelay:
    """Delay between the sites of source and target."""

    latency: Latency

    def judge(self, now: int, source: int, target: int, delays: Delays, random: Stream) -> Delays:
        """Add the delay between the two sites to each copy."""
        between = self.latency.between(source, target)
        return tuple(delay + between for delay in delays)


@dataclass(frozen=True)
class Loss:
    """Loss of each copy with a probability."""

    probability: float

    def __post_init__(self) -> None:
        _check_probability("loss", self.probability)

    def judge(self, now: int, source: int, target: int, delays: Delays, random: Stream) -> Delays:
        """Drop some copies."""
        if len(delays) == 1:
            return LOST if random.random() < self.probability else delays
        return tuple(delay for delay in delays if random.random() >= self.probability)


@dataclass(frozen=True)
class Duplication:
    """Second delivery of a message with a probability, up to ``spread`` after the first.

    ``spread`` is in microseconds.
    """

    probability: float
    spread: int = 50_000

    def __post_init__(self) -> None:
        _check_probability("duplication", self.probability)

    def judge(self, now: int, source: int, target: int, delays: Delays, random: Stream) -> Delays:
        """Add copies."""
        if random.random() >= self.probability:
            return delays
        return (*delays, *(delay + random.randbelow(self.spread + 1) for delay in delays))


@dataclass(frozen=True)
class Reordering:
    """Extra delay of a copy with a probability, up to ``spread``, so that others overtake it.

    ``spread`` is in microseconds.
    """

    probability: float
    spread: int = 100_000

    def __post_init__(self) -> None:
        _check_probability("reordering", self.probability)

    def judge(self, now: int, source: int, target: int, delays: Delays, random: Stream) -> Delays:
        """Hold back some copies."""
        return tuple(
            delay + random.randbelow(self.spread + 1)
            if random.random() < self.probability
            else delay
            for delay in delays
        )


@dataclass(frozen=True)
class Separation:
    """Partition that heals: loss of all messages between two sides during an interval.

    Attributes
    ----------
    side
        Side of a node.
    since, until
        Start and end (excluded) in microseconds, by the time of sending.
    """

    side: Callable[[int], object]
    since: int
    until: int

    def judge(self, now: int, source: int, target: int, delays: Delays, random: Stream) -> Delays:
        """Drop messages that cross."""
        if self.since <= now < self.until and self.side(source) != self.side(target):
            return LOST
        return delays


@dataclass(frozen=True)
class Isolation:
    """Nodes cut off from all others: they run on, and appear crashed.

    Attributes
    ----------
    nodes
        Isolated nodes.
    since, until
        Start and end (excluded) in microseconds, by the time of sending.
    """

    nodes: frozenset[int]
    since: int = 0
    until: int = ALWAYS

    def judge(self, now: int, source: int, target: int, delays: Delays, random: Stream) -> Delays:
        """Drop messages from and to isolated nodes."""
        isolated = source in self.nodes or target in self.nodes
        return LOST if isolated and self.since <= now < self.until else delays


def apply_rules(
    rules: Sequence[Rule], now: int, source: int, target: int, random: Stream
) -> Delays:
    """Return the delays of the copies of a message that arrive."""
    delays: Delays = (0,)
    for rule in rules:
        delays = rule.judge(now, source, target, delays, random)
        if not delays:
            break
    return delays


def _check_probability(what: str, probability: float) -> None:
    if not 0 <= probability <= 1:
        raise ParameterError(f"{what} is {probability}; expected a probability from 0 to 1")
