"""One run of an ElastO experiment: a workload, a churn, what keeps the overlay, and its measures.

What is run where, and what the paper says of it, is in :mod:`gossamer.studies.elasto`. All systems
of a figure have the same interests, the same churn and, but for SpiderCast, the same overlay to
start from: workloads are drawn from the parameter ``draw``, not from the run's own seed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gossamer.design.low_oda import low_oda
from gossamer.maintain.events import EventRecord
from gossamer.maintain.maintainer import Maintainer
from gossamer.maintain.strategies.elasto_l import ElastoL
from gossamer.model import ChurnEvents, Interests, Overlay
from gossamer.quality import TopicGraphs, follower_degrees, links_lower_bound
from gossamer.quality.diameters import shapes_of_topics
from gossamer.quality.distributions import Histogram
from gossamer.sim.protocol_events import protocol_events
from gossamer.tables import read_interests, read_sessions
from gossamer.workloads import (
    PowerLawSizes,
    churn_rounds,
    follower_graph,
    generate_interests,
    machine_events,
    sample_followers,
)
from gossamer.workloads.resolution import match_sessions

if TYPE_CHECKING:
    from gossamer.studies.schema import Measurements, Parameters

__all__ = ["CHECKS", "SIZES", "WARMING", "draw_interests", "measure"]

TOPICS, EXPONENT, RATE = 200, 2.0, 0.02
SIZES = (10, 20, 30, 40, 50, 60, 70, 80)
"""Subscriptions, from which on a node falls into the next class."""
CHECKS = 20
"""How many times in a run degrees are noted."""
WARMING = (0, 1, 2, 5, 10, 20, 50, 100)
"""Rounds of gossip before the churn after which views are measured."""
SYNTHETIC = {
    "unif": ("uniform", {}),
    "zipf": ("zipf", {"alpha": 2.0}),
    "expo": ("exponential", {"rate": RATE}),
}
MEAN_FOLLOWED = 20.0
RHO = 3.0
SPARSE_GOSSIP = 0.05


def measure(parameters: Parameters, seed: int) -> Measurements:
    """Run one instance, and return everything that a figure or table may show of it.

    Of a churn: ``max`` and ``mean`` (degree at the end), each with ``/`` and the number of a check
    (0 to 20), and ``average`` over all rounds; ``first``; ``growth`` of the maximum a round;
    ``apart``: the rounds after which some topic was not connected. Others stand beside where they
    are computed.
    """
    seed %= 1 << 63
    interests = draw_interests(parameters, seed)
    kind = str(parameters["measure"])
    if kind == "followers":
        return _followers(parameters, interests, seed)
    if kind == "backups":
        return _backups(parameters, interests, seed)
    present, events = _events(parameters, interests, seed)
    return _churn(parameters, interests, present, events, seed)


# -- workloads ---------------------------------------------------------------------------


def draw_interests(parameters: Parameters, seed: int) -> Interests:
    """Return who wants what: drawn, or sampled from a table of who follows whom."""
    nodes = int(parameters["nodes"])
    workload = str(parameters["workload"])
    if workload == "follows":
        graph = _whole_graph(parameters, seed)
        return sample_followers(graph, min(nodes, graph.node_count), seed=seed)
    if workload == "drawn":
        return follower_graph(nodes, mean=MEAN_FOLLOWED, seed=seed)
    name, more = SYNTHETIC[workload]
    sizes = PowerLawSizes(10, 90, float(parameters.get("exponent", EXPONENT)))
    return generate_interests(
        name, nodes=nodes, topics=TOPICS, subscriptions=sizes, seed=seed, **more
    )


def _whole_graph(parameters: Parameters, seed: int) -> Interests:
    if str(parameters["workload"]) == "drawn":
        return follower_graph(10 * int(parameters["nodes"]), mean=MEAN_FOLLOWED, seed=seed)
    return read_interests(Path(str(parameters["_folder"])) / str(parameters["table"]))


def _events(
    parameters: Parameters, interests: Interests, seed: int
) -> tuple[NDArray[np.bool_], ChurnEvents]:
    """Return who is there at first, and the churn: as many events as there are rounds."""
    rounds = int(parameters["rounds"])
    count = interests.node_count
    churn = str(parameters["churn"])
    if churn == "rounds":
        return churn_rounds(count, rounds, seed=seed)
    if churn == "machines":
        sessions = machine_events(count, seed=seed, removals=max(1.0, 0.6 * rounds / count))
    else:
        table = str(parameters["sessions"])
        named = read_sessions(Path(str(parameters["_folder"])) / table)
        sessions, _ = match_sessions(table, named, interests, time_scale=1.0, by_name=False)
    present, events = ChurnEvents.from_sessions(sessions, count)
    first = slice(0, rounds)
    kept = ChurnEvents.from_columns(events.times[first], events.nodes[first], events.joins[first])
    return present, kept


# -- what is measured --------------------------------------------------------------------


def _followers(parameters: Parameters, interests: Interests, seed: int) -> Measurements:
    """Return the share of users with 2^k followers or more, and who follow so many, of both."""
    measured: dict[str, float] = {}
    whole = _whole_graph(parameters, seed)
    if str(parameters["workload"]) == "drawn":
        interests = sample_followers(whole, int(parameters["nodes"]), seed=seed)
    for which, graph in (("whole", whole), ("sample", interests)):
        found = follower_degrees(graph)
        for way, one in (("followers", found.followers), ("followed", found.followed)):
            shape: Histogram = one.histogram
            total = max(int(shape.counts.sum()), 1)
            for k in range(13):
                share = int(shape.counts[shape.values >= 1 << k].sum()) / total
                measured[f"{which} {way}/{k}"] = share
        measured[f"{which} users"] = float(graph.node_count)
    return measured


def _backups(parameters: Parameters, interests: Interests, seed: int) -> Measurements:
    """Return graph's backups and primaries under ElastO-G, before any churn."""
    maintainer = Maintainer(
        interests,
        Overlay.from_links(interests.node_count, ()),
        strategy="elasto-g",
        seed=seed,
        **_options(parameters, ("coverage", "backups")),
    )
    strategy = maintainer.strategy
    backups = getattr(strategy, "backups", None)
    assert backups is not None
    count = interests.node_count
    sizes = np.array([len(backups.of(maintainer.dynamic_overlay, node)) for node in range(count)])
    primaries = backups.primaries
    measured = {
        "backups": float(sizes.mean()),
        "backups share": float(sizes.mean()) / count,
        "primaries least": float(primaries.min()),
        "primaries most": float(primaries.max()),
        "primaries below 5": float((primaries < 5).mean()),
        "backups by size": _correlation(interests.subscription_sizes, sizes),
    }
    for least in SIZES:
        rows = (interests.subscription_sizes >= least) & (
            (interests.subscription_sizes < least + 10) | (least == SIZES[-1])
        )
        if rows.any():
            measured[f"backups/{least}"] = float(sizes[rows].mean())
            measured[f"primaries/{least}"] = float(primaries[rows].mean())
            measured[f"primaries least/{least}"] = float(primaries[rows].min())
            measured[f"primaries most/{least}"] = float(primaries[rows].max())
    return measured


def _correlation(one: NDArray[np.int64], other: NDArray[np.int64]) -> float:
    return float(np.corrcoef(one, other)[0, 1]) if other.std() > 0 else 0.0


def _options(parameters: Parameters, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: parameters[name] for name in names if name in parameters}


def _churn(
    parameters: Parameters,
    interests: Interests,
    present: NDArray[np.bool_],
    events: ChurnEvents,
    seed: int,
) -> Measurements:
    """Return degrees along a churn."""
    system = str(parameters["system"])
    measured: Measurements = {"nodes": float(interests.node_count)}
    if system == "spidercast":
        options = {**_options(parameters, ("kg", "kr")), "heartbeat_seconds": 300.0}
        checks = _checks(len(events))
        diameters: Measurements = {}

        def watch(place: int, wanted: Interests, overlay: Overlay) -> None:
            if place in checks and parameters.get("diameters"):
                diameters.update(_diameters(wanted, overlay, f"/{checks[place]}"))

        records = protocol_events(
            system, interests, present, events,
            options=options, seed=seed, watch=watch,
        )  # fmt: skip
        measured |= _along(records, len(events), None, parameters)
        return measured | diameters
    if system == "low-oda-re":
        return measured | _rebuilt(interests, present, events, parameters)
    first = low_oda(_wanted(interests, present), rho=RHO)
    strategy: ElastoL | str = system
    options = {}
    if system == "elasto-l":
        local = strategy = ElastoL(
            coverage=int(parameters.get("coverage", 5)),
            concurrent=int(parameters.get("concurrent", 1)),
            share=0.0,
            reach=int(parameters.get("reach", 1)),
            all_needed=bool(parameters.get("all_needed", 0)),
            rho=RHO,
            seed=seed,
        )
    elif system == "elasto-g":
        options = _options(parameters, ("coverage", "backups"))
        options["whole_maximum"] = bool(parameters.get("whole_maximum", 0))
    maintainer = Maintainer(
        interests, first, strategy=strategy, present=present, seed=seed, **options
    )
    records = maintainer.run(events, check=True)
    if system == "elasto-l":
        measured |= _warmed(local, int(parameters.get("warming", 0)))
        records = _with_gossip(records, local, float(parameters.get("gossip", SPARSE_GOSSIP)))
    measured |= _along(_before(maintainer, records), len(events), maintainer, parameters)
    if system == "elasto-l":
        measured |= _views(local, "")
    return measured


def _wanted(interests: Interests, present: NDArray[np.bool_]) -> Interests:
    rows = present[interests.node_column]
    return Interests.from_ids(
        interests.node_column[rows],
        interests.node_topics[rows],
        node_names=interests.node_names,
        topic_names=interests.topic_names,
    )


def _before(maintainer: Maintainer, records: Iterator[EventRecord]) -> Iterator[EventRecord]:
    """Give a record of the overlay before any event, and then those of the events."""
    degrees = maintainer.degrees
    mean, most = float(degrees.mean()), int(degrees.max(initial=0))
    yield EventRecord(-1, False, len(degrees), 0, mean, most)
    yield from records


def _with_gossip(
    records: Iterator[EventRecord], local: ElastoL, share: float
) -> Iterator[EventRecord]:
    """Let a share of the nodes exchange views after each event."""
    for record in records:
        yield record
        local.gossip(share)


def _along(
    records: Iterator[EventRecord],
    rounds: int,
    maintainer: Maintainer | None,
    parameters: Parameters,
) -> Measurements:
    """Measure records of all events, the first of which is of the time before them."""
    checks = _checks(rounds)
    measured: Measurements = {}
    seen: list[EventRecord] = []
    views = isinstance(maintainer.strategy, ElastoL) if maintainer is not None else False
    for place, record in enumerate(records):
        seen.append(record)
        if place not in checks:
            continue
        check = checks[place]
        measured[f"max/{check}"] = float(record.max_degree)
        measured[f"mean/{check}"] = record.mean_degree
        if maintainer is not None and parameters.get("diameters"):
            measured |= _diameters(maintainer.present_interests, maintainer.overlay, f"/{check}")
        if maintainer is not None and views:
            assert isinstance(maintainer.strategy, ElastoL)
            measured |= _views(maintainer.strategy, f"/{check}")
    after = seen[1:]
    measured |= {
        "first max": float(seen[0].max_degree),
        "first mean": seen[0].mean_degree,
        "max": float(seen[-1].max_degree),
        "mean": seen[-1].mean_degree,
        "growth": (seen[-1].max_degree - seen[0].max_degree) / max(len(after), 1),
        "average max": _mean([one.max_degree for one in after]),
        "average mean": _mean([one.mean_degree for one in after]),
        "apart": float(sum(one.disconnected_topics > 0 for one in after)),
        "events": float(len(after)),
    }
    for name, joined in (("join", True), ("leave", False)):
        some = [one for one in after if one.joined is joined]
        measured[f"messages a {name}"] = _mean([one.cost.messages for one in some])
        measured[f"shadows a {name}"] = _mean([one.cost.shadows for one in some])
        measured[f"known a {name}"] = _mean([one.cost.known for one in some])
        measured[f"links a {name}"] = _mean([len(one.changes.links) for one in some])
    coordinators = np.array([one.cost.coordinator for one in after if one.cost.coordinator >= 0])
    if len(coordinators):
        loads = np.unique(coordinators, return_counts=True)[1]
        measured["coordinators"] = len(loads) / max(int(seen[-1].nodes), 1)
        measured["most events"] = float(loads.max())
    if parameters.get("bounds") and maintainer is not None:
        measured |= _bounds(maintainer)
    return measured


def _checks(rounds: int) -> dict[int, int]:
    """Return after how many events there is a check, and its number."""
    return {round(k * rounds / CHECKS): k for k in range(CHECKS + 1)}


def _mean(values: list[int] | list[float]) -> float:
    return float(np.mean(values)) if values else 0.0


def _rebuilt(
    interests: Interests,
    present: NDArray[np.bool_],
    events: ChurnEvents,
    parameters: Parameters,
) -> Measurements:
    """Measure LowODA from scratch at the checks: what it builds depends on who is there alone."""
    here = present.copy()
    checks = _checks(len(events))
    measured: Measurements = {}
    for place in range(len(events) + 1):
        if place:
            here[events.nodes[place - 1]] = events.joins[place - 1]
        if place not in checks:
            continue
        wanted = _wanted(interests, here)
        overlay = low_oda(wanted, rho=RHO)
        degrees = overlay.degrees[here]
        check = checks[place]
        measured[f"max/{check}"] = float(degrees.max(initial=0))
        measured[f"mean/{check}"] = float(degrees.mean())
        if parameters.get("diameters"):
            measured |= _diameters(wanted, overlay, f"/{check}")
    later = [f"/{k}" for k in range(1, CHECKS + 1) if f"max/{k}" in measured]
    return measured | {
        "first max": measured["max/0"],
        "first mean": measured["mean/0"],
        "max": measured[f"max/{CHECKS}"],
        "mean": measured[f"mean/{CHECKS}"],
        "average max": _mean([measured[f"max{one}"] for one in later]),
        "average mean": _mean([measured[f"mean{one}"] for one in later]),
        "growth": (measured[f"max/{CHECKS}"] - measured["max/0"]) / max(len(events), 1),
        "events": float(len(events)),
    }


def _warmed(local: ElastoL, rounds: int) -> Measurements:
    """Let views go on before the churn, and measure them after some rounds."""
    measured: Measurements = {}
    for done in range(rounds + 1):
        if done:
            local.gossip()
        if done in WARMING:
            measured |= _views(local, f" warming/{done}")
    return measured


def _views(local: ElastoL, ending: str) -> Measurements:
    """Return how large local views are, and how many each node backs up."""
    here = np.flatnonzero(local.views.overlay.present)
    sizes = np.array([len(local.views.view_of(node)) for node in here.tolist()])
    primaries = local.views.primaries()[here]
    return {
        f"view{ending}": float(sizes.mean()),
        f"view most{ending}": float(sizes.max()),
        f"view below 5 %{ending}": float((sizes < 0.05 * len(here)).mean()),
        f"primaries median{ending}": float(np.median(primaries)),
        f"primaries most{ending}": float(primaries.max()),
    }


def _diameters(interests: Interests, overlay: Overlay, ending: str) -> Measurements:
    found = shapes_of_topics(TopicGraphs.of(interests, overlay)).diameters
    counted = found[interests.popularity > 1]
    return {
        f"diameter{ending}": float(counted.mean()),
        f"largest diameter{ending}": float(counted.max(initial=0)),
    }


def _bounds(maintainer: Maintainer) -> Measurements:
    """Return degrees beside the bounds of Table 1, with the proven lower bound as the optimum."""
    interests = maintainer.present_interests
    count = len(maintainer.degrees)
    log = math.log(count * interests.topic_count)
    least_mean = 2 * links_lower_bound(interests).links / count
    return {
        "mean ratio": float(maintainer.degrees.mean()) / least_mean,
        "mean bound": RHO * log,
        "max ratio": float(maintainer.degrees.max()) / max(math.ceil(least_mean), 1),
        "max bound": count / RHO * log,
    }
