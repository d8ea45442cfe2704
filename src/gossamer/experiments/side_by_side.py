"""Comparisons with one row per candidate, some of which may have failed."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from gossamer.errors import ParameterError
from gossamer.measures import HALF_WIDTH, shown_interval
from gossamer.results import Result

MAX_SEEDS = 1000


class SideBySide(Result):
    """Base of comparisons."""

    KEY: ClassVar[str]
    """Column with the label of a row."""
    SCHEMA: ClassVar[Any]
    """Schema of the table of the rows."""
    rows: Sequence[Any]

    @property
    def measured(self) -> tuple[Any, ...]:
        """Rows of the candidates that did not fail."""
        return tuple(row for row in self.rows if not row.error)

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of own metrics, in order."""
        return tuple(dict.fromkeys(name for row in self.rows for name in row.metrics))

    @property
    def faults(self) -> Mapping[str, str]:
        """Fault of each candidate with one: a failure, a broken promise or a failed metric."""
        return {getattr(row, self.KEY): row.error or row.problem for row in self.rows
                if row.error or row.problem}  # fmt: skip

    def __str__(self) -> str:
        faults = [f"{label}: {why}" for label, why in self.faults.items()]
        return "\n".join([super().__str__(), *([""] if faults else []), *faults])

    def _repr_html_(self) -> str:
        faults = [f"<div>{html.escape(f'{label}: {why}')}</div>" for label, why in
                  self.faults.items()]  # fmt: skip
        return "".join([super()._repr_html_(), *faults])

    def _shown_columns(self) -> Sequence[str]:
        return (*self.SHOWN, *self.metrics)

    def _shown_rows(self) -> Sequence[Mapping[str, Any]]:
        columns = dict.fromkeys(self.metrics)
        return [columns | with_half_widths(row.summary()) for row in self.rows]

    def table(self) -> Any:
        """Return the rows as an Arrow table.

        Columns of own metrics follow, and half-widths of intervals if there are several runs.
        """
        return table_of(self.SCHEMA, [row.summary() for row in self.rows])


def table_of(schema: Any, records: Sequence[Mapping[str, Any]]) -> Any:
    """Return records as an Arrow table: the columns of a schema, then numbers of other names."""
    names = dict.fromkeys(name for record in records for name in record)
    added = [name for name in names if name not in schema.column_names]
    schema = schema.extended(", ".join(f"{name} double" for name in added))
    return schema.table(*([record.get(name) for record in records] for name in schema.column_names))


def with_half_widths(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return measures by name; those with a half-width as text, ``4.00 ± 0.12``."""
    return {
        name: shown_interval(value, record[name + HALF_WIDTH], name, record)
        if record.get(name + HALF_WIDTH) is not None
        else value
        for name, value in record.items()
        if not name.endswith(HALF_WIDTH)
    }


def check_seeds(seeds: int) -> None:
    """Raise unless a number of runs is a whole number in its range."""
    if isinstance(seeds, bool) or not isinstance(seeds, int) or not 1 <= seeds <= MAX_SEEDS:
        raise ParameterError(f"seeds is {seeds!r}; expected a number of runs, 1 to {MAX_SEEDS}")
