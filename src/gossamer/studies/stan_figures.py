"""StaN's appendices A and B: dissemination, and the omniscient, on any of the universes."""

from __future__ import annotations

from collections.abc import Mapping

from gossamer.studies.schema import Column, Figure, Parameters, Plot, Point, Row, Seen, Statement

__all__ = [
    "LOSSY_ROUNDS",
    "POINTS",
    "QUICK_NODES",
    "ROUNDS",
    "TITLES",
    "figure_10a",
    "figure_10b",
    "figure_11a",
    "figure_11b",
    "line_of",
    "named",
    "posts",
    "run",
    "shrink",
    "static",
    "swap_rules",
    "title_of",
    "views",
]

NODES, SOME_NODES, QUICK_NODES = 1381, 400, 200
ROUNDS, LOSSY_ROUNDS = 30, 20
SAVINGS = (0, 5, 10, 15, 20, 30, 40)
POINTS: dict[str, Point] = {}
UNIVERSES: dict[str, dict[str, int | float | str]] = {
    "correlated": {},
    "askubuntu": {"table": "askubuntu"},
    "lastfm": {"table": "lastfm"},
}
TITLES = {
    "correlated": "drawn, correlated",
    "askubuntu": "Ask Ubuntu",
    "lastfm": "Last.fm",
}


def run(universe: str, **parameters: int | float | str) -> str:
    """Enter a run, once however often it is shown, and return its name."""
    settled = {"nodes": NODES, **UNIVERSES[universe], **parameters}
    words = (f"{key} {value}" for key, value in sorted(settled.items()) if key != "table")
    name = f"{universe}: {', '.join(words)}"
    POINTS.setdefault(name, Point(name, settled))
    return name


def shrink(parameters: Parameters) -> Parameters:
    """Return the parameters of a first look."""
    return {**parameters, "nodes": min(QUICK_NODES, int(parameters["nodes"]))}


def static(universe: str) -> str:
    """Enter the run without loss and churn, with everything that is measured of it."""
    more: dict[str, int | float | str] = {"posts": 1} if universe == "askubuntu" else {}
    return run(universe, rounds=ROUNDS, whole=1, **more)


def named(figure: str, universe: str) -> str:
    """Return the name of a figure's figure on a universe."""
    return figure if universe == "correlated" else f"{figure}-{universe}"


def title_of(words: str, universe: str) -> str:
    """Return the title of a figure or table on a universe."""
    return f"{words} ({TITLES[universe]})"


def line_of(seen: Seen, title: str) -> dict[str, float]:
    """Return our means of a column, by row."""
    return dict(seen.get(title, {}))


# -- appendix A: dissemination -------------------------------------------------------------


def figure_10a(universe: str) -> Figure:
    """Return the distribution of what CrosspostFlood saves."""
    return Figure(
        named("figure-10a", universe),
        title_of("Figure 10(a): bandwidth reduction by CrosspostFlood, distribution", universe),
        "Reduction of more than, %",
        (
            Column("share of nodes, before StaN", "triplets saving before/*"),
            Column("share of nodes, after StaN", "triplets saving after/*"),
        ),
        tuple(Row(str(least), static(universe), x=least) for least in SAVINGS),
        notes=(
            "Each topic with the two that go with it most, ten publications each (A.1). Neither "
            "flood sends a copy back to where one came from; SimpleFlood so leaves out one on each "
            "topic, CrosspostFlood one in all, which is why the saving may be below 0 where no "
            "links are shared.",
        ),
        statements=(
            Statement(
                "“Without StaN's optimizations the amount of nodes able to save more than 10% … is "
                "negligible.” (5 % of them or fewer)",
                lambda seen: line_of(seen, "share of nodes, before StaN").get("10", 1.0) <= 0.05,
                "In small topics views hold nearly everybody, so links are shared from the outset.",
            ),
            Statement(
                "“More than 20% of the nodes are able to achieve reductions greater than 10%.”",
                lambda seen: line_of(seen, "share of nodes, after StaN").get("10", 0.0) > 0.2,
                "A link serves fewer topics here, LVS by PVS, than in the drawn universe, so it is "
                "seldom that two of a message's three topics share one.",
            ),
        ),
        plot=Plot("reduction of more than, %", "share of nodes", columns=2),
    )


def figure_10b(universe: str) -> Figure:
    """Return the distribution of hops."""
    return Figure(
        named("figure-10b", universe),
        title_of("Figure 10(b): hops to the first delivery, after StaN", universe),
        "Hops",
        (
            Column("SimpleFlood", "triplets hops simple after/*"),
            Column("CrosspostFlood", "triplets hops crosspost after/*"),
            Column("SimpleFlood, before StaN", "triplets hops simple before/*"),
            Column("CrosspostFlood, before StaN", "triplets hops crosspost before/*"),
        ),
        tuple(Row(str(hops), static(universe), x=hops) for hops in range(1, 9)),
        statements=(
            Statement(
                "“Hop-counts are almost unaffected and even reduced in some situations.”",
                lambda seen: (
                    _mean(line_of(seen, "CrosspostFlood")) <= _mean(line_of(seen, "SimpleFlood"))
                ),
            ),
        ),
        plot=Plot("hops", "share of deliveries", columns=4),
    )


def _mean(shares: Mapping[str, float]) -> float:
    return sum(int(hops) * share for hops, share in shares.items())


def posts(universe: str) -> Figure:
    """Return what both floods cost, on triplets and on posts as they were."""
    kinds = ("triplets", "posts") if universe == "askubuntu" else ("triplets",)
    return Figure(
        named("floods", universe),
        title_of("Ours: copies for each delivery, and what is saved in all", universe),
        "Published",
        tuple(
            Column(f"{what}, {name}", f"* {measure}{name}")
            for what, measure in (
                ("SimpleFlood, copies a receipt", "copies simple "),
                ("CrosspostFlood, copies a receipt", "copies crosspost "),
                ("saved, %", "total saving "),
                ("SimpleFlood, mean hops", "mean hops simple "),
                ("CrosspostFlood, mean hops", "mean hops crosspost "),
                ("hit ratio", "hit ratio "),
            )
            for name in ("before", "after")
        ),
        tuple(Row(kind, static(universe)) for kind in kinds),
        notes=(
            "*triplets*: each topic with the two that go with it most (A.1); *posts*: as they were "
            "posted, with their own tags, by somebody who wants all of them.",
        ),
        statements=(
            Statement(
                "CrosspostFlood saves more on shared links than on others.",
                lambda seen: all(
                    line_of(seen, "saved, %, after")[row] > before
                    for row, before in line_of(seen, "saved, %, before").items()
                ),
            ),
            Statement(
                "Every subscriber gets everything.",
                lambda seen: all(
                    value == 1.0
                    for title, line in seen.items()
                    if "hit ratio" in title
                    for value in line.values()
                ),
            ),
        ),
    )


# -- appendix B: the omniscient ------------------------------------------------------------


def figure_11a(universe: str) -> Figure:
    """Return physical views before and after, by tenths of the nodes."""
    return Figure(
        named("figure-11a", universe),
        title_of("Figure 11(a): view improvement, nodes in tenths by their first view", universe),
        "Tenth",
        (
            Column("first PVS", "initial pvs/*"),
            Column("final PVS, StaN", "final pvs/*"),
            Column("PVS, greedy-omniscient", "greedy pvs/*"),
        ),
        tuple(Row(str(tenth), static(universe), x=tenth) for tenth in range(1, 11)),
        notes=("The paper draws a point for each node; ours are means of a tenth of them.",),
        statements=(
            Statement(
                "“The greedy-omniscient implementation outperforms StaN in terms of PVS "
                "reduction.”",
                lambda seen: all(
                    value < line_of(seen, "final PVS, StaN")[row]
                    for row, value in line_of(seen, "PVS, greedy-omniscient").items()
                ),
            ),
            Statement(
                "“For an IPVS of 600 StaN achieves a reduction of around 400.” (More than half, "
                "for the tenth with the largest views)",
                lambda seen: (
                    line_of(seen, "final PVS, StaN")["10"] < 0.5 * line_of(seen, "first PVS")["10"]
                ),
                "Here many topics are so small that a view holds everybody or nearly so: there is "
                "nothing to choose, and so nothing to share.",
            ),
        ),
        plot=Plot("tenth of the nodes, by first view", "physical view", columns=3),
    )


def figure_11b(universe: str) -> Figure:
    """Return the distribution of clustering coefficients."""
    return Figure(
        named("figure-11b", universe),
        title_of("Figure 11(b): clustering coefficients, distribution", universe),
        "Percentile",
        (
            Column("initial", "clustering initial/*"),
            Column("final StaN", "clustering final/*"),
            Column("greedy-omniscient", "clustering greedy/*"),
        ),
        tuple(Row(str(percent), static(universe), x=percent) for percent in range(10, 101, 10)),
        notes=("Of each node in the overlay of each of its topics.",),
        statements=(
            Statement(
                "“Lines Initial and Final StaN overlap.” (Within 0.02 up to the 90th percentile)",
                lambda seen: all(
                    abs(value - line_of(seen, "initial")[row]) <= 0.02
                    for row, value in line_of(seen, "final StaN").items()
                    if row != "100"
                ),
                "Coefficients of views of a few neighbours are coarse, so that a percentile may "
                "jump from one fraction to the next; the means are in the table of views.",
            ),
            Statement(
                "“The tradeoff is increased clustering” of the omniscient.",
                lambda seen: (
                    sum(line_of(seen, "greedy-omniscient").values())
                    > 1.1 * sum(line_of(seen, "final StaN").values())
                ),
            ),
        ),
        plot=Plot("percentile", "clustering coefficient", columns=3),
    )


def views(universes: tuple[str, ...], name: str) -> Figure:
    """Return LVS and PVS, first and last, and whether all topics are connected."""
    last = str(ROUNDS)
    return Figure(
        name,
        "Ours: logical and physical views, first and last",
        "Universe",
        (
            Column("LVS, first", "lvs/0"),
            Column("LVS, last", f"lvs/{last}"),
            Column("PVS, first", "pvs/0"),
            Column("PVS, last", f"pvs/{last}"),
            Column("largest PVS, first", "most pvs initial"),
            Column("largest PVS, last", "most pvs final"),
            Column("PVS, omniscient", "pvs greedy"),
            Column("topics in pieces", "topics in pieces"),
            Column("clustering, first", "clustering initial"),
            Column("clustering, last", "clustering final"),
            Column("clustering, omniscient", "clustering greedy"),
            Column("messages a node and round", "messages a node and round"),
        ),
        tuple(Row(TITLES[universe], static(universe)) for universe in universes),
        statements=(
            Statement(
                "Large PVS reduction (by a quarter or more) with LVS kept (within 1 %) and every "
                "topic's overlay connected.",
                lambda seen: all(
                    line_of(seen, "PVS, last")[row] <= 0.75 * first
                    and abs(line_of(seen, "LVS, last")[row] / line_of(seen, "LVS, first")[row] - 1)
                    <= 0.01
                    and line_of(seen, "topics in pieces")[row] == 0
                    for row, first in line_of(seen, "PVS, first").items()
                ),
            ),
        ),
    )


def swap_rules(universe: str) -> Figure:
    """Return what the ways to swap and to collect come to."""
    last = str(LOSSY_ROUNDS)
    ways: dict[str, dict[str, int | float | str]] = {
        "a pair of links, second half of the walk with views (default)": {},
        "a pair of links, second half of the walk without views": {"collect": "visited"},
        "one end of a link": {"swap": "move"},
        "none": {"swap": "none"},
    }
    return Figure(
        "swap-rules",
        title_of(f"Ours: ways to swap, {SOME_NODES} nodes, after {last} rounds", universe),
        "What is swapped",
        (
            Column("PVS, first", "pvs/0"),
            Column("PVS", f"pvs/{last}"),
            Column("LVS, first", "lvs/0"),
            Column("LVS", f"lvs/{last}"),
            Column("clustering, first", "clustering initial"),
            Column("clustering", "clustering final"),
            Column("topics in pieces", "topics in pieces"),
        ),
        tuple(
            Row(way, run(universe, nodes=SOME_NODES, rounds=LOSSY_ROUNDS, whole=1, **more))
            for way, more in ways.items()
        ),
        statements=(
            Statement(
                "(Ours) To swap a pair keeps LVS and clustering; to move one end shares more, and "
                "keeps neither.",
                lambda seen: _keeps(seen, 0) and not _keeps(seen, 2),
            ),
        ),
    )


def _keeps(seen: Seen, row: int) -> bool:
    """Whether a row keeps LVS within 1 % and clustering within a tenth."""

    def value(title: str) -> float:
        return list(seen[title].values())[row]

    return abs(value("LVS") / value("LVS, first") - 1) <= 0.01 and value(
        "clustering"
    ) <= 1.1 * value("clustering, first")
