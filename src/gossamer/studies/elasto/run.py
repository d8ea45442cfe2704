"""One run of the ElastO study: an overlay under churn, backups, or a sample of a social graph.

All systems except SpiderCast start from the same overlay.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
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
from gossamer.studies.elasto.universes import draw_events, draw_interests, whole_graph
from gossamer.studies.inputs import given_options
from gossamer.workloads import sample_followers

if TYPE_CHECKING:
    from gossamer.studies.schema import Measurements, Parameters

SIZES = (10, 20, 30, 40, 50, 60, 70, 80)
"""Lower ends of the classes of subscription sizes."""
CHECKS = 20
"""Number of times in a run that degrees are recorded."""
WARMING = (0, 1, 2, 5, 10, 20, 50, 100)
"""Rounds of gossip before the churn, after which views are measured."""
DEFAULT_RHO = 3.0
"""LowODA's ρ, which the paper does not give."""
UNTIMED = 20
"""First events whose times do not count, since kernels are compiled or loaded then."""
SPARSE_GOSSIP = 0.05


def measure(parameters: Parameters, seed: int) -> Measurements:
    """Run one instance, and return all measurements of the figures.

    Under churn, ``max`` and ``mean`` are degrees at the end; with ``/`` and a number, those at one
    of 20 checks; with ``average``, means over all rounds; with ``first``, those at the start.
    ``growth`` is the growth of the maximum per round, ``disconnected`` the number of rounds after
    which some topic was disconnected, ``milliseconds`` the processor time of an event after the
    first :data:`UNTIMED`, the only measurement that differs from run to run.
    """
    interests = draw_interests(parameters, seed)
    kind = str(parameters["measure"])
    if kind == "followers":
        return _followers(parameters, interests, seed)
    if kind == "backups":
        return _backups(parameters, interests, seed)
    present, events = draw_events(parameters, interests, seed)
    return _churn(parameters, interests, present, events, seed)


def _followers(parameters: Parameters, interests: Interests, seed: int) -> Measurements:
    """Return shares of users with 2^k or more followers or followees, in the graph and sample."""
    measured: dict[str, float] = {}
    whole = whole_graph(parameters, seed)
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
    """Return the backups and primaries of all nodes under ElastO-G, before any churn."""
    maintainer = Maintainer(
        interests,
        Overlay.from_links(interests.node_count, ()),
        strategy="elasto-g",
        seed=seed,
        **given_options(parameters, ("coverage", "backups")),
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
        "primaries minimum": float(primaries.min()),
        "primaries maximum": float(primaries.max()),
        "primaries below 5": float((primaries < 5).mean()),
        "backups by size": _correlation(interests.subscription_sizes, sizes),
    }
    for lower in SIZES:
        rows = (interests.subscription_sizes >= lower) & (
            (interests.subscription_sizes < lower + 10) | (lower == SIZES[-1])
        )
        if rows.any():
            measured[f"backups/{lower}"] = float(sizes[rows].mean())
            measured[f"primaries/{lower}"] = float(primaries[rows].mean())
            measured[f"primaries minimum/{lower}"] = float(primaries[rows].min())
            measured[f"primaries maximum/{lower}"] = float(primaries[rows].max())
    return measured


def _correlation(one: NDArray[np.int64], other: NDArray[np.int64]) -> float:
    return float(np.corrcoef(one, other)[0, 1]) if other.std() > 0 else 0.0


def _churn(
    parameters: Parameters,
    interests: Interests,
    present: NDArray[np.bool_],
    events: ChurnEvents,
    seed: int,
) -> Measurements:
    """Return degrees of a system under churn."""
    system = str(parameters["system"])
    rho = float(parameters.get("rho", DEFAULT_RHO))
    measured: Measurements = {"nodes": float(interests.node_count)}
    if system == "spidercast":
        settings = given_options(parameters, ("kg", "kr")) | {"heartbeat_seconds": 300.0}
        checks = _checks(len(events))
        diameters: Measurements = {}

        def watch(place: int, current: Interests, overlay: Overlay) -> None:
            if place in checks and parameters.get("diameters"):
                diameters.update(_diameters(current, overlay, f"/{checks[place]}"))

        records = protocol_events(
            system, interests, present, events,
            options=settings, seed=seed, watch=watch,
        )  # fmt: skip
        measured |= _along(records, len(events), None, parameters)
        return measured | diameters
    if system == "low-oda-re":
        return measured | _rebuilt(interests, present, events, parameters)
    first = low_oda(_present_interests(interests, present), rho=rho)
    strategy: ElastoL | str = system
    options: dict[str, Any] = {"rho": rho}
    if system == "elasto-l":
        local = strategy = ElastoL(
            coverage=int(parameters.get("coverage", 5)),
            concurrent=int(parameters.get("concurrent", 1)),
            share=0.0,
            reach=int(parameters.get("reach", 1)),
            all_needed=bool(parameters.get("all_needed", False)),
            rho=rho,
            seed=seed,
        )
        options = {}
    elif system == "elasto-g":
        options |= given_options(parameters, ("coverage", "backups", "whole_maximum"))
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


def _present_interests(interests: Interests, present: NDArray[np.bool_]) -> Interests:
    rows = present[interests.node_column]
    return Interests.from_ids(
        interests.node_column[rows],
        interests.node_topics[rows],
        node_names=interests.node_names,
        topic_names=interests.topic_names,
    )


def _before(maintainer: Maintainer, records: Iterator[EventRecord]) -> Iterator[EventRecord]:
    """Yield a record of the overlay before any event, then those of the events."""
    degrees = maintainer.degrees
    mean, maximum = float(degrees.mean()), int(degrees.max(initial=0))
    yield EventRecord(-1, False, len(degrees), 0, mean, maximum)
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
    """Return measurements of the records; the first is that of the overlay before any event."""
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
        "disconnected": float(sum(one.disconnected_topics > 0 for one in after)),
        "events": float(len(after)),
        "milliseconds": 1000 * _mean([one.seconds for one in after[UNTIMED:]]),
    }
    for name, joined in (("join", True), ("leave", False)):
        some = [one for one in after if one.joined is joined]
        measured[f"messages per {name}"] = _mean([one.cost.messages for one in some])
        measured[f"shadows per {name}"] = _mean([one.cost.shadows for one in some])
        measured[f"known per {name}"] = _mean([one.cost.known for one in some])
        timed = [one.seconds for one in after[UNTIMED:] if one.joined is joined]
        measured[f"milliseconds per {name}"] = 1000 * _mean(timed)
        measured[f"links per {name}"] = _mean([len(one.changes.links) for one in some])
    coordinators = np.array([one.cost.coordinator for one in after if one.cost.coordinator >= 0])
    if len(coordinators):
        loads = np.unique(coordinators, return_counts=True)[1]
        measured["coordinators"] = len(loads) / max(int(seen[-1].nodes), 1)
        measured["maximum events"] = float(loads.max())
    if parameters.get("bounds") and maintainer is not None:
        measured |= _bounds(maintainer, float(parameters.get("rho", DEFAULT_RHO)))
    return measured


def _checks(rounds: int) -> dict[int, int]:
    """Return the number of each check by the number of events before it."""
    return {round(k * rounds / CHECKS): k for k in range(CHECKS + 1)}


def _mean(values: list[int] | list[float]) -> float:
    return float(np.mean(values)) if values else 0.0


def _rebuilt(
    interests: Interests,
    present: NDArray[np.bool_],
    events: ChurnEvents,
    parameters: Parameters,
) -> Measurements:
    """Return degrees of LowODA run from scratch at each check, on the present nodes."""
    rho = float(parameters.get("rho", DEFAULT_RHO))
    times: list[float] = []
    online = present.copy()
    checks = _checks(len(events))
    measured: Measurements = {}
    for place in range(len(events) + 1):
        if place:
            online[events.nodes[place - 1]] = events.joins[place - 1]
        if place not in checks:
            continue
        current = _present_interests(interests, online)
        begin = time.process_time()
        overlay = low_oda(current, rho=rho)
        times.append(1000 * (time.process_time() - begin))
        degrees = overlay.degrees[online]
        check = checks[place]
        measured[f"max/{check}"] = float(degrees.max(initial=0))
        measured[f"mean/{check}"] = float(degrees.mean())
        if parameters.get("diameters"):
            measured |= _diameters(current, overlay, f"/{check}")
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
        "milliseconds": _mean(times[1:]),
    }


def _warmed(local: ElastoL, rounds: int) -> Measurements:
    """Run rounds of gossip before the churn, and measure the views after some of them."""
    measured: Measurements = {}
    for done in range(rounds + 1):
        if done:
            local.gossip()
        if done in WARMING:
            measured |= _views(local, f" warming/{done}")
    return measured


def _views(local: ElastoL, ending: str) -> Measurements:
    """Return sizes of local views, and numbers of primaries of a node."""
    online = np.flatnonzero(local.views.overlay.present)
    sizes = np.array([len(local.views.view_of(node)) for node in online.tolist()])
    primaries = local.views.primaries()[online]
    return {
        f"view{ending}": float(sizes.mean()),
        f"view maximum{ending}": float(sizes.max()),
        f"view below 5 %{ending}": float((sizes < 0.05 * len(online)).mean()),
        f"primaries median{ending}": float(np.median(primaries)),
        f"primaries maximum{ending}": float(primaries.max()),
    }


def _diameters(interests: Interests, overlay: Overlay, ending: str) -> Measurements:
    found = shapes_of_topics(TopicGraphs.of(interests, overlay)).diameters
    counted = found[interests.popularity > 1]
    return {
        f"diameter{ending}": float(counted.mean()),
        f"largest diameter{ending}": float(counted.max(initial=0)),
    }


def _bounds(maintainer: Maintainer, rho: float) -> Measurements:
    """Return degrees relative to the proven lower bound, and the bounds of Table 1."""
    interests = maintainer.present_interests
    count = len(maintainer.degrees)
    log = math.log(count * interests.topic_count)
    minimum_mean = 2 * links_lower_bound(interests).links / count
    return {
        "mean ratio": float(maintainer.degrees.mean()) / minimum_mean,
        "mean bound": rho * log,
        "max ratio": float(maintainer.degrees.max()) / max(math.ceil(minimum_mean), 1),
        "max bound": count / rho * log,
    }
