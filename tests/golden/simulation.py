"""Every protocol in the event-driven world, and those that also run in cycles."""

from __future__ import annotations

from functools import partial
from typing import Any

from tests.golden import program
from tests.golden.inputs import Case, small

OPTIONS: dict[str, dict[str, Any]] = {
    "elasto": {"coverage": 2, "concurrent": 2, "backups": "greedy", "reach": 0,
               "exchange_seconds": 1.5, "detector": "accrual", "flood": "simple",
               "shuffle_length": 8},
    "opt": {"cover": 2, "bound": 6, "period_seconds": 0.8, "view_size": 12, "flood": "simple"},
    "random": {"links": 4, "margin": 2, "loop_seconds": 0.2, "shuffle_length": 8},
    "ring-per-topic": {"heartbeat_seconds": 0.7, "missed_heartbeats": 3, "shuffle_length": 8},
    "rvr": {"table_size": 6, "max_in_degree": 8, "population": 40, "period_seconds": 0.8,
            "lookup": "table", "flood": "crosspost"},
    "similarity": {"similar_links": 3, "random_links": 2, "margin": 2, "quarantine_seconds": 2.0},
    "spidercast": {"kg": 2, "kr": 1, "adaptive": True, "margin": 2, "detector": "accrual",
                   "flood": "simple"},
    "stan": {"slack": 1, "walk_hops": 3, "overhear": False, "swap": "move", "refill": 3,
             "idle_rounds": 4, "flood": "simple"},
    "vitis": {"table_size": 8, "small_world_links": 2, "max_gateway_hops": 3, "max_in_degree": 10,
              "inclusive_hops": False, "stop_at_subscribers": True, "max_paths": 20,
              "weights": "measured", "flood": "crosspost"},
}  # fmt: skip
"""Of each protocol: options other than the defaults."""

CYCLE_OPTIONS: dict[str, dict[str, Any]] = {
    "opt": {"cover": 2, "bound": 8},
    "rvr": {
        "table_size": 8,
        "max_in_degree": 4,
        "population": 1000,
        "lookup": "table",
        "refresh": 2,
        "missed_heartbeats": 3,
    },
    "vitis": {
        "table_size": 8,
        "small_world_links": 2,
        "max_gateway_hops": 3,
        "inclusive_hops": False,
        "stop_at_subscribers": True,
        "one_way": True,
        "view_size": 12,
    },
}
NAMES = set(OPTIONS)
CYCLE_NAMES = set(CYCLE_OPTIONS)
CASES: dict[str, Case] = {}


def _published(seed: int) -> Any:
    return program.draw_publications(small(), 25, crosspost=2, per_second=4.0, seed=seed)


def _parts(protocol: str, **world: Any) -> Any:
    return program.simulation_parts(protocol, program.simulate(protocol, small(), **world))


def _calm(protocol: str) -> Any:
    """Every node knows every other; no loss."""
    return _parts(protocol, duration=7.0, seed=1, count_bytes=True)


def _gossip(protocol: str) -> Any:
    """Loss, wide delays, crashes, and gossip for membership."""
    return _parts(
        protocol, view="gossip", latency="uniform:5-80ms", loss=0.05, churn="exponential:15:5",
        departure="crash", duration=10.0, publications=_published(2), payload=40, seed=2,
        warm_up=2.0,
    )  # fmt: skip


def _faults(protocol: str) -> Any:
    """A sample for a view, graceful leaves, changed interests, a partition, other options."""
    return _parts(
        protocol, options=OPTIONS[protocol], view="60%", loss=0.02, faults=program.fault_rules(),
        churn="weibull:0.7:20:4,flash:3:4:2:5", new_interests=program.changed_interests(10),
        duration=10.0, publications=_published(3), seed=3, snapshots=0.5, min_age=1.0,
    )  # fmt: skip


def _initial_overlay() -> Any:
    """ElastO on an overlay that a design algorithm makes again and again."""
    return _parts(
        "elasto",
        initial_overlay="low-oda",
        rebuild=4.0,
        churn="pareto:1.5:8:4",
        duration=10.0,
        seed=4,
    )


def _cycles(protocol: str, kind: str) -> Any:
    interests = program.generate("random", nodes=150, topics=40, subscriptions=6, seed=15)
    rates = program.power_law_rates(40, 1.0)
    if kind == "plain":
        return program.simulate_cycles(protocol, interests, duration=25, seed=1)
    if kind == "options":
        return program.simulate_cycles(
            protocol, interests, options=CYCLE_OPTIONS[protocol], rates=rates, duration=25, every=5,
            events=2, seed=2,
        )  # fmt: skip
    sessions = program.draw_sessions(
        "exponential:25:8,flash:12:10:3:9", interests, until=30.0, seed=3
    )
    return program.simulate_cycles(
        protocol, interests, churn=sessions, rates=rates, duration=30, every=10,
        warm_up=5, seed=3,
    )  # fmt: skip


for _name in OPTIONS:
    for _kind, _run in (("calm", _calm), ("gossip", _gossip), ("faults", _faults)):
        CASES[f"simulation/{_name}/{_kind}"] = partial(_run, _name)
CASES["simulation/elasto/initial overlay"] = _initial_overlay
for _name in CYCLE_OPTIONS:
    for _kind in ("plain", "options", "churn"):
        CASES[f"cycles/{_name}/{_kind}"] = partial(_cycles, _name, _kind)
