"""The one place where the golden cases call the program: values come back as plain sequences.

The order of values here is what digests depend on; what they are called in the program is not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import gossamer
from gossamer import protocols, quality, sim, tables, workloads
from gossamer.cycles.events import CycleMeasures
from gossamer.cycles.models import MODELS
from gossamer.design import algorithms, find_algorithm
from gossamer.maintain.run import maintain as run_maintenance
from gossamer.maintain.strategies.registry import strategies
from gossamer.model import ChurnEvents, Interests, Overlay, Publications, Scenario, Sessions
from gossamer.quality.distributions import Histogram, kolmogorov_smirnov
from gossamer.quality.power_law import fit_power_law, log_log_exponent, rank_exponent
from gossamer.quality.shape import FittedHistogram, fit_histogram, shape_check
from gossamer.sim import rules
from gossamer.sim.dissemination import message_sizes

Values = tuple[Any, ...]

# -- registries ----------------------------------------------------------------------------


def registered() -> dict[str, set[str]]:
    """Return the names in each registry, by subject."""
    return {
        "design": set(algorithms()),
        "workloads": set(workloads.kinds()),
        "simulation": set(protocols.protocols()),
        "cycles": set(MODELS),
        "maintenance": set(strategies()),
    }


# -- interests, workloads ------------------------------------------------------------------


def interests_of_lists(topics_by_node: Mapping[Any, Sequence[Any]]) -> Interests:
    return Interests.from_lists(topics_by_node)


def generate(kind: str, **parameters: Any) -> Interests:
    return workloads.generate_interests(kind, **parameters)


def interest_values(interests: Interests) -> Values:
    return (
        interests.node_names, interests.topic_names, interests.node_offsets,
        interests.node_topics, interests.topic_offsets, interests.topic_nodes,
    )  # fmt: skip


def session_values(sessions: Sessions) -> Values:
    return sessions.nodes, sessions.starts, sessions.ends


def event_values(events: ChurnEvents) -> Values:
    return events.times, events.nodes, events.joins


def publication_values(publications: Publications) -> Values:
    return (
        publications.times, publications.publishers, publications.offsets, publications.topics
    )  # fmt: skip


def sizes_of_mean(mean: float, *, exponent: float, largest: int) -> Any:
    return workloads.power_law_of_mean(mean, exponent=exponent, most=largest)


def sizes_of_text(text: str, *, exponent: float | None = None) -> Any:
    return workloads.parse_sizes(text, exponent=exponent)


def size_values(sizes: Any) -> Values:
    return sizes.minimum, sizes.maximum, sizes.log_weights()


def popularity_values(topics: int) -> Values:
    laws: list[Any] = [
        workloads.Uniform(), workloads.Zipf(0.5), workloads.ExponentialDecay(0.03),
        workloads.TopShare(),
    ]  # fmt: skip
    return tuple(workloads.topic_probabilities(law, topics) for law in laws)


def rate_values(topics: int) -> Values:
    return (
        workloads.power_law_rates(topics, 0.8),
        workloads.power_law_rates(topics, 2.0, total=50.0),
        workloads.uniform_rates(topics, total=3.0),
    )


def power_law_rates(topics: int, alpha: float) -> Any:
    return workloads.power_law_rates(topics, alpha)


def draw_publications(interests: Interests, count: int, **options: Any) -> Publications:
    return workloads.draw_publications(interests, count, **options)


def draw_triplets(interests: Interests, **options: Any) -> Publications:
    return workloads.crosspost_triplets(interests, **options)


def draw_rounds(nodes: int, rounds: int, **options: Any) -> tuple[Any, ChurnEvents]:
    return workloads.churn_rounds(nodes, rounds, **options)


def draw_machines(machines: int, **options: Any) -> Sessions:
    return workloads.machine_events(machines, **options)


def draw_superpeers(nodes: int, *, seconds: float, seed: int, time_scale: float) -> Sessions:
    return workloads.superpeer_sessions(nodes, seconds=seconds, seed=seed, time_scale=time_scale)


def draw_sessions(law: str, interests: Interests, *, until: float, seed: int) -> Sessions:
    scenario = Scenario(interests, churn=law, duration=until, seed=seed)
    sessions, _ = workloads.resolve_sessions(scenario)
    assert sessions is not None
    return sessions


def events_of_sessions(sessions: Sessions, nodes: int) -> tuple[Any, ChurnEvents]:
    return ChurnEvents.from_sessions(sessions, nodes)


def sessions_of_events(present: Any, events: ChurnEvents, *, until: int) -> Sessions:
    return events.sessions(present, until=until)


def sample_followers(interests: Interests, users: int, **options: Any) -> Interests:
    return workloads.sample_followers(interests, users, **options)


# -- designs and their quality -------------------------------------------------------------


def design_links(name: str, interests: Interests, **options: Any) -> Overlay:
    return find_algorithm(name)(interests, **options)


def make_resilient(interests: Interests, overlay: Overlay, *, seed: int) -> Overlay:
    return gossamer.make_resilient(interests, overlay, seed=seed)


def overlay_values(overlay: Overlay) -> Values:
    return overlay.node_count, overlay.links


def resilience_bound(interests: Interests, overlay: Overlay) -> int:
    return gossamer.resilience_lower_bound(interests, overlay)


METHODS = ("spanning forest", "node needs", "one multiplier", "multipliers")


def bound_values(interests: Interests, *, iterations: int | None = None) -> Values:
    """Return links, mean degree, method and topics of a lower bound; then its multipliers."""
    return bounded_values(quality.links_lower_bound(interests, iterations=iterations))


def bounded_values(bound: Any) -> Values:
    return (
        bound.links, bound.mean_degree, METHODS.index(bound.method), bound.topics_used,
        bound.topic_multipliers.round(9), bound.subscription_multipliers.round(9),
    )  # fmt: skip


def assessment_values(interests: Interests, overlay: Overlay, *, bounded: bool = False) -> Values:
    return assessed_values(quality.assess(interests, overlay, lower_bound=bounded))


def assessed_values(found: Any) -> Values:
    return (
        found.nodes, found.topics, found.links, found.mean_degree, found.max_degree,
        found.median_degree, found.p95_degree, found.p99_degree,
        found.topics_connected, found.max_diameter, found.mean_diameter,
        found.bridges, found.bridged_share, found.articulation_points, found.clustering,
        found.mean_topics_per_link, found.links_without_topic,
        found.lower_bound.links if found.lower_bound else None, found.ratio,
        found.topic_connected, found.topic_components, found.topic_diameters,
        found.topic_resilience.bridges, found.topic_resilience.articulation_points,
        found.sharing,
    )  # fmt: skip


def clustering_values(overlay: Overlay) -> Any:
    return quality.clustering_coefficients(overlay)


def top_intersection(interests: Interests, depth: int) -> float:
    return quality.top_intersection(interests, depth)


def histogram_values(histogram: Histogram) -> Values:
    bins = histogram.log_bins()
    return (
        histogram.values, histogram.counts, histogram.total, histogram.mean, histogram.variance,
        histogram.maximum, histogram.percentiles([5, 25, 50, 75, 95]), histogram.ccdf(),
        bins.lows, bins.highs, bins.counts, bins.densities,
    )  # fmt: skip


def power_law_values(found: Any) -> Values | None:
    return None if found is None else (found.exponent, found.smallest, found.tail, found.distance)


def fitted_values(one: FittedHistogram) -> Values:
    return (
        histogram_values(one.histogram), power_law_values(one.fit), power_law_values(one.plain),
        one.ranks, log_log_exponent(one.histogram),
    )  # fmt: skip


def follower_values(interests: Interests) -> Values:
    found = quality.follower_degrees(interests)
    return fitted_values(found.followers), fitted_values(found.followed)


def profile_values(interests: Interests) -> Values:
    """Return what a profile tells of interests, as far as it is computed in memory."""
    sizes = Histogram.of(interests.subscription_sizes)
    popularity = Histogram.of(interests.popularity)
    fits = [
        power_law_values(fit_power_law(popularity, smallest=smallest)) for smallest in (1, 2, None)
    ]
    return fitted_values(fit_histogram(sizes)), fitted_values(fit_histogram(popularity)), fits


def shape_values(full: Interests, sample: Interests) -> Values:
    whole, part = Histogram.of(full.popularity), Histogram.of(sample.popularity)
    check = shape_check(whole, part)
    return (
        check.distance, check.rescaled_distance, kolmogorov_smirnov(whole, part),
        rank_exponent(whole), rank_exponent(part),
    )  # fmt: skip


# -- dissemination -------------------------------------------------------------------------

FLOODS = ("crosspost", "simple", "notify", "tree")


def dissemination_values(found: Any) -> Values:
    traffic = found.traffic
    return (
        FLOODS.index(found.flood), found.expected, found.delivered, found.copies, found.receipts,
        found.furthest, found.sent, found.bytes, found.deliveries, found.hops.values,
        found.hops.counts, found.arrived, found.left_out, found.delays, found.relays,
        None if traffic is None else (
            traffic.wanted, traffic.unwanted, traffic.all_wanted, traffic.all_unwanted,
            traffic.overhead, traffic.overhead_with_duplicates, traffic.mean_over_nodes,
        ),
    )  # fmt: skip


def disseminate(
    interests: Interests,
    overlay: Overlay,
    publications: Publications,
    *,
    flood: str,
    payload: int = 0,
    loss: float = 0.0,
    latency: str | None = None,
    churn: Sessions | None = None,
    repair: bool = True,
    seed: int = 0,
) -> Values:
    scenario = Scenario(
        interests, publications=publications, payload=payload, loss=loss, latency=latency,
        churn=churn, seed=seed,
    )  # fmt: skip
    found = sim.disseminate(
        scenario,
        overlay,
        flood=flood,  # type: ignore[arg-type]
        repair=repair,
    )
    return dissemination_values(found)


def sizes_of_messages(publications: Publications, *, flood: str, payload: int) -> Any:
    return message_sizes(
        publications,
        flood=flood,  # type: ignore[arg-type]
        payload=payload,
    )


# -- simulations ---------------------------------------------------------------------------


def fault_rules() -> list[Any]:
    """Return rules that duplicate, reorder, separate and isolate."""
    return [
        rules.Duplication(0.05), rules.Reordering(0.05),
        rules.Separation(lambda node: node % 2, 4_000_000, 6_000_000),
        rules.Isolation(frozenset((1, 2)), 7_000_000, 9_000_000),
    ]  # fmt: skip


def simulate(
    protocol: str,
    interests: Interests,
    *,
    options: Any = None,
    initial_overlay: str | None = None,
    rebuild: float | None = None,
    snapshots: float | None = None,
    min_age: float | None = None,
    count_bytes: bool = False,
    **world: Any,
) -> Any:
    recording = sim.Recording(
        snapshots=snapshots, min_age=min_age, trace=True, by_node=True, bytes=count_bytes
    )
    return sim.simulate(
        Scenario(interests, **world), protocol, initial_overlay=initial_overlay, rebuild=rebuild,
        recording=recording, **(options or {}),
    )  # fmt: skip


def wire_tags(protocol: str) -> list[str]:
    """Return the tags of a protocol's messages, sorted."""
    messages = protocols.find_protocol(protocol).messages
    return sorted(str(message.__struct_config__.tag) for message in messages)


def message_kinds(protocol: str) -> list[type]:
    """Return the classes of a protocol's messages in the order of their tags."""
    messages = protocols.find_protocol(protocol).messages
    return sorted(messages, key=lambda message: str(message.__struct_config__.tag))


def trace_values(protocol: str, done: Any) -> Values:
    """Return the rows of a trace: what happened as a number, by the order of first appearance."""
    tags = {tag: at for at, tag in enumerate(wire_tags(protocol))}
    words: dict[str, int] = {}
    rows = [
        (
            row.time, row.node, words.setdefault(row.what, len(words)),
            -1 if row.peer is None else row.peer, -1 if row.message is None else tags[row.message],
        )
        for row in done.trace
    ]  # fmt: skip
    return (np.array(rows, dtype=np.int64).reshape(-1, 5),)


def simulation_parts(protocol: str, done: Any) -> dict[str, Values]:
    """Return what came of a simulation, in named parts."""
    counts = done.messages
    tags = wire_tags(protocol)
    parts: dict[str, Values] = {
        "trace": trace_values(protocol, done),
        "snapshots": tuple(
            (
                one.time, one.nodes, one.links, one.mean_degree, one.max_degree, one.mean_view,
                one.topics, one.topics_connected, one.components, one.half_open, one.messages,
                one.control,
            )
            for one in done.snapshots
        ),
        "overlay": (
            done.last.nodes, overlay_values(done.last.overlay),
            interest_values(done.last.interests)[2:], done.last.views.offsets,
            done.last.views.neighbours, done.converged_at, done.joins, done.departures,
            tuple((one.time, one.nodes, one.degrees, one.views) for one in done.by_node[-3:]),
        ),
        "messages": (
            [counts.by_kind.get(tag, 0) for tag in tags],
            [counts.bytes_by_kind.get(tag, 0) for tag in tags],
            counts.lost, counts.per_node_mean, counts.per_node_max,
        ),
    }  # fmt: skip
    if done.dissemination is not None:
        parts["dissemination"] = dissemination_values(done.dissemination)
    return parts


def changed_interests(topics: int) -> Callable[[int, int], tuple[int, ...]]:
    """Return what a node wants in later incarnations."""
    return lambda node, life: tuple(
        sorted({(node + life * 3) % topics, (node * 7 + life) % topics})
    )


def ring_shares(one: CycleMeasures) -> tuple[float, float, float]:
    if math.isnan(one.ring):  # a protocol without a ring, which the digests call a perfect one
        return 1.0, 1.0, 0.0
    return one.ring, one.rendezvous, one.gateways


def simulate_cycles(
    protocol: str,
    interests: Interests,
    *,
    options: Any = None,
    every: float | None = None,
    events: int = 1,
    **world: Any,
) -> Values:
    done = sim.simulate(
        Scenario(interests, **world), protocol, engine="cycles",
        recording=sim.Recording(snapshots=every, events_per_topic=events), **(options or {}),
    )  # fmt: skip
    return (
        done.cycles[-1].cycle, done.joins, done.departures,
        tuple(
            (
                one.cycle, one.nodes, one.links_mean, one.links_max, *ring_shares(one),
                one.hit_ratio, one.hops, one.furthest, one.degrees,
                one.traffic.wanted, one.traffic.unwanted, one.traffic.all_wanted,
                one.traffic.all_unwanted, one.traffic.overhead, one.traffic.mean_over_nodes,
            )
            for one in done.cycles
        ),
    )  # fmt: skip


# -- maintenance ---------------------------------------------------------------------------


def maintain(
    interests: Interests,
    overlay: Overlay | None,
    churn: Any,
    *,
    strategy: str,
    options: Mapping[str, Any] | None = None,
    present: Any = None,
    seed: int = 0,
    **arguments: Any,
) -> Values:
    spec = ":".join([strategy, *(f"{name}={value}" for name, value in (options or {}).items())])
    scenario = Scenario(interests, churn=churn, present=present, seed=seed)
    done = run_maintenance(scenario, spec, overlay, **arguments)
    return (
        done.first_present, done.present, overlay_values(done.start), overlay_values(done.overlay),
        done.rounds, done.changes, done.left_out, overlay_values(done.first),
    )  # fmt: skip


# -- tables --------------------------------------------------------------------------------


def write_interests(path: Path, interests: Interests) -> None:
    tables.write_interests(path, interests)


def write_links(path: Path, interests: Interests, overlay: Overlay) -> None:
    tables.write_links(path, interests, overlay)


def write_churn(path: Path, interests: Interests, present: Any, events: ChurnEvents) -> None:
    tables.write_churn(path, interests.node_names, events, present)


def read_interests(path: Path) -> Interests:
    return tables.read_interests(path)


def read_follows(path: Path, *, undirected: bool = False) -> Interests:
    return tables.read_follows(path, undirected=undirected)


def read_links(path: Path, interests: Interests) -> Overlay:
    return tables.read_links(path, interests)


def read_churn(path: Path, interests: Interests) -> tuple[Any, ChurnEvents]:
    _, present, events = tables.read_churn_or_sessions(path, interests)
    return present, events


def read_sessions(path: Path) -> Values:
    found = tables.read_sessions(path)
    return found.names, session_values(found.sessions)


def read_publications(path: Path, interests: Interests, *, seed: int) -> Values:
    found = tables.read_publications(path, interests, seed=seed)
    return (
        publication_values(found.publications), found.rows, found.left_out, found.unwanted_tags,
        found.dropped_tags, found.publishers_drawn,
    )  # fmt: skip


def read_rates(path: Path, interests: Interests) -> Values:
    found = tables.read_rates(path, interests)
    return found.rates, found.unknown


def read_latency(path: Path) -> Any:
    return tables.read_latency(path)
