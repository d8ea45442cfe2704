"""Tables I to VI of the paper that proposes TD-CD-ODA: six algorithms, uniform interests.

Each run draws one instance of uniform interests and designs an overlay for it with
every algorithm, so that all columns of a row, and both tables of a pair (average
and maximum degree), are about the same instances. The algorithms themselves are
in :mod:`gossamer.design`; the paper's values below are copied, never fitted to.
"""

from __future__ import annotations

from typing import Any

from gossamer.design.registry import find_algorithm
from gossamer.studies.registry import add_study
from gossamer.studies.schema import (
    Column,
    Explanation,
    Figure,
    Measurements,
    Parameters,
    Point,
    Row,
    Study,
)
from gossamer.workloads import generate_interests

__all__ = ["STUDY", "measure_degrees"]

DESIGNS: dict[str, tuple[str, dict[str, Any]]] = {
    "gm": ("greedy-merge", {"ties": "lexicographic"}),
    "gm-default": ("greedy-merge", {}),
    "cd-oda": ("cd-oda", {}),
    "cd-oda-1": ("cd-oda-1", {}),
    "cd-oda-2": ("cd-oda-2", {}),
    "cd-oda-2-others": ("cd-oda-2", {"density": "others"}),
    "2d-oda": ("2d-oda", {}),
    "td-cd-oda": ("td-cd-oda", {}),
}
"""The columns: how each one's overlay is designed."""

PUBLISHED = {"gm": "GM", "cd-oda-2": "CD-ODA II", "2d-oda": "2D-ODA", "td-cd-oda": "TD-CD-ODA"}
OURS_ONLY = {
    "gm-default": "GM, default ties",
    "cd-oda-2-others": "CD-ODA II, others only",
    "cd-oda": "CD-ODA",
    "cd-oda-1": "CD-ODA-I",
}

AVERAGE_TOLERANCE = 0.03
MAXIMUM_TOLERANCE = 0.10  # One extreme node of an instance: its spread alone is of this order.

Values = dict[int, tuple[float, float, float, float]]

# Rows as printed: GM, CD-ODA II, 2D-ODA, TD-CD-ODA.
TABLE_1: Values = {
    200: (6.56, 13.58, 14.38, 17.35),
    250: (6.48, 13.56, 15.13, 17.64),
    300: (6.10, 13.06, 13.64, 18.00),
    350: (6.08, 13.02, 13.34, 17.90),
    400: (5.94, 12.93, 13.29, 17.98),
}
TABLE_2: Values = {
    200: (20, 131, 128, 114),
    250: (21, 176, 153, 146),
    300: (22, 209, 191, 183),
    350: (23, 231, 240, 204),
    400: (25, 259, 256, 240),
}
TABLE_3: Values = {
    200: (9.41, 14.81, 15.02, 17.16),
    250: (10.34, 14.89, 14.82, 16.90),
    300: (10.91, 14.79, 14.49, 16.42),
    350: (11.66, 14.65, 14.21, 16.00),
    400: (11.99, 14.36, 13.90, 15.55),
}
TABLE_4: Values = {
    200: (30, 90, 80, 62),
    250: (28, 74, 53, 51),
    300: (27, 62, 49, 42),
    350: (32, 58, 43, 39),
    400: (35, 51, 44, 34),
}
TABLE_5: Values = {
    15: (9.63, 20.92, 23.25, 29.49),
    20: (9.32, 21.15, 23.21, 29.81),
    25: (8.92, 21.48, 24.36, 32.07),
    30: (8.61, 20.63, 22.35, 33.63),
    35: (8.22, 19.46, 20.15, 33.98),
}
TABLE_6: Values = {
    15: (23, 143, 137, 123),
    20: (21, 180, 173, 166),
    25: (20, 197, 190, 189),
    30: (21, 199, 199, 189),
    35: (17, 199, 199, 190),
}


def measure_degrees(parameters: Parameters, seed: int) -> Measurements:
    """Design every overlay for one instance; return their average and maximum degrees.

    The measurements are named ``<column>/average`` and ``<column>/maximum``.
    """
    interests = generate_interests(
        "uniform",
        nodes=int(parameters["nodes"]),
        topics=int(parameters["topics"]),
        subscriptions=int(parameters["subscriptions"]),
        seed=seed,
    )
    measured: Measurements = {}
    for column, (name, options) in DESIGNS.items():
        degrees = find_algorithm(name)(interests, seed=seed, **options).degrees
        measured[f"{column}/average"] = float(degrees.mean())
        measured[f"{column}/maximum"] = float(degrees.max())
    return measured


def _point(nodes: int, topics: int, subscriptions: int) -> Point:
    return Point(
        f"{nodes} nodes, {topics} topics, {subscriptions} subscriptions",
        {"nodes": nodes, "topics": topics, "subscriptions": subscriptions},
    )


def _columns(measure: str, tolerance: float) -> tuple[Column, ...]:
    return tuple(
        Column(title, f"{column}/{measure}", tolerance) for column, title in PUBLISHED.items()
    ) + tuple(Column(title, f"{column}/{measure}") for column, title in OURS_ONLY.items())


def _rows(points: dict[int, Point], values: Values, measure: str, suffix: str = "") -> list[Row]:
    return [
        Row(
            f"{varied}{suffix}",
            points[varied].name,
            dict(zip((f"{column}/{measure}" for column in PUBLISHED), values[varied], strict=True)),
            counted=suffix != AS_STATED,
        )
        for varied in values
    ]


BY_NODES = {nodes: _point(nodes, 100, 10) for nodes in TABLE_1}
BY_TOPICS = {topics: _point(200, topics, 10) for topics in TABLE_3}
BY_SIZE_AS_STATED = {size: _point(250, 100, size) for size in TABLE_5}
BY_SIZE_AS_FOUND = {size: _point(200, 200, size) for size in TABLE_5}

AS_STATED, AS_FOUND = " (250 × 100, as stated)", " (200 × 200)"
STATED_ROWS = tuple(f"{size}{AS_STATED}" for size in TABLE_5)

WRONG_SIZES = Explanation(
    "The table cannot have been made with the stated 250 nodes and 100 topics: no algorithm "
    "fits, and a maximum degree of 199 at 30 and 35 subscriptions, every other node, is that of "
    "200 nodes. The rows with 200 nodes and 200 topics are the fair comparison.",
    rows=STATED_ROWS,
)
TWO_DIAMETER = (
    "No reading of 2D-ODA's printed formula gives the published numbers throughout. Ours takes "
    "the formula over the topics that remain and leaves existing links out of the denominator; "
    "its averages fit where subscriptions are many (Table V, 25 and more), and are too high "
    "elsewhere."
)
GREEDY_MERGE_MAXIMUM = (
    "GM's maximum degree depends on how ties are broken, which the paper does not say; "
    "lexicographic order, shown here, comes closest overall, and single instances differ from "
    "each other by more than ours differ from the paper's. The default tie-break gives far lower "
    "maxima at the same average."
)
SECOND_AVERAGE_BY_NODES = (
    "The published averages fall as nodes are added while ours rise slowly; at 200 and 250 nodes, "
    "and for every number of topics in Table III, the same code agrees. Leaving a node itself out "
    "of its density (*CD-ODA II, others only*) does not change this."
)
SECOND_MAXIMUM_BY_TOPICS = (
    "Equation 3 as printed counts a node itself among the subscribers of its topics. Where topics "
    "have few subscribers this favours nodes of small reach; without it (*CD-ODA II, others only*) "
    "the maxima are closer to the paper's, and the averages hardly change."
)
ROW_OF_TWENTY = (
    "The paper's averages for constant diameter in this row are nearly its own for 20 "
    "subscriptions, and those of CD-ODA II and TD-CD-ODA agree with ours for 20, while GM's "
    "average here, and in Table VI the maxima of these two, fit 15. They look as if made with 20."
)


def _maximum_explanations() -> tuple[Explanation, ...]:
    return (
        Explanation(TWO_DIAMETER, measures=("2d-oda/maximum",)),
        Explanation(GREEDY_MERGE_MAXIMUM, measures=("gm/maximum",)),
    )


FIGURES = (
    Figure(
        "table-1",
        "Table I: average node degree for different numbers of nodes",
        "Nodes",
        _columns("average", AVERAGE_TOLERANCE),
        tuple(_rows(BY_NODES, TABLE_1, "average")),
        (
            Explanation(TWO_DIAMETER, measures=("2d-oda/average",)),
            Explanation(SECOND_AVERAGE_BY_NODES, measures=("cd-oda-2/average",)),
        ),
        ("100 topics, 10 subscriptions a node.",),
    ),
    Figure(
        "table-2",
        "Table II: maximum node degree for different numbers of nodes",
        "Nodes",
        _columns("maximum", MAXIMUM_TOLERANCE),
        tuple(_rows(BY_NODES, TABLE_2, "maximum")),
        _maximum_explanations(),
        ("100 topics, 10 subscriptions a node.",),
    ),
    Figure(
        "table-3",
        "Table III: average node degree for different numbers of topics",
        "Topics",
        _columns("average", AVERAGE_TOLERANCE),
        tuple(_rows(BY_TOPICS, TABLE_3, "average")),
        (Explanation(TWO_DIAMETER, measures=("2d-oda/average",)),),
        ("200 nodes, 10 subscriptions a node.",),
    ),
    Figure(
        "table-4",
        "Table IV: maximum node degree for different numbers of topics",
        "Topics",
        _columns("maximum", MAXIMUM_TOLERANCE),
        tuple(_rows(BY_TOPICS, TABLE_4, "maximum")),
        (
            *_maximum_explanations(),
            Explanation(SECOND_MAXIMUM_BY_TOPICS, measures=("cd-oda-2/maximum",)),
        ),
        ("200 nodes, 10 subscriptions a node.",),
    ),
    Figure(
        "table-5",
        "Table V: average node degree for different subscription sizes",
        "Subscriptions",
        _columns("average", AVERAGE_TOLERANCE),
        (
            *_rows(BY_SIZE_AS_STATED, TABLE_5, "average", AS_STATED),
            *_rows(BY_SIZE_AS_FOUND, TABLE_5, "average", AS_FOUND),
        ),
        (
            WRONG_SIZES,
            Explanation(ROW_OF_TWENTY, rows=(f"15{AS_FOUND}",)),
            Explanation(TWO_DIAMETER, measures=("2d-oda/average",)),
        ),
        ("Nodes × topics are given with each row.",),
    ),
    Figure(
        "table-6",
        "Table VI: maximum node degree for different subscription sizes",
        "Subscriptions",
        _columns("maximum", MAXIMUM_TOLERANCE),
        (
            *_rows(BY_SIZE_AS_STATED, TABLE_6, "maximum", AS_STATED),
            *_rows(BY_SIZE_AS_FOUND, TABLE_6, "maximum", AS_FOUND),
        ),
        (WRONG_SIZES, *_maximum_explanations()),
        ("Nodes × topics are given with each row.",),
    ),
)

STUDY = add_study(
    Study(
        name="td-cd-oda",
        title="Topic Distribution Constant Diameter Overlay Design Algorithm (TD-CD-ODA)",
        reference="S. Layazali, K. Oztoprak, E. Dogdu, ICSC 2017",
        points=(
            *BY_NODES.values(),
            *BY_TOPICS.values(),
            *BY_SIZE_AS_STATED.values(),
            *BY_SIZE_AS_FOUND.values(),
        ),
        run=measure_degrees,
        figures=FIGURES,
        instances=20,
        code=("design", "kernels", "model", "workloads", "studies/td_cd_oda.py"),
        notes=(
            "The paper's conclusion that TD-CD-ODA improves the *average* degree contradicts its "
            "tables, where its average is the highest in every row; what it improves among the "
            "algorithms of diameter 2 is the *maximum* degree.",
            "GM is run with lexicographic ties, which fit the published maxima; *GM, default ties* "
            "is the same algorithm as it runs here unless told otherwise. CD-ODA and CD-ODA-I were "
            "run by the authors but left out of their tables.",
        ),
    )
)
