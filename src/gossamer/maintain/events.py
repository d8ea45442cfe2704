"""Changes of links, and the record of a churn event that was applied."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.model.churn import JOIN, NO_TOPIC

NO_LINKS: NDArray[np.int32] = np.empty((0, 2), dtype=np.int32)


class LinkChanges(NamedTuple):
    """Links to add and links to remove, as pairs of ids."""

    links: NDArray[np.int32] = NO_LINKS
    unlinks: NDArray[np.int32] = NO_LINKS


class RepairCost(NamedTuple):
    """Cost of a repair by nodes with local views.

    Attributes
    ----------
    coordinator
        Node that coordinated the repair; -1 if there was no other node.
    shadows, known
        Number of shadows, and of nodes that the coordinator knew.
    messages
        Messages of the event: the request and its answer, questions for neighbours and views, and
        two for each end of a new link. Gossip is not counted.
    """

    coordinator: int = -1
    shadows: int = 0
    known: int = 0
    messages: int = 0


NO_CHANGES, NO_COST = LinkChanges(), RepairCost()


@dataclass(frozen=True)
class EventRecord:
    """An applied churn event: its changes, and the overlay after it.

    Attributes
    ----------
    node, kind, topic
        Node of the event, its kind as in :class:`~gossamer.model.ChurnEvents`, and the topic of a
        change of interests; -1 for joins and leaves.
    nodes, links
        Number of present nodes and of links.
    mean_degree, max_degree
        Mean and maximum degree of the present nodes.
    disconnected_topics
        Number of disconnected topics; -1 if not checked.
    changes, rebuild
        Changes by the event, including the own links of a leaving node, and links that serve no
        topic after a change of interests; changes by the rebuild after it, if there was one.
        Both are empty for protocols.
    seconds
        Computing time of the event, and of the rebuild.
    cost
        Messages and shadows of the repair, for ElastO-L and protocols.
    """

    node: int
    kind: int
    nodes: int
    links: int
    mean_degree: float
    max_degree: int
    disconnected_topics: int = -1
    changes: LinkChanges = NO_CHANGES
    rebuild: LinkChanges | None = None
    seconds: float = 0.0
    cost: RepairCost = NO_COST
    topic: int = NO_TOPIC

    @property
    def joined(self) -> bool:
        """Whether the node joined."""
        return self.kind == JOIN
