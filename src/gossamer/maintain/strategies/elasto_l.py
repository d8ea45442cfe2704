"""ElastO-L: repair by the node's successor on the circle, from its local view (§5 and §7)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import ParameterError
from gossamer.kernels.repair.local_repair import link_newcomer, reconnect_neighbours
from gossamer.maintain.backups import Method
from gossamer.maintain.dynamic_overlay import DynamicOverlay
from gossamer.maintain.events import NO_LINKS, LinkChanges, RepairCost
from gossamer.maintain.local_views import LocalViews
from gossamer.maintain.repair import check_rho, checked_links
from gossamer.maintain.strategies.registry import strategy


@strategy("elasto-l", reference="Chen, Vitenberg, Jacobsen: ElastO", resumable=False)
class ElastoL:
    """ElastO with local views: the successor on the circle repairs from what its view contains.

    After each event some nodes exchange views; the time of the event includes that. An
    interrupted run begins again, because views are not saved. A change of interests is a join or a
    leave on one topic; a node that has a neighbour on a new topic needs no link for it.

    Parameters
    ----------
    coverage
        Number of backups of a node that subscribe to each of its topics, where there are as many:
        λ.
    backups
        Choice of the backups: ``primal-dual``, for a random topic the subscriber with the fewest
        primaries, or ``greedy``, the node that covers most of the lacking topics.
    concurrent
        Number of successors and of predecessors on the circle that a node knows: L, 1 to 16.
    rho
        LowODA's ρ, 1 or more: the higher, the lower the maximum degree, with more links.
    share
        Share of the nodes that exchange views after an event, 0 to 1.
    reach
        Hops around the shadows within which the coordinator knows the links: 0, as printed, for
        links among shadows only; with 1 it asks each shadow for its neighbours.
    all_needed
        Whether all shadows must be connected, as printed, or the former neighbours only.
    """

    def __init__(
        self,
        *,
        coverage: int = 5,
        backups: Method = "primal-dual",
        concurrent: int = 1,
        rho: float = 3.0,
        share: float = 0.05,
        reach: int = 1,
        all_needed: bool = False,
        seed: int = 0,
    ) -> None:
        check_rho(rho)
        if not 0 <= share <= 1:
            raise ParameterError(f"share is {share}; expected 0 to 1")
        self.coverage = coverage
        self.method: Method = backups
        self.concurrent = concurrent
        self.rho = float(rho)
        self.share = share
        self.reach = reach
        self.all_needed = all_needed
        self.seed = seed
        self.last = RepairCost()
        """Cost of the last event."""
        self._views: LocalViews | None = None

    @property
    def views(self) -> LocalViews:
        """Local views of all nodes."""
        assert self._views is not None, "begin comes first"
        return self._views

    def begin(self, overlay: DynamicOverlay) -> None:
        """Give each present node a view with a few contacts."""
        self._views = LocalViews(
            overlay,
            coverage=self.coverage,
            concurrent=self.concurrent,
            method=self.method,
            seed=self.seed,
        )

    def gossip(self, share: float = 1.0) -> None:
        """Make a share of the nodes exchange views once."""
        self.views.gossip(share)

    def joined(self, overlay: DynamicOverlay, node: int) -> LinkChanges:
        """Link the node to backups that its successor knows."""
        views = self.views
        views.enter(node)
        topics = overlay.topics_of(node)
        backups, asked = views.prepare(node, topics)
        links = self._link_to(overlay, node, topics, backups, asked)
        views.adopt(node, backups)
        self.gossip(self.share)
        return LinkChanges(links)

    def left(
        self, overlay: DynamicOverlay, node: int, neighbours: NDArray[np.int32]
    ) -> LinkChanges:
        """Connect the former neighbours of the node again; its successor chooses the links."""
        backups = self.views.backups_of(node)
        links = self._reconnect(overlay, node, overlay.topics_of(node), backups, neighbours)
        self.views.vanish(node)
        self.gossip(self.share)
        return LinkChanges(links)

    def subscribed(self, overlay: DynamicOverlay, node: int, topic: int) -> LinkChanges:
        """Link the node to backups on the topic, unless it has a neighbour there."""
        topics = np.array([topic], dtype=np.int32)
        if len(overlay.subscribers_among(overlay.neighbours_of(node), topic)):
            links = NO_LINKS
            self._account(node, 0, 0, 2, links)
        else:
            backups, asked = self.views.prepare(node, topics)
            links = self._link_to(overlay, node, topics, backups, asked)
            self.views.add_backups(node, backups)
        self.gossip(self.share)
        return LinkChanges(links)

    def unsubscribed(
        self, overlay: DynamicOverlay, node: int, topic: int, neighbours: NDArray[np.int32]
    ) -> LinkChanges:
        """Connect the former neighbours on the topic again; the successor chooses the links."""
        topics = np.array([topic], dtype=np.int32)
        backups = overlay.subscribers_among(self.views.backups_of(node), topic)
        links = self._reconnect(overlay, node, topics, backups, neighbours)
        self.gossip(self.share)
        return LinkChanges(links)

    def _link_to(
        self,
        overlay: DynamicOverlay,
        node: int,
        topics: NDArray[np.int32],
        backups: NDArray[np.int32],
        asked: int,
    ) -> NDArray[np.int32]:
        """Return links of a node to backups, which are connected with each other."""
        links = checked_links(
            *link_newcomer(
                node, topics, backups, self.rho,
                overlay.subscriptions.topics, overlay.adjacency, overlay.scratch,
            )
        )  # fmt: skip
        shadows = len(backups) + 1
        self._account(node, shadows, shadows, 2 * asked + 2, links)
        return links

    def _reconnect(
        self,
        overlay: DynamicOverlay,
        node: int,
        topics: NDArray[np.int32],
        backups: NDArray[np.int32],
        neighbours: NDArray[np.int32],
    ) -> NDArray[np.int32]:
        """Return links that connect the former neighbours of a node on some topics."""
        found, sufficient, shadows, known = reconnect_neighbours(
            topics, backups, neighbours, self.reach, self.all_needed, self.rho,
            overlay.subscriptions.topics, overlay.adjacency, overlay.present, overlay.scratch,
        )  # fmt: skip
        links = checked_links(found, sufficient)
        questions = 2 * shadows if self.reach else 0
        self._account(node, shadows, known, questions + 2 * len(neighbours), links)
        return links

    def _account(
        self, node: int, shadows: int, known: int, messages: int, links: NDArray[np.int32]
    ) -> None:
        self.last = RepairCost(
            self.views.coordinator(node), shadows, known, messages + 4 * len(links)
        )
