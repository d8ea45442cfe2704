"""A comparison in a folder: four tables and ``about.json``.

``about.json`` holds the sizes, the origin of the comparison, and a digest of each table. It is
written last, so that an incomplete folder, or one with files of two comparisons, is detected when
it is read.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import msgspec

from gossamer.errors import ParameterError, TableError
from gossamer.experiments.comparison import Comparison, Origin
from gossamer.experiments.comparison_row import ComparisonRow, Distribution, Run
from gossamer.tables import (
    COMPARISON,
    DEGREES,
    DIAMETERS,
    TableSchema,
    read_table,
    replacing,
    write_table,
)
from gossamer.tables.schema import NUMBER, RUNS

ABOUT = "about.json"
LAYOUT = 2
COUNTS = {name for name, kind in COMPARISON.columns if kind is NUMBER}
"""Measures that are whole numbers in a run."""
WAY_OUT = "make it with: gossamer compare ... --save FOLDER"


class LayoutVersion(msgspec.Struct, frozen=True):
    """The part of ``about.json`` that is read first."""

    layout: int


class About(LayoutVersion, frozen=True, forbid_unknown_fields=True):
    """Contents of ``about.json``."""

    title: str
    command: str
    seed: int
    versions: dict[str, str]
    nodes: int
    topics: int
    subscriptions: int
    lower_bound: float
    seeds: int
    tables: dict[str, str]
    table: str = ""


def check_folder(folder: str | os.PathLike[str]) -> Path:
    """Check, before long work, that a folder can be written to.

    Raises
    ------
    ParameterError
        If it is a file, can be neither found nor created, or cannot be written to.
    """
    place = Path(folder)
    nearest = Path(os.path.abspath(place))
    while not os.path.lexists(nearest):
        nearest = nearest.parent
    if not nearest.is_dir():
        raise ParameterError(f"{place}: {nearest} is a file; expected a folder to write to")
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise ParameterError(f"{place}: the folder {nearest} cannot be written to")
    return place


def save_comparison(comparison: Comparison, folder: str | os.PathLike[str]) -> None:
    """Write a comparison to a folder; see :meth:`Comparison.save`."""
    place = check_folder(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise ParameterError(f"{place}: cannot be created ({fault.strerror})") from None
    digests = {}
    for schema, table in (
        (COMPARISON, comparison.table().select(list(COMPARISON.column_names))),
        (RUNS, comparison.runs_table()),
        (DEGREES, comparison.degrees_table()),
        (DIAMETERS, comparison.diameters_table()),
    ):
        path = place / f"{schema.name}.parquet"
        write_table(path, table)
        digests[path.name] = _digest(path)
    origin = comparison.origin
    about = About(
        layout=LAYOUT,
        title=origin.title,
        command=origin.command,
        seed=origin.seed,
        versions=dict(origin.versions),
        nodes=comparison.nodes,
        topics=comparison.topics,
        subscriptions=comparison.subscriptions,
        lower_bound=comparison.lower_bound,
        seeds=comparison.seeds,
        tables=digests,
        table=origin.table,
    )
    with replacing(place / ABOUT) as partial:
        partial.write_bytes(msgspec.json.format(msgspec.json.encode(about), indent=2) + b"\n")


def load_comparison(folder: str | os.PathLike[str]) -> Comparison:
    """Read a comparison that :meth:`Comparison.save` wrote.

    Parameters
    ----------
    folder
        Folder that this method, or ``gossamer compare --save``, wrote.

    Raises
    ------
    TableError
        If a file is missing, unreadable, of another layout, or of another comparison.
    """
    place = Path(folder)
    if not place.exists():
        raise TableError(f"{place}: there is no such folder; {WAY_OUT}")
    if not place.is_dir():
        raise TableError(f"{place}: is a file; expected a folder with a comparison, {WAY_OUT}")
    about = _read_about(place / ABOUT)
    degrees, diameters = (_distributions(_read(place, of, about)) for of in (DEGREES, DIAMETERS))
    runs = _runs(_read(place, RUNS, about))
    rows = []
    for record in _read(place, COMPARISON, about).to_pylist():
        label, topics, error = (record[name] for name in ("algorithm", "topics", "error"))
        more: dict[str, Any] = {
            "degrees": degrees.get(label, {}),
            "diameters": diameters.get(label, {}),
            "problem": record["problem"] or "",
        }
        if error:
            rows.append(ComparisonRow.of_failure(label, error, topics=topics))
        elif label in runs:
            rows.append(ComparisonRow.of_runs(label, runs[label], topics=topics, **more))
        else:
            rows.append(ComparisonRow(**{**record, **more, "error": ""}))
    return Comparison(
        nodes=about.nodes,
        topics=about.topics,
        subscriptions=about.subscriptions,
        lower_bound=about.lower_bound,
        rows=tuple(rows),
        origin=Origin(about.title, about.command, about.seed, about.versions, about.table),
        seeds=about.seeds,
    )


def _read_about(path: Path) -> About:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise TableError(
            f"{path}: there is no such file, so {path.parent} holds no whole comparison; {WAY_OUT}"
        ) from None
    except OSError as fault:
        raise TableError(f"{path}: cannot be read ({fault.strerror or fault})") from None
    try:
        layout = msgspec.json.decode(content, type=LayoutVersion).layout
        if layout != LAYOUT:
            raise TableError(f"{path}: is in layout {layout}; expected layout {LAYOUT}")
        return msgspec.json.decode(content, type=About)
    except (msgspec.DecodeError, UnicodeDecodeError) as fault:
        raise TableError(f"{path}: does not describe a comparison ({fault}); {WAY_OUT}") from None


def _read(folder: Path, schema: TableSchema, about: About) -> Any:
    path = folder / f"{schema.name}.parquet"
    table = read_table(path, schema)
    if about.tables.get(path.name) != _digest(path):
        raise TableError(
            f"{path}: is not the table that {folder / ABOUT} lists; the folder holds parts of two "
            f"comparisons, or is incomplete; {WAY_OUT}"
        )
    return table


def _runs(table: Any) -> dict[str, list[Run]]:
    """Return the runs of each algorithm in a table of algorithm, seed, measure and value."""
    found: dict[str, dict[int, dict[str, float | None]]] = {}
    for label, seed, name, value in zip(*table.to_pydict().values(), strict=True):
        whole = name in COUNTS and value is not None
        measures = found.setdefault(label, {}).setdefault(seed, {})
        measures[name] = round(value) if whole else value
    return {
        label: [Run(seed, measures) for seed, measures in of_label.items()]
        for label, of_label in found.items()
    }


def _distributions(table: Any) -> dict[str, Distribution]:
    """Return the distributions in a table of algorithm, value and count."""
    found: dict[str, dict[int, int]] = {}
    for name, value, count in zip(*table.to_pydict().values(), strict=True):
        found.setdefault(name, {})[value] = count
    return {**found}


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
