"""Options of SpiderCast, and those that it shares with the overlays of §3.9.1."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.errors import ParameterError
from gossamer.options import setting
from gossamer.protocols.components.config import (
    DetectorConfig,
    TreeConfig,
    seconds,
)
from gossamer.protocols.spidercast.maintenance_task import Aim, CoverageAim, Ties


@dataclass(frozen=True, kw_only=True)
class TaskConfig(DetectorConfig, TreeConfig):
    """Neighbour maintenance tasks."""

    margin: int = setting(5, "Neighbours accepted beyond the maximum of a task (paper, §2.3).", 0)
    loop_seconds: float = seconds(
        0.1, "Seconds between iterations of a maintenance loop; more than a round trip (ours)."
    )
    quarantine_seconds: float = seconds(
        5.0, "Seconds before a node is asked to connect again (ours)."
    )
    disconnect_at_max: bool = setting(
        True,
        "With L^max neighbours and uncovered topics, disconnect from a neighbour that covers no "
        "topic alone (ours; as printed in Figure 2: no).",
    )
    repeat_disconnect: bool = setting(
        False, "Ask a neighbour to disconnect again after its degree has grown (ours: once)."
    )

    @property
    def aims(self) -> tuple[Aim, Aim]:
        """Aims of the greedy and the random task."""
        raise NotImplementedError

    @property
    def adaptive_from(self) -> int:
        """K_g of the adaptive scheme (§3.3.1); 0 without it."""
        return 0


@dataclass(frozen=True, kw_only=True)
class SpiderCastConfig(TaskConfig):
    """Link to nodes that cover most of a node's topics, each topic K times."""

    kg: int = setting(
        3, "Neighbours that cover each topic, chosen greedily (paper, §3.2).", 0, 1000
    )
    kr: int = setting(
        0, "Neighbours that cover each topic, chosen at random (paper, §3.2).", 0, 1000
    )
    ties: Ties = setting(
        "random",
        "Choice among peers that cover equally many topics: random (paper, Figure 5), or first by "
        "identifier.",
    )
    adaptive: bool = setting(
        False, "Start K_r at 0 and raise it at nodes with few links (paper, §3.3.1)."
    )

    def check_together(self) -> None:
        """Require a neighbour for each topic."""
        super().check_together()
        if self.kg + self.kr == 0:
            raise ParameterError("kg and kr are both 0; expected one of them to be 1 or more")

    @property
    def aims(self) -> tuple[Aim, Aim]:
        """Coverage of each topic by K_g and by K_r neighbours."""
        kr = 0 if self.adaptive else self.kr
        greedy = CoverageAim(self.kg, greedy=True, ties=self.ties)
        return greedy, CoverageAim(kr, greedy=False)

    @property
    def adaptive_from(self) -> int:
        """K_g of the adaptive scheme (§3.3.1); 0 without it."""
        return self.kg if self.adaptive else 0
