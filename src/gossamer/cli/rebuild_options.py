"""Options of ``gossamer maintain`` on new designs: rebuilds, and comparisons with a new design."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

from gossamer.cli.display import add_json, show_line
from gossamer.cli.options import option
from gossamer.errors import ParameterError
from gossamer.options import join_spec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gossamer.maintain import Maintenance, RebuildCheck
    from gossamer.progress import Progress

MAX_UNASKED = 500_000
"""Subscriptions at the end up to which the overlay is compared with a new design, unless asked."""


@dataclass(frozen=True)
class RebuildOptions:
    """New designs: the links at the start, rebuilds, and comparisons."""

    PANEL: ClassVar = "New designs"

    algorithm: Annotated[
        str | None,
        option(
            "Design algorithm with options, as in low-oda:rho=5, of the links at the start if none "
            "are given, of --rebuild-every and of --rebuild-check; see: gossamer algorithms "
            "(default: low-oda)."
        ),
    ] = None
    rebuild_every: Annotated[
        int | None, option("Number of events between two new designs (default: none).", min=1)
    ] = None
    rebuild_check: Annotated[
        int | None,
        option(
            "Number of events between two comparisons with a new design, which show whether a "
            f"rebuild would pay; 0 for none (default: at the end, up to {MAX_UNASKED:,} "
            "subscriptions).",
            min=0,
        ),
    ] = None
    rebuild_gain: Annotated[
        float, option("Share of the links that a rebuild must save to pay.")
    ] = 0.1

    def __post_init__(self) -> None:
        if not 0 < self.rebuild_gain < 1:
            raise ParameterError(
                f"--rebuild-gain is {self.rebuild_gain:g}; expected a share of the links, above 0 "
                "and below 1"
            )

    def designs(self, links: Path | None) -> bool:
        """Whether the run itself makes a design."""
        return links is None or self.rebuild_every is not None

    def spec(self, options: Mapping[str, str]) -> str | None:
        """Return the algorithm with further options, after a check; None if none is named."""
        from gossamer.maintain.initial_overlay import ConnectingDesign

        found = join_spec(self.algorithm or "low-oda", options) if options else self.algorithm
        ConnectingDesign(found or "low-oda")
        return found

    def compare(
        self, done: Maintenance, algorithm: str | None, progress: Progress
    ) -> list[RebuildCheck]:
        """Compare the overlay with new designs, as often as is asked."""
        count, step = len(done.events), self.rebuild_check
        subscriptions = done.interests_at_end.subscription_count
        if step == 0 or (step is None and subscriptions > MAX_UNASKED):
            return []
        checks = []
        for after in [*range(step, count, step), count] if step else [count]:
            progress(f"comparing with a new design after {after:,} events", after / max(count, 1))
            checks.append(done.check_rebuild(after, algorithm=algorithm, gain=self.rebuild_gain))
        return checks

    def show(self, checks: list[RebuildCheck], folder: Path) -> None:
        """Show where a rebuild pays, and the command that makes the new design."""
        add_json(rebuild_checks=[check.summary() for check in checks])
        for check in checks[:-1]:
            if check.pays:
                show_line(
                    f"after {check.events:,} events {check.sentence()}: "
                    f"--rebuild-every {check.events}"
                )
                break
        if checks and checks[-1].pays:
            command = checks[-1].command(folder / "subscriptions.parquet")
            show_line(f"{checks[-1].sentence()}:\n  {command}")


def show_resilience(failures: Mapping[str, int], folder: Path) -> None:
    """Show that bridges have become more, and the command that removes them."""
    before, after = failures["bridges_before"], failures["bridges_after"]
    if after > before:
        tables = [str(folder / name) for name in ("subscriptions.parquet", "links.parquet")]
        words = ["gossamer", "reinforce", *tables, "--out", "reinforced.parquet"]
        show_line(
            f"bridges rose from {before:,} to {after:,}: repairs keep topics connected, not "
            f"resilient; this command removes bridges:\n  {shlex.join(words)}"
        )
