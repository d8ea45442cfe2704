"""What SpiderCast's figures are made of: runs by name, rows and columns, and checks of trends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise

from gossamer.studies.schema import Column, Point, Row, Seen

__all__ = [
    "FULL", "NODES", "POINTS", "QUICK", "Options", "all_below", "all_fall", "all_zero", "by_nodes",
    "columns_of", "falling", "in_order", "rising", "run",
]  # fmt: skip

Check = Callable[[Seen], bool]
Options = dict[str, dict[str, int | float | str]]
FULL = "Full knowledge of the others, as in the paper; message delays of 5 to 15 ms, ours."
NODES = (1000, 2000, 4000, 6000, 8000, 10_000)
QUICK = 2000
POINTS: dict[str, Point] = {}


def run(**parameters: int | float | str) -> str:
    """Enter a run, once however often it is shown, and return its name."""
    settled = {"kind": "rss", "topics": 100, "subscriptions": 10, "depth": 20, **parameters}
    if settled.get("kind") == "rss" and settled.get("alpha"):
        settled["kind"] = "zipf"
    name = ", ".join(f"{key} {value}" for key, value in sorted(settled.items()))
    POINTS.setdefault(name, Point(name, settled))
    return name


def by_nodes(
    series: Mapping[str, Mapping[str, int | float | str]],
    nodes: tuple[int, ...] = NODES,
    paper: Mapping[int, Mapping[str, float]] | None = None,
) -> tuple[Row, ...]:
    """Return a row for each number of nodes, with a run for each series."""
    return tuple(
        Row(
            f"{count:,}",
            points={name: run(nodes=count, **more) for name, more in series.items()},
            paper=(paper or {}).get(count, {}),
            quick=count <= QUICK,
            x=count,
        )
        for count in nodes
    )


def columns_of(
    series: Mapping[str, object], measure: str, tolerance: float | None = None
) -> tuple[Column, ...]:
    """Return a column for each series, all of one measure."""
    return tuple(Column(name, measure, tolerance, series=name) for name in series)


# -- statements ----------------------------------------------------------------------------


def all_below(limit: float) -> Check:
    """Check that every value is below a limit."""
    return lambda seen: all(v < limit for line in seen.values() for v in line.values())


def all_fall(seen: Seen) -> bool:
    """Check that every column falls from row to row."""
    return all(falling(list(line.values())) for line in seen.values())


def falling(values: list[float]) -> bool:
    """Whether each value is less than the one before."""
    return all(after < before for before, after in pairwise(values))


def rising(values: list[float]) -> bool:
    """Whether each value is more than the one before."""
    return all(after > before for before, after in pairwise(values))


def all_zero(*columns: str) -> Check:
    """Check that some columns have nothing but zeros."""
    return lambda seen: all(v == 0 for name in columns for v in seen[name].values())


def in_order(*columns: str) -> Check:
    """Check that columns are in ascending order in every row."""

    def check(seen: Seen) -> bool:
        labels = list(seen[columns[0]])
        return all(rising([seen[name][label] for name in columns]) for label in labels)

    return check
