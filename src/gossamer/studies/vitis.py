"""Every figure of the Vitis paper, and what its text says of each.

The curves themselves are not in the text that we have, so what it says in words is compared.
Twitter's follower graph and Skype's trace are not here: a follower graph with the same exponents
is drawn, and sessions with a flash crowd; with ``--data``, Epinions and Ethereum's sessions are
taken besides.
"""

from __future__ import annotations

from gossamer.studies.registry import add_study
from gossamer.studies.schema import Study
from gossamer.studies.vitis_figures import (
    POINTS,
    QUICK_NODES,
    figure_4a,
    figure_4b,
    figure_5,
    figure_6a,
    figure_6b,
    figure_7a,
    figure_7b,
    readings,
    ring,
    shrink,
)
from gossamer.studies.vitis_runs import measure_vitis
from gossamer.studies.vitis_social import (
    figure_8,
    figure_9,
    figure_10a,
    figure_10b,
    figure_10c,
    figure_11,
    figure_12a,
    figure_12b,
    figure_12c,
)

__all__ = ["STUDY"]

SOCIAL = (figure_8, figure_9, figure_10a, figure_10b, figure_10c, figure_11)
CHURN = (figure_12a, figure_12b, figure_12c)

STUDY = add_study(
    Study(
        name="vitis",
        title="Vitis: A Gossip-based Hybrid Overlay for Internet-scale Publish/Subscribe",
        reference="Rahimian, Girdzijauskas, Payberah, Haridi, IPDPS 2011",
        figures=(
            figure_4a(),
            figure_4b(),
            figure_5(),
            figure_6a(),
            figure_6b(),
            figure_7a(),
            figure_7b(),
            *(figure("follower-graph") for figure in SOCIAL),
            *(figure("superpeers") for figure in CHURN),
            ring(),
            readings(),
            *(figure("epinions") for figure in SOCIAL),
            *(figure("ethereum") for figure in CHURN),
        ),
        points=tuple(POINTS.values()),
        run=measure_vitis,
        instances=1,
        code=(
            "kernels",
            "cycles",
            "workloads/sessions.py",
            "workloads/superpeers.py",
            "workloads",
            "studies/vitis_runs.py",
        ),
        notes=(
            "Run in rounds (`gossamer.cycles`); at the paper's size 10,000 nodes, 5,000 "
            "topics, 50 subscriptions a node, 100 buckets, and 120 rounds. At the end two events "
            "on every topic, by random subscribers, count by the topic's rate. Overhead is the "
            "share of first receptions that is of no interest, since an event is pulled once; "
            "*with duplicates* counts every notification. Each run draws its own subscriptions.",
        ),
        shrink=shrink,
        shrunk_to=f"{QUICK_NODES:,} nodes and 500 topics",
    )
)
