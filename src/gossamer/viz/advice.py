"""Recommendations on a page, and the order of the overlays that they concern."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gossamer.experiments.pareto_front import Front
from gossamer.experiments.recommendation import Recommendation
from gossamer.viz.blocks import Advice


def advice_of(found: Iterable[Recommendation]) -> list[Advice]:
    """Return recommendations as a page shows them, without the backticks of a terminal."""
    advice = []
    for one in found:
        if not one.goal:
            advice.append(Advice("Recommendation", one.text.replace("`", "")))
            continue
        need, _, limits = one.goal.partition(" within ")
        remark = f"Within {limits}." if limits else one.meaning and f"{one.goal}: {one.meaning}."
        advice.append(Advice(need, one.choice.replace("`", ""), one.command, remark))
    return advice


def by_importance(front: Front, found: Iterable[Recommendation]) -> list[str]:
    """Return the labels of all overlays: the recommended first, then the front, then the others.

    A chart colours the first of them.
    """
    recommended = [one.point.label for one in found if one.point is not None]
    named: Sequence[str] = [point.label for point in front.front()]
    everything = [point.label for point in front.points]
    return list(dict.fromkeys([*recommended, *named, *everything]))
