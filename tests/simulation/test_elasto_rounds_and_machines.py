"""ElastO's machines and ElastO-L in rounds, under the same churn from the same overlay."""

from __future__ import annotations

import numpy as np
import pytest

from gossamer.design.low_oda import low_oda
from gossamer.maintain.events import EventRecord
from gossamer.maintain.maintainer import Maintainer
from gossamer.maintain.strategies.elasto_l import ElastoL
from gossamer.sim.protocol_events import protocol_events
from gossamer.workloads import churn_rounds, generate_interests


@pytest.mark.parametrize("reach", [0, 1])
def test_machines_and_rounds_come_to_like_degrees(reach: int) -> None:
    interests = generate_interests("rss", nodes=50, topics=24, subscriptions=6, seed=1)
    present, events = churn_rounds(interests.node_count, 50, seed=2)
    machines = list(
        protocol_events(
            "elasto", interests, present, events,
            options={"reach": reach, "concurrent": 1}, initial_overlay="low-oda",
            start_seconds=10.0, seed=1,
        )
    )  # fmt: skip
    first = low_oda(interests, seed=1)
    strategy = ElastoL(share=0.0, reach=reach, seed=1)
    maintainer = Maintainer(interests, first, strategy=strategy, present=present, seed=1)
    rounds = []
    for record in maintainer.run(events, check=True):
        rounds.append(record)
        strategy.gossip(0.5)
    assert machines[0].links == first.link_count
    assert all(record.disconnected_topics == 0 for record in (*machines, *rounds))
    assert _mean(machines[1:]) == pytest.approx(_mean(rounds), rel=0.1)


def _mean(records: list[EventRecord]) -> float:
    return float(np.mean([record.mean_degree for record in records]))
