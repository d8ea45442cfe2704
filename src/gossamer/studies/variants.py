"""Variants of a study: at the size of a quick run, and on the user's tables."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

from gossamer.errors import ParameterError
from gossamer.studies.point_sets import point_of
from gossamer.studies.schema import Figure, Point, Study

TABLES = ("table", "sessions")
"""Parameters that name a folder of tables."""


def needed_tables(figure: Figure) -> list[str]:
    """Return the names of the tables that the runs of a figure read."""
    return sorted({name for point in figure.points.values() for name in _tables(point)})


def with_tables(study: Study, folder: Path) -> Study:
    """Return the study with runs that read their tables in a folder.

    Results depend on the content of the tables, not on their place.

    Raises
    ------
    ParameterError
        If a table is missing.
    """
    needed = {name for figure in study.figures for name in needed_tables(figure)}
    contents = {name: _content(folder, name) for name in needed}

    def change(point: Point) -> Point:
        named = _tables(point)
        if not named:
            return point
        more = {"content": " ".join(contents[name] for name in named), "_folder": str(folder)}
        return Point(point.name, {**point.parameters, **more})

    if not contents:
        return study
    return replace(study, figures=tuple(one.with_points(change) for one in study.figures))


def quick_study(study: Study) -> Study:
    """Return the study at the size of a quick run; published values are left out."""
    shrink = study.shrink
    if shrink is None:
        return study
    return replace(
        study,
        notes=(f"A quick run, with {study.quick_size} instead of the paper's size.", *study.notes),
        figures=tuple(
            one.with_points(lambda point: point_of(shrink(point.parameters)), paper=False)
            for one in study.figures
        ),
    )


def _tables(point: Point) -> list[str]:
    return [str(point.parameters[key]) for key in TABLES if key in point.parameters]


def _content(folder: Path, name: str) -> str:
    """Return a digest of the files of a table, independent of their order and names."""
    place = folder / name
    files = [place] if place.is_file() else sorted(place.rglob("*.parquet"))
    if not files:
        raise ParameterError(
            f"{place}: there are no tables; expected the output of gossamer ingest --out {place}"
        )
    found = sorted(hashlib.sha256(file.read_bytes()).hexdigest() for file in files)
    return hashlib.sha256("".join(found).encode()).hexdigest()[:16]
