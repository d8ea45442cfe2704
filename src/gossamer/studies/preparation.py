"""A study made ready to run: at a first look's size, and with the user's tables or without."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path

from gossamer.errors import ParameterError
from gossamer.studies.schema import Figure, Point, Row, Study

__all__ = ["needs_tables", "shrunk", "with_tables"]

TABLES = ("table", "sessions")
"""Parameters that name a folder of tables."""


def needs_tables(study: Study, figure: Figure) -> list[str]:
    """Return the tables that a figure or table's runs read, by name."""
    points = {point.name: point for point in study.points}
    named = (
        str(points[name].parameters[key])
        for name in figure.points()
        for key in TABLES
        if key in points[name].parameters
    )
    return sorted(set(named))


def with_tables(study: Study, folder: Path, runs: Collection[str]) -> Study:
    """Return the study with runs, those of these names, that read their tables in a folder.

    Results depend on what is in the tables, not on where they are.

    Raises
    ------
    ParameterError
        If a table is not there.
    """
    contents: dict[str, str] = {}
    points = []
    for point in study.points:
        named = [str(point.parameters[key]) for key in TABLES if key in point.parameters]
        if not named or point.name not in runs:
            points.append(point)
            continue
        for name in named:
            contents.setdefault(name, _content(folder, name))
        more = {"content": " ".join(contents[name] for name in named), "_folder": str(folder)}
        points.append(Point(point.name, {**point.parameters, **more}))
    return replace(study, points=tuple(points)) if contents else study


def shrunk(study: Study) -> Study:
    """Return the study at the size of a first look: the same rows of smaller runs."""
    assert study.shrink is not None
    names = {point.name: f"{point.name} (quick: {study.shrunk_to})" for point in study.points}
    return replace(
        study,
        points=tuple(Point(names[one.name], study.shrink(one.parameters)) for one in study.points),
        notes=(f"A first look, with {study.shrunk_to} instead of the paper's size.", *study.notes),
        figures=tuple(replace(one, rows=_renamed(one.rows, names)) for one in study.figures),
    )


def _renamed(rows: tuple[Row, ...], names: Mapping[str, str]) -> tuple[Row, ...]:
    return tuple(
        replace(
            row,
            point=names.get(row.point, ""),
            points={series: names[point] for series, point in row.points.items()},
            paper={},
        )
        for row in rows
    )


def _content(folder: Path, name: str) -> str:
    """Return a hash of what the files of a table hold, in whatever order and under which names."""
    place = folder / name
    files = [place] if place.is_file() else sorted(place.rglob("*.parquet"))
    if not files:
        raise ParameterError(
            f"{place}: there are no tables; expected what gossamer ingest --out {place} writes"
        )
    found = sorted(hashlib.sha256(file.read_bytes()).hexdigest() for file in files)
    return hashlib.sha256("".join(found).encode()).hexdigest()[:16]
