"""Scenario files: a TOML file, with its tables in the same folder.

A scenario file describes a run completely, so that the run can be repeated elsewhere. Generated
interests are described by their generator; other interests, sessions (or events and the presence at
the start, if interests change), delays between sites, publications and rates are Parquet tables.
The TOML file has their names and SHA-256 digests.
"""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, asdict, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from gossamer.errors import ParameterError, TableError
from gossamer.model import (
    ChurnEvents,
    Interests,
    Latency,
    Publications,
    Scenario,
    Sessions,
    WorkloadSpec,
)
from gossamer.model.interests import encode_names
from gossamer.workloads.notation import is_path, parse_delay, parse_power_law, split_crowds
from gossamer.workloads.presence import resolve_events, resolve_sessions, with_events
from gossamer.workloads.resolution import resolve_latency, resolve_rates
from gossamer.workloads.synthetic import generate_workload

FORMAT = 1
TABLES = (
    "interests", "topics", "churn", "events", "present", "latency", "sites", "rates",
    "publications",
)  # fmt: skip
Columns = Mapping[str, Any]


def write_scenario(
    path: str | os.PathLike[str], scenario: Scenario, run: Mapping[str, Any] | None = None
) -> list[Path]:
    """Write a scenario file and its tables; return the paths of all files.

    Parameters
    ----------
    path
        TOML file to write; each table is written beside it.
    scenario
        Scenario to write; its Python objects, such as network rules, cannot be written.
    run
        Arguments of the run: protocol, engine and options.

    Raises
    ------
    ParameterError
        If the scenario has network rules or functions, which are Python objects.
    """
    place = Path(path)
    if place.suffix != ".toml":
        raise ParameterError(f"{place}: expected a scenario file with the ending .toml")
    if scenario.faults or callable(scenario.new_interests):
        raise ParameterError("faults and new_interests are Python objects; a file cannot have them")
    scenario = with_events(scenario)
    tables = _tables(scenario)
    values = {
        field.name: value
        for field in fields(Scenario)
        if field.name not in tables and field.default is not MISSING
        and isinstance(value := _plain(getattr(scenario, field.name)), bool | int | float | str)
        and value != field.default
    }  # fmt: skip
    if "churn" in tables:
        values.pop("time_scale", None)
    document: dict[str, Any] = {"format": FORMAT, **values}
    if scenario.workload is not None:
        document["workload"] = {**asdict(scenario.workload), "sha256": _digest(scenario.interests)}
    written = [place]
    for name, columns in tables.items():
        table = place.with_name(f"{place.stem}.{name}.parquet")
        _write_columns(table, columns)
        document[name] = {"file": table.name, "sha256": _file_digest(table)}
        written.append(table)
    document["run"] = dict(run or {})
    from gossamer.tables import replacing

    with replacing(place) as temporary:
        temporary.write_text(_toml(document), encoding="utf-8")
    return written


def read_scenario(path: str | os.PathLike[str]) -> tuple[Scenario, dict[str, Any]]:
    """Read a scenario file; return the scenario, and the arguments of the run.

    Raises
    ------
    TableError
        If the file or one of its tables is missing or malformed, or a digest differs.
    """
    place = Path(path)
    try:
        document = tomllib.loads(place.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) else fault
        raise TableError(f"{place}: cannot be read as a scenario file ({reason})") from None
    if document.pop("format", None) != FORMAT:
        raise TableError(f"{place}: is not a scenario file of format {FORMAT}")
    run = document.pop("run", {})
    tables = {
        name: _read_columns(place, document.pop(name))
        for name in TABLES
        if isinstance(document.get(name), dict)
    }
    unknown = set(document) - {field.name for field in fields(Scenario)}
    if unknown:
        raise TableError(f"{place}: has unknown keys {', '.join(sorted(unknown))}")
    values = _values(tables)
    workload = document.pop("workload", None)
    if workload is not None:
        digest = workload.pop("sha256", None)
        document["workload"] = WorkloadSpec(**workload)
        values["interests"] = generate_workload(document["workload"])
        if _digest(values["interests"]) != digest:
            raise TableError(
                f"{place}: the workload no longer generates the interests that were saved"
            )
    if "interests" not in values:
        raise TableError(f"{place}: has no interests; expected a workload or a table of interests")
    return replace(Scenario(values.pop("interests")), **document, **values), run


def _tables(scenario: Scenario) -> dict[str, Columns]:
    """Return the columns of each table of a scenario; a list column is (offsets, values)."""
    tables: dict[str, Columns] = {}
    churn, latency, rates = scenario.churn, scenario.latency, scenario.rates
    if scenario.workload is None:
        found = scenario.interests
        topics = (found.node_offsets, found.topic_names[found.node_topics])
        tables["interests"] = {"node": found.node_names, "topics": topics}
        if not found.popularity.all():
            tables["topics"] = {"topic": found.topic_names}
    if churn is not None and (not isinstance(churn, str) or is_path(split_crowds(churn)[0])):
        tables |= _churn_tables(scenario)
    if latency is not None and (not isinstance(latency, str) or parse_delay(latency) is None):
        delays = resolve_latency(scenario)
        if not isinstance(delays, Latency):
            raise ParameterError("latency is a Python object; a file cannot have it")
        offsets = np.arange(len(delays.matrix) + 1) * len(delays.matrix)
        tables["latency"] = {"delays": (offsets, delays.matrix.ravel())}
        tables["sites"] = {"site": delays.sites}
    if rates is not None and (not isinstance(rates, str) or parse_power_law(rates) is None):
        tables["rates"] = {"per_second": resolve_rates(scenario)[0]}
    if scenario.publications is not None:
        published = scenario.publications
        tables["publications"] = {
            "time": published.times,
            "publisher": published.publishers,
            "topics": (published.offsets, published.topics),
        }
    return tables


def _churn_tables(scenario: Scenario) -> dict[str, Columns]:
    """Return sessions; or events, and the presence at the start, if interests change."""
    if isinstance(scenario.churn, ChurnEvents) and len(scenario.churn.interest_changes):
        _, present, events = resolve_events(scenario)
        return {
            "events": {
                "time": events.times, "node": events.nodes, "kind": events.kinds,
                "topic": events.topics,
            },
            "present": {"present": present},
        }  # fmt: skip
    sessions, _ = resolve_sessions(scenario)
    assert sessions is not None
    columns = (sessions.nodes, sessions.starts, sessions.ends)
    return {"churn": dict(zip(("node", "start", "end"), columns, strict=True))}


def _values(tables: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return the fields of a scenario that are in tables; the inverse of :func:`_tables`."""
    values: dict[str, Any] = {}
    if "interests" in tables:
        offsets, topics = tables["interests"]["topics"]
        names = tables["topics"]["topic"] if "topics" in tables else topics
        topic_names, _ = encode_names(names)
        place = {name: number for number, name in enumerate(topic_names.tolist())}
        values["interests"] = Interests.from_ids(
            np.repeat(np.arange(len(offsets) - 1), np.diff(offsets)),
            np.array([place[topic] for topic in topics], dtype=np.int64),
            node_names=encode_names(tables["interests"]["node"])[0],
            topic_names=topic_names,
        )
    if "churn" in tables:
        values["churn"] = Sessions.from_columns(**{f"{k}s": v for k, v in tables["churn"].items()})
    if "events" in tables:
        values["churn"] = ChurnEvents.from_columns(
            *(np.array(tables["events"][name]) for name in ("time", "node", "kind", "topic"))
        )
        values["present"] = np.array(tables["present"]["present"])
    if "latency" in tables:
        offsets, delays = tables["latency"]["delays"]
        matrix = np.array(delays, dtype=np.int64).reshape(len(offsets) - 1, -1)
        values["latency"] = Latency.from_matrix(matrix, tables["sites"]["site"])
    if "rates" in tables:
        values["rates"] = tables["rates"]["per_second"]
    if "publications" in tables:
        columns = tables["publications"]
        offsets, topics = columns["topics"]
        values["publications"] = Publications(
            np.array(columns["time"]), np.array(columns["publisher"]), offsets, np.array(topics)
        )
    return values


def _write_columns(path: Path, columns: Columns) -> None:
    import pyarrow as pa

    from gossamer.tables import write_table

    arrays = {
        name: pa.ListArray.from_arrays(pa.array(column[0], pa.int32()), pa.array(column[1]))
        if isinstance(column, tuple)
        else pa.array(column)
        for name, column in columns.items()
    }
    write_table(path, pa.table(arrays))


def _read_columns(place: Path, entry: Mapping[str, str]) -> dict[str, Any]:
    """Read a table, after checking its digest; a list column becomes (offsets, values)."""
    import pyarrow as pa
    import pyarrow.parquet

    name, digest = entry.get("file", ""), entry.get("sha256")
    path = place.parent / name
    if not name or Path(name).name != name or not path.is_file():
        raise TableError(f"{place}: there is no table {name!r} beside it")
    if _file_digest(path) != digest:
        raise TableError(f"{path}: differs from the table that {place.name} was saved with")
    columns: dict[str, Any] = {}
    for field in (table := pa.parquet.read_table(path)).column_names:
        column = table.column(field).combine_chunks()
        columns[field] = (
            (column.offsets.to_numpy().astype(np.int64), column.values.to_pylist())
            if pa.types.is_list(column.type)
            else column.to_pylist()
        )
    return columns


def _plain(value: Any) -> Any:
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def _digest(interests: Interests) -> str:
    digest = hashlib.sha256()
    for array in (interests.node_offsets, interests.node_topics):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _file_digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _toml(document: Mapping[str, Any]) -> str:
    """Write plain values, then each table of them."""
    lines = ["# Scenario of gossamer; run it with: gossamer simulate --scenario FILE"]
    pending: list[tuple[tuple[str, ...], Mapping[str, Any]]] = [((), document)]
    while pending:
        path, values = pending.pop(0)
        if path:
            lines += ["", f"[{'.'.join(path)}]"]
        for name, value in values.items():
            if isinstance(value, Mapping):
                pending.append(((*path, name), value))
            elif value is not None:
                lines.append(f"{name} = {json.dumps(value)}")
    return "\n".join(lines) + "\n"
