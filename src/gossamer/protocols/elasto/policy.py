"""ElastO's decisions as pure functions, with the algorithms of the paper beside them.

Departures from what is printed, and why:

- Algorithm 5, ``buildEdges`` goes on until (S, E_new) is topic-connected and is not given E_cur;
  here it is (S, E_cur ∪ E_new), on the churned node's topics alone.
- After a leave, its neighbours must hang together again on each of its topics; backups may help
  and need not be joined, since they hang together with the neighbours as before, or not at all.
- After a join, backups are taken to hang together already, by links elsewhere.
- E_cur has a link if the end that was heard of later says so; the paper asks for both. The other
  end's word may be from before the link, or from before its end.
- Algorithm 4, line 21 sends a RepairS; a RepairQ here.
- Ties of the greedy cover go to the lower identifier; of the primal-dual method, at random.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from gossamer.model.repair import RepairRequest
from gossamer.protocols.components.identifiers import SPACE, clockwise, identifier_of_node
from gossamer.protocols.contract import Peer, Randomness, Topic
from gossamer.protocols.elasto.messages import Node

__all__ = [
    "backups_greedy",
    "backups_primal_dual",
    "coordinator_of",
    "lacking",
    "nearest",
    "ready_to_handle",
    "wound_of",
]


def coordinator_of(churned: Peer, candidates: Iterable[Peer]) -> Peer | None:
    """Return who deals with a churn event: the first clockwise from the churned node.

    Algorithm 4, getCoordinator; ``candidates`` are those not known to have failed.
    """
    here = identifier_of_node(churned)
    others = (peer for peer in candidates if peer != churned)
    return min(others, key=lambda peer: clockwise(here, identifier_of_node(peer)), default=None)


def nearest(me: Peer, candidates: Iterable[Peer], count: int) -> tuple[list[Peer], list[Peer]]:
    """Return the nearest predecessors and successors on the circle, the nearest first.

    Algorithm 6, lines 1-3.
    """
    here = identifier_of_node(me)
    far = {(identifier_of_node(peer) - here) % SPACE: peer for peer in candidates if peer != me}
    ordered = [far[distance] for distance in sorted(far)]
    return ordered[::-1][:count], ordered[:count]


def lacking(wanted: Mapping[Topic, int], chosen: Iterable[Collection[Topic]]) -> dict[Topic, int]:
    """Return how often each topic still has to be covered, of those that have to be.

    Examples
    --------
    >>> lacking({"a": 2, "b": 2, "c": 2}, [{"a", "b"}, {"a"}])
    {'b': 1, 'c': 2}
    """
    missing = dict(wanted)
    for topics in chosen:
        for topic in topics:
            if topic in missing:
                missing[topic] -= 1
    return {topic: count for topic, count in missing.items() if count > 0}


def backups_greedy(
    missing: Mapping[Topic, int], candidates: Mapping[Peer, Collection[Topic]]
) -> list[Peer]:
    """Return whom to take so that each topic is covered as often as it lacks, greedily (§6).

    Always the one who covers most topics that still lack cover, "to provide the minimum average
    weight" with equal weights; of equal ones the lower identifier. O(picks × subscriptions).

    Examples
    --------
    >>> backups_greedy({"a": 1, "b": 1}, {1: ["a"], 2: ["a", "b"], 3: ["b"]})
    [2]
    """
    left = {topic: count for topic, count in missing.items() if count > 0}
    useful = {peer: [t for t in topics if t in left] for peer, topics in candidates.items()}
    chosen: list[Peer] = []
    while left and useful:
        best = max(
            useful,
            key=lambda peer: (sum(t in left for t in useful[peer]), -identifier_of_node(peer)),
        )
        covered = [topic for topic in useful.pop(best) if topic in left]
        if not covered:
            break
        chosen.append(best)
        _cover(left, covered)
    return chosen


def backups_primal_dual(
    missing: Mapping[Topic, int],
    candidates: Mapping[Peer, Collection[Topic]],
    weights: Mapping[Peer, int],
    random: Randomness,
) -> list[Peer]:
    """Return whom to take so that each topic is covered as often as it lacks (§6).

    "Each time randomly picking an uncovered topic t and choosing a subscriber w for t with the
    minimum weight"; the weight of a node is for how many it is a backup already.
    """
    left = {topic: count for topic, count in missing.items() if count > 0}
    wanting: dict[Topic, list[Peer]] = {topic: [] for topic in left}
    useful: dict[Peer, list[Topic]] = {}
    for peer, topics in candidates.items():
        useful[peer] = [topic for topic in topics if topic in wanting]
        for topic in useful[peer]:
            wanting[topic].append(peer)
    chosen: dict[Peer, None] = {}
    while left:
        topic = random.choice(list(left))
        free = [peer for peer in wanting[topic] if peer not in chosen]
        if not free:
            del left[topic]
            continue
        least = min(weights.get(peer, 0) for peer in free)
        best = random.choice([peer for peer in free if weights.get(peer, 0) == least])
        chosen[best] = None
        _cover(left, useful[best])
    return list(chosen)


def _cover(left: dict[Topic, int], topics: Iterable[Topic]) -> None:
    for topic in topics:
        if topic in left:
            left[topic] -= 1
            if not left[topic]:
                del left[topic]


def ready_to_handle(neighbours: Collection[Peer], described: Collection[Peer]) -> bool:
    """Whether there is a descriptor of each neighbour of the churned node.

    Algorithm 4, readyToHandle, lines 2-4. That backups cover its topics (lines 5-9) is not asked:
    a topic may have fewer subscribers than that.
    """
    return all(peer in described for peer in neighbours)


def wound_of(
    shadows: Sequence[Node],
    topics: Iterable[Topic],
    needed: Collection[Peer],
    together: Collection[Peer],
    bystanders: Sequence[Node] = (),
) -> RepairRequest:
    """Return what a coordinator knows of an overlay that is to be mended (Algorithm 5).

    Parameters
    ----------
    shadows
        S: the backups with the newcomer, or with the neighbours of who left (lines 3-7).
    topics
        Of the churn event.
    needed, together
        Who must hang together, and who does already: the newcomer and the backups; or the
        neighbours of who left, and nobody.
    bystanders
        Who else is known. They get no links, but join others by those that they have.
    """
    nodes = (*shadows, *bystanders)
    numbers = {topic: number for number, topic in enumerate(topics)}
    place = {node.peer: at for at, node in enumerate(nodes)}
    links: dict[tuple[int, int], None] = {}
    for at, node in enumerate(nodes):
        for peer in node.neighbours:
            other = place.get(peer)
            if other is None or other == at:
                continue
            later = nodes[other].age < node.age
            if not later or node.peer in nodes[other].neighbours:
                links[min(at, other), max(at, other)] = None
    return RepairRequest(
        topics=tuple(
            tuple(sorted({numbers[topic] for topic in node.topics if topic in numbers}))
            for node in nodes
        ),
        degrees=tuple(len(node.neighbours) for node in nodes),
        links=tuple(sorted(links)),
        must_connect=tuple(node.peer in needed for node in nodes),
        preconnected=tuple(node.peer in together for node in nodes),
        read_only=len(bystanders),
    )
