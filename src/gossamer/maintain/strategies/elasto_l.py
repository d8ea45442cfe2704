"""ElastO-L: repair by who is next on the circle, with what its local view tells (§5 and §7)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.kernels.repair.shadows import label_shadows
from gossamer.maintain.backups import Method
from gossamer.maintain.dynamic_overlay import DynamicOverlay
from gossamer.maintain.repair import check_rho, repair_shadows
from gossamer.maintain.strategies.local_views import LocalViews
from gossamer.maintain.strategies.registry import LinkChanges

__all__ = ["ElastoL", "Repaired"]


class Repaired(NamedTuple):
    """What a churn event cost.

    Attributes
    ----------
    coordinator
        Who mended it; -1 where nobody else was there.
    shadows, known
        How many shadows there were, and how many nodes the coordinator knew of in all.
    messages
        The messages of the event itself: the request, its answer, questions for neighbours and
        views, and two for each end of a new link. Gossip is not in it.
    """

    coordinator: int
    shadows: int
    known: int
    messages: int


class ElastoL:
    """A strategy for :class:`gossamer.maintain.maintainer.Maintainer` that knows local views only.

    Between events, :meth:`gossip` lets views go on.

    Parameters
    ----------
    coverage
        λ.
    backups
        How backups are chosen.
    concurrent
        The paper's L.
    rho
        LowODA's ρ.
    reach
        How many hops around the shadows a coordinator knows who is linked to whom. 0 is what is
        printed: only links among shadows. With 1 it asks each shadow for its neighbours.
    all_needed
        Whether all shadows have to hang together, as printed, or the leaver's neighbours.
    seed
        Settles random choices.
    """

    def __init__(
        self,
        *,
        coverage: int = 5,
        backups: Method = "primal-dual",
        concurrent: int = 1,
        rho: float = 3.0,
        reach: int = 1,
        all_needed: bool = False,
        seed: int = 0,
    ) -> None:
        check_rho(rho)
        self.coverage = coverage
        self.method: Method = backups
        self.concurrent = concurrent
        self.rho = rho
        self.reach = reach
        self.all_needed = all_needed
        self.seed = seed
        self.last = Repaired(-1, 0, 0, 0)
        """The cost of the last event."""
        self._views: LocalViews | None = None

    @property
    def views(self) -> LocalViews:
        """Everybody's local view."""
        assert self._views is not None, "it has begun"
        return self._views

    def begin(self, overlay: DynamicOverlay) -> None:
        """Let all who are there begin, each with a few contacts."""
        self._views = LocalViews(
            overlay,
            coverage=self.coverage,
            concurrent=self.concurrent,
            method=self.method,
            seed=self.seed,
        )

    def gossip(self, share: float = 1.0) -> None:
        """Let a share of the nodes exchange views once."""
        self.views.gossip(share)

    def joined(self, overlay: DynamicOverlay, node: int) -> LinkChanges:
        """Let a newcomer's successor link it to some of its backups."""
        views = self.views
        views.enter(node)
        backups, asked = views.prepare(node)
        nodes = np.append(backups, np.int32(node)).astype(np.int32)
        newcomer = np.arange(len(nodes)) == len(backups)
        links = self._mend(overlay, node, nodes, ~newcomer, np.ones(len(nodes), dtype=np.bool_), 0)
        self._note(views, node, nodes, len(nodes), 2 * asked + 2, links)
        views.adopt(node, backups)
        return LinkChanges(links)

    def left(
        self, overlay: DynamicOverlay, node: int, neighbours: NDArray[np.int32]
    ) -> LinkChanges:
        """Let the leaver's successor bring its neighbours together again."""
        views = self.views
        shadows = np.union1d(views.backups_of(node), neighbours).astype(np.int32)
        needed = np.isin(shadows, neighbours) | self.all_needed
        nodes = shadows
        if self.reach:
            others = np.setdiff1d(overlay.neighbourhood(shadows), shadows)
            nodes = np.concatenate((shadows, others)).astype(np.int32)
        needed = np.concatenate((needed, np.zeros(len(nodes) - len(shadows), dtype=np.bool_)))
        together = np.zeros(len(nodes), dtype=np.bool_)
        links = self._mend(overlay, node, nodes, together, needed, len(nodes) - len(shadows))
        questions = 2 * len(shadows) if self.reach else 0
        self._note(views, node, shadows, len(nodes), questions + 2 * len(neighbours), links)
        views.vanish(node)
        return LinkChanges(links)

    def _mend(
        self,
        overlay: DynamicOverlay,
        node: int,
        nodes: NDArray[np.int32],
        together: NDArray[np.bool_],
        needed: NDArray[np.bool_],
        bystanders: int,
    ) -> NDArray[np.int32]:
        topics = overlay.interests.topics_of(node)
        shadows = overlay.shadows(nodes, topics)
        labels = np.empty((len(nodes), len(topics)), dtype=np.int32)
        label_shadows(shadows, overlay.links_among(nodes), together, labels)
        places = repair_shadows(
            shadows,
            labels,
            needed,
            overlay.degrees[nodes],
            rho=self.rho,
            bystanders=bystanders,
        )
        links = np.sort(nodes[places].reshape(-1, 2), axis=1)
        return links.astype(np.int32)

    def _note(
        self,
        views: LocalViews,
        node: int,
        shadows: NDArray[np.int32],
        known: int,
        messages: int,
        links: NDArray[np.int32],
    ) -> None:
        coordinator = views.successors(node)[:1]
        self.last = Repaired(
            coordinator[0] if coordinator else -1,
            len(shadows),
            known,
            messages + 4 * len(links),
        )
