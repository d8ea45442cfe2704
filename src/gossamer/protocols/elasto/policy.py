"""ElastO's decisions as pure functions, with the algorithms of the paper beside them.

Departures from what is printed, and why:

- Algorithm 5, ``buildEdges`` goes on until (S, E_new) is topic-connected and is not given E_cur;
  here it is (S, E_cur ∪ E_new), on the churned node's topics alone.
- After a leave, its neighbours must be connected again on each of its topics; backups may serve as
  intermediate nodes and need not be connected themselves.
- After a join, backups are assumed to be connected already, by links elsewhere.
- E_cur has a link if the end with the younger descriptor has it; the paper requires both. The other
  descriptor may be from before the link was made or ended.
- Algorithm 4, line 21 sends a RepairS; a RepairQ here.
- Ties of the greedy cover go to the lower identifier; of the primal-dual method, at random.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from gossamer.model.repair import RepairRequest
from gossamer.protocols.components.identifiers import SPACE, clockwise, identifier_of_node
from gossamer.protocols.contract import Peer, Topic
from gossamer.protocols.elasto.messages import NodeDescriptor
from gossamer.random_stream import Stream


def coordinator_of(churned: Peer, candidates: Iterable[Peer]) -> Peer | None:
    """Return the coordinator of a churn event: the first node clockwise of the churned one.

    Algorithm 4, getCoordinator; ``candidates`` are the nodes not known to have failed.
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


def missing_coverage(
    wanted: Mapping[Topic, int], chosen: Iterable[Collection[Topic]]
) -> dict[Topic, int]:
    """Return the missing coverage of each topic that lacks any.

    Examples
    --------
    >>> missing_coverage({"a": 2, "b": 2, "c": 2}, [{"a", "b"}, {"a"}])
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
    """Return backups that provide the missing coverage, chosen greedily (§6).

    Each is the candidate that covers most topics without full coverage, "to provide the minimum
    average weight" with equal weights; ties go to the lower identifier. O(picks × subscriptions).

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
    random: Stream,
) -> list[Peer]:
    """Return backups that provide the missing coverage, by the primal-dual method (§6).

    "Each time randomly picking an uncovered topic t and choosing a subscriber w for t with the
    minimum weight"; the weight of a node is the number of nodes that it is a backup for.
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
    """Whether the descriptors of all neighbours of the churned node are known.

    Algorithm 4, readyToHandle, lines 2-4. Coverage of its topics by backups (lines 5-9) is not
    required: a topic may have too few subscribers.
    """
    return all(peer in described for peer in neighbours)


def repair_request(
    shadows: Sequence[NodeDescriptor],
    topics: Iterable[Topic],
    must_connect: Collection[Peer],
    preconnected: Collection[Peer],
    read_only: Sequence[NodeDescriptor] = (),
) -> RepairRequest:
    """Return the repair request of a coordinator (Algorithm 5).

    Parameters
    ----------
    shadows
        S: the backups with the joined node, or with the neighbours of the left one (lines 3-7).
    topics
        Topics of the churn event.
    must_connect, preconnected
        Nodes to connect, and nodes that are connected already: the joined node and the backups; or
        the neighbours of the left node, and none.
    read_only
        Other known nodes, whose present links count, but which get no new ones.
    """
    nodes = (*shadows, *read_only)
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
        must_connect=tuple(node.peer in must_connect for node in nodes),
        preconnected=tuple(node.peer in preconnected for node in nodes),
        read_only=len(read_only),
    )
