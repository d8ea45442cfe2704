"""Degrees of greedy merge in memory, beside those of a design on Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from gossamer.cli.options import TableOptions
    from gossamer.progress import Progress


def exact_facts(path: Path, table: TableOptions, seed: int, progress: Progress) -> dict[str, Any]:
    """Run greedy merge in memory and return its degrees and time, by name."""
    import gossamer

    facts = gossamer.design(table.read(path), seed=seed, progress=progress).summary()
    return {f"exact_{name}": facts[name] for name in ("mean_degree", "max_degree", "seconds")}
