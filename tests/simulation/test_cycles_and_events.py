"""The event-driven and the cycle-driven engine agree on deliveries."""

from __future__ import annotations

from typing import Any

import pytest

from gossamer.model import Scenario
from gossamer.sim import Recording, simulate
from gossamer.time import SECOND
from gossamer.workloads import draw_publications, generate_interests

NODES, TOPICS, TABLE = 48, 24, 6


@pytest.mark.parametrize(
    ("protocol", "options"),
    [
        ("rvr", {}),
        ("rvr", {"lookup": "table", "max_in_degree": 4}),
        ("vitis", {}),
        ("vitis", {"lookup": "table", "inclusive_hops": False, "population": NODES}),
        ("vitis", {"stop_at_subscribers": True, "max_in_degree": 5}),
    ],
)
def test_engines_agree(protocol: str, options: dict[str, Any]) -> None:
    interests = generate_interests("random", nodes=NODES, topics=TOPICS, subscriptions=4, seed=1)
    published = draw_publications(interests, 2 * TOPICS, seed=1).between(12 * SECOND, 20 * SECOND)
    machines = simulate(
        Scenario(interests, view="gossip", publications=published, duration=22, seed=1),
        protocol,
        **{"table_size": TABLE, **options},
    )
    rounds = simulate(
        Scenario(interests, duration=60, seed=1),
        protocol,
        engine="cycles",
        recording=Recording(events_per_topic=4),
        **{"table_size": TABLE, **options},
    ).last_cycle
    spread = machines.dissemination
    assert spread is not None
    assert spread.traffic is not None
    assert spread.hit_ratio == rounds.hit_ratio == 1.0
    assert spread.traffic.overhead == pytest.approx(rounds.traffic.overhead, abs=0.08)
    assert spread.hops.mean == pytest.approx(rounds.hops, rel=0.2)
    degree = machines.snapshots[-1].mean_degree
    assert degree == pytest.approx(rounds.links_mean, rel=0.15)
