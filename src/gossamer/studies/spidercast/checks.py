"""Checks of statements of the SpiderCast paper."""

from __future__ import annotations

import re
from typing import Literal

from gossamer.studies import checks
from gossamer.studies.statement import Seen


def largest_in_last_row(seen: Seen, column: str) -> bool:
    """Whether no column has a larger last value than this one."""
    last = {title: list(line.values())[-1] for title, line in seen.items()}
    return last[column] >= max(last.values())


def rises_above(seen: Seen, column: str, limit: float) -> bool:
    """Whether a column ascends, and all its values exceed a limit."""
    return checks.rises(seen, column) and checks.all_values(seen, column, above=limit)


def trend_at_each_size(seen: Seen, column: str, direction: Literal["up", "down"]) -> bool:
    """Whether a column has a trend at the paper's size and at the quick size, as far as run."""
    labels = list(seen[column])
    sizes = (
        [label for label in labels if "nodes" not in label],
        [label for label in labels if "nodes" in label],
    )
    return all(checks.trend(seen, direction, column, rows) for rows in sizes if rows)


def below_number_in_title(seen: Seen, columns: checks.Names, rows: checks.Names) -> bool:
    """Whether the values of each column are below the number with which its title begins."""
    return all(
        checks.within(value, below=float(re.findall(r"\d+", title)[0]))
        for title in checks.titles_of(seen, columns)
        for value in checks.values_of(seen, title, rows)
    )


def columns_alike(seen: Seen, columns: checks.Names, at_most: float) -> bool:
    """Whether the largest of some columns, over the smallest, is at most a ratio in each row."""
    lines = [seen[title] for title in checks.titles_of(seen, columns)]
    rows = [[line[label] for line in lines] for label in lines[0]]
    return all(max(row) <= at_most * min(row) for row in rows)
