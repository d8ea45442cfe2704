"""Friends: neighbours with similar interests (Vitis, §III-A2).

The utility of a link is the weighted Jaccard index of the interests of its ends: the publication
rate of the topics that they share, divided by the rate of all topics of either. Rates are equal, or
measured: each subscriber counts publications on its topics and reports them in its profile.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from gossamer.protocols.components.identifiers import identifier_of_node, ring_distance
from gossamer.protocols.contract import Peer, Topic, Topics

MIN_RATE, MAX_RATE = 1, 1 << 32
"""Publication rate of a topic, in publications per thousand rounds; silent topics have 1."""
PER_EVENT = 1000
FADING = 0.05
"""Weight of the latest round in the average."""


def utility(
    mine: Collection[Topic], theirs: Collection[Topic], rates: Mapping[Topic, int] | None = None
) -> float:
    """Return the utility of a link between two nodes (Equation 1).

    O(topics of both).

    Parameters
    ----------
    mine, theirs
        Topics of each node, without duplicates.
    rates
        Publication rates of the topics; equal if not given, ``MIN_RATE`` for missing ones.

    Examples
    --------
    >>> utility("ABC", "CD"), utility("ABC", "CDEFGH"), round(utility("CD", "CDEFGH"), 2)
    (0.25, 0.125, 0.33)
    >>> utility("ABC", "CD", {"A": 1, "B": 1, "C": 7, "D": 1})
    0.7
    """
    small, large = (mine, theirs) if len(mine) < len(theirs) else (theirs, mine)
    within = frozenset(large)
    if rates is None:
        shared = len(within.intersection(small))
        total = len(mine) + len(theirs) - shared
    else:
        shared = sum(rates.get(topic, MIN_RATE) for topic in small if topic in within)
        total = sum(rates.get(topic, MIN_RATE) for topic in (*mine, *theirs)) - shared
    return shared / total if total else 0.0


def rank_friends(
    me: Peer, candidates: Iterable[Peer], value: Callable[[Peer], float], present: Collection[Peer]
) -> list[Peer]:
    """Return candidates in order of preference (Algorithm 4, lines 11-15).

    Of equal utilities, present neighbours come first, so that the choice converges; then nodes
    that are nearer on the ring.
    """
    here = identifier_of_node(me)

    def order(peer: Peer) -> tuple[float, bool, int, int]:
        identifier = identifier_of_node(peer)
        return (-value(peer), peer not in present, ring_distance(here, identifier), identifier)

    return sorted(candidates, key=order)


class MeasuredRates:
    """Publication rates of a node's own topics: exponential averages over rounds.

    The reported rate of a topic changes only when the average has doubled or halved since, so that
    single publications do not change friends.
    """

    def __init__(self) -> None:
        self._counts: dict[Topic, int] = {}
        self._average: dict[Topic, float] = {}
        self._reported: dict[Topic, int] = {}

    def count(self, topics: Iterable[Topic]) -> None:
        """Count a publication on topics."""
        for topic in topics:
            self._counts[topic] = self._counts.get(topic, 0) + 1

    def end_round(self, topics: Topics) -> None:
        """Update the averages at the end of a round. O(topics)."""
        average: dict[Topic, float] = {}
        reported: dict[Topic, int] = {}
        for topic in topics:
            latest = PER_EVENT * self._counts.get(topic, 0)
            before = self._average.get(topic, 0.0)
            average[topic] = before + FADING * (latest - before)
            known = self._reported.get(topic, MIN_RATE)
            if not known / 2 <= max(average[topic], MIN_RATE) <= 2 * known:
                known = min(max(round(average[topic]), MIN_RATE), MAX_RATE)
            reported[topic] = known
        self._average, self._reported = average, reported
        self._counts.clear()

    def of(self, topic: Topic) -> int:
        """Return the reported rate of a topic."""
        return self._reported.get(topic, MIN_RATE)
