"""Every figure of StaN's supplement, and what its text says of each.

The figures themselves are not in the text that we have, and neither is the main paper; nor are
the paper's two universes. Each figure is run on drawn interests, and on Ask Ubuntu's and Last.fm's
where the user has them (``--data``).
"""

from __future__ import annotations

from gossamer.studies.registry import add_study
from gossamer.studies.schema import Study
from gossamer.studies.stan_dynamics import (
    figure_12,
    figure_13a,
    figure_13b,
    figure_14,
    isolation,
)
from gossamer.studies.stan_figures import (
    POINTS,
    QUICK_NODES,
    figure_10a,
    figure_10b,
    figure_11a,
    figure_11b,
    posts,
    shrink,
    swap_rules,
    views,
)
from gossamer.studies.stan_runs import measure_stan

__all__ = ["STUDY"]

DRAWN, REAL, MORE = "correlated", "askubuntu", "lastfm"
STATIC = (figure_10a, figure_10b, posts, figure_11a, figure_11b)
DYNAMIC = (figure_12, figure_13a, figure_13b, isolation, figure_14)

STUDY = add_study(
    Study(
        name="stan",
        title="Scaling up publish/subscribe overlays using interest correlation for link sharing",
        reference="Matos, Felber, Oliveira, Pereira, Rivière (StaN), supplement",
        figures=(
            *(figure(DRAWN) for figure in (*STATIC, *DYNAMIC)),
            views((DRAWN,), "views"),
            swap_rules(DRAWN),
            *(figure(REAL) for figure in (*STATIC, *DYNAMIC) if figure is not isolation),
            *(figure(MORE) for figure in STATIC),
            views((REAL, MORE), "views-real"),
        ),
        points=tuple(POINTS.values()),
        run=measure_stan,
        instances=1,
        code=(
            "kernels",
            "protocols",
            "host",
            "sim",
            "workloads",
            "studies/stan_runs.py",
            "studies/stan_workloads.py",
        ),
        notes=(
            "The main paper's Algorithms 1 and 2 are not in the text that we have; what the "
            "supplement says of them is kept, and the rest is reconstructed, as "
            "`protocols/stan/policy.py` says. The universes are ours: *drawn, correlated* has 400 "
            "topics in 20 groups, and each node 39 topics of 4 groups; *Ask Ubuntu* and *Last.fm* "
            "are 1,381 users with ten topics or more, at random, and the topics that two of them "
            "share. A round is a second, walks visit five nodes, views have ⌈ln n⌉ + 2 neighbours, "
            "messages take 5 to 15 ms. Each run draws its own interests, or users of a table.",
        ),
        shrink=shrink,
        shrunk_to=f"{QUICK_NODES} nodes",
    )
)
