"""Pareto fronts: candidates, checkpoint, and the texts of recommendations."""

from __future__ import annotations

import importlib
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pyspark import cloudpickle

import gossamer
from gossamer.design import algorithms
from gossamer.errors import ParameterError, TableError
from gossamer.experiments import candidates, measurement, pareto_front
from gossamer.experiments.candidates import (
    RADII,
    choose_candidates,
    parse_candidates,
    parse_protocols,
)
from gossamer.experiments.checkpoint import CHECKPOINT
from gossamer.experiments.comparison import Comparison, ComparisonRow, Origin
from gossamer.experiments.measurement import Trial
from gossamer.experiments.pareto_front import Front
from gossamer.experiments.partitioned_front import PARTITIONED, partitioned_candidates
from gossamer.experiments.recommendation import recommend
from gossamer.model import Interests
from gossamer.viz.front import front_picture, short_label

INTERESTS = gossamer.generate_interests("rss", nodes=60, topics=8, subscriptions=3, seed=1)
TWO = ("greedy-merge", "cd-oda")


def made(*points: tuple[str, float, int, int], seed: int = 0) -> Front:
    """Return a front of overlays: label, mean degree, maximum, diameter."""
    rows = [
        ComparisonRow(label, mean, most, most, 9, 3, 3, hops, hops, 0.1, mean / 4)
        for label, mean, most, hops in points
    ]
    return Front(
        Comparison(10, 3, 30, 4.0, tuple(rows), Origin(seed=seed)),
        protocols=frozenset({"spidercast:kr=1"}),
    )


FOUR = made(
    ("greedy-merge", 5.0, 9, 40),
    ("low-oda:rho=3", 5.5, 7, 30),
    ("spidercast:kr=1", 9.0, 14, 8),
    ("cd-oda", 13.0, 900, 2),
)


def test_recommendations_without_constraints() -> None:
    texts = [answer.text for answer in recommend(FOUR)]
    low_oda = (
        "take `low-oda --rho 3`: 5.50 links a node on average (at most 1.38 × the least possible), "
        "7 at most, paths of up to 30 hops."
    )
    assert texts == [
        "For the fewest links, take `greedy-merge`: 5.00 links a node on average (at most 1.25 × "
        "the least possible), 9 at most, paths of up to 40 hops.",
        f"For the lowest maximum, {low_oda}",
        "For short paths at a moderate price (at most 1.5 × the fewest links and 4 × the lowest "
        f"maximum), {low_oda}",
        "For a balance (the least product of mean degree, maximum degree and diameter), take the "
        "protocol `spidercast --kr 1`: 9.00 links a node on average (at most 2.25 × the least "
        "possible), 14 at most, paths of up to 8 hops.",
        "For the shortest paths at any price, take `cd-oda`: 13.00 links a node on average (at "
        "most 3.25 × the least possible), 900 at most, paths of up to 2 hops.",
    ]


def test_each_goal_is_a_line_with_a_command() -> None:
    assert [answer.line for answer in recommend(FOUR)][0::4] == [
        "For the fewest links (5.00 links a node, 9 at most, 40 hops): "
        "gossamer design subscriptions.csv --algorithm greedy-merge --out links.parquet",
        "For the shortest paths at any price (13.00 links a node, 900 at most, 2 hops): "
        "gossamer design subscriptions.csv --algorithm cd-oda --out links.parquet",
    ]
    (only,) = recommend(made(("greedy-merge", 5.0, 9, 40)))
    assert only.goal == "For all goals"


def test_commands_of_recommendations() -> None:
    front = replace(FOUR, comparison=replace(FOUR.comparison, origin=Origin(seed=7)))
    commands = [answer.command for answer in recommend(front, table="'my file.csv' --follows")]
    assert commands[2:4] == [
        "gossamer design 'my file.csv' --follows --algorithm low-oda --rho 3 --seed 7 "
        "--out links.parquet",
        "gossamer simulate spidercast 'my file.csv' --follows --kr 1 --seed 7 "
        "--overlay links.parquet",
    ]


def test_switch_is_typed_without_a_value() -> None:
    one = recommend(made(("low-oda:rho=3:resilient=yes", 5.0, 7, 30)), table="t.csv")[0]
    assert "take `low-oda --rho 3 --resilient`" in one.text
    assert one.command == (
        "gossamer design t.csv --algorithm low-oda --rho 3 --resilient --out links.parquet"
    )
    other = recommend(made(("low-oda:resilient=no", 5.0, 7, 30)), table="t.csv")[0]
    assert other.command == "gossamer design t.csv --algorithm low-oda --out links.parquet"


def test_moderate_price_prefers_a_low_maximum_to_slightly_fewer_links() -> None:
    front = made(
        ("greedy-merge", 5.0, 9, 40), ("cover-forest", 5.9, 24, 8), ("bounded-radius", 6.0, 14, 8)
    )
    (answer,) = (one for one in recommend(front) if "moderate" in one.text)
    assert "take `bounded-radius`" in answer.text


def test_partitioned_radius_is_a_candidate_of_partitioned_tables_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    families = {one.algorithm.name for one in choose_candidates(INTERESTS).candidates}
    assert "bounded-radius" in families
    assert "partitioned-radius" not in families
    module = importlib.import_module("gossamer.design.partitioned_radius")
    monkeypatch.setattr(module, "SUBSCRIPTIONS_PER_BLOCK", 100)
    families = {one.algorithm.name for one in choose_candidates(INTERESTS).candidates}
    assert "partitioned-radius" in families


@pytest.mark.parametrize(
    ("constraint", "says"),
    [
        ({"hops": 12}, ["For the fewest links within 12 hops (9.00",
         "For the lowest maximum within 12 hops (9.00"]),
        ({"max_degree": 8}, ["For the fewest links within 8 links a node (5.50",
         "For the shortest paths within 8 links a node (5.50"]),
        ({"hops": 30, "max_degree": 8},
         ["For the fewest links within 30 hops and 8 links a node (5.50"]),
        ({"hops": 1}, ["No candidate connects every topic within 1 hop. It is possible, at",
         "Closest, for the shortest paths (13.00"]),
        ({"max_degree": 1}, ["No candidate connects every topic within 1 link a node. It is "
         "impossible: no topic-connected overlay has a mean degree below 4.00.",
         "Closest, for the lowest maximum (5.50"]),
        ({"max_degree": 4}, ["No candidate connects every topic within 4 links a node. Whether "
         "another overlay can is open: the proven minimum is 4 links a node.",
         "Closest, for the lowest maximum (5.50"]),
        ({"hops": 2, "max_degree": 20}, ["No candidate connects every topic within 2 hops and 20",
         "Closest, for the shortest paths within 20 links a node (9.00",
         "Closest, for the lowest maximum within 2 hops (13.00"]),
    ],
)  # fmt: skip
def test_recommendation_constraints(constraint: dict[str, Any], says: list[str]) -> None:
    found = recommend(FOUR, **constraint)
    assert all(one.line.startswith(text) for one, text in zip(found, says, strict=True))


def test_impossible_constraint_names_the_node_or_topic_that_proves_it() -> None:
    lists = {"hub": [*"abcd"], **{f"n{at}": [*"abcd"][at % 4] for at in range(8)}}
    found = gossamer.front(
        gossamer.Interests.from_lists(lists), ["greedy-merge", "cd-oda"], protocols=[]
    )
    assert recommend(found, max_degree=3)[0].text.endswith(
        "It is impossible: the node 'hub' has 4 topics with other subscribers, and shares at most "
        "1 of them with any other node, so it needs 4 links or more."
    )
    wide = gossamer.Interests.from_lists({f"n{at}": ["tea"] for at in range(12)})
    found = gossamer.front(wide, ["ring-per-topic"], protocols=[])
    assert recommend(found, hops=2, max_degree=3)[0].text.endswith(
        "It is impossible: the topic 'tea' has 12 subscribers, and one of them needs 4 links or "
        "more to connect them within 2 hops."
    )


@pytest.mark.parametrize("constraint", [{"hops": 0}, {"max_degree": -1}])
def test_constraints_below_one_are_rejected(constraint: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="expected 1 or more"):
        recommend(FOUR, **constraint)


def test_disconnected_overlays_are_not_recommended() -> None:
    rows = tuple(replace(row, topics_connected=0) for row in FOUR.comparison.rows)
    (answer,) = recommend(replace(FOUR, comparison=replace(FOUR.comparison, rows=rows)))
    assert answer.point is None
    assert "none to take" in answer.text


def test_short_labels_of_points() -> None:
    front = made(("bounded-radius:radius=6:degree_cap=9", 5, 9, 12), *[("low-oda:rho=3", 5, 7, 30)])
    assert [short_label(point) for point in front.points] == [
        "radius 6 degree-cap=9",
        "low-oda ρ 3",
    ]
    assert front.points[0].typed == "bounded-radius --radius 6 --degree-cap 9"


# -- candidates ------------------------------------------------------------------------


def test_default_candidates() -> None:
    chosen = choose_candidates(INTERESTS)
    labels = [candidate.label for candidate in chosen.candidates]
    families = {label.split(":")[0] for label in labels}
    promised = {name for name, found in algorithms().items() if found.topic_connected}
    # One block is bounded-radius itself.
    assert families == (promised | {"spidercast"}) - {"partitioned-radius"}
    assert [label for label in labels if label.startswith("low-oda")] == [
        f"low-oda:rho={rho}" for rho in ("1.5", "2", "3", "5", "10")
    ]
    assert chosen.left_out == {}


def test_radii_and_rho_of_candidates() -> None:
    labels = [candidate.label for candidate in choose_candidates(INTERESTS).candidates]
    assert [label for label in labels if label.startswith("bounded")] == [
        f"bounded-radius:radius={radius}" for radius in RADII
    ]
    front = gossamer.front(INTERESTS, ["cd-oda"], radii=[3, 6], protocols=[])
    assert [(point.label, point.kind) for point in front.points] == [
        ("cd-oda", "published"),
        ("bounded-radius:radius=3", "ours"),
        ("bounded-radius:radius=6", "ours"),
    ]
    chosen = choose_candidates(
        INTERESTS, ["cover-forest", "low-oda:rho=2"], radii=[3], rho=[5], protocols=[]
    )
    assert [one.label for one in chosen.candidates] == ["cover-forest:radius=3", "low-oda:rho=2"]


def test_slow_candidates_are_left_out_with_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = candidates.steps_of("greedy-merge", INTERESTS)
    monkeypatch.setattr(candidates, "MAX_STEPS", 4 * pairs)
    monkeypatch.setattr(candidates, "MAX_SIMULATED", 10)
    chosen = choose_candidates(INTERESTS)
    labels = [candidate.label for candidate in chosen.candidates]
    assert "low-oda" in labels
    assert not any("rho" in label or "spidercast" in label for label in labels)
    assert set(chosen.left_out) == {
        "bounded-radius at other values than its default",
        "cover-forest at other values than its default",
        "low-oda at other values than its default",
        "spidercast",
        "spidercast:kr=1",
    }
    monkeypatch.setattr(candidates, "MAX_STEPS", pairs - 1)
    assert {"bounded-radius", "greedy-merge"} <= set(choose_candidates(INTERESTS).left_out)
    asked = choose_candidates(INTERESTS, rho=[2], protocols=["spidercast"])
    assert {"low-oda:rho=2", "spidercast"} <= {one.label for one in asked.candidates}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"algorithms": ["nonsense"]}, "no algorithm is named 'nonsense'"),
        ({"algorithms": []}, "no algorithms are named"),
        ({"radii": ["4"]}, "radius is '4'; expected a whole number"),
        ({"radii": 4}, "radii is 4; expected a list"),
        ({"rho": ["3"]}, "rho is '3'; expected a number"),
        ({"algorithms": "low-oda"}, "algorithms is 'low-oda'; expected a list"),
        ({"radii": [0]}, "radius is 0; expected 1 to 64"),
        ({"rho": [0.5]}, "rho is 0.5; expected 1 or more"),
        ({"protocols": ["nonsense"]}, "no protocol is named 'nonsense'"),
        ({"protocols": ["spidercast:nope=1"]}, "spidercast has no option 'nope'"),
    ],
)
def test_invalid_candidates_are_rejected(arguments: dict[str, Any], says: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(says)):
        gossamer.front(INTERESTS, **arguments)


def test_partitioned_candidates() -> None:
    assert {one.algorithm.name for one in partitioned_candidates()} == set(PARTITIONED)
    with pytest.raises(ParameterError, match="low-oda works in memory, and the design of"):
        partitioned_candidates(["partitioned-merge", "low-oda"])


# -- the front itself -------------------------------------------------------------------


def test_front_is_deterministic() -> None:
    def points(front: Front) -> list[Any]:
        return [_without_seconds(point) for point in front.points]

    arguments: dict[str, Any] = {"protocols": ["spidercast"], "seed": 3}
    first = gossamer.front(INTERESTS, TWO, **arguments)
    assert points(first) == points(gossamer.front(INTERESTS, TWO, **arguments))
    assert [point.kind for point in first.points] == ["published", "published", "protocol"]
    assert first.bound_method


def test_interrupted_front_resumes_from_its_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "kept"
    whole = gossamer.front(INTERESTS, TWO, protocols=[], save=folder)
    lines = (folder / CHECKPOINT).read_bytes().splitlines(keepends=True)
    assert len(lines) == 3
    (folder / CHECKPOINT).write_bytes(b"".join(lines[:2]) + lines[2][:20])
    seen: list[str] = []
    measured = measurement.measure_candidates

    def watched(candidates: Any, *rest: Any, **named: Any) -> Any:
        seen.extend(candidate.label for candidate in candidates)
        return measured(candidates, *rest, **named)

    monkeypatch.setattr(pareto_front, "measure_candidates", watched)
    again = gossamer.front(INTERESTS, TWO, protocols=[], save=folder)
    assert seen == ["cd-oda"]
    assert again.comparison.rows[0] == whole.comparison.rows[0]
    assert again.bound_method == whole.bound_method
    assert len((folder / CHECKPOINT).read_bytes().splitlines()) == 3
    gossamer.front(INTERESTS, TWO, protocols=[], save=folder, seed=1)
    assert seen == ["cd-oda", *TWO]  # another seed is another front


def test_malformed_checkpoint_is_rejected(tmp_path: Path) -> None:
    (tmp_path / CHECKPOINT).write_text("nonsense\n")
    with pytest.raises(TableError, match="line 1, is no row of a checkpoint"):
        gossamer.front(INTERESTS, TWO, save=tmp_path)


def test_algorithm_and_protocol_of_the_same_name() -> None:
    front = gossamer.front(INTERESTS, ["ring-per-topic"], protocols=["ring-per-topic"])
    assert [(point.label, point.family, point.kind) for point in front.points] == [
        ("ring-per-topic", "ring-per-topic", "published"),
        ("ring-per-topic (protocol)", "ring-per-topic", "protocol"),
    ]


def test_spark_task_gives_the_same_row() -> None:
    protocols = ["ring-per-topic:missed_heartbeats=3"]
    front = gossamer.front(INTERESTS, ["ring-per-topic"], protocols=protocols)
    trial = Trial(INTERESTS, gossamer.links_lower_bound(INTERESTS))
    candidates = [*parse_candidates(["ring-per-topic"]), *parse_protocols(protocols)]
    for row, candidate in zip(front.comparison.rows, candidates, strict=True):
        sent = cloudpickle.loads(cloudpickle.dumps((candidate, 0)))  # type: ignore[no-untyped-call]
        done = measurement._row(candidate, [measurement._measure_task(sent, trial=trial)], trial)
        assert _without_seconds(done) == _without_seconds(row)


def _without_seconds(row: ComparisonRow) -> ComparisonRow:
    return replace(row, seconds=0.0, runs=())


def test_a_failing_candidate_is_left_out_of_a_front() -> None:
    def fails(interests: Interests, *, seed: int) -> gossamer.Overlay:
        raise ValueError("no idea")

    front = gossamer.front(INTERESTS, [fails, "greedy-merge"], protocols=[])
    assert [point.label for point in front.points] == ["greedy-merge"]
    assert front.failed == {"fails"}
    assert front.left_out["fails"].startswith("fails (")
    assert front.left_out["fails"].endswith(": ValueError: no idea")
    assert list(front.faults) == ["fails"]


@pytest.mark.parametrize(
    "wants",
    [
        {"a": ["x"]},
        {"a": ["x"], "b": ["y"], "c": ["z"]},
        {"a": ["x"], "b": ["x"]},
        {str(node): ["x"] for node in range(9)},
    ],
    ids=["one node", "one subscriber each", "one link", "one topic"],
)
def test_front_of_minimal_interests(wants: dict[str, list[str]], tmp_path: Path) -> None:
    front = gossamer.front(Interests.from_lists(wants), protocols=[])
    bound = front.comparison.lower_bound
    assert all((point.ratio_to_lower_bound is None) is (bound == 0) for point in front.points)
    assert all(point.topic_connected for point in front.points)
    assert all(answer.point for answer in recommend(front))
    front_picture(front, tmp_path / "front.svg")
    assert (tmp_path / "front.svg").stat().st_size > 0
