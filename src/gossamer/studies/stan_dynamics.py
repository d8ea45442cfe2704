"""StaN's appendix C, dynamics: message loss, churn, and a universe that grows."""

from __future__ import annotations

from itertools import pairwise

from gossamer.studies.schema import Column, Figure, Plot, Row, Seen, Statement
from gossamer.studies.stan_figures import (
    LOSSY_ROUNDS,
    ROUNDS,
    line_of,
    named,
    run,
    static,
    title_of,
)

__all__ = ["figure_12", "figure_13a", "figure_13b", "figure_14", "isolation"]

CHURN_ROUNDS, GROWTH_ROUNDS = 40, 70
LOSSES = (0, 5, 10, 15, 20)
FASTER = (1, 4, 16)


def lossy(universe: str, percent: int) -> str:
    """Enter a run with message loss."""
    if not percent:
        return static(universe)
    return run(universe, rounds=LOSSY_ROUNDS, loss=percent / 100)


def churning(universe: str, faster: int, refill: int = 5) -> str:
    """Enter a run with nodes that come and go."""
    more: dict[str, int | float | str] = (
        {"sessions": "ethereum"} if universe != "correlated" else {}
    )
    return run(universe, rounds=CHURN_ROUNDS, faster=faster, refill=refill, **more)


def growing(universe: str) -> str:
    """Enter a run with a universe that grows."""
    return run(universe, rounds=GROWTH_ROUNDS, grows=1)


def figure_12(universe: str) -> Figure:
    """Return physical views over rounds, with messages lost."""
    return Figure(
        named("figure-12", universe),
        title_of("Figure 12: view evolution under message loss, PVS", universe),
        "Round",
        tuple(Column(f"{loss}%", "pvs/*", series=str(loss)) for loss in LOSSES),
        tuple(
            Row(str(one), points={str(loss): lossy(universe, loss) for loss in LOSSES}, x=one)
            for one in range(LOSSY_ROUNDS + 1)
        ),
        statements=(
            Statement(
                "“For a loss rate of 10%, the convergence at round 9 is almost indistinguishable.” "
                "(Within 10 % of the way from first to last)",
                lambda seen: _behind(seen, "10%", "9") <= 0.1,
                "A walk, and the swap that comes of it, are six messages each, and all have to "
                "arrive: at 10 % half of the walks are lost, and half of the swaps. Both are tried "
                "again within the round, which brings the curve near and not all the way.",
            ),
            Statement(
                "“Only with loss rates greater than 15% … the convergence speed is too slow to be "
                "useful.” (At 20 %, less than half of the way by round 9)",
                lambda seen: _behind(seen, "20%", "9") >= 0.5,
                "Loss slows convergence down evenly; there is no rate at which it breaks down. "
                "What is lost is tried again within the round, and what is lost half-way is put "
                "right by heartbeats; the supplement speaks of neither.",
            ),
        ),
        plot=Plot("round", "physical view"),
    )


def _behind(seen: Seen, title: str, row: str) -> float:
    """Return how far a lossy line is behind at a round, as a share of the whole way."""
    without = line_of(seen, "0%")
    first, last = without["0"], min(without.values())
    return (line_of(seen, title)[row] - without[row]) / max(first - last, 1e-9)


def _churn_points(universe: str) -> dict[str, str]:
    return {f"{faster}x": churning(universe, faster) for faster in FASTER}


def _traced(universe: str) -> str:
    if universe == "correlated":
        return (
            "Sessions are drawn: exponential, two hours there and two away on average. The "
            "paper's trace of Overnet is not here. A round is a minute of it, or 4, or 16."
        )
    return (
        "Sessions are those of Ethereum nodes seen by a crawler. A round is "
        "a minute of the trace, or 4, or 16."
    )


def figure_13a(universe: str) -> Figure:
    """Return the number of nodes over rounds."""
    points = _churn_points(universe)
    return Figure(
        named("figure-13a", universe),
        title_of("Figure 13(a): universe size under churn", universe),
        "Round",
        tuple(Column(name, "nodes/*", series=name) for name in points),
        tuple(Row(str(one), points=points, x=one) for one in range(2, CHURN_ROUNDS + 1, 2)),
        notes=(_traced(universe), "Nodes are counted two seconds after they have joined."),
        statements=(
            Statement(
                "“Increasing the churn rate increases the magnitude and amplitude of the "
                "variations.” (Steps between rows, on average)",
                lambda seen: _restless(seen, "1x") < _restless(seen, "4x") < _restless(seen, "16x"),
            ),
        ),
        plot=Plot("round", "nodes"),
    )


def _restless(seen: Seen, title: str) -> float:
    values = list(line_of(seen, title).values())
    return sum(abs(b - a) for a, b in pairwise(values)) / max(len(values), 1)


def figure_13b(universe: str) -> Figure:
    """Return views over rounds under churn, and who is isolated."""
    points = _churn_points(universe)
    columns = tuple(
        Column(f"{what.upper()} {name}", f"{what}/*", series=name)
        for what in ("pvs", "lvs")
        for name in points
    )
    return Figure(
        named("figure-13b", universe),
        title_of("Figure 13(b): LVS and PVS under churn", universe),
        "Round",
        columns,
        tuple(Row(str(one), points=points, x=one) for one in range(2, CHURN_ROUNDS + 1, 2)),
        notes=(_traced(universe), "Links count when both ends are there and say so."),
        statements=(
            Statement(
                "LVS and PVS “grow and shrink as the node population variates”; PVS stays below "
                "LVS throughout.",
                lambda seen: all(
                    value < line_of(seen, title.replace("PVS", "LVS"))[row]
                    for title, line in seen.items()
                    if title.startswith("PVS")
                    for row, value in line.items()
                ),
            ),
        ),
        plot=Plot("round", "view", columns=6),
    )


def isolation(universe: str) -> Figure:
    """Return who is isolated, with the rule that fills up views and without."""
    return Figure(
        named("isolation", universe),
        title_of(
            "C.2 in words: nodes isolated by churn, with the refill rule and without", universe
        ),
        "Speed-up",
        tuple(
            Column(f"{what}, {how}", measure, series=how)
            for what, measure in (
                ("nodes without any link, at most", "isolated"),
                ("views cut off from their topic", "cut off"),
                ("share of views that are empty", "empty views"),
                ("PVS at the end", f"pvs/{CHURN_ROUNDS}"),
            )
            for how in ("refilled below 5", "never refilled")
        ),
        tuple(
            Row(
                f"{faster}x",
                points={
                    "refilled below 5": churning(universe, faster),
                    "never refilled": churning(universe, faster, refill=0),
                },
                x=faster,
            )
            for faster in FASTER
        ),
        notes=(
            _traced(universe),
            "A view is cut off from its topic if it is empty for five rounds on end while there "
            "are others; the paper does not say whether it means nodes or views.",
        ),
        statements=(
            Statement(
                "“This simple modification avoids disconnections even under high churn rates.” "
                "(Nobody without a link, and no view cut off, at 16x)",
                lambda seen: (
                    line_of(seen, "nodes without any link, at most, refilled below 5")["16x"] == 0
                    and line_of(seen, "views cut off from their topic, refilled below 5")["16x"]
                    == 0
                ),
            ),
            Statement(
                "“For higher churn rates, … a few nodes got isolated” without it. (Cut off from "
                "a topic)",
                lambda seen: (
                    line_of(seen, "views cut off from their topic, never refilled")["16x"] > 0
                ),
            ),
        ),
    )


def figure_14(universe: str) -> Figure:
    """Return views over rounds in a universe that grows."""
    points = {"growing": growing(universe), "from scratch": static(universe)}
    last = str(GROWTH_ROUNDS)
    scratch = Column("PVS from scratch", f"pvs/{ROUNDS}", series="from scratch")
    return Figure(
        named("figure-14", universe),
        title_of("Figure 14: view evolution in a universe that grows", universe),
        "Round",
        (
            Column("PVS", "pvs/*", series="growing"),
            Column("LVS", "lvs/*", series="growing"),
            scratch,
            Column("LVS from scratch", f"lvs/{ROUNDS}", series="from scratch"),
            Column("nodes", "nodes/*", series="growing"),
        ),
        tuple(Row(str(one), points=points, x=one) for one in range(0, GROWTH_ROUNDS + 1, 2)),
        notes=(
            "Half of the nodes from the start, a tenth more after rounds 10, 20, 30, 40 and 50; "
            "from scratch is the whole universe after 30 rounds.",
        ),
        statements=(
            Statement(
                "“Some rounds after the universe is fully grown (round 60), both LVS and PVS are "
                "almost indistinguishable from a universe fully bootstrapped from scratch.” "
                "(Within 5 % at the end)",
                lambda seen: (
                    abs(line_of(seen, "PVS")[last] / line_of(seen, scratch.title)[last] - 1) <= 0.05
                    and abs(
                        line_of(seen, "LVS")[last] / line_of(seen, "LVS from scratch")[last] - 1
                    )
                    <= 0.05
                ),
                "Each run draws its own users, and those of the growing universe want fewer topics "
                "than those from scratch. Where draws differ little, as in the drawn universe, it "
                "holds.",
            ),
            Statement(
                "“When adding nodes, the PVS grows quickly …, which is then reduced by StaN in a "
                "few rounds.”",
                lambda seen: all(
                    line_of(seen, "PVS")[str(when + 8)]
                    < max(line_of(seen, "PVS")[str(one)] for one in range(when, when + 8, 2))
                    for when in (10, 20, 30, 40, 50)
                ),
            ),
        ),
        plot=Plot("round", "view", columns=4),
    )
