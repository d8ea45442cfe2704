"""Comparison of protocols in the same scenario, with one row per protocol.

Each protocol is simulated with several seeds. With the same seed, presence, delays and faults are
the same for all protocols. Interests and publications are the same for all seeds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import zip_longest
from typing import Any, ClassVar

from gossamer.definitions import blame, check_function, check_name, describe, describe_failure
from gossamer.errors import ParameterError, Stopped
from gossamer.experiments.comparison import Origin
from gossamer.experiments.comparison_row import Run, means_of
from gossamer.experiments.measurement import part_of
from gossamer.experiments.side_by_side import SideBySide, check_seeds, table_of
from gossamer.measures import HALF_WIDTH
from gossamer.model import Scenario
from gossamer.model.scenario import check_scenario
from gossamer.options import merge_options, split_spec
from gossamer.progress import Progress, silent
from gossamer.protocols import find_protocol
from gossamer.protocols.registry import REGISTRY
from gossamer.quality.registry import checked_number
from gossamer.results import Result, Table
from gossamer.sim import Recording, Simulation, simulate
from gossamer.sim.result import Engine
from gossamer.sim.simulation import protocol_options
from gossamer.tables.schema import PROTOCOL_RUNS, PROTOCOLS
from gossamer.time import SECOND

SIMULATED = tuple(
    name for name in PROTOCOLS.column_names if name not in ("protocol", "error", "problem")
)
"""Measures of every run."""
REPEATED_SECONDS = 5.0
"""Simulated seconds of the two runs that show whether a protocol is deterministic."""
SimulationMetric = Callable[[Simulation], float]


@dataclass(frozen=True, repr=False)
class ProtocolRow(Result):
    """Measures of one protocol: means, if it ran with several seeds.

    Attributes
    ----------
    protocol
        Name with the given options.
    measures
        Means by name, with those of own metrics; empty for a protocol that failed. None for a
        measure that does not exist in this engine or scenario.
    half_widths
        Half-width of the 95 % confidence interval of each measure, by name; empty for a single run.
    runs
        Seed and measures of each run.
    error, failed_seed
        Reason why there are no means, and the seed with which the protocol failed.
    problem
        Fault of runs that were measured: a protocol that is not deterministic, or a metric that
        failed.
    simulations
        Simulation of each run, if simulations are kept.
    """

    BRIEF: ClassVar = ("protocol", "mean_degree", "connected_share", "hit_ratio", "error")

    protocol: str
    measures: Mapping[str, Any] = field(default_factory=dict, hash=False)
    half_widths: Mapping[str, float] = field(default_factory=dict, hash=False)
    runs: tuple[Run, ...] = ()
    error: str = ""
    failed_seed: int | None = None
    problem: str = ""
    simulations: tuple[Simulation, ...] = field(default=(), hash=False, compare=False)

    @property
    def metrics(self) -> Mapping[str, float]:
        """Own metrics by name."""
        return {name: value for name, value in self.measures.items()
                if name not in SIMULATED and value is not None}  # fmt: skip

    def summary(self) -> dict[str, Any]:
        """Return the measures by name, with half-widths of intervals; None for missing ones."""
        values = {
            "protocol": self.protocol,
            **dict.fromkeys(SIMULATED),
            "error": self.error or None,
            "problem": self.problem or None,
            **self.measures,
        }
        found = {}
        for name, value in values.items():
            found[name] = value
            if name in self.half_widths:
                found[name + HALF_WIDTH] = self.half_widths[name]
        return found


@dataclass(frozen=True, repr=False)
class ProtocolComparison(SideBySide):
    """Protocols side by side in the same scenario.

    Attributes
    ----------
    scenario
        Scenario of the first seed.
    engine
        Engine of the simulations.
    rows
        One row per protocol, in the given order, including those that failed.
    seeds
        Number of runs of each protocol, with seeds ``scenario.seed``, ``scenario.seed + 1`` and so
        on. The measures of a row are means over them.
    origin
        Command, seed and versions.
    """

    KEY: ClassVar = "protocol"
    SCHEMA: ClassVar = PROTOCOLS
    BRIEF: ClassVar = ("protocols", "nodes", "topics", "seeds")
    PRINTED: ClassVar = ("protocols", "nodes", "topics", "seeds")
    SHOWN: ClassVar = ("protocol", *SIMULATED)

    scenario: Scenario
    engine: Engine
    rows: tuple[ProtocolRow, ...]
    seeds: int
    origin: Origin = field(default_factory=Origin)

    @property
    def simulations(self) -> Mapping[str, tuple[Simulation, ...]]:
        """Simulations of each run by protocol, if they are kept."""
        return {row.protocol: row.simulations for row in self.rows if row.simulations}

    @property
    def shown_measures(self) -> tuple[str, ...]:
        """Measures that at least one row has, without computing times, and own metrics."""
        known = [
            name
            for name in SIMULATED
            if name != "seconds" and any(row.measures.get(name) is not None for row in self.rows)
        ]
        return (*known, *self.metrics)

    def summary(self) -> dict[str, Any]:
        """Return the size of the interests, the engine and the seeds, by name."""
        interests = self.scenario.interests
        return {
            "protocols": len(self.rows),
            "engine": self.engine,
            "nodes": interests.node_count,
            "topics": interests.topic_count,
            "subscriptions": interests.subscription_count,
            "seed": self.scenario.seed,
            "seeds": self.seeds,
        }

    def _tables(self) -> Mapping[str, Table]:
        return {"protocol_runs": self.runs_table, "protocols": self.table}

    def _shown_columns(self) -> Sequence[str]:
        return ("protocol", *self.shown_measures)

    def run_records(self) -> list[dict[str, Any]]:
        """Return the measures of each run, by protocol and seed."""
        records = []
        for row in self.rows:
            empty = {"protocol": row.protocol, **dict.fromkeys((*SIMULATED, *self.metrics))}
            records += [{**empty, "seed": run.seed, **run.measures} for run in row.runs]
            if row.error:
                records.append({**empty, "seed": row.failed_seed, "error": row.error})
        return records

    def runs_table(self) -> Any:
        """Return one row for each protocol and seed as an Arrow table; own metrics follow."""
        return table_of(PROTOCOL_RUNS, self.run_records())


def compare_protocols(
    scenario: Scenario,
    protocols: str | type | Sequence[str | type],
    *,
    seeds: int = 5,
    metrics: Mapping[str, SimulationMetric] | None = None,
    engine: Engine = "events",
    initial_overlay: str | None = None,
    rebuild: float | None = None,
    recording: Recording | None = None,
    keep: bool = False,
    check_repeats: bool = True,
    progress: Progress | None = None,
) -> ProtocolComparison:
    """Simulate protocols in the same scenario with several seeds, and compare their measures.

    With the same seed, presence, delays and faults are the same for all protocols. Interests and
    publications are those of the scenario for every seed. The row of a protocol that fails says
    why, and the others continue.

    Parameters
    ----------
    scenario
        Scenario of the runs. Its seed is the first one.
    protocols
        Names with options, as in ``stan:slack=2``, or classes registered by
        ``gossamer.protocol``.
    seeds
        Number of runs of each protocol, with seeds ``scenario.seed``, ``scenario.seed + 1`` and so
        on. The measures are means with 95 % confidence intervals (Student's t).
    metrics
        Further metrics: functions of a :class:`Simulation` by name, as in
        ``{"diameter": lambda run: run.assessment.max_diameter}``.
    engine
        ``events`` (event-driven) or ``cycles`` (cycle-driven).
    initial_overlay, rebuild
        Arguments of :func:`gossamer.simulate` for the protocols that accept links of a design.
    recording
        Settings of what each simulation records, for own metrics.
    keep
        Whether each row keeps its simulations, as ``row.simulations``.
    check_repeats
        Whether to run the first 5 simulated seconds of each plug-in protocol twice, and report a
        protocol that is not deterministic (event-driven engine only).
    progress
        Callback that receives the current step and the fraction done.

    Raises
    ------
    ParameterError
        If a protocol, an option or a value is unknown.
    PluginError
        If a class or a metric has the wrong form; the error names its file and line.

    Examples
    --------
    >>> from gossamer.workloads import generate_interests
    >>> interests = generate_interests("rss", nodes=30, topics=10, subscriptions=5, seed=1)
    >>> scenario = Scenario(interests, duration=4)
    >>> found = compare_protocols(scenario, ["spidercast", "random"], seeds=2)
    >>> [(row.protocol, row.measures["connected_share"]) for row in found.rows]
    [('spidercast', 1.0), ('random', 0.95)]
    """
    check_scenario(scenario)
    check_seeds(seeds)
    labels = parse_labels(protocols, engine)
    own = _checked_metrics(metrics)
    report = progress or silent
    initial = {"initial_overlay": initial_overlay, "rebuild": rebuild}
    if engine == "events" and any(value is not None for value in initial.values()):
        _require_installed_links(labels)
    runner = _Runner(
        scenario=scenario,
        seeds=range(scenario.seed, scenario.seed + seeds),
        metrics=own,
        arguments={"engine": engine, "recording": recording},
        initial=initial,
        keep=keep,
        repeats=check_repeats and engine == "events",
    )
    rows = []
    for place, label in enumerate(labels):
        part = partial(_part_of_protocol, report, label, place, len(labels))
        rows.append(runner.row(label, part))
    call = f"gossamer.compare_protocols(scenario, {labels}, seeds={seeds})"
    return ProtocolComparison(
        scenario=scenario,
        engine=engine,
        rows=tuple(rows),
        seeds=seeds,
        origin=Origin.now("Protocols side by side", call, scenario.seed),
    )


def parse_labels(protocols: str | type | Sequence[str | type], engine: Engine) -> list[str]:
    """Check protocols; return each once, as a text ``name:option=value``.

    Raises
    ------
    ParameterError
        If no protocol is given, or a protocol or an option is unknown.
    PluginError
        If a class is not registered.
    """
    listed = [protocols] if isinstance(protocols, str | type) else list(protocols)
    if not listed:
        raise ParameterError("no protocols are named; expected a list, as in ['spidercast']")
    labels = []
    for one in listed:
        label = one if isinstance(one, str) else _name_of(one)
        options = protocol_options(split_spec(label)[0], engine)
        given = merge_options(label, options, {})
        if engine == "events":
            find_protocol(split_spec(label)[0]).configure(given)
        labels.append(label)
    return list(dict.fromkeys(labels))


def measures_of(run: Simulation) -> dict[str, float | None]:
    """Return the measures of a simulation that a comparison shows; None for missing ones."""
    facts = run.summary()
    found = {name: facts.get(name) for name in SIMULATED}
    if run.engine == "events":
        found["connected_share"] = (
            facts["topics_connected"] / facts["topics"] if facts["topics"] else None
        )
    if run.dissemination is not None:
        spread = run.dissemination.summary()
        found["mean_delay_ms"] = spread.get("mean_delay_ms")
        if spread["deliveries"]:
            found["copies_per_delivery"] = spread["copies"] / spread["deliveries"]
    return found


@dataclass(frozen=True)
class _Runner:
    """The runs of each protocol.

    ``initial`` are the arguments for protocols that accept links of a design.
    """

    scenario: Scenario
    seeds: range
    metrics: Mapping[str, SimulationMetric]
    arguments: Mapping[str, Any]
    initial: Mapping[str, Any]
    keep: bool
    repeats: bool

    def row(self, label: str, part: Callable[[str, int, int], Progress]) -> ProtocolRow:
        """Run a protocol with every seed; after a failed run, return a row with its reason."""
        runs: list[Run] = []
        kept: list[Simulation] = []
        problems: dict[str, list[int]] = {}
        for number, seed in enumerate(self.seeds):
            try:
                report = part(f"seed {seed}", number, len(self.seeds))
                if number == 0 and self.repeats and not REGISTRY.is_own(split_spec(label)[0]):
                    self._check_repeats(label, problems)
                done = self._simulate(label, replace(self.scenario, seed=seed), progress=report)
            except Stopped:
                raise
            except (Exception, SystemExit) as fault:
                why = f"{describe_failure(fault)}, with seed {seed}"
                return ProtocolRow(label, runs=tuple(runs), error=why, failed_seed=seed)
            runs.append(Run(seed, {**measures_of(done), **self._metrics_of(done, problems)}))
            if self.keep:
                kept.append(done)
        measures, half_widths = means_of(runs)
        return ProtocolRow(
            label,
            measures=measures,
            half_widths=half_widths,
            runs=tuple(runs),
            problem="; ".join(
                f"{text}, with seed{'s' * (len(found) > 1)} {', '.join(map(str, found))}"
                for text, found in problems.items()
            ),
            simulations=tuple(kept),
        )

    def _simulate(self, label: str, scenario: Scenario, **more: Any) -> Simulation:
        initial: Mapping[str, Any] = {}
        if self.arguments["engine"] == "cycles" or _takes_links(label):
            initial = self.initial  # the cycle-driven engine explains that it has none
        return simulate(scenario, label, **{**self.arguments, **initial, **more})

    def _metrics_of(
        self, run: Simulation, problems: dict[str, list[int]]
    ) -> dict[str, float | None]:
        """Return own metrics by name; None, and a problem, for one that fails."""
        found: dict[str, float | None] = {}
        for name, metric in self.metrics.items():
            found[name] = None
            try:
                found[name] = checked_number(metric, metric(run))
            except Stopped:
                raise
            except (Exception, SystemExit) as fault:
                text = f"{name} could not be measured: {describe_failure(fault)}"
                problems.setdefault(text, []).append(run.scenario.seed)
        return found

    def _check_repeats(self, label: str, problems: dict[str, list[int]]) -> None:
        """Run the start of the first seed twice, and note a problem if the traces differ."""
        seed = self.seeds[0]
        seconds = min(REPEATED_SECONDS, self.scenario.duration or REPEATED_SECONDS)
        start = replace(self.scenario, seed=seed, duration=seconds)
        first, second = (
            self._simulate(label, start, recording=Recording(trace=True)).trace or () for _ in "12"
        )
        rows = zip_longest(first, second)
        different = next((one or other for one, other in rows if one != other), None)
        if different is not None:
            entry = describe(REGISTRY.definition(split_spec(label)[0]))
            text = (
                f"{entry}: another run when it starts again with the same seed, from node "
                f"{different.node} at {different.time / SECOND:g} s on; expected all randomness to "
                "come from self.random, and no order of a set"
            )
            problems[text] = [seed]


def _part_of_protocol(
    progress: Progress, label: str, place: int, protocols: int, what: str, number: int, runs: int
) -> Progress:
    """Return the progress of one of the runs of one of the protocols."""
    return part_of(progress, f"{label}, {what}", place * runs + number, protocols * runs)


def _name_of(kind: Any) -> str:
    """Return the name under which a class of machines is registered."""
    entry = REGISTRY.named(kind)
    if entry is None:
        blame(kind, "is not registered; expected @gossamer.protocol('my-idea', messages=[…])")
    return entry.name


def _takes_links(label: str) -> bool:
    return find_protocol(split_spec(label)[0]).installs_links


def _require_installed_links(labels: Sequence[str]) -> None:
    """Raise unless one of the protocols accepts links of a design."""
    if not any(map(_takes_links, labels)):
        find_protocol(split_spec(labels[0])[0]).require_installed_links()


def _checked_metrics(
    metrics: Mapping[str, SimulationMetric] | None,
) -> Mapping[str, SimulationMetric]:
    """Return own metrics by name, after checking them."""
    if metrics is not None and not isinstance(metrics, Mapping):
        raise ParameterError(
            f"metrics is {metrics!r:.60}; expected functions of a simulation by name, as in "
            "{'diameter': lambda run: run.assessment.max_diameter}"
        )
    for name, function in (metrics or {}).items():
        check_function(function, "a metric")
        check_name(name, function, "_")
        if name in PROTOCOLS.column_names or name == "seed":
            raise ParameterError(f"{name} is a measure of every comparison; expected another name")
    return dict(metrics or {})
