"""Pareto fronts and recommendations, as functions of the points."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gossamer.experiments.comparison import Comparison, ComparisonRow
from gossamer.experiments.pareto_front import Front, non_dominated
from gossamer.experiments.recommendation import balanced, recommend
from tests.reference.pareto_front import naive_non_dominated

small = st.integers(0, 6)


def row(label: str, mean: int, largest: int, diameter: int, whole: bool) -> ComparisonRow:
    return ComparisonRow(
        label, mean, largest, largest, mean, 3 if whole else 2, 3, diameter, diameter, 0.0,
        mean / 2 if whole else None,
    )  # fmt: skip


@st.composite
def fronts(draw: st.DrawFn) -> Front:
    measured = draw(st.lists(st.tuples(small, small, small, st.booleans()), max_size=9))
    rows = [row(f"low-oda:rho={place}", *one) for place, one in enumerate(measured, start=1)]
    return Front(Comparison(4, 3, 9, 2.0, tuple(rows)))


@given(st.integers(1, 3).flatmap(lambda width: st.lists(st.tuples(*[small] * width), max_size=12)))
def test_front_has_the_non_dominated_points(points: list[tuple[int, ...]]) -> None:
    assert non_dominated(points) == naive_non_dominated(points)


@given(fronts())
def test_disconnected_overlays_are_on_no_front(front: Front) -> None:
    whole = [point for point in front.points if point.topic_connected]
    for which, names in (
        ("mean", ("mean_degree", "max_diameter")),
        ("max", ("max_degree", "max_diameter")),
        ("all", ("mean_degree", "max_degree", "max_diameter")),
    ):
        kept = naive_non_dominated([tuple(getattr(p, name) for name in names) for p in whole])
        expected = {whole[place].label for place in kept}
        assert {point.label for point in front.points if which in point.on} == expected
        assert {point.label for point in front.front(which)} == expected  # type: ignore[arg-type]


@given(fronts(), st.none() | st.integers(1, 7), st.none() | st.integers(1, 7))
def test_recommendations_meet_their_constraints(
    front: Front, hops: int | None, max_degree: int | None
) -> None:
    fit = [
        point
        for point in front.points
        if point.topic_connected
        and (hops is None or point.max_diameter <= hops)
        and (max_degree is None or point.max_degree <= max_degree)
    ]
    answers = recommend(front, hops=hops, max_degree=max_degree)
    taken = [answer.point for answer in answers]
    assert (taken[0] is None) is (not fit)
    assert None not in taken[1:]
    if fit:
        assert all(point in fit for point in taken)
        assert all(point is not None and "all" in point.on for point in taken)
        assert taken[0] is not None
        assert taken[0].mean_degree == min(point.mean_degree for point in fit)
        assert balanced(fit) in fit
    assert all(answer.command.endswith("links.parquet") for answer in answers if answer.point)


points_of_fronts = st.tuples(st.integers(2, 40), st.integers(1, 40), st.integers(1, 40))


@given(st.lists(points_of_fronts, min_size=1, max_size=6), points_of_fronts, st.data())
def test_dominated_candidate_changes_no_recommendation(
    measured: list[tuple[int, int, int]], more: tuple[int, int, int], data: st.DataObject
) -> None:
    """Nor does any candidate change the balance, unless it is chosen itself."""
    before, dominating = front_of(measured), data.draw(st.sampled_from(measured))
    worse = tuple(one + other - 1 for one, other in zip(dominating, more, strict=True))
    if worse != dominating:
        after = front_of([*measured, worse])  # type: ignore[list-item]
        assert [(one.goal, one.choice) for one in recommend(after)] == [
            (one.goal, one.choice) for one in recommend(before)
        ]
    chosen = balanced(before.points).label
    assert balanced(front_of([*measured, more]).points).label in (chosen, f"x-{len(measured)}")


def front_of(measured: list[tuple[int, int, int]]) -> Front:
    """Return a front of connected overlays: twice the mean degree, maximum and diameter."""
    rows = [
        ComparisonRow(f"x-{at}", mean / 2, most, most, 9, 3, 3, hops, hops, 0.1, mean / 8)
        for at, (mean, most, hops) in enumerate(measured)
    ]
    return Front(Comparison(10, 3, 30, 4.0, tuple(rows)))
