"""Failure detection from heartbeats.

Two detectors with the same interface. Missed heartbeats: a peer is suspected after a fixed silence.
Accrual (Hayashibara et al., SRDS 2004): a peer is suspected when a silence of this length is too
improbable given its earlier gaps, so slow paths have longer timeouts.
"""

from __future__ import annotations

import math
from typing import Literal

from gossamer.protocols.contract import Peer

DetectorName = Literal["missed", "accrual"]


class MissedHeartbeats:
    """Suspects a peer after a number of missing heartbeats.

    Parameters
    ----------
    interval
        Microseconds between heartbeats.
    missed
        Number of consecutive missing heartbeats.
    """

    def __init__(self, interval: int, missed: int) -> None:
        self.timeout = interval * missed + interval // 2
        self._last: dict[Peer, int] = {}

    def heard(self, peer: Peer, now: int) -> None:
        """Note a sign of life."""
        self._last[peer] = now

    def forget(self, peer: Peer) -> None:
        """Stop watching a peer."""
        self._last.pop(peer, None)

    def suspects(self, now: int) -> list[Peer]:
        """Return the suspected peers, in the order in which they were first heard."""
        limit = now - self.timeout
        return [peer for peer, last in self._last.items() if last < limit]


class _Gaps:
    """Gaps between a peer's signs of life: exponential mean and variance."""

    __slots__ = ("last", "mean", "variance")

    def __init__(self, now: int, mean: float) -> None:
        self.last = now
        self.mean = mean
        self.variance = (mean / 4) ** 2


class Accrual:
    """Suspects a peer when its silence is too improbable: phi = -log10 P(gap of this length).

    Gaps have a normal distribution, whose mean and variance are exponential averages.

    Parameters
    ----------
    interval
        Microseconds between heartbeats: the initial mean.
    threshold
        Value of phi above which a peer is suspected; at 8, one gap in 10^8 is a false positive.
    """

    FADING = 0.1
    MIN_DEVIATION = 0.1
    """Minimum deviation as a share of the interval, so that regular peers may have small delays."""

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
        if gap < self.interval // 2:  # another message between heartbeats
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
        """Return phi of a peer: the suspicion of its silence."""
        gaps = self._gaps[peer]
        deviation = max(math.sqrt(gaps.variance), self.MIN_DEVIATION * self.interval)
        tail = 0.5 * math.erfc((now - gaps.last - gaps.mean) / (deviation * math.sqrt(2)))
        return -math.log10(tail) if tail > 0 else math.inf

    def suspects(self, now: int) -> list[Peer]:
        """Return the suspected peers, in the order in which they were first heard."""
        return [peer for peer in self._gaps if self.phi(peer, now) > self.threshold]


FailureDetector = MissedHeartbeats | Accrual


def make_detector(name: DetectorName, interval: int, missed: int) -> FailureDetector:
    """Return the detector of that name."""
    return MissedHeartbeats(interval, missed) if name == "missed" else Accrual(interval)
