"""Options of the overlays that ignore coverage (SpiderCast §3.9.1)."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.errors import ParameterError
from gossamer.options import setting
from gossamer.protocols.spidercast.config import TaskConfig
from gossamer.protocols.spidercast.maintenance_task import Aim, LinkQuota

MAX_LINKS = 100_000


@dataclass(frozen=True, kw_only=True)
class SimilarityConfig(TaskConfig):
    """Link to nodes with the most similar interests, and to some random nodes."""

    similar_links: int = setting(
        10, "Links to the most similar nodes, the paper's x (ours).", 0, MAX_LINKS
    )
    random_links: int = setting(0, "Links to random nodes, the paper's y (ours).", 0, MAX_LINKS)

    def check_together(self) -> None:
        """Require a link."""
        if self.similar_links + self.random_links == 0:
            raise ParameterError(
                "similar_links and random_links are both 0; expected one of them to be 1 or more"
            )

    @property
    def aims(self) -> tuple[Aim, Aim]:
        """Quotas of similar and of random links."""
        return LinkQuota(self.similar_links, alike=True), LinkQuota(self.random_links, alike=False)


@dataclass(frozen=True, kw_only=True)
class RandomConfig(TaskConfig):
    """Link to random nodes, whatever they subscribe to."""

    links: int = setting(10, "Links of a node (ours).", 1, MAX_LINKS)

    @property
    def aims(self) -> tuple[Aim, Aim]:
        """A quota of random links."""
        return LinkQuota(0, alike=True), LinkQuota(self.links, alike=False)
