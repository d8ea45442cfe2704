"""Profile of a workload in this process, with the same numbers as the job on Spark."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gossamer.atomic_files import is_standard
from gossamer.errors import ParameterError, TableError
from gossamer.model import Interests
from gossamer.pipeline import counts_in_memory as counts
from gossamer.pipeline.profile_parts import write_numbers
from gossamer.pipeline.stages.correlation import MAX_CHOSEN, MAX_COMPARISONS
from gossamer.progress import Progress, silent
from gossamer.quality.profiles import WorkloadProfile
from gossamer.random_stream import check_seed
from gossamer.tables import TableSchema, read_interests, write_table
from gossamer.tables.columnar import read_columnar
from gossamer.tables.files import find_table
from gossamer.tables.schema import FOLLOWS, PUBLICATIONS, RATES, SESSIONS, SUBSCRIPTIONS

PROFILED = (SUBSCRIPTIONS, FOLLOWS, PUBLICATIONS, RATES, SESSIONS)


def profile_in_memory(
    tables: str | os.PathLike[str],
    out: str | os.PathLike[str] | None = None,
    *,
    seed: int = 0,
    compared: int = MAX_CHOSEN,
    comparisons: int = MAX_COMPARISONS,
    follows: bool = False,
    read: Callable[[Path], Interests] | None = None,
    progress: Progress | None = None,
) -> WorkloadProfile:
    """Summarise a workload in this process.

    The numbers are those of :func:`gossamer.pipeline.profile`.

    Parameters
    ----------
    tables
        Folder of tables, or a table of subscriptions or follows.
    out
        Folder of the small tables ``profile_….parquet``; by default none is written.
    seed, compared, comparisons
        Seed, number of nodes to compare, and limit of the comparisons, as in
        :func:`gossamer.pipeline.profile`.
    follows
        Whether topics are nodes too, as in the table ``follows`` of a folder.
    read
        Function that reads the interests of a file or folder (default:
        :func:`gossamer.read_interests`).
    progress
        Callback that receives the current step and the fraction done.

    Raises
    ------
    InputError
        If there is no table to profile, or a table is bad.

    Notes
    -----
    O(S log S) time and O(S) memory for S subscriptions, and the comparisons.
    """
    check_seed(seed, bits=63)
    for name, number in (("compared", compared), ("comparisons", comparisons)):
        if number < 1:
            raise ParameterError(f"{name} is {number}; expected 1 or more")
    report, place = progress or silent, Path(tables)
    if not (is_standard(tables) or place.exists()):
        raise TableError(f"{tables}: there is no such file or folder")
    inside = _tables_of(place)
    written: dict[str, Any] = {}

    def store(schema: TableSchema, make: Callable[[], Any], *, name: str = "") -> Any:
        return written.setdefault(name or schema.name, make())

    found: dict[str, Any] = {}
    if not inside or inside & {SUBSCRIPTIONS.name, FOLLOWS.name}:
        report(f"reading {place.name}", 0.0)
        interests = (read or read_interests)(place)
        follows = follows or (FOLLOWS.name in inside and SUBSCRIPTIONS.name not in inside)
        nodes = counts.Nodes.of(interests, topics_are_nodes=follows)
        found["interests"] = counts.interest_profile(nodes, store)
        report(f"comparing nodes with {len(nodes.names):,}", 0.0)
        found["correlation"] = counts.correlation_profile(
            nodes, store, seed=seed, compared=compared, comparisons=comparisons
        )
    for schema, part, profile in (
        (PUBLICATIONS, "publications", counts.publication_profile),
        (RATES, "publications", counts.rate_profile),
        (SESSIONS, "sessions", counts.session_profile_of),
    ):
        if schema.name in inside and part not in found:
            report(f"counting {part}", 0.0)
            found[part] = profile(_columns(place, schema), store)
    whole = WorkloadProfile(os.fspath(tables), **found)
    write_numbers(whole, store)
    if out is not None:
        folder = Path(out)
        folder.mkdir(parents=True, exist_ok=True)
        for name, rows in written.items():
            write_table(folder / f"{name}.parquet", rows)
    return whole


def _tables_of(place: Path) -> set[str]:
    """Return the names of the tables in a folder that can be profiled; none for a file."""
    if not place.is_dir():
        return set()
    names = {path.name.removesuffix(".parquet") for path in place.iterdir()}
    return names & {schema.name for schema in PROFILED}


def _columns(place: Path, schema: TableSchema) -> counts.Columns:
    """Read all parts of a table of a folder of tables."""
    import pyarrow as pa

    sources = find_table(place, [schema.name]).sources
    what = sources[0].name if len(sources) == 1 else str(place / schema.name)
    parts = [read_columnar(source) for source in sources]
    for part in parts:
        if not schema.has_columns(part.column_names):
            raise TableError(
                f"{what}: the columns are {', '.join(part.column_names)}; expected "
                f"{', '.join(schema.column_names)}"
            )
    return counts.Columns(what, pa.concat_tables(parts, promote_options="permissive"))
