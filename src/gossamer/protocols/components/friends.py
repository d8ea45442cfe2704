"""Friends: whom a node would rather be linked to, by what both want (Vitis, §III-A2).

The utility of a link is the publication rate of the topics that its ends share, by the rate of
all topics that one of them wants: the Jaccard index of their interests, weighted. Rates are all
alike, or measured: each subscriber counts what comes on its topics and tells it in its profile.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from gossamer.protocols.components.identifiers import identifier_of_node, ring_distance
from gossamer.protocols.contract import Peer, Topic, Topics

__all__ = ["MAX_RATE", "MIN_RATE", "MeasuredRates", "rank_friends", "utility"]

MIN_RATE, MAX_RATE = 1, 1 << 32
"""Of a topic, in events in a thousand rounds: what never has any counts a little all the same."""
PER_EVENT = 1000
FADING = 0.05
"""How much the latest round counts in the average."""


def utility(
    mine: Collection[Topic], theirs: Collection[Topic], rates: Mapping[Topic, int] | None = None
) -> float:
    """Return the utility of a link between two nodes by their topics (Equation 1).

    O(topics of both).

    Parameters
    ----------
    mine, theirs
        What each wants, each topic once.
    rates
        Of the topics of both; all alike if not given, ``MIN_RATE`` where one is missing.

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
    """Return candidates in the order in which they are preferred (Algorithm 4, lines 11-15).

    Of equal utilities those that are linked already come first, or friends would be exchanged
    for ever; then who is nearer on the ring.
    """
    here = identifier_of_node(me)

    def order(peer: Peer) -> tuple[float, bool, int, int]:
        there = identifier_of_node(peer)
        return (-value(peer), peer not in present, ring_distance(here, there), there)

    return sorted(candidates, key=order)


class MeasuredRates:
    """The rates of a node's own topics: an exponential average of what comes in a round.

    What is told of a topic changes only when the average has doubled or halved since, so that
    friends are not exchanged for every event.
    """

    def __init__(self) -> None:
        self._counts: dict[Topic, int] = {}
        self._average: dict[Topic, float] = {}
        self._told: dict[Topic, int] = {}

    def count(self, topics: Iterable[Topic]) -> None:
        """Count an event on topics."""
        for topic in topics:
            self._counts[topic] = self._counts.get(topic, 0) + 1

    def turn(self, topics: Topics) -> None:
        """End a round of a node that wants these topics. O(topics)."""
        average: dict[Topic, float] = {}
        told: dict[Topic, int] = {}
        for topic in topics:
            latest = PER_EVENT * self._counts.get(topic, 0)
            before = self._average.get(topic, 0.0)
            average[topic] = before + FADING * (latest - before)
            known = self._told.get(topic, MIN_RATE)
            if not known / 2 <= max(average[topic], MIN_RATE) <= 2 * known:
                known = min(max(round(average[topic]), MIN_RATE), MAX_RATE)
            told[topic] = known
        self._average, self._told = average, told
        self._counts.clear()

    def of(self, topic: Topic) -> int:
        """Return what is told of a topic's rate."""
        return self._told.get(topic, MIN_RATE)
