"""A comparison in a folder: written to be shown again later, and read back.

Three tables and ``about.json``, which holds the sizes, where the comparison came from,
and a digest of each table. It is written last, so a folder that was left half-written,
or whose files belong to two comparisons, is noticed when it is read.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from gossamer.errors import ParameterError, TableError
from gossamer.experiments.comparison import Comparison, ComparisonRow, Distribution, Origin
from gossamer.tables import (
    COMPARISON,
    DEGREES,
    DIAMETERS,
    TableSchema,
    read_table,
    replacing,
    write_table,
)

__all__ = ["check_folder", "load_comparison", "save_comparison"]

ABOUT = "about.json"
LAYOUT = 1
WAY_OUT = "make it with: gossamer compare ... --save FOLDER"


class About(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What ``about.json`` holds."""

    layout: int
    title: str
    command: str
    seed: int
    versions: dict[str, str]
    nodes: int
    topics: int
    subscriptions: int
    lower_bound: float
    tables: dict[str, str]


class LayoutVersion(msgspec.Struct, frozen=True):
    """The part of ``about.json`` that is looked at first."""

    layout: int


def check_folder(folder: str | os.PathLike[str]) -> Path:
    """Say now, rather than after long work, that a folder could not be written to.

    Raises
    ------
    ParameterError
        If it is a file, or neither there nor to be created, or cannot be written to.
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
    """Write a comparison to a folder, ``about.json`` last; see :meth:`Comparison.save`."""
    place = check_folder(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise ParameterError(f"{place}: cannot be created ({fault.strerror})") from None
    digests = {}
    for schema, table in (
        (COMPARISON, comparison.table()),
        (DEGREES, comparison.degrees_table()),
        (DIAMETERS, comparison.diameters_table()),
    ):
        path = _path(place, schema)
        write_table(path, table)
        digests[path.name] = _digest(path)
    about = About(
        layout=LAYOUT,
        title=comparison.origin.title,
        command=comparison.origin.command,
        seed=comparison.origin.seed,
        versions=dict(comparison.origin.versions),
        nodes=comparison.nodes,
        topics=comparison.topics,
        subscriptions=comparison.subscriptions,
        lower_bound=comparison.lower_bound,
        tables=digests,
    )
    with replacing(place / ABOUT) as partial:
        partial.write_bytes(msgspec.json.format(msgspec.json.encode(about), indent=2) + b"\n")


def load_comparison(folder: str | os.PathLike[str]) -> Comparison:
    """Read a comparison that :meth:`Comparison.save` wrote.

    Parameters
    ----------
    folder
        Where it was saved, by that method or by ``gossamer compare --save``.

    Raises
    ------
    TableError
        If something is missing, unreadable, of another layout, or not of this comparison.
    """
    place = Path(folder)
    if not place.exists():
        raise TableError(f"{place}: there is no such folder; {WAY_OUT}")
    if not place.is_dir():
        raise TableError(f"{place}: is a file; expected a folder with a comparison, {WAY_OUT}")
    about = _read_about(place / ABOUT)
    tables = [_read(place, schema, about) for schema in (COMPARISON, DEGREES, DIAMETERS)]
    rows, degrees, diameters = (table.to_pylist() for table in tables)
    of_nodes = _distributions(degrees, "degree", "nodes")
    of_topics = _distributions(diameters, "diameter", "topics")
    return Comparison(
        nodes=about.nodes,
        topics=about.topics,
        subscriptions=about.subscriptions,
        lower_bound=about.lower_bound,
        rows=tuple(
            ComparisonRow(
                **row,
                degrees=of_nodes.get(row["algorithm"], {}),
                diameters=of_topics.get(row["algorithm"], {}),
            )
            for row in rows
        ),
        origin=Origin(about.title, about.command, about.seed, about.versions),
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
    path = _path(folder, schema)
    table = read_table(path, schema)
    if about.tables.get(path.name) != _digest(path):
        raise TableError(
            f"{path}: is not the table that {folder / ABOUT} speaks of; the folder holds parts of "
            f"two comparisons, or was left half-written; {WAY_OUT}"
        )
    return table


def _distributions(
    rows: Iterable[dict[str, Any]], value: str, count: str
) -> dict[str, Distribution]:
    found: dict[str, dict[int, int]] = {}
    for row in rows:
        found.setdefault(row["algorithm"], {})[row[value]] = row[count]
    return {**found}


def _path(folder: Path, schema: TableSchema) -> Path:
    return folder / f"{schema.name}.parquet"


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
