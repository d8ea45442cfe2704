"""Simulation of a protocol in a scenario, by either engine."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from dataclasses import fields, replace
from typing import Any, get_args

from gossamer.errors import ParameterError
from gossamer.host import Codec, Tracer
from gossamer.model import ChurnEvents, Scenario
from gossamer.model.scenario import check_scenario
from gossamer.options import Options, merge_options, split_spec
from gossamer.progress import Progress, silent
from gossamer.protocols import find_protocol
from gossamer.quality.dissemination import Spread
from gossamer.sim.initial_overlay import initial_overlay_of
from gossamer.sim.network import network_rules
from gossamer.sim.publications import PublicationMeter
from gossamer.sim.result import Engine, Recording, Simulation
from gossamer.sim.snapshot import NodeLinks, Observation, Snapshot, count_messages, observe
from gossamer.sim.views import parse_view
from gossamer.sim.world import World, new_interests_of
from gossamer.time import SECOND, microseconds
from gossamer.wording import named
from gossamer.workloads.presence import resolve_sessions, with_events
from gossamer.workloads.resolution import PUBLICATION_SECONDS, resolve_duration, resolve_rates

STEPS = ((2 * SECOND, SECOND // 5), (10 * SECOND, SECOND // 2))
"""Times before which snapshots are this far apart; a second later on."""
QUIET = 5 * SECOND
"""Time without a link change after which a simulation has converged."""
MIN_AGE_WITH_CHURN = 2.0
DEFAULT_WARM_UP = 10.0
"""Warm-up of the cycle-driven engine (Vitis §IV-E)."""


def simulate(
    scenario: Scenario,
    protocol: str,
    *,
    engine: Engine = "events",
    initial_overlay: str | None = None,
    rebuild: float | None = None,
    recording: Recording | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Simulation:
    """Simulate a protocol in a scenario.

    The event-driven engine delivers every message. The cycle-driven engine advances all nodes by
    one cycle of a second at a time with compiled kernels, and simulates Vitis, RVR and OPT. The
    same arguments give the same result on any machine.

    Parameters
    ----------
    scenario
        Interests, presence, network, publications, duration and seed. Without a duration, a
        simulation ends when no link has changed for 5 s, after 120 s at most; with churn after
        1000 s; and 10 s after the last publication at the earliest.
    protocol
        Name of a protocol, with options or without, as in ``spidercast:kr=1``; see
        :func:`gossamer.protocols.protocols`, and :mod:`gossamer.cycles.models` for the
        cycle-driven engine.
    engine
        ``events`` (event-driven) or ``cycles`` (cycle-driven).
    initial_overlay
        Design algorithm of the initial overlay, as in ``low-oda:rho=5``, for protocols that take
        one; no links if not given (event-driven).
    rebuild
        Seconds between designs of a new overlay (event-driven).
    recording
        What to record.
    progress
        Callback that is given the stage and the share done.
    **options
        Options of the protocol, as in ``kr=1``.

    Examples
    --------
    >>> from gossamer.workloads import generate_interests
    >>> interests = generate_interests("rss", nodes=60, topics=8, subscriptions=3, seed=1)
    >>> simulate(Scenario(interests, seed=1), "spidercast").assessment.topic_connected
    True
    >>> done = simulate(Scenario(interests, duration=60), "vitis", engine="cycles", table_size=9)
    >>> done.last_cycle.hit_ratio
    1.0
    """
    check_scenario(scenario)
    recording, report = recording or Recording(), progress or silent
    if engine not in get_args(Engine):
        raise ParameterError(f"engine is {engine!r}; expected {' or '.join(get_args(Engine))}")
    name = split_spec(protocol)[0]
    known = protocol_options(name, engine)
    check_single_seed(options, known)
    _check_not_of_scenario(options, known)
    given = merge_options(protocol, known, options)
    if engine == "cycles":
        _check_cycles(scenario, initial_overlay, rebuild, recording)
        return _simulate_cycles(scenario, name, given, recording, report)
    if scenario.rates is not None:
        raise ParameterError("rates is for the cycle-driven engine; give publications instead")
    if recording.events_per_topic != 1:
        raise ParameterError(
            "events_per_topic is for the cycle-driven engine; give publications instead"
        )
    initial = initial_overlay_of(initial_overlay, rebuild, scenario.seed)
    if initial is not None:
        find_protocol(name).require_installed_links()
    run = _EventDriven(scenario, name, given, recording, report)
    if initial is not None:
        initial.attach(run.world)
    return run.run()


class _EventDriven:
    """A run of the event-driven engine."""

    def __init__(
        self,
        scenario: Scenario,
        protocol: str,
        options: Mapping[str, Any],
        recording: Recording,
        progress: Progress,
    ) -> None:
        scenario = with_events(scenario)
        self.scenario, self.recording, self.progress = scenario, recording, progress
        self.end = microseconds(resolve_duration(scenario))
        sessions, origin = resolve_sessions(scenario, interest_changes=True)
        churn = scenario.churn
        changes = churn.interest_changes if isinstance(churn, ChurnEvents) else None
        self.origins = {"sessions": origin} if origin else {}
        self.converges = scenario.duration is None and sessions is None
        min_age = recording.min_age
        if min_age is None:
            min_age = 0.0 if sessions is None else MIN_AGE_WITH_CHURN
        self.min_age = microseconds(min_age)
        self.protocol = find_protocol(protocol)
        self.tracer = Tracer() if recording.trace else None
        self.meter = None
        self.busy = 0
        """Time before which publications may be on their way."""
        publications = scenario.publications
        if publications is not None:
            rest = microseconds(PUBLICATION_SECONDS)
            self.busy = int(publications.times.max(initial=0)) + rest
            warm_up = scenario.warm_up or 0.0
            self.meter = PublicationMeter(publications, scenario.payload, warm_up)
        self.started = time.perf_counter()
        progress("creating nodes", 0.0)
        self.world = World(
            self.protocol,
            scenario.interests,
            options=options,
            view=parse_view(scenario.view),
            rules=network_rules(scenario),
            sessions=sessions,
            changes=changes,
            new_interests=new_interests_of(scenario),
            departure=scenario.departure,
            seed=scenario.seed,
            tracer=self.tracer,
            codec=Codec(self.protocol.messages) if recording.bytes else None,
            deliver=None if self.meter is None else self.meter.deliver,
            compound=scenario.compound,
            check_invariants=recording.check_invariants,
        )
        if self.meter is not None:
            self.meter.attach(self.world)

    def run(self) -> Simulation:
        """Run to the end or to convergence, and return the result."""
        world, end = self.world, self.end
        snapshots: list[Snapshot] = []
        by_node: list[NodeLinks] = []
        last: Observation | None = None
        changes, changed_at = 0, 0
        while world.now < end:
            world.run(min(end, world.now + self._step()))
            last = observe(world, min_age=self.min_age)
            snapshots.append(last.snapshot)
            if self.recording.by_node:
                by_node.append(last.by_node())
            if world.fabric.changes != changes:
                changes, changed_at = world.fabric.changes, world.now
            elif self.converges and world.now - changed_at >= QUIET and world.now >= self.busy:
                break
            self.progress(_stage(last.snapshot), world.now / end)
        spread: Spread = getattr(world.config, "flood", "crosspost")
        return Simulation(
            scenario=self.scenario,
            protocol=self.protocol.name,
            options=world.options,
            engine="events",
            joins=world.joins,
            departures=world.departures,
            interest_changes=world.interest_changes,
            seconds=time.perf_counter() - self.started,
            snapshots=tuple(snapshots),
            observation=last,
            converged_at=changed_at if world.now - changed_at >= QUIET else None,
            messages=count_messages(world),
            node_seconds=world.presence / SECOND,
            events=world.scheduler.happened,
            trace=None if self.tracer is None else tuple(self.tracer.rows),
            by_node=tuple(by_node) if self.recording.by_node else None,
            dissemination=None if self.meter is None else self.meter.result(spread),
            origins=self.origins,
        )

    def _step(self) -> int:
        if self.recording.snapshots is not None:
            return microseconds(self.recording.snapshots)
        return next((step for until, step in STEPS if self.world.now < until), SECOND)


def _check_not_of_scenario(options: Mapping[str, Any], known: Options) -> None:
    """Raise for an argument that is a field of the scenario."""
    own = {option.keyword for option in known.listed}
    for name in options.keys() & {field.name for field in fields(Scenario)} - own:
        raise ParameterError(
            f"{name} belongs to the scenario; expected "
            f"gossamer.Scenario(interests, {name}={options[name]!r:.40})"
        )


def _check_cycles(
    scenario: Scenario, initial_overlay: str | None, rebuild: float | None, recording: Recording
) -> None:
    """Reject what the cycle-driven engine does not simulate or record."""
    given = {
        "view": scenario.view != "full",
        "latency": scenario.latency is not None,
        "loss": scenario.loss,
        "duplicate": scenario.duplicate,
        "reorder": scenario.reorder,
        "partition": scenario.partition,
        "faults": scenario.faults,
        "compound": scenario.compound,
        "publications": scenario.publications is not None,
        "new_interests": scenario.new_interests,
        "initial_overlay": initial_overlay is not None,
        "rebuild": rebuild is not None,
        "trace": recording.trace,
        "by_node": recording.by_node,
        "bytes": recording.bytes,
        "min_age": recording.min_age is not None,
        "check_invariants": recording.check_invariants,
    }
    for name, value in given.items():
        if value:
            raise ParameterError(f"{name} is for the event-driven engine; leave it out of cycles")


def _simulate_cycles(
    scenario: Scenario,
    protocol: str,
    options: Mapping[str, Any],
    recording: Recording,
    progress: Progress,
) -> Simulation:
    from gossamer.cycles import run_cycles

    cycles = _whole("duration", resolve_duration(scenario))
    sessions, of_sessions = resolve_sessions(scenario)
    rates, of_rates = resolve_rates(scenario)
    origins = {"rates": of_rates, "sessions": of_sessions}
    warm_up = DEFAULT_WARM_UP if scenario.warm_up is None else scenario.warm_up
    every = recording.snapshots
    started = time.perf_counter()
    done = run_cycles(
        protocol,
        scenario.interests,
        options=options,
        rates=rates,
        sessions=sessions,
        cycles=cycles,
        every=None if every is None else _whole("snapshots", every),
        events=recording.events_per_topic,
        warm_up=_whole("warm_up", warm_up),
        seed=scenario.seed,
        progress=progress,
    )
    return Simulation(
        scenario=scenario,
        protocol=protocol,
        options=done.options,
        engine="cycles",
        joins=done.joins,
        departures=done.departures,
        seconds=time.perf_counter() - started,
        cycles=done.measures,
        seconds_by_task=done.seconds_by_task,
        origins={what: origin for what, origin in origins.items() if origin},
    )


def protocol_options(protocol: str, engine: Engine) -> Options:
    """Return the options of a protocol in an engine, which errors name if the protocol has both."""
    from gossamer.cycles.models import MODELS, find_model

    found = find_protocol(protocol) if engine == "events" else find_model(protocol)
    if protocol not in MODELS:
        return found.options
    return replace(found.options, owner=f"{protocol} with engine {engine}")


def check_single_seed(names: Collection[str], known: Options) -> None:
    """Raise if ``seeds`` is among the names of options, and is no option of the protocol."""
    if "seeds" in names and "seeds" not in {one.keyword for one in known.listed}:
        raise ParameterError(
            f"a simulation has one seed, and no {named('seeds')}; several are run by "
            "gossamer.compare_protocols(scenario, [protocol], seeds=5), and by gossamer "
            "compare-protocols --seeds 5"
        )


def _stage(snapshot: Snapshot) -> str:
    return (
        f"{snapshot.time / SECOND:g} s: {snapshot.topics_connected:,} of "
        f"{snapshot.topics:,} topics connected, mean degree {snapshot.mean_degree:.2f}"
    )


def _whole(name: str, seconds: float) -> int:
    if seconds != round(seconds):
        raise ParameterError(
            f"{name} is {seconds:g} seconds; expected whole seconds, since a cycle is one"
        )
    return round(seconds)
