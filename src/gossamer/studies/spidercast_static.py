"""SpiderCast §3.3 to §3.5: connectivity, popularity, scalability."""

from __future__ import annotations

from collections.abc import Mapping

from gossamer.studies.schema import Column, Explanation, Figure, Plot, Row, Seen, Statement
from gossamer.studies.spidercast_points import (
    FULL,
    NODES,
    QUICK,
    Options,
    all_below,
    all_fall,
    all_zero,
    by_nodes,
    columns_of,
    falling,
    in_order,
    rising,
    run,
)

__all__ = ["STATIC"]

DIAMETERS = (
    "Ours are larger at every size. The paper's are about half of ours, and look like radii; it "
    "does not say how they were measured."
)
MAXIMUM = (
    "Ours is below 20: a node stops adding links at coverage, and parts with those that it does "
    "not need. The paper's 32 is L^max + 2, as if nodes had filled up to the limit first."
)
ZIPF = (
    "With ties broken uniformly, as the paper says, no topic is in pieces in our runs. How ties "
    "were broken in the paper's may be the reason; a tie-break that favours some nodes was not "
    "tried."
)

# -- 3.3: topic connectivity, Zipf(2) ---------------------------------------------------------

ZIPF_2: Options = {
    "(3,0)-coverage": {"kind": "zipf", "alpha": 2.0, "kg": 3, "kr": 0},
    "(4,0)-coverage": {"kind": "zipf", "alpha": 2.0, "kg": 4, "kr": 0},
    "(3,1)-coverage": {"kind": "zipf", "alpha": 2.0, "kg": 3, "kr": 1},
}
PARTITIONED = dict(zip(NODES, (0, 0, 0, 15, 14, 14), strict=True))
FIGURE_6A = Figure(
    "figure-6a",
    "Figure 6(a): partitioned topics, Zipf with α = 2",
    "Nodes",
    columns_of(ZIPF_2, "partitioned", 0.15),
    by_nodes(
        ZIPF_2, paper={count: {"(3,0)-coverage": float(n)} for count, n in PARTITIONED.items()}
    ),
    (Explanation(ZIPF, measures=("partitioned",)),),
    (FULL,),
    (
        Statement("(3,1)-coverage connects every topic.", all_zero("(3,1)-coverage")),
        Statement(
            "(4,0)-coverage does not connect every topic.",
            lambda seen: any(v > 0 for v in seen["(4,0)-coverage"].values()),
            ZIPF,
        ),
        Statement(
            "The share of partitioned topics is small (at most 15 %).",
            lambda seen: all(v <= 15 for v in seen["(3,0)-coverage"].values()),
        ),
    ),
)
FIGURE_6B = Figure(
    "figure-6b",
    "Figure 6(b): average node degree, Zipf with α = 2",
    "Nodes",
    columns_of(ZIPF_2, "degree", 0.15),
    by_nodes(ZIPF_2, paper={10_000: {"(3,0)-coverage": 7.0, "(3,1)-coverage": 13.0}}),
    (Explanation("The paper gives these as approximate, and for no particular size."),),
    (FULL,),
    (
        Statement(
            "“The average node degree will be lower than the average number of subscriptions.”",
            lambda seen: all(v < 10 for v in seen["(3,0)-coverage"].values()),
        ),
        Statement(
            "Random coverage costs links: (3,1) has more than (3,0).",
            in_order("(3,0)-coverage", "(3,1)-coverage"),
        ),
    ),
    Plot("nodes", "average node degree"),
)

# -- 3.3.1: the adaptive scheme ---------------------------------------------------------------

LAWS: Options = {
    "RSS": {"kind": "rss"},
    "Zipf(1)": {"kind": "zipf", "alpha": 1.0},
    "NYSE": {"kind": "nyse"},
    "uniform": {"kind": "uniform"},
    "Zipf(2)": {"kind": "zipf", "alpha": 2.0},
}
ADAPTIVE = Figure(
    "adaptive",
    "§3.3.1: K_r set by each node itself",
    "Popularity",
    (
        Column("topics in pieces, adaptive", "partitioned", series="adaptive"),
        Column("degree, adaptive", "degree", series="adaptive"),
        Column("degree, (3,0)-coverage", "degree", series="fixed"),
    ),
    tuple(
        Row(
            f"{name}, {count:,} nodes",
            points={
                "adaptive": run(nodes=count, kg=3, adaptive=1, **law),
                "fixed": run(nodes=count, kg=3, kr=0, **law)
                if name == "Zipf(2)"
                else run(nodes=count, **law),
            },
            quick=count <= QUICK,
        )
        for name, law in LAWS.items()
        for count in (1000, 10_000)
    ),
    (),
    (FULL,),
    (
        Statement(
            "“The adaptive parameter setting strategy indeed works for all the workloads.”",
            all_zero("topics in pieces, adaptive"),
        ),
        Statement(
            "“Apart from the Zipf(α = 2) distribution, all other distributions settle with "
            "(3,0)-coverage.”",
            lambda seen: all(
                value <= 1.05 * seen["degree, (3,0)-coverage"][label]
                for label, value in seen["degree, adaptive"].items()
                if not label.startswith("Zipf(2)")
            ),
            "A node that happens to be covered by exactly three neighbours begins random "
            "coverage, whatever the distribution, and under NYSE and Zipf(1) some are.",
        ),
    ),
)

# -- 3.4: popularity ----------------------------------------------------------------------------

FOUR = {name: LAWS[name] for name in ("NYSE", "Zipf(1)", "RSS", "uniform")}
FIGURE_7A = Figure(
    "figure-7a",
    "Figure 7(a): average node degree for different popularity distributions, (3,0)-coverage",
    "Nodes",
    columns_of(FOUR, "degree"),
    by_nodes(FOUR),
    (),
    (FULL,),
    (
        Statement(
            "“In all of our experiments, the average node degree is less than 12.”", all_below(12)
        ),
        Statement(
            "“The lowest and highest average node degree is achieved … with the NYSE … and the "
            "uniform distribution.”",
            in_order("NYSE", "Zipf(1)", "RSS", "uniform"),
        ),
        Statement("“The average node degree decreases with the number of nodes.”", all_fall),
    ),
    Plot("nodes", "average node degree"),
)
FIGURE_7A_INTERVALS = Figure(
    "figure-7a-intervals",
    "Figure 7(a): half width of the 95 % confidence interval of the degree, over nodes",
    "Nodes",
    columns_of(FOUR, "interval"),
    by_nodes(FOUR),
    statements=(Statement("“The 95% confidence intervals are small.”", all_below(0.2)),),
)
FIGURE_7A_CONNECTED = Figure(
    "section-3.4-connectivity",
    "§3.4: partitioned topics",
    "Nodes",
    columns_of(FOUR, "partitioned"),
    by_nodes(FOUR),
    statements=(
        Statement(
            "“In all of the experiments, all the topics are connected.”",
            all_zero(*FOUR),
        ),
    ),
)
FIGURE_7B = Figure(
    "figure-7b",
    "Figure 7(b): top-20 intersection, per cent",
    "Nodes",
    columns_of(FOUR, "tdi"),
    by_nodes(FOUR),
    (),
    (),
    (
        Statement(
            "The higher tdi(20), the lower the degree: NYSE, Zipf(1), RSS, uniform.",
            in_order("uniform", "RSS", "Zipf(1)", "NYSE"),
        ),
        Statement(
            "“Increasing the number of nodes also increases the value of tdi(d).”",
            lambda seen: all(rising(list(line.values())) for line in seen.values()),
        ),
    ),
    Plot("nodes", "tdi(20), %"),
)
PUBLISHED_DIAMETERS = {"uniform": 6.0, "RSS": 6.0, "Zipf(1)": 7.0, "NYSE": 8.0}
DIAMETERS_34 = Figure(
    "section-3.4-diameters",
    "§3.4: maximum topic diameter",
    "Nodes",
    columns_of(FOUR, "diameter", 0.1),
    by_nodes(FOUR, paper={10_000: PUBLISHED_DIAMETERS}),
    (Explanation(DIAMETERS),),
    (),
    (
        Statement(
            "The diameter is largest under NYSE, smallest under uniform and RSS.",
            lambda seen: (
                seen["NYSE"][_last(seen)] >= max(line[_last(seen)] for line in seen.values())
            ),
            "Ours hardly differ by distribution: 10 or 11 at 10,000 nodes.",
        ),
    ),
)


def _last(seen: Seen) -> str:
    return list(next(iter(seen.values())))[-1]


# -- 3.5: scalability ---------------------------------------------------------------------------

TOPICS_8A: Options = {
    "100 topics": {},
    "200 topics": {"topics": 200},
}
FIGURE_8A = Figure(
    "figure-8a",
    "Figure 8(a): average node degree, number of nodes",
    "Nodes",
    columns_of(TOPICS_8A, "degree"),
    by_nodes(TOPICS_8A),
    (),
    (FULL,),
    (
        Statement("“The average node degree decreases as the number of nodes grows.”", all_fall),
        Statement(
            "“Increasing the number of topics moderately increases the average node degree.”",
            in_order("100 topics", "200 topics"),
        ),
    ),
    Plot("nodes", "average node degree"),
)
FIGURE_8D = Figure(
    "figure-8d",
    "Figure 8(d): tdi(20), number of nodes",
    "Nodes",
    columns_of(TOPICS_8A, "tdi"),
    by_nodes(TOPICS_8A),
    statements=(
        Statement(
            "“Increasing the number of topics reduces the tdi(20) value.”",
            in_order("200 topics", "100 topics"),
        ),
    ),
    plot=Plot("nodes", "tdi(20), %"),
)
MAXIMA_35 = Figure(
    "section-3.5-maxima",
    "§3.5.1: maximum node degree and topic diameter",
    "Nodes",
    (
        Column("maximum degree, 100 topics", "maximum", 0.1, series="100 topics"),
        Column("maximum degree, 200 topics", "maximum", 0.1, series="200 topics"),
        Column("maximum diameter, 100 topics", "diameter", 0.1, series="100 topics"),
        Column("maximum diameter, 200 topics", "diameter", 0.1, series="200 topics"),
    ),
    by_nodes(
        TOPICS_8A,
        paper={
            10_000: {
                "maximum degree, 100 topics": 32.0,
                "maximum degree, 200 topics": 31.0,
                "maximum diameter, 100 topics": 6.0,
                "maximum diameter, 200 topics": 6.0,
            }
        },
    ),
    (
        Explanation(MAXIMUM, measures=("maximum",)),
        Explanation(DIAMETERS, measures=("diameter",)),
    ),
    statements=(
        Statement(
            "“The maximum node degree can be roughly 2 or 3 times the average.”",
            lambda seen: all(v >= 15 for v in seen["maximum degree, 100 topics"].values()),
        ),
        Statement(
            "“A topic diameter grows logarithmically with the number of subscribers.”",
            lambda seen: (
                max(seen["maximum diameter, 100 topics"].values())
                <= 2 * min(seen["maximum diameter, 100 topics"].values())
            ),
        ),
    ),
)
TOPICS = (100, 200, 400, 600, 800, 1000)


def _by_topics(nodes: int, quick: bool, paper: Mapping[int, Mapping[str, float]]) -> list[Row]:
    return [
        Row(
            f"{count:,} of {nodes:,} nodes" if quick else f"{count:,}",
            run(nodes=nodes, topics=count, subscriptions=20, depth=40),
            quick=quick,
            paper=paper.get(count, {}),
            x=count,
        )
        for count in TOPICS
    ]


FIGURE_8B = Figure(
    "figure-8b",
    "Figures 8(b) and 8(e): average node degree, tdi(40) and diameter, number of topics",
    "Topics",
    (
        Column("average degree", "degree"),
        Column("tdi(40), %", "tdi"),
        Column("maximum diameter", "diameter", 0.1),
    ),
    (
        *_by_topics(10_000, False, {100: {"diameter": 5.0}, 1000: {"diameter": 4.0}}),
        *_by_topics(1000, True, {}),
    ),
    (Explanation(DIAMETERS, measures=("diameter",)),),
    ("10,000 nodes with 20 subscriptions each; at the quick size 1,000 nodes.",),
    (
        Statement(
            "“Increasing the number of topics results in a moderate increase in the average "
            "node degree.”",
            lambda seen: all(rising(part) for part in _parts(seen["average degree"])),
        ),
        Statement(
            "“Increasing the number of topics reduces the tdi(40) value.”",
            lambda seen: all(falling(part) for part in _parts(seen["tdi(40), %"])),
        ),
        Statement(
            "“Increasing the number of topics also reduces the maximum topic diameter.”",
            lambda seen: all(part[-1] < part[0] for part in _parts(seen["maximum diameter"])),
        ),
    ),
)


def _parts(line: Mapping[str, float]) -> list[list[float]]:
    """Divide a line into the paper's size and the quick one, as far as they are there."""
    quick = [value for label, value in line.items() if "nodes" in label]
    whole = [value for label, value in line.items() if "nodes" not in label]
    return [part for part in (whole, quick) if part]


SIZES: Options = {
    "10 subscriptions": {},
    "15 subscriptions": {"subscriptions": 15, "depth": 30},
    "20 subscriptions": {"subscriptions": 20, "depth": 40},
    "30 subscriptions": {"subscriptions": 30, "depth": 60},
    "40 subscriptions": {"subscriptions": 40, "depth": 80},
}
FIGURE_8C = Figure(
    "figure-8c",
    "Figure 8(c): average node degree, subscriptions per node",
    "Nodes",
    columns_of(SIZES, "degree"),
    by_nodes(SIZES),
    (),
    (FULL,),
    (
        Statement(
            "“Increasing … from 10 to 15 and then from 15 to 20 increases the average node "
            "degree.”",
            in_order("10 subscriptions", "15 subscriptions", "20 subscriptions"),
            "It does from 10 to 15, and with many nodes from 15 to 20; with 1,000 or 2,000 the "
            "turn comes at 15 already.",
        ),
        Statement(
            "“Increasing … from 20 to 30 and then from 30 to 40 decreases the average node "
            "degree.”",
            in_order("40 subscriptions", "30 subscriptions", "20 subscriptions"),
        ),
    ),
    Plot("nodes", "average node degree"),
)
FIGURE_8F = Figure(
    "figure-8f",
    "Figure 8(f): tdi(2d) for d subscriptions per node",
    "Nodes",
    columns_of({name: one for name, one in SIZES.items() if name != "10 subscriptions"}, "tdi"),
    by_nodes({name: one for name, one in SIZES.items() if name != "10 subscriptions"}),
    statements=(
        Statement(
            "“Above this threshold, which is around 20 … increases the tdi(2d) value.”",
            in_order("20 subscriptions", "30 subscriptions", "40 subscriptions"),
        ),
    ),
    plot=Plot("nodes", "tdi(2d), %"),
)

STATIC = (
    FIGURE_6A, FIGURE_6B, ADAPTIVE, FIGURE_7A, FIGURE_7A_INTERVALS, FIGURE_7A_CONNECTED,
    FIGURE_7B, DIAMETERS_34, FIGURE_8A, FIGURE_8D, MAXIMA_35, FIGURE_8B, FIGURE_8C, FIGURE_8F,

)  # fmt: skip
