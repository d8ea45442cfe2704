"""Vitis §IV-B to §IV-D: friends and small-world links, table sizes, and publication rates."""

from __future__ import annotations

from collections.abc import Mapping

from gossamer.studies.schema import (
    Column,
    Figure,
    Parameters,
    Plot,
    Point,
    Row,
    Seen,
    Statement,
)
from gossamer.studies.vitis_runs import SHARES

__all__ = [
    "POINTS",
    "QUICK_NODES",
    "RATIO_REASON",
    "SIZES",
    "figure_4a",
    "figure_4b",
    "figure_5",
    "figure_6a",
    "figure_6b",
    "figure_7a",
    "figure_7b",
    "lines_of",
    "readings",
    "ring",
    "run",
    "shrink",
]

NODES, TOPICS, QUICK_NODES, QUICK_TOPICS = 10_000, 5_000, 1_000, 500
ROUNDS, QUICK_ROUNDS = 120, 80
TABLE = 15
PATTERNS = {
    "random": "Vitis, random",
    "low-correlation": "Vitis, low correlation",
    "high-correlation": "Vitis, high correlation",
}
RVR = "RVR"
SMALL = (
    "Where nodes are few, as in a first look, most topics have one cluster whatever the interests."
)
FRIENDS = (0, 2, 4, 6, 8, 10, 12)
SIZES = (15, 20, 25, 30, 35)
ALPHAS = (0.3, 0.5, 0.8, 1.2, 2.0, 3.0)
POINTS: dict[str, Point] = {}
RATIO_REASON = (
    "With random subscriptions a friend shares a few topics of fifty at most, so half of all "
    "subscribers have no neighbour on a topic that leads on, and look up themselves. The ratio "
    "depends on the size: it is smaller with 1,000 nodes (`--quick`)."
)


def run(**parameters: int | float | str) -> str:
    """Enter a run, once however often it is shown, and return its name."""
    settled = {"nodes": NODES, "topics": TOPICS, "rounds": ROUNDS, "lookup": "table", **parameters}
    if settled["protocol"] == "opt":
        del settled["lookup"]
    if settled["workload"] in ("follower-graph", "follows"):
        del settled["topics"]
    name = ", ".join(
        str(value) if key in ("protocol", "workload") else f"{key} {value}"
        for key, value in sorted(settled.items())
    )
    POINTS.setdefault(name, Point(name, settled))
    return name


def shrink(parameters: Parameters) -> Parameters:
    """Return the parameters of a first look: a tenth of nodes and topics, and fewer rounds."""
    smaller = {**parameters, "nodes": max(int(parameters["nodes"]) // 10, QUICK_NODES // 2)}
    smaller["nodes"] = min(int(parameters["nodes"]), int(smaller["nodes"]))
    if "topics" in parameters:
        smaller["topics"] = max(int(parameters["topics"]) // 10, 200)
    if "crowd" in parameters:
        smaller["crowd"] = max(int(parameters["crowd"]) // 8, 1)
    elif "every" not in parameters and "rounds" in parameters:
        smaller["rounds"] = min(QUICK_ROUNDS, int(parameters["rounds"]))
    return smaller


def lines_of(seen: Seen, title: str) -> dict[str, float]:
    """Return our means of a column, by row."""
    return dict(seen.get(title, {}))


def _vitis(pattern: str, **more: int | float | str) -> str:
    return run(protocol="vitis", workload=pattern, **{"size": TABLE, "sw": 1, **more})


def _rvr(**more: int | float | str) -> str:
    return run(protocol="rvr", workload="random", **{"size": TABLE, **more})


def _columns(measure: str) -> tuple[Column, ...]:
    return (
        Column(RVR, measure, series=RVR),
        *(Column(title, measure, series=pattern) for pattern, title in PATTERNS.items()),
    )


def _more(measures: Mapping[str, str]) -> tuple[Column, ...]:
    """Return columns with other measures of the same runs."""
    return tuple(
        Column(f"{name}, {title}", measure, series=series)
        for name, measure in measures.items()
        for series, title in ((RVR, RVR), *PATTERNS.items())
    )


def _last(seen: Seen, title: str) -> float:
    return list(lines_of(seen, title).values())[-1]


def _first(seen: Seen, title: str) -> float:
    return next(iter(lines_of(seen, title).values()))


def _whole(seen: Seen) -> bool:
    """Whether every hit ratio that is shown is 1."""
    return all(
        value > 1 - 1e-9
        for title, line in seen.items()
        if title.startswith("hit ratio")
        for value in line.values()
    )


# -- §IV-B: friends and small-world links ----------------------------------------------------


def _by_friends() -> tuple[Row, ...]:
    return tuple(
        Row(
            str(friends),
            points={
                RVR: _rvr(),
                **{pattern: _vitis(pattern, sw=TABLE - 2 - friends) for pattern in PATTERNS},
            },
            x=friends,
        )
        for friends in FRIENDS
    )


HITS = {"hit ratio": "hit"}


def figure_4a() -> Figure:
    """Return traffic overhead over the number of friends."""
    return Figure(
        "figure-4a",
        "Figure 4(a): traffic overhead with varying number of friends",
        "Friends",
        (*_columns("overhead"), *_more({**HITS, "with duplicates": "duplicates"})),
        _by_friends(),
        statements=(
            Statement("“Both Vitis and RVR have 100% hit ratio in all settings.”", _whole),
            Statement(
                "“When more friends are selected, the traffic overhead in Vitis drops.”",
                lambda seen: all(
                    _last(seen, title) < _first(seen, title) for title in PATTERNS.values()
                ),
            ),
            Statement(
                "“With correlated subscriptions, this traffic reduced by a factor of 88%” (high "
                "correlation, 12 friends: 70 % or more below RVR, by either count)",
                lambda seen: (
                    min(
                        _last(seen, PATTERNS["high-correlation"]) / _last(seen, RVR),
                        _last(seen, f"with duplicates, {PATTERNS['high-correlation']}")
                        / _last(seen, f"with duplicates, {RVR}"),
                    )
                    <= 0.3
                ),
            ),
            Statement(
                "“Even when the subscriptions are random, the traffic overhead in Vitis is less "
                "than one third compared to that of RVR.”",
                lambda seen: _last(seen, PATTERNS["random"]) < _last(seen, RVR) / 3,
                RATIO_REASON,
            ),
        ),
        plot=Plot("friends", "traffic overhead", columns=4),
    )


def figure_4b() -> Figure:
    """Return the delay over the number of friends."""
    return Figure(
        "figure-4b",
        "Figure 4(b): propagation delay with varying number of friends",
        "Friends",
        _columns("hops"),
        _by_friends(),
        statements=(
            Statement(
                "“Nodes with correlated subscriptions experience a better delivery time.”",
                lambda seen: (
                    _last(seen, PATTERNS["high-correlation"]) < _last(seen, PATTERNS["random"])
                ),
                SMALL,
            ),
            Statement(
                "[With correlation] “the propagation speed improves when more friend links are "
                "selected.”",
                lambda seen: (
                    _last(seen, PATTERNS["high-correlation"])
                    < _first(seen, PATTERNS["high-correlation"])
                ),
            ),
            Statement(
                "“For random subscriptions … the improved traffic overhead … comes at the cost of "
                "higher propagation delay.”",
                lambda seen: _last(seen, PATTERNS["random"]) > _first(seen, PATTERNS["random"]),
                SMALL,
            ),
        ),
        plot=Plot("friends", "hops", columns=4),
    )


def figure_5() -> Figure:
    """Return how overhead is distributed over nodes."""
    series = {RVR: _rvr(), **{pattern: _vitis(pattern) for pattern in PATTERNS}}
    return Figure(
        "figure-5",
        "Figure 5: distribution of traffic overhead over nodes",
        "Overhead of a node, %, from (10 wide)",
        tuple(
            Column(title, "from/*", series=name) for name, title in ((RVR, RVR), *PATTERNS.items())
        ),
        tuple(Row(str(least), points=series, x=least + 5) for least in SHARES),
        statements=(
            Statement(
                "“The fraction of nodes that have an overhead more than 20%, drops to less than "
                "one third in Vitis, compared to that of RVR.” (High correlation)",
                lambda seen: _above(seen, PATTERNS["high-correlation"]) < _above(seen, RVR) / 3,
                "The whole distribution moves down, but not so far; the table has the shares.",
            ),
            Statement(
                "“The fraction of nodes with 10% overhead is increased.” (Below 20 %, high "
                "correlation)",
                lambda seen: _above(seen, PATTERNS["high-correlation"]) < _above(seen, RVR),
            ),
        ),
        plot=Plot("overhead of a node, %", "share of nodes", columns=4),
    )


def _above(seen: Seen, title: str) -> float:
    return sum(share for least, share in lines_of(seen, title).items() if int(least) >= 20)


# -- §IV-C: sizes of routing tables ------------------------------------------------------------


def _by_size() -> tuple[Row, ...]:
    return tuple(
        Row(
            str(size),
            points={
                RVR: _rvr(size=size),
                **{pattern: _vitis(pattern, size=size) for pattern in PATTERNS},
            },
            x=size,
        )
        for size in SIZES
    )


def figure_6a() -> Figure:
    """Return overhead over table sizes."""
    return Figure(
        "figure-6a",
        "Figure 6(a): traffic overhead with different routing table sizes",
        "Table size",
        (*_columns("overhead"), *_more({**HITS, "with duplicates": "duplicates"})),
        _by_size(),
        statements=(
            Statement("[100 % hit ratio for both at every size]", _whole),
            Statement(
                "“When nodes maintain bigger routing tables, the traffic overhead … decreases in "
                "both systems.”",
                lambda seen: all(
                    _last(seen, title) < _first(seen, title) for title in (RVR, *PATTERNS.values())
                ),
            ),
            Statement(
                "[Vitis is below RVR at every size, whatever the correlation]",
                lambda seen: all(
                    value < lines_of(seen, RVR)[size]
                    for title in PATTERNS.values()
                    for size, value in lines_of(seen, title).items()
                ),
            ),
        ),
        plot=Plot("table size", "traffic overhead", columns=4),
    )


def figure_6b() -> Figure:
    """Return delays over table sizes."""
    return Figure(
        "figure-6b",
        "Figure 6(b): propagation delay with different routing table sizes",
        "Table size",
        _columns("hops"),
        _by_size(),
        statements=(
            Statement(
                "“… as well as the propagation delay, decreases in both systems.”",
                lambda seen: all(
                    _last(seen, title) < _first(seen, title) for title in (RVR, *PATTERNS.values())
                ),
            ),
            Statement(
                "“Event delivery latency in Vitis with random subscriptions, outperforms the RVR "
                "system, when the routing table size exceeds 30 entries.”",
                lambda seen: _last(seen, PATTERNS["random"]) < _last(seen, RVR),
            ),
        ),
        plot=Plot("table size", "hops", columns=4),
    )


# -- §IV-D: publication rates ------------------------------------------------------------------


def _by_alpha() -> tuple[Row, ...]:
    return tuple(
        Row(
            f"{alpha:g}",
            points={
                RVR: _rvr(alpha=alpha),
                **{pattern: _vitis(pattern, alpha=alpha) for pattern in PATTERNS},
            },
            x=alpha,
        )
        for alpha in ALPHAS
    )


def figure_7a() -> Figure:
    """Return overhead over the skew of rates."""
    return Figure(
        "figure-7a",
        "Figure 7(a): traffic overhead with different publication rates",
        "α",
        (*_columns("overhead"), *_more(HITS)),
        _by_alpha(),
        statements=(
            Statement("[100 % hit ratio at every α]", _whole),
            Statement(
                "“The performance of the scenario with random subscriptions gets closer to that of "
                "the scenario with high correlation, when α is increased.”",
                lambda seen: (
                    abs(_gap(seen, last=True)) < abs(_gap(seen, last=False)) / 2
                    and _last(seen, PATTERNS["random"]) < _first(seen, PATTERNS["random"])
                ),
            ),
        ),
        plot=Plot("α", "traffic overhead", log_x=True, columns=4),
    )


def _gap(seen: Seen, *, last: bool) -> float:
    of = _last if last else _first
    return of(seen, PATTERNS["random"]) - of(seen, PATTERNS["high-correlation"])


def figure_7b() -> Figure:
    """Return delays over the skew of rates."""
    return Figure(
        "figure-7b",
        "Figure 7(b): propagation delay with different publication rates",
        "α",
        _columns("hops"),
        _by_alpha(),
        statements=(
            Statement(
                "“An overall improvement is achieved.” (Fewer hops at the last α than at the "
                "first, random subscriptions)",
                lambda seen: _last(seen, PATTERNS["random"]) < _first(seen, PATTERNS["random"]),
            ),
        ),
        plot=Plot("α", "hops", log_x=True, columns=4),
    )


# -- ours: the ring itself, and what each reading counts for ------------------------------------

RING_ROUNDS = tuple(range(20, 181, 20))
PARTNERS = {"anybody": 0.0, "a ring neighbour every third time": 1 / 3}


def ring() -> Figure:
    """Return how fast the ring becomes right."""
    series = {
        name: run(
            protocol="vitis", workload="random", size=TABLE, sw=1, ring_share=share, every=20,
            rounds=RING_ROUNDS[-1],
        )
        for name, share in PARTNERS.items()
    }  # fmt: skip
    return Figure(
        "ring",
        "The ring itself: share of nodes whose successor and predecessor are right (ours)",
        "Round",
        (
            *(Column(f"partner: {name}", "ring/*", series=name) for name in PARTNERS),
            *(
                Column(f"topics with one rendezvous node: {name}", "rendezvous/*", series=name)
                for name in PARTNERS
            ),
            *(Column(f"hit ratio: {name}", "hit/*", series=name) for name in PARTNERS),
        ),
        tuple(Row(str(one), points=series, x=one) for one in RING_ROUNDS),
        notes=("A wrong ring hides behind a good hit ratio, so it is looked at by itself.",),
        statements=(
            Statement(
                "“The ring topology rapidly converges to a correct ring.” (All right at the end, "
                "with a ring neighbour as partner every third time)",
                lambda seen: _last(seen, f"partner: {tuple(PARTNERS)[1]}") == 1.0,
            ),
            Statement(
                "“All the lookups end up at the rendezvous node.” (One a topic at the end)",
                lambda seen: (
                    _last(seen, f"topics with one rendezvous node: {tuple(PARTNERS)[1]}") == 1.0
                ),
            ),
        ),
        plot=Plot("round", "share", columns=4),
    )


READINGS: dict[str, dict[str, int | float | str]] = {
    "as run here": {},
    "lookups by links in both directions": {"lookup": "links"},
    "relay nodes tell those on the path alone": {"through": 0},
    "a gateway serves d hops, not d - 1": {"at_most": 1},
    "events and proposals go along tables alone": {"one_way": 1},
}


def readings() -> Figure:
    """Return what each reading of the paper counts for."""
    return Figure(
        "readings",
        "How the paper may be read, at 2,000 nodes and 1,000 topics (ours)",
        "Reading",
        tuple(
            Column(f"{name}, {title}", measure, series=pattern)
            for pattern, title in (("random", "random"), ("high-correlation", "high correlation"))
            for name, measure in (
                ("hit ratio", "hit"),
                ("overhead", "overhead"),
                ("hops", "hops"),
            )
        ),
        tuple(
            Row(
                label,
                points={
                    pattern: _vitis(pattern, nodes=2000, topics=1000, **more)
                    for pattern in ("random", "high-correlation")
                },
            )
            for label, more in READINGS.items()
        ),
        notes=(
            "Routing tables route, so lookups go by them here. Machines look up by links in both "
            "directions, since a link is known at both ends, and so does `--engine rounds` "
            "unless told otherwise (`--lookup table`).",
        ),
        statements=(
            Statement(
                "[Along tables alone some subscribers are missed: links count in both directions]",
                lambda seen: lines_of(seen, "hit ratio, random").get(tuple(READINGS)[-1], 1.0) < 1,
            ),
        ),
    )
