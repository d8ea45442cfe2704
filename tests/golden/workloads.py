"""Every kind of workload, laws of sessions and churn, publications, rates, a sample."""

from __future__ import annotations

from functools import partial
from typing import Any

from tests.golden import program
from tests.golden.inputs import TABLES, Case, followers, rss, tiny

KINDS: dict[str, list[dict[str, Any]]] = {
    "exponential": [{}, {"rate": 0.1}],
    "follower-graph": [
        {}, {"followers_exponent": 2.0, "most_followed": 0.5, "community": 20, "within": 0.8}
    ],
    "high-correlation": [{"buckets": 8}, {"buckets": 10, "buckets_per_node": 3}],
    "low-correlation": [{"buckets": 20}, {"buckets": 10, "buckets_per_node": 3}],
    "nyse": [{}],
    "random": [{}],
    "rss": [{}],
    "uniform": [{}],
    "zipf": [{}, {"alpha": 2.0}],
}  # fmt: skip
"""Of each kind: its options."""

LAWS = {
    "exponential": "exponential:300", "exponential absent": "exponential:30:10",
    "weibull": "weibull:0.6:80", "weibull absent": "weibull:1.5:80:20",
    "pareto": "pareto:1.5:40", "pareto absent": "pareto:2.5:40:60",
    "superpeer": "superpeer", "flash crowd": "exponential:40:40,flash:100:20",
    "flash crowds": "pareto:2:30,flash:50:8:5:60,flash:80:3:0:10",
}  # fmt: skip

NAMES = set(KINDS)
CASES: dict[str, Case] = {}


def _kind(kind: str, options: dict[str, Any], size: Any) -> Any:
    return [
        program.interest_values(
            program.generate(kind, nodes=120, topics=100, subscriptions=size, seed=seed, **options)
        )[2:4]
        for seed in (0, 7)
    ]


def _sizes() -> Any:
    return [
        program.size_values(sizes)
        for sizes in (
            program.sizes_of_text("5"), program.sizes_of_text("5-9"),
            program.sizes_of_text("5-50", exponent=1.5),
            program.sizes_of_mean(8, exponent=1.65, largest=100),
        )
    ]  # fmt: skip


def _law(law: str) -> Any:
    sessions = program.draw_sessions(law, rss(), until=600.0, seed=3)
    present, events = program.events_of_sessions(sessions, 200)
    back = program.sessions_of_events(present, events, until=10**9)
    return (
        program.session_values(sessions), present, program.event_values(events),
        program.session_values(back),
    )  # fmt: skip


def _rounds() -> Any:
    found = [
        program.draw_rounds(80, 300, seed=1),
        program.draw_rounds(80, 300, seed=2, present=0.6, join=0.3),
    ]
    return [(present, program.event_values(events)) for present, events in found]


def _machines() -> Any:
    return [
        program.session_values(program.draw_machines(60, seed=1)),
        program.session_values(
            program.draw_machines(40, seed=2, days=9.0, removals=5.0, downtime=90.0, spread=0.5)
        ),
        program.session_values(
            program.draw_superpeers(40, seconds=200_000.0, seed=4, time_scale=300.0)
        ),
    ]


def _publications(table: str) -> Any:
    interests = TABLES[table]()
    rates = program.power_law_rates(len(program.interest_values(interests)[1]), 0.7)
    drawn = [
        program.draw_publications(interests, 200, seed=1),
        program.draw_publications(
            interests, 200, rates=rates, crosspost=4, per_second=3.0, poisson=True, seed=2
        ),
        program.draw_triplets(interests, each=4, seed=3),
    ]
    return [program.publication_values(one) for one in drawn]


def _sample() -> Any:
    return [
        program.interest_values(
            program.sample_followers(followers(), users, seed=seed, starts=starts)
        )
        for users, seed, starts in ((50, 0, 10), (150, 5, 2), (399, 1, 1))
    ]


for _name, _listed in KINDS.items():
    for _at, _chosen in enumerate(_listed):
        for _text in ("6", "2-12"):
            CASES[f"workloads/{_name}/{_at}/{_text}"] = partial(_kind, _name, _chosen, _text)
CASES["workloads/sizes"] = _sizes
CASES["workloads/popularity"] = lambda: program.popularity_values(50)
CASES["workloads/rates"] = lambda: program.rate_values(50)
CASES["workloads/rounds"] = _rounds
CASES["workloads/machines"] = _machines
CASES["workloads/followers"] = lambda: program.interest_values(followers())
CASES["workloads/tiny"] = lambda: program.interest_values(tiny())
CASES["workloads/sample"] = _sample
for _name, _law_text in LAWS.items():
    CASES[f"workloads/sessions/{_name}"] = partial(_law, _law_text)
for _table in TABLES:
    CASES[f"workloads/publications/{_table}"] = partial(_publications, _table)
