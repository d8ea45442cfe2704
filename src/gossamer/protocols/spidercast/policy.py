"""SpiderCast's decisions as pure functions, with the lines of the paper beside them.

Departures from what is printed, and why (the studies show what each costs):

- Figure 5, lines 5 and 14 count a topic's coverage over ``cands``; here over the node's neighbours,
  as the text says ("represented in the interests of at least K of its neighbors"). As printed,
  neighbours are chosen at random.
- Figure 5, line 8 takes the best candidate even if it covers nothing; here none.
- Figure 3, line 9 has ``degree > target``; here ``>=``, since §2.3.1 says that a neighbour has
  reached coverage if ``target ≤ degree``.
- A refused DISCONNECT is not answered, so it would be repeated in every loop. Here a neighbour is
  asked once; with ``repeat_disconnect``, again after its degree has grown. That costs more messages
  under churn, for a lower degree.
- Figure 2, lines 7-12: a node with exactly L^max neighbours and uncovered topics neither connects
  nor disconnects, forever. Here it disconnects from a neighbour that covers no topic alone, unless
  ``disconnect_at_max`` is false.
- A REDIRECT may name no node, the receiver or one of its neighbours; these are skipped. The text
  adds "its sender" to the candidates, Figure 4 (line 11) the named node; here the latter.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from gossamer.protocols.contract import Topic

P = TypeVar("P")


def max_neighbours(k: int, interest: int) -> int:
    """Return L^max: "chosen to be K · |self_interest|" (§2.3).

    Examples
    --------
    >>> max_neighbours(3, 10)
    30
    """
    return k * interest


def uncovered_topics(topics: Sequence[Topic], covers: Mapping[Topic, int], k: int) -> list[Topic]:
    """Return the topics with fewer than K neighbours (Figure 3, lines 1-7).

    Examples
    --------
    >>> uncovered_topics(["a", "b", "c"], {"a": 3, "b": 2, "c": 0}, 3)
    ['b', 'c']
    """
    return [topic for topic in topics if covers[topic] < k]


def cover_lost(shared: Iterable[Topic], covers: Mapping[Topic, int], k: int) -> int:
    """Return how many covered topics would be uncovered without a neighbour that shares these.

    Examples
    --------
    >>> cover_lost(["a", "b"], {"a": 3, "b": 4, "c": 3}, 3)
    1
    """
    return sum(covers[topic] == k for topic in shared)


def has_capacity(degree: int, most: int, margin: int) -> bool:
    """Whether another neighbour is accepted: below L^max + Margin (Figure 4, lines 2 and 13)."""
    return degree < most + margin


def raise_target(target: int, most: int, degree: int, margin: int) -> int:
    """Return L after a neighbour was added (Figure 4, lines 4-5 and 15-16).

    Examples
    --------
    >>> raise_target(8, 30, 9, 5), raise_target(8, 30, 13, 5), raise_target(30, 30, 9, 5)
    (9, 8, 30)
    """
    return target + 1 if target < most and degree < target + margin else target


def disconnect_candidates(neighbours: Iterable[tuple[P, int, int, int]]) -> tuple[list[P], int]:
    """Return the best neighbours to disconnect from, and the coverage that this would lose.

    Figure 3, lines 8-22: of the neighbours that have reached their targets, those whose removal
    loses the least.

    Parameters
    ----------
    neighbours
        Each as (peer, degree, target, coverage lost without it).

    Examples
    --------
    >>> disconnect_candidates([("a", 9, 9, 1), ("b", 4, 9, 0), ("c", 10, 9, 1), ("d", 9, 9, 2)])
    (['a', 'c'], 1)
    >>> disconnect_candidates([("b", 4, 9, 0)])
    ([], 0)
    """
    best: list[P] = []
    least = 0
    for peer, degree, target, lost in neighbours:
        if degree < target:
            continue
        if not best or lost < least:
            best, least = [peer], lost
        elif lost == least:
            best.append(peer)
    return best, least


def redirect_candidates(neighbours: Iterable[tuple[P, int, int, int]], margin: int) -> list[P]:
    """Return the neighbours that a requester may be redirected to (Figure 4, lines 7-8).

    Of the neighbours below their target plus Margin, those that share most topics with it.

    Parameters
    ----------
    neighbours
        Each as (peer, degree, target, topics shared with the requester).

    Examples
    --------
    >>> redirect_candidates([("a", 9, 9, 1), ("b", 4, 9, 2), ("c", 14, 9, 3)], 5)
    ['b']
    """
    best: list[P] = []
    most = -1
    for peer, degree, target, shared in neighbours:
        if degree >= target + margin:
            continue
        if shared > most:
            best, most = [peer], shared
        elif shared == most:
            best.append(peer)
    return best


def more_random_coverage(kg: int, kr: int, degree: int, interest: int) -> bool:
    """Whether a covered node increments K_r (§3.3.1).

    "After achieving K_g-greedy-coverage, n checks its degree. If it is equal to K_g" at first;
    then "if its degree is lower than its number of subscriptions and K_r ≤ 3".

    Examples
    --------
    >>> more_random_coverage(3, 0, 3, 10), more_random_coverage(3, 0, 4, 10)
    (True, False)
    >>> more_random_coverage(3, 1, 9, 10), more_random_coverage(3, 1, 10, 10)
    (True, False)
    """
    if kr == 0:
        return degree == kg
    return degree < interest and kr <= 3
