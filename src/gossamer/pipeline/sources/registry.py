"""Registry of sources, and the specification that a source returns.

A source is a function in a module of this package, or of a plug-in, marked with :func:`source`,
that returns a :class:`SourceSpec` for its options. The command line, the ingest job and the
conformance tests read the registry.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from gossamer.definitions import blame, check_decorated, check_function
from gossamer.options import Options, options_of, summary_of
from gossamer.pipeline.sources.layouts import Fields
from gossamer.registry import Registry
from gossamer.tables import TableSchema

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MAX_LINE = 1 << 20

Builder = TypeVar("Builder", bound=Callable[..., "SourceSpec"])


@dataclass(frozen=True)
class Measured:
    """Measures over all records of a run.

    Attributes
    ----------
    records
        Number of records, good and bad.
    bad
        Number of bad records.
    values
        Further measures of the source, by name; over the good records.
    whole
        For each column of names, whether all its names are whole numbers.
    """

    records: int
    bad: int
    values: Mapping[str, Any]
    whole: Mapping[str, bool]


@dataclass(frozen=True)
class SourceSpec:
    """Conversion of the files of one source to tables.

    A *record* is the unit that is good or bad: a line, or an entry of a larger document.

    Attributes
    ----------
    columns
        Names and Arrow types of the columns of a record; names of users are strings here.
    parse
        Lazy stage from a frame ``file, line, reason`` (with ``fields``, also a string column for
        each field) to ``columns`` and ``file, line, reason``. A bad record has a reason, and null
        in each of ``columns``.
    tables
        Schemas of the tables in the order they are written, each with a lazy stage from the good
        records, the measures and the tables written before. Columns of ``names`` are integers
        here if all their names are; lists keep their strings.
    names
        Groups of columns of names; the columns of a group are integers together or not at all.
    measures
        Aggregates over all records, as SQL; each column of a bad record is null.
    more_measures
        Lazy stage that returns one row of measures that are more than an aggregate.
    notes
        Function of the measures and the number of rows of each table that returns further facts
        for the user, by label.
    check
        Function that raises if the measures show bad input, before any table is written.
    fields
        Fields of a line, if lines are split at a delimiter.
    comments
        Prefixes of lines that are skipped; blank lines are skipped too.
    whole_files
        Whether ``line`` is a whole file; the source then decides what to store of a bad record.
    one_file
        Whether there may be only one file.
    max_line
        Maximum size of a line, bytes.
    """

    columns: tuple[tuple[str, Any], ...]
    parse: Callable[[DataFrame], DataFrame]
    tables: tuple[
        tuple[TableSchema, Callable[[DataFrame, Measured, Mapping[str, DataFrame]], DataFrame]],
        ...,
    ]
    names: tuple[tuple[str, ...], ...] = ()
    measures: Mapping[str, str] = field(default_factory=dict)
    more_measures: Callable[[DataFrame], DataFrame] | None = None
    notes: Callable[[Measured, Mapping[str, int]], dict[str, Any]] = lambda measured, rows: {}
    check: Callable[[Measured], None] = lambda measured: None
    fields: Fields | None = None
    comments: tuple[str, ...] = ()
    whole_files: bool = False
    one_file: bool = False
    max_line: int = MAX_LINE


@dataclass(frozen=True)
class Source:
    """A format of raw files.

    Attributes
    ----------
    name
        Name on the command line.
    build
        Function from options to the specification.
    summary
        First line of its docstring.
    layout
        Layout of its files, in a few words.
    example
        Content of a small file that it reads with its default options.
    options
        Options, from the signature of ``build``.
    """

    name: str
    build: Callable[..., SourceSpec]
    summary: str
    layout: str
    example: str
    options: Options

    def __call__(self, **options: Any) -> SourceSpec:
        """Return the specification, after a check of the options."""
        self.options.check(options)
        spec = self.build(**options)
        if not isinstance(spec, SourceSpec):
            blame(
                self.build,
                f"returned a value of type {type(spec).__name__}; expected a SourceSpec",
            )
        return spec

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of the tables that it writes, in order."""
        return tuple(schema.name for schema, _ in self().tables)


REGISTRY: Registry[Source] = Registry("source", "gossamer.pipeline.sources")


RESERVED = ("source", "files", "out", "session", "master", "settings", "max_bad", "progress")
"""Names that no option can have: those of arguments of :func:`gossamer.pipeline.ingest`."""


def source(name: str, *, layout: str = "", example: str = "") -> Callable[[Builder], Builder]:
    """Register a function as a source of raw files.

    The function returns a :class:`SourceSpec`, which says how lines become tables. Its parameters
    are options, with a type and a default. A name can be registered again.

    Parameters
    ----------
    name
        Name on the command line: a to z, 0 to 9, and hyphens between words.
    layout
        Layout of the files, in a few words, for messages.
    example
        Content of a small file that the source reads with its default options.

    Raises
    ------
    PluginError
        If the name or the function does not fit; the error names its file and line.
    """
    check_decorated(name, "source")

    def register(function: Builder) -> Builder:
        check_function(function, "a source")
        options, summary = options_of(name, function, reserved=RESERVED), summary_of(function)
        entry = Source(name, function, summary, layout, example, options)
        REGISTRY.add(name, entry, function)
        return function

    return register


def sources() -> dict[str, Source]:
    """Return every source by name, in alphabetical order."""
    return REGISTRY.all()


def find_source(name: str) -> Source:
    """Return the source of that name; the error lists the known names."""
    return REGISTRY.find(name)
