"""Reader of ``figures.toml``: the figures, point sets and published values of a study.

A string ``$name`` anywhere in a figure stands for a value of the table ``define`` or of the
figure's data set; within a longer string it is inserted as text. A figure with several data sets
is repeated for each, with the data set's suffix in its name. The folder of a study also holds
``run.py`` with the function ``measure``, and, where they are needed, ``checks.py`` with checks of
statements and ``points.py`` with the function ``shrink``, which gives the parameters of quick runs.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import re
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from gossamer.errors import StudyError
from gossamer.studies import checks as common_checks
from gossamer.studies.point_sets import Options, RowSet, point_of
from gossamer.studies.schema import (
    Column,
    Figure,
    Parameters,
    Plot,
    Reading,
    Row,
    Study,
    Untested,
)
from gossamer.studies.statement import Cause, Statement

FIGURES_FILE = "figures.toml"
_NAME = re.compile(r"\$(\w+)")
_PLACE = re.compile(r"(?:Figure|Table|Algorithm|Appendix|Abstract|§)[^:]*")


class _Entry(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Base of the tables of the file: an unknown key is an error."""


class _StudyEntry(_Entry):
    """The whole file; see :class:`~gossamer.studies.schema.Study`."""

    title: str
    reference: str
    figures: list[dict[str, Any]]
    registered: frozenset[str]
    untested: tuple[Untested, ...] = ()
    instances: int | None = None
    universe: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    quick_size: str = ""
    short_title: str = ""
    defaults: Options = {}
    define: dict[str, Any] = {}
    data: dict[str, dict[str, Any]] = {}


class _ColumnEntry(_Entry):
    """A column for each of some series; for each of the figure's if none are listed.

    ``reading`` says how precisely the published values are known: a number in the unit of the
    values (0.005 for two decimals), or a share of each (``"3 %"``).
    """

    measure: str
    title: str = "{series}"
    reading: float | str | None = None
    series: list[str] = []
    rows: tuple[str, ...] = ()


class _StatementEntry(_Entry):
    """A sentence, the name of its check, and the keyword arguments of the check."""

    text: str
    check: str
    arguments: dict[str, Any] = {}
    causes: tuple[Cause, ...] = ()
    place: str = ""
    ours: bool = False


class _FigureEntry(_Entry):
    """A figure or table; see :class:`~gossamer.studies.schema.Figure`.

    ``only`` selects some of the series. ``paper`` has published values by row: a list for the
    columns that have a reading, or values by column. ``place`` is the beginning of the title up to
    its colon, if not given; ``ours`` marks a figure that the paper does not have.
    """

    name: str
    title: str
    row_title: str
    rows: list[RowSet]
    columns: list[_ColumnEntry]
    series: dict[str, Options] = {}
    only: list[str] = []
    parameters: Options = {}
    data: list[str] = []
    paper: dict[str, list[float] | dict[str, float]] = {}
    notes: tuple[str, ...] = ()
    causes: tuple[Cause, ...] = ()
    statements: list[_StatementEntry] = []
    plot: Plot | None = None
    place: str = ""
    ours: bool = False
    instances: int | None = None


@functools.cache
def load_study(package: str, folder: Path) -> Study:
    """Return the study of a folder.

    Raises
    ------
    StudyError
        If the file is not TOML, or has an unknown key, a wrong type or an undefined name; the
        message has the file and the key.
    """
    path = folder / FIGURES_FILE
    try:
        file = msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), _StudyEntry)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as fault:
        raise StudyError(f"{path}: {fault}") from None
    modules = {
        name: importlib.import_module(f"{package}.{name}")
        for name in ("run", "checks", "points")
        if (folder / f"{name}.py").is_file()
    }
    figures: list[Figure] = []
    for number, raw in enumerate(file.figures):
        for data in raw.get("data", []) or [None]:
            try:
                figures.append(_figure(file, raw, data, modules.get("checks")))
            except (msgspec.ValidationError, StudyError) as fault:
                name = raw.get("name", f"number {number + 1}")
                raise StudyError(f"{path}: figure {name}: {fault}") from None
    names = [figure.name for figure in figures]
    for figure in figures:
        if names.count(figure.name) > 1:
            raise StudyError(f"{path}: figure {figure.name}: the name is given twice")
        causes = [*figure.causes, *(one for said in figure.statements for one in said.causes)]
        for name in (name for cause in causes for name in cause.shown_by):
            if name not in names:
                raise StudyError(
                    f"{path}: figure {figure.name}: shown_by: there is no figure {name!r}; there "
                    f"are {', '.join(names)}"
                )
    return Study(
        name=folder.name.replace("_", "-"),
        title=file.title,
        reference=file.reference,
        figures=tuple(figures),
        run=modules["run"].measure,
        instances=file.instances,
        universe=file.universe,
        notes=file.notes,
        untested=file.untested,
        shrink=modules["points"].shrink if "points" in modules else None,
        quick_size=file.quick_size,
        short_title=file.short_title,
        registered=file.registered,
    )


def _figure(file: _StudyEntry, raw: dict[str, Any], data: str | None, own_checks: Any) -> Figure:
    if data is not None and data not in file.data:
        raise StudyError(f"data: there is no data set {data!r}; there are {', '.join(file.data)}")
    words = {**file.define, **(file.data[data] if data is not None else {})}
    entry = msgspec.convert(_fill(raw, words), _FigureEntry)
    _require(entry.only, entry.series, "only", "series")
    series = {name: entry.series[name] for name in entry.only or entry.series} or {"": {}}
    columns = []
    for column in entry.columns:
        _require(column.series, series, "columns", "series")
        for name in column.series or series:
            title = column.title.format(series=name)
            reading = _reading(column.reading)
            columns.append(Column(title, column.measure, reading, name, column.rows))
    defaults = (file.defaults, words.get("parameters", {}), entry.parameters)
    rows = _rows(entry.rows, series, defaults)
    labels = {row.label: row for row in rows}
    _require(entry.paper, labels, "paper", "row")
    paper = {label: _published(label, given, columns) for label, given in entry.paper.items()}
    for row in rows:
        if row.instead_of:
            _require([row.instead_of], labels, "rows.instead_of", "row")
            paper[row.label] = paper.get(row.instead_of, {})
    found = _PLACE.match(entry.title)
    place = entry.place or (found[0].strip() if found else "")
    if bool(place) is entry.ours:
        raise StudyError(
            f"place is {place!r} and ours is {str(entry.ours).lower()}; expected a place in the "
            "paper, or ours = true"
        )
    return Figure(
        name=entry.name + words.get("suffix", ""),
        title=entry.title,
        row_title=entry.row_title,
        columns=tuple(columns),
        rows=tuple(replace(row, paper=paper.get(row.label, {})) for row in rows),
        causes=entry.causes,
        notes=entry.notes,
        statements=tuple(_statement(one, own_checks, entry.ours) for one in entry.statements),
        plot=entry.plot,
        place=place,
        instances=entry.instances,
        base=entry.name,
        variant="" if data is None else words.get("title", data),
    )


def _fill(value: Any, words: Mapping[str, Any]) -> Any:
    """Return a value of the file with every ``$name`` replaced."""

    def find(name: str) -> Any:
        if name not in words:
            raise StudyError(f"${name} is not defined; defined are {', '.join(words)}")
        return _fill(words[name], words)

    if isinstance(value, str):
        whole = _NAME.fullmatch(value)
        return find(whole[1]) if whole else _NAME.sub(lambda found: str(find(found[1])), value)
    if isinstance(value, list):
        return [_fill(one, words) for one in value]
    if isinstance(value, dict):
        return {_fill(key, words): _fill(one, words) for key, one in value.items()}
    return value


def _rows(
    sets: list[RowSet], series: Mapping[str, Parameters], defaults: tuple[Parameters, ...]
) -> list[Row]:
    """Return the rows of all sets; rows of the same label are one, with the points of both."""
    rows: dict[str, Row] = {}
    for one in sets:
        _require(one.series, series, "rows", "series")
        for head in one.heads():
            points = {
                name: point_of(*defaults, series[name], head.parameters)
                for name in one.series or series
            }
            if head.label in rows:
                points = {**rows[head.label].points, **points}
            rows[head.label] = Row(
                head.label, points, setting=one.setting, instead_of=head.instead_of,
                quick=head.quick, x=head.x,
            )  # fmt: skip
    return list(rows.values())


def _published(
    row: str, given: list[float] | dict[str, float], columns: list[Column]
) -> dict[str, float]:
    """Return published values of a row by title of the column."""
    compared = [column.title for column in columns if column.reading is not None]
    if isinstance(given, dict):
        _require(given, dict.fromkeys(compared), f"paper.{row}", "column with a reading")
        return given
    if len(given) != len(compared):
        raise StudyError(
            f"paper.{row}: there are {len(given)} values; expected {len(compared)}, one for each "
            "column with a reading"
        )
    return dict(zip(compared, given, strict=True))


def _reading(given: float | str | None) -> Reading | None:
    """Return the precision of published values."""
    if given is None:
        return None
    if isinstance(given, str):
        number, sign, rest = given.partition("%")
        try:
            size = float(number) / 100
        except ValueError:
            sign = ""
        if not sign or rest.strip():
            raise StudyError(f"columns: reading is {given!r}; expected a number or a share: 3 %")
        return Reading(size)
    return Reading(given, relative=False)


def _statement(entry: _StatementEntry, own_checks: Any, ours: bool) -> Statement:
    check = getattr(own_checks, entry.check, None) or getattr(common_checks, entry.check, None)
    if check is None:
        raise StudyError(f"statements: there is no check {entry.check!r}")
    try:
        inspect.signature(check).bind({}, **entry.arguments)
    except TypeError as fault:
        raise StudyError(f"statements: {entry.check}: {fault}") from None
    return Statement(
        entry.text,
        partial(check, **entry.arguments),
        entry.causes,
        entry.place,
        (ours or entry.ours) and not entry.place,
    )


def _require(names: Any, known: Mapping[str, object], key: str, what: str) -> None:
    for name in names:
        if name not in known:
            raise StudyError(f"{key}: there is no {what} {name!r}; there are {', '.join(known)}")
