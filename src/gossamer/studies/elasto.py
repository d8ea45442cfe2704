"""Every figure of the ElastO paper, and what its text says of each.

The curves themselves are not in the text that we have, so its numbers and words are compared.
Google's trace, Twitter's graph and that crawl of Facebook are not here: machines that come and go
are drawn, and a follower graph; with ``--data``, samples of another crawl of Facebook and of
Epinions, and sessions of Tor relays and Ethereum nodes.
"""

from __future__ import annotations

from gossamer.studies.elasto_figures import (
    POINTS,
    QUICK_NODES,
    backups,
    degrees_by_method,
    figure_2,
    figure_3,
    figure_4,
    shrink,
)
from gossamer.studies.elasto_runs import measure_elasto
from gossamer.studies.elasto_systems import (
    bounds,
    churns,
    degrees_table,
    figure_7,
    figure_9,
    load,
)
from gossamer.studies.elasto_views import figure_6a, figure_6b, gossiping, readings
from gossamer.studies.registry import add_study
from gossamer.studies.schema import Figure, Study

__all__ = ["STUDY"]

DRAWN_CHURN = {"join or leave, p = 0.5": "rounds", "machines": "machines"}
REAL_CHURN = {"Tor relays": "tor", "Ethereum nodes": "ethereum"}


def _social(graph: str) -> tuple[Figure, ...]:
    """Return the figures on a social graph of 1,000 users."""
    return (
        figure_2(graph),
        figure_6a(graph),
        gossiping(graph),
        figure_6b(graph),
        figure_7(graph, 1_000),
        degrees_table(graph, 1_000),
        load(graph, 1_000),
        figure_9(graph),
        readings(graph),
    )


def _large(graph: str) -> tuple[Figure, ...]:
    """Return the figures on a social graph of 10,000 users."""
    return figure_7(graph, 10_000), degrees_table(graph, 10_000), load(graph, 10_000)


STUDY = add_study(
    Study(
        name="elasto",
        title="ElastO: Dynamic, Efficient, and Robust Maintenance of Low Fan-out Overlays for "
        "Topic-based Publish/Subscribe under Churn",
        reference="Chen, Vitenberg, Jacobsen",
        figures=(
            bounds(),
            figure_3(),
            figure_4(),
            backups(),
            *(degrees_by_method(workload) for workload in ("unif", "zipf", "expo")),
            *_social("drawn"),
            *_large("drawn"),
            churns("drawn", DRAWN_CHURN),
            *_social("facebook"),
            *_social("epinions"),
            *_large("epinions"),
            churns("facebook", {**DRAWN_CHURN, **REAL_CHURN}),
        ),
        points=tuple(POINTS.values()),
        run=measure_elasto,
        instances=1,
        code=(
            "kernels/repair/adjacency.py",
            "kernels/merge/link.py",
            "kernels/repair/shadows.py",
            "kernels/merge/components.py",
            "kernels/merge/scan.py",
            "kernels/merge/span.py",
            "kernels/repair/backups.py",
            "maintain/backups.py",
            "design/low_oda.py",
            "maintain/maintainer.py",
            "maintain/repair.py",
            "design/_merge/engine.py",
            "maintain/strategies",
            "maintain/dynamic_overlay.py",
            "maintain/strategies",
            "maintain/eventwise.py",
            "protocols/spidercast",
            "workloads",
            "studies/elasto_runs.py",
        ),
        notes=(
            "ElastO-L has local views that gossip keeps (`gossamer.sim.elasto`): after each event "
            "one node of twenty, or of a hundred where there are 10,000, exchanges views with "
            "another. λ is 5, ρ 3, L 1, backups by the primal-dual method, unless a row says "
            "otherwise. Whoever mends knows the neighbours of the shadows too: *readings* says "
            "what that is worth. All systems of a figure have the same interests and churn.",
        ),
        shrink=shrink,
        shrunk_to=f"{QUICK_NODES} nodes and 60 rounds",
    )
)
