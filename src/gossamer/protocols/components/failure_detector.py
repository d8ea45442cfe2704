"""Failure detection from heartbeats: who has been silent for too long.

Two detectors with the same three calls. Missed heartbeats: suspected after a fixed silence.
Accrual (Hayashibara et al., SRDS 2004): suspected when a silence as long as this one is too
unlikely by what was seen of that peer before, so a slow path gets more patience.
"""

from __future__ import annotations

import math
from typing import Literal, Protocol

from gossamer.protocols.contract import Peer

__all__ = ["Accrual", "FailureDetector", "MissedHeartbeats", "make_detector"]

DetectorName = Literal["missed", "accrual"]


class FailureDetector(Protocol):
    """Says who is suspected to be down."""

    def heard(self, peer: Peer, now: int) -> None:
        """Note a sign of life."""
        ...

    def forget(self, peer: Peer) -> None:
        """Stop watching a peer."""
        ...

    def suspects(self, now: int) -> list[Peer]:
        """Return those watched who are suspected now, in the order they were first heard."""
        ...


class MissedHeartbeats:
    """Suspects a peer that was silent for some heartbeats.

    Parameters
    ----------
    interval
        Between two heartbeats, in microseconds.
    missed
        How many heartbeats in a row must be missing.
    """

    def __init__(self, interval: int, missed: int) -> None:
        self.patience = interval * missed + interval // 2
        self._last: dict[Peer, int] = {}

    def heard(self, peer: Peer, now: int) -> None:
        """Note a sign of life."""
        self._last[peer] = now

    def forget(self, peer: Peer) -> None:
        """Stop watching a peer."""
        self._last.pop(peer, None)

    def suspects(self, now: int) -> list[Peer]:
        """Return those watched who are suspected now, in the order they were first heard."""
        limit = now - self.patience
        return [peer for peer, last in self._last.items() if last < limit]


class _Gaps:
    """What is known of the gaps between a peer's signs of life: mean and variance, fading."""

    __slots__ = ("last", "mean", "variance")

    def __init__(self, now: int, mean: float) -> None:
        self.last = now
        self.mean = mean
        self.variance = (mean / 4) ** 2


class Accrual:
    """Suspects a peer when its silence is too unlikely: phi = -log10 P(a gap this long or longer).

    Gaps are taken to be normal, with mean and variance learnt as exponential averages.

    Parameters
    ----------
    interval
        Between two heartbeats, in microseconds: the first guess.
    threshold
        A silence is suspected when phi is above it; at 8, one of 10^8 gaps is a mistake.
    """

    FADING = 0.1
    MIN_DEVIATION = 0.1
    """Of the interval, so that a very regular peer is not suspected for a small delay."""

    def __init__(self, interval: int, threshold: float = 8.0) -> None:
        self.interval = interval
        self.threshold = threshold
        self._gaps: dict[Peer, _Gaps] = {}

    def heard(self, peer: Peer, now: int) -> None:
        """Note a sign of life."""
        gaps = self._gaps.get(peer)
        if gaps is None:
            self._gaps[peer] = _Gaps(now, float(self.interval))
            return
        gap = now - gaps.last
        if gap < self.interval // 2:  # beside the heartbeats: a sign of life, not a gap of theirs
            gaps.last = now
            return
        difference = gap - gaps.mean
        gaps.mean += self.FADING * difference
        gaps.variance = (1 - self.FADING) * (gaps.variance + self.FADING * difference**2)
        gaps.last = now

    def forget(self, peer: Peer) -> None:
        """Stop watching a peer."""
        self._gaps.pop(peer, None)

    def phi(self, peer: Peer, now: int) -> float:
        """Return how suspicious a peer's silence is."""
        gaps = self._gaps[peer]
        deviation = max(math.sqrt(gaps.variance), self.MIN_DEVIATION * self.interval)
        tail = 0.5 * math.erfc((now - gaps.last - gaps.mean) / (deviation * math.sqrt(2)))
        return -math.log10(tail) if tail > 0 else math.inf

    def suspects(self, now: int) -> list[Peer]:
        """Return those watched who are suspected now, in the order they were first heard."""
        return [peer for peer in self._gaps if self.phi(peer, now) > self.threshold]


def make_detector(name: DetectorName, interval: int, missed: int) -> FailureDetector:
    """Return the detector of that name."""
    return MissedHeartbeats(interval, missed) if name == "missed" else Accrual(interval)
