"""Results: what every result of the public functions offers, besides its own attributes.

A result has a short ``repr``, a readable ``print``, HTML for notebooks, and its numbers as Arrow,
pandas or Polars tables. A class gets all of it from :class:`Result` and three declarations: the
measures of ``repr``, :meth:`Result.summary`, and :meth:`Result._tables`.

The columns are those of the files that the commands write: :mod:`gossamer.tables.schema` is
looked up when a table is made, since the values of ``model`` know no tables.
"""

from __future__ import annotations

import html
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

from gossamer.errors import ParameterError
from gossamer.extras import require
from gossamer.measures import label_of, shown

if TYPE_CHECKING:
    from gossamer.model import Interests

MAX_ROWS = 12
"""Rows of a table that is printed."""
MAX_ALIGNED = 40
"""Characters of a value that is printed in a column; a longer text has a line of its own."""
HEADER_WIDTH = 12
CELL = "padding:2px 10px;border-bottom:1px solid rgba(128,128,128,.35)"

RowType = TypeVar("RowType", bound=Mapping[str, Any])
Table = Callable[[], Any]
"""Makes an Arrow table, or columns by name."""


class Ids(NamedTuple):
    """A column of identifiers of nodes or topics, in place of their names.

    Attributes
    ----------
    kind
        ``node`` or ``topic``.
    ids
        Positions among the names; -1 for none.
    offsets
        For a column of lists: row k has ``ids[offsets[k] : offsets[k + 1]]``.
    """

    kind: str
    ids: Any
    offsets: Any = None


class Result:
    """Base of all results."""

    __slots__ = ()

    BRIEF: ClassVar[Sequence[str]] = ()
    """Measures of ``repr``."""
    SHOWN: ClassVar[Sequence[str]] = ()
    """Columns of the main table that ``print`` shows; only the summary is shown if empty."""
    PRINTED: ClassVar[Sequence[str]] = ()
    """Measures of the summary that ``print`` shows; all of them if empty."""

    THINNED: ClassVar[bool] = False
    """Whether ``print`` shows about a dozen rows of a longer table."""
    MAIN: ClassVar[str] = ""
    """Name of the main table, if it is not the first one."""

    def summary(self) -> dict[str, Any]:
        """Return the numbers of the result by the names of their measures."""
        raise NotImplementedError

    def _tables(self) -> Mapping[str, Table]:
        """Return the tables of the result by name, besides its summary; the main one first."""
        return {}

    def _interests(self) -> Interests | None:
        """Return the interests whose names replace identifiers, if the result has them."""
        return None

    def _check_interests(self, interests: Interests) -> None:
        """Raise if interests that were given cannot name the nodes of the result."""

    @property
    def table_names(self) -> tuple[str, ...]:
        """Names of the tables of the result, the main one first."""
        return tuple(sorted((*self._tables(), "summary"), key=lambda name: name != self.MAIN))

    def to_arrow(self, table: str | None = None, *, interests: Interests | None = None) -> Any:
        """Return a table of the result as an Arrow table.

        Parameters
        ----------
        table
            Name of the table, one of :attr:`table_names`; the first of them if not given.
            ``summary`` has one row.
        interests
            Interests whose names replace the identifiers of nodes and topics, for a result that
            has no names of its own.

        Raises
        ------
        ParameterError
            If there is no such table, or the interests are those of another network.
        """
        import pyarrow as pa

        name = self.table_names[0] if table is None else table
        if name == "summary":
            made: Any = {key: [value] for key, value in self.summary().items()}
        elif name in self.table_names:
            made = self._tables()[name]()
        else:
            raise ParameterError(
                f"table is {table!r}; expected one of {', '.join(self.table_names)}"
            )
        if isinstance(made, pa.Table):
            return made
        if interests is not None:
            self._check_interests(interests)
        return _arrow_table(name, made, interests or self._interests())

    def to_pandas(self, table: str | None = None, *, interests: Interests | None = None) -> Any:
        """Return a table of the result as a pandas data frame; see :meth:`to_arrow`."""
        require("pandas", purpose="to_pandas")
        return self.to_arrow(table, interests=interests).to_pandas()

    def to_polars(self, table: str | None = None, *, interests: Interests | None = None) -> Any:
        """Return a table of the result as a Polars data frame; see :meth:`to_arrow`."""
        require("polars", purpose="to_polars")
        import polars

        return polars.from_arrow(self.to_arrow(table, interests=interests))

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Export the main table: ``polars.DataFrame(result)``, DuckDB and others read it."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        summary = self.summary()
        parts = [
            summary[name] if isinstance(summary[name], str)
            else f"{name}={shown(summary[name], name)}"
            for name in self.BRIEF
            if summary.get(name) is not None
        ]  # fmt: skip
        return f"{type(self).__name__}({', '.join(parts)})"

    def __str__(self) -> str:
        rows = [
            (label_of(name), text)
            for name, text in self._facts()
            if not self.PRINTED or name in self.PRINTED
        ]
        lines = [repr(self)]
        if len(rows) > len(self.BRIEF):
            lines += aligned([row for row in rows if len(row[1]) <= MAX_ALIGNED])
            lines += [f"{label}: {text}" for label, text in rows if len(text) > MAX_ALIGNED]
        head = self._head()
        if head:
            header = [textwrap.wrap(label, HEADER_WIDTH) for label in head[0]]
            lines += ["", *aligned([*zip_longest(*header, fillvalue=""), *head[1:]])]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        title = f"<strong>{html.escape(repr(self))}</strong>"
        facts = html_table([(label_of(name), text) for name, text in self._facts()])
        head = self._head()
        if not head:
            return f"<div>{title}</div>{facts}"
        folded = f"<details><summary>{title}</summary>{facts}</details>"
        return f"{folded}{html_table(head[1:], head[0])}"

    def _shown_columns(self) -> Sequence[str]:
        """Return the columns of the main table that ``print`` shows."""
        return self.SHOWN

    def _shown_rows(self) -> Sequence[Mapping[str, Any]]:
        """Return the rows of the table that ``print`` shows."""
        rows: list[dict[str, Any]] = self.to_arrow().to_pylist()
        return rows

    def _facts(self) -> list[tuple[str, str]]:
        summary = self.summary()
        return [(name, shown(value, name, summary)) for name, value in summary.items()]

    def _head(self) -> list[tuple[str, ...]]:
        """Return labels and cells of the columns to show, about a dozen rows with the last."""
        if not self.SHOWN:
            return []
        records = self._shown_rows()
        columns = [name for name in self._shown_columns() if records and name in records[0]]
        chosen = thinned(records) if self.THINNED else records
        return [
            tuple(map(label_of, columns)),
            *(tuple(shown(row[name], name, row) for name in columns) for row in chosen),
        ]


def thinned(rows: Sequence[RowType]) -> Sequence[RowType]:
    """Return about a dozen of the rows, with the last one.

    Of each group of successive rows it is the one with the fewest connected topics, the last of
    equal ones: a row with a disconnected topic never gives way to one without.

    Examples
    --------
    >>> rows = [{"second": k, "topics_connected": 4 - (k == 7)} for k in range(24)]
    >>> [row["second"] for row in thinned(rows)]
    [1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23]
    >>> [row["second"] for row in thinned(rows[1:])][:5]
    [2, 4, 6, 7, 10]
    """
    step = max(1, -(-len(rows) // MAX_ROWS))
    chosen = [
        min(reversed(rows[start : start + step]), key=_connected_share)
        for start in range(0, len(rows), step)
    ]
    return chosen if not rows or chosen[-1] is rows[-1] else [*chosen, rows[-1]]


def _connected_share(row: Mapping[str, Any]) -> float:
    connected, topics = row.get("topics_connected"), row.get("topics")
    return 1.0 if connected is None else float(connected) / (topics or 1)


def columns_of(rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> dict[str, list[Any]]:
    """Return rows as columns: those of ``names``, then any others of the first row."""
    others = [name for name in (rows[0] if rows else ()) if name not in names]
    return {name: [row[name] for row in rows] for name in (*names, *others)}


def key_of(label: str) -> str:
    """Return a label in snake case.

    Examples
    --------
    >>> key_of("topics per node, mean")
    'topics_per_node_mean'
    """
    return re.sub(r"[^0-9a-z]+", "_", label.lower()).strip("_")


def _arrow_table(name: str, columns: Mapping[str, Any], interests: Interests | None) -> Any:
    """Return columns as an Arrow table, with the schema of the file of that name if it has one."""
    import numpy as np
    import pyarrow as pa

    from gossamer.tables.names import name_column
    from gossamer.tables.schema import NAME, SCHEMAS

    def array(values: Any) -> Any:
        if not isinstance(values, Ids):
            return pa.array(values)
        missing = np.asarray(values.ids) < 0
        if interests is None:
            found = pa.array(values.ids, type=pa.int64(), mask=missing)
        else:
            names = interests.node_names if values.kind == "node" else interests.topic_names
            found = name_column(names, values.ids, values.kind, missing=missing)
        if values.offsets is None:
            return found
        return pa.LargeListArray.from_arrays(values.offsets, found)

    schema = SCHEMAS.get(name)
    if schema is None or not schema.has_columns(tuple(columns)):
        return pa.table({column: array(values) for column, values in columns.items()})
    kinds = dict(schema.columns)
    return schema.table(
        *(array(values) if kinds[one] is NAME else values for one, values in columns.items())
    )


def aligned(rows: Sequence[tuple[str, ...]], *, right: bool = True) -> list[str]:
    """Return rows of texts as lines; the columns after the first are aligned to the right."""
    if not rows:
        return []
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    gap = "  "
    return [
        gap.join(
            text.rjust(width) if place and right else text.ljust(width)
            for place, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def html_table(
    rows: Sequence[tuple[str, ...]], header: Sequence[str] = (), *, right: bool = True
) -> str:
    """Return texts as a table that is readable on a light and on a dark page."""

    def cells(tag: str, texts: Sequence[str]) -> str:
        align, wrap = ("left", "right"), "normal" if tag == "th" else "nowrap"
        return "".join(
            f'<{tag} style="{CELL};text-align:{align[right and place > 0]};white-space:'
            f'{wrap if len(text) <= MAX_ALIGNED else "normal"}">{html.escape(text)}</{tag}>'
            for place, text in enumerate(texts)
        )

    head = f"<thead><tr>{cells('th', header)}</tr></thead>" if header else ""
    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    style = "border-collapse:collapse;background:none;color:inherit"
    # Notebooks and documentation sites know the class, and have colours for dark pages.
    table = f'<table class="dataframe" style="{style}">{head}<tbody>{body}</tbody></table>'
    return f'<div style="overflow-x:auto">{table}</div>'
