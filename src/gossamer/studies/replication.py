"""Replication: how many seeded instances each point of a study has."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from gossamer.studies.comparison import Runs, compare_figure
from gossamer.studies.schema import Figure, Point, Study

BY_SIZE = ((500, 10), (4000, 5))
"""Numbers of instances up to numbers of nodes."""
OF_LARGE = 3
"""Number of instances of larger points."""
QUICK_INSTANCES = 1
MAX_INSTANCES = 30
"""Largest number of instances that a precision asks for."""


def instances_by_size(point: Point) -> int:
    """Return the number of instances of a point: the smaller the network, the more."""
    nodes = int(point.parameters.get("nodes", 0))
    return next((count for limit, count in BY_SIZE if nodes <= limit), OF_LARGE)


def planned_instances(study: Study, *, instances: int | None, quick: bool) -> dict[str, int]:
    """Return the number of instances of each point by name.

    Parameters
    ----------
    study
        The study.
    instances
        Number for all points, if given.
    quick
        Whether this is a quick run, with one instance.
    """
    if instances is None and quick:
        instances = QUICK_INSTANCES
    planned: dict[str, int] = {}
    for figure in study.figures:
        for name, point in figure.points.items():
            count = instances or figure.instances or study.instances or instances_by_size(point)
            planned[name] = max(count, planned.get(name, 0))
    return planned


def wider_points(study: Study, runs: Mapping[str, Runs], precision: float) -> dict[str, int]:
    """Return the points whose intervals are too wide, with the numbers of instances to have.

    A cell is precise if half the confidence interval of its mean is at most ``precision`` times
    the largest mean of its column. The number of instances at most doubles at a time, up to
    :data:`MAX_INSTANCES`.
    """
    wider: dict[str, int] = {}
    for figure in study.figures:
        for name, count in _wider(figure, runs, precision):
            wider[name] = max(count, wider.get(name, 0))
    return wider


def _wider(figure: Figure, runs: Mapping[str, Runs], precision: float) -> list[tuple[str, int]]:
    cells = compare_figure(replace(figure, statements=()), runs).cells
    points = {
        (row.label, column.title): point.name
        for row in figure.rows
        for column in figure.columns
        if (point := row.point_of(column)) is not None
    }
    found = []
    for column in figure.columns:
        shown = [cell for cell in cells if cell.column == column.title]
        target = precision * max((abs(cell.mean) for cell in shown), default=0.0)
        for cell in shown:
            half = math.inf if cell.half_width is None else cell.half_width
            if half > target and cell.instances < MAX_INSTANCES:
                needed = cell.instances * (half / target) ** 2 if target else math.inf
                count = math.ceil(min(needed, 2 * cell.instances, MAX_INSTANCES))
                found.append((points[cell.row, cell.column], max(count, cell.instances + 1)))
    return found
