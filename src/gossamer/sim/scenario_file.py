"""Scenario files: a TOML file, with its tables and plug-ins in the same folder.

A scenario file describes a run completely, so that the run can be repeated elsewhere. Generated
interests are described by their generator; other interests, sessions (or events and the presence at
the start, if interests change), delays between sites, publications and rates are Parquet tables.
The TOML file has their names and SHA-256 digests, and those of the plug-ins. A plug-in is code: it
is copied, and loaded only when the user loads it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import tomllib
import warnings
from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from gossamer.atomic_files import replacing
from gossamer.design.registry import REGISTRY as ALGORITHMS
from gossamer.errors import ParameterError, PluginWarning, TableError
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
from gossamer.model.scenario import check_scenario
from gossamer.options import merge_options, split_spec
from gossamer.protocols.registry import REGISTRY as PROTOCOLS
from gossamer.registry import Registry
from gossamer.sim.result import Engine, Recording
from gossamer.sim.simulation import protocol_options
from gossamer.wording import either
from gossamer.workloads.notation import is_path, parse_delay, parse_power_law, split_crowds
from gossamer.workloads.presence import resolve_events, resolve_sessions, with_events
from gossamer.workloads.registry import REGISTRY as KINDS
from gossamer.workloads.resolution import resolve_latency, resolve_rates
from gossamer.workloads.synthetic import generate_workload

FORMAT = 1
TABLES = (
    "interests", "topics", "churn", "events", "present", "latency", "sites", "rates",
    "publications",
)  # fmt: skip
RUN_ARGUMENTS = ("protocol", "engine", "initial_overlay", "rebuild", "recording")
"""Arguments of a run, besides the options of the protocol."""
SAVED = ("snapshots", "events_per_topic")
"""Settings of the recording in a scenario file."""
PLUGIN_KINDS: Mapping[str, Registry[Any]] = {
    "protocol": PROTOCOLS, "algorithm": ALGORITHMS, "workload": KINDS,
}  # fmt: skip
"""Kinds of definitions of plug-ins that a scenario file names."""
Columns = Mapping[str, Any]


def write_scenario(
    path: str | os.PathLike[str],
    scenario: Scenario,
    protocol: str | None = None,
    *,
    engine: Engine = "events",
    initial_overlay: str | None = None,
    rebuild: float | None = None,
    recording: Recording | None = None,
    **options: Any,
) -> list[Path]:
    """Write a scenario file, with its tables and plug-ins beside it.

    The arguments after the scenario are those of :func:`gossamer.simulate`. The file of each
    plug-in that the run uses is copied; other files that it imports are not.

    Parameters
    ----------
    path
        TOML file to write; each table is written beside it.
    scenario
        Scenario to write; its Python objects, such as network rules, cannot be written.
    protocol
        Name of a protocol, with options or without; a scenario without a run if not given.
    engine, initial_overlay, rebuild
        As in :func:`gossamer.simulate`.
    recording
        What to record; the file has ``snapshots`` and ``events_per_topic`` of it.
    **options
        Options of the protocol, as in ``kr=1``.

    Returns
    -------
    list
        Paths of all files.

    Raises
    ------
    ParameterError
        If the scenario has network rules or functions, which are Python objects, or uses a
        definition that is in no file.

    Examples
    --------
    >>> interests = Interests.from_lists({"ann": ["tea"], "bob": ["tea"]})
    >>> path = getfixture("tmp_path") / "run.toml"
    >>> files = write_scenario(path, Scenario(interests, duration=5, seed=1), "spidercast", kr=1)
    >>> [file.name for file in files]
    ['run.toml', 'run.interests.parquet']
    >>> scenario, run = read_scenario(path)
    >>> scenario.duration, run
    (5, {'protocol': 'spidercast', 'engine': 'events', 'kr': 1})
    """
    check_scenario(scenario)
    place = Path(path)
    if place.suffix != ".toml":
        raise ParameterError(f"{place}: expected a scenario file with the ending .toml")
    if scenario.faults or callable(scenario.new_interests):
        raise ParameterError("faults and new_interests are Python objects; a file cannot have them")
    run: dict[str, Any] = {}
    if protocol is not None:
        name = split_spec(protocol)[0]
        recorded = recording or Recording()
        run = {
            "protocol": name,
            "engine": engine,
            "initial_overlay": initial_overlay,
            "rebuild": rebuild,
            "options": merge_options(protocol, protocol_options(name, engine), options),
            "recording": {one: getattr(recorded, one) for one in SAVED},
        }
    scenario = with_events(scenario)
    plugins = _plugins(place, scenario, run)
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
    for plugin in plugins:
        if plugin.copy is not None:
            with replacing(plugin.copy) as temporary:
                temporary.write_bytes(plugin.code)
            written.append(plugin.copy)
    document["plugins"] = {plugin.name: plugin.entry for plugin in plugins}
    document["run"] = run
    with replacing(place) as temporary:
        temporary.write_text(_toml(document), encoding="utf-8")
    return written


def read_scenario(path: str | os.PathLike[str]) -> tuple[Scenario, dict[str, Any]]:
    """Read a scenario file; return the scenario, and the arguments of the run.

    ``gossamer.simulate(scenario, **run)`` repeats the run. Code is never run from the file: load
    its plug-ins first, with :func:`gossamer.load_plugin`. A plug-in other than the saved one gives
    a :class:`PluginWarning`.

    Raises
    ------
    TableError
        If the file or one of its tables is missing or malformed, or a digest differs.
    ParameterError
        If a plug-in that the scenario uses is not loaded.
    """
    place = Path(path)
    try:
        document = tomllib.loads(place.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) else fault
        raise TableError(f"{place}: cannot be read as a scenario file ({reason})") from None
    if document.pop("format", None) != FORMAT:
        raise TableError(f"{place}: is not a scenario file of format {FORMAT}")
    _check_plugins(place, document.pop("plugins", {}))
    run = _arguments(place, document.pop("run", {}))
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


def _arguments(place: Path, run: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a run: those of :func:`gossamer.simulate`."""
    found = {name: value for name, value in run.items() if name in RUN_ARGUMENTS}
    unknown = run.keys() - {*RUN_ARGUMENTS, "options"}
    settings = found.pop("recording", {})
    unknown |= settings.keys() - set(SAVED)
    if unknown:
        raise TableError(f"{place}: its run has unknown keys {', '.join(sorted(unknown))}")
    if (recording := Recording(**settings)) != Recording():
        found["recording"] = recording
    return {**found, **run.get("options", {})}


@dataclass(frozen=True)
class _Plugin:
    """A plug-in of a run: its entry in the scenario file, and the copy of its code."""

    name: str
    entry: dict[str, str]
    copy: Path | None = None
    code: bytes = b""


def _plugins(place: Path, scenario: Scenario, run: Mapping[str, Any]) -> list[_Plugin]:
    """Return the plug-ins that a run uses. Those of installed packages are loaded by themselves."""
    spec = scenario.workload
    used = {
        "protocol": run["protocol"] if run.get("engine") == "events" else None,
        "algorithm": run.get("initial_overlay"),
        "workload": None if spec is None else spec.kind,
    }
    found: dict[str, _Plugin] = {}
    for what, given in used.items():
        name = split_spec(given or "")[0]
        if not name or (registry := PLUGIN_KINDS[what]).is_own(name):
            continue
        load = registry.options_to_load(name)
        if load is None:
            raise ParameterError(
                f"{place}: the {what} {name} is defined in a notebook or script; expected it in a "
                "file that gossamer.load_plugin has loaded"
            )
        if load and load[1] not in found:
            found[load[1]] = _plugin(place, load[1])
        if load:
            found[load[1]].entry[what] = name
    return list(found.values())


def _plugin(place: Path, loaded: str) -> _Plugin:
    """Return the plug-in of a file or module."""
    if not loaded.endswith(".py"):
        return _Plugin(loaded, {"module": loaded})
    source = Path(loaded)
    beside = source.parent == place.resolve().parent and source.name.startswith(f"{place.stem}.")
    copy = place.with_name(source.name if beside else f"{place.stem}.{source.name}")
    code = source.read_bytes()
    entry = {"file": copy.name, "sha256": hashlib.sha256(code).hexdigest()}
    return _Plugin(source.name, entry, copy, code)


def _check_plugins(place: Path, plugins: Mapping[str, Mapping[str, str]]) -> None:
    """Raise if a plug-in is not loaded; warn if another file is loaded in its place."""
    for plugin, entry in plugins.items():
        shown = entry.get("module") or str(place.with_name(Path(entry.get("file", plugin)).name))
        for what in PLUGIN_KINDS:
            name = entry.get(what)
            if name is None:
                continue
            load = (
                PLUGIN_KINDS[what].options_to_load(name)
                if name in PLUGIN_KINDS[what].all()
                else None
            )
            if load is None:
                how = either(
                    f"add --plugin {shlex.quote(shown)}", f"call gossamer.load_plugin({shown!r})"
                )
                raise ParameterError(
                    f"{place} uses the plug-in {plugin} for the {what} {name}; read its code, and "
                    f"{how} to run it"
                )
            file = Path(load[1]) if load and load[1].endswith(".py") else None
            if file is not None and _file_digest(file) != entry.get("sha256"):
                warnings.warn(
                    f"{file} differs from the plug-in {plugin} that {place} was saved with; the "
                    "result may differ too",
                    PluginWarning,
                    stacklevel=3,
                )
                break


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
            lines += ["", f"[{'.'.join(map(_key, path))}]"]
        for name, value in values.items():
            if isinstance(value, Mapping):
                pending.append(((*path, name), value))
            elif value is not None:
                lines.append(f"{name} = {json.dumps(value)}")
    return "\n".join(lines) + "\n"


def _key(name: str) -> str:
    return name if re.fullmatch("[A-Za-z0-9_-]+", name) else json.dumps(name)
