"""The one list of sources, and what a source has to say of itself.

A source is a function in a module of this package, marked with :func:`source`, that gives a
:class:`SourceSpec` for options of its own. The command line, the job that ingests and the
conformance tests read this list, so a new source is one new file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from gossamer.pipeline.sources.layouts import Fields
from gossamer.registry import Options, Registry, options_of, summary_of
from gossamer.tables import TableSchema

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Measured", "Source", "SourceSpec", "find_source", "source", "sources"]

MAX_LINE = 1 << 20

Builder = TypeVar("Builder", bound=Callable[..., "SourceSpec"])


@dataclass(frozen=True)
class Measured:
    """What was found out about all records of a run.

    Attributes
    ----------
    records
        How many there are: usable and bad ones.
    bad
        How many of them are bad.
    values
        The spec's own measures, by name; over the usable records.
    whole
        For each column of names, whether all its names are whole numbers.
    """

    records: int
    bad: int
    values: Mapping[str, Any]
    whole: Mapping[str, bool]


def _no_notes(measured: Measured, rows: Mapping[str, int]) -> dict[str, Any]:
    return {}


@dataclass(frozen=True)
class SourceSpec:
    """How files of one source become tables.

    An *record* is what is usable or bad as one: a line, or an entry of a larger whole.

    Attributes
    ----------
    columns
        What an record has: names and Arrow types. Names of the user's are strings here.
    parse
        A lazy stage: a frame ``file, line, reason`` (or, with ``fields``, those and a column
        for each field, as strings) becomes ``columns`` and ``file, line, reason``. An record
        that is bad has a reason, and nothing in ``columns``.
    tables
        The tables in the order they are written, and for each a lazy stage that makes it
        from the usable records, what was measured, and the tables written before. Columns of
        ``names`` are integers by then, if all their names are; lists keep their strings.
    names
        The columns of names; those in one group are integers together or not at all.
    measures
        Aggregates over all records, as SQL; of a bad one, every column is null.
    found
        A lazy stage that gives one row of further measures, which take more than an aggregate.
    notes
        From what was measured and the rows of each table: what people should be notes.
    checked
        Raises where what was measured cannot be used, before anything is put in place.
    fields
        Which fields lines have, if they are split at a delimiter.
    comments
        How lines begin that are skipped. Blank lines are skipped too.
    whole_files
        Whether ``line`` is a whole file. What is kept of a bad record is then the source's.
    one_file
        Whether there may be only one file.
    longest_line
        How many bytes a line may have.
    """

    columns: tuple[tuple[str, Any], ...]
    parse: Callable[[DataFrame], DataFrame]
    tables: tuple[
        tuple[TableSchema, Callable[[DataFrame, Measured, Mapping[str, DataFrame]], DataFrame]],
        ...,
    ]
    names: tuple[tuple[str, ...], ...] = ()
    measures: Mapping[str, str] = field(default_factory=dict)
    found: Callable[[DataFrame], DataFrame] | None = None
    notes: Callable[[Measured, Mapping[str, int]], dict[str, Any]] = _no_notes
    checked: Callable[[Measured], None] = lambda measured: None
    fields: Fields | None = None
    comments: tuple[str, ...] = ()
    whole_files: bool = False
    one_file: bool = False
    longest_line: int = MAX_LINE


@dataclass(frozen=True)
class Source:
    """A kind of raw files.

    Attributes
    ----------
    name
        As written on the command line.
    build
        ``build(**options) -> SourceSpec``.
    summary
        The first line of its docstring.
    layout
        What its files look like, in a few words.
    example
        The content of a small file that it reads with its defaults.
    options
        Its own parameters, read from its signature.
    """

    name: str
    build: Callable[..., SourceSpec]
    summary: str
    layout: str
    example: str
    options: Options

    def __call__(self, **options: Any) -> SourceSpec:
        """Give the spec, after checking that the source has these options."""
        self.options.check(options)
        return self.build(**options)

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables that it writes, in that order."""
        return tuple(schema.name for schema, _ in self.build().tables)

    def settled(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return all its options, by default those that are not given."""
        return {option.keyword: option.default for option in self.options.listed} | dict(options)


REGISTRY: Registry[Source] = Registry("source", "gossamer.pipeline.sources")


def source(name: str, *, layout: str, example: str) -> Callable[[Builder], Builder]:
    """Mark a function as the source of that name."""

    def register(function: Builder) -> Builder:
        entry = Source(
            name=name,
            build=function,
            summary=summary_of(function),
            layout=layout,
            example=example,
            options=options_of(name, function),
        )
        REGISTRY.add(name, entry)
        return function

    return register


def sources() -> dict[str, Source]:
    """Return every source by name, in alphabetical order."""
    return REGISTRY.all()


def find_source(name: str) -> Source:
    """Return the source of that name, or say which there are."""
    return REGISTRY.find(name)
