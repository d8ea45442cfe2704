"""The page on the degree–diameter front: the idea, the picture, the tables, where it fails."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import front_real as real_tables
from benchmarks import front_tables as tables
from benchmarks.harness import Excerpt, find_benchmark
from benchmarks.harness.machine import describe_machine
from benchmarks.harness.markdown import markdown_table
from benchmarks.harness.page import table_of
from gossamer.experiments.pareto_front import Front, FrontPoint
from gossamer.experiments.recommendation import recommend
from gossamer.viz.front import front_picture

if TYPE_CHECKING:
    from benchmarks.front import Conditions, FrontResults, Real

__all__ = ["EXCERPTS", "front_document"]

RECOMMENDED = ("for", "take", "links a node", "maximum", "hops")

EXCERPTS = {
    "Run time": Excerpt(
        ("greedy-merge", "low-oda", "bounded-radius, radius 6", "cover-forest, radius 6")
    )
}
"""What the page shows of long tables."""

BUSY = 0.3
"""Load of the machine from which the page mentions other processes."""

INTRODUCTION = """# Fewer links or shorter paths: what each algorithm gives

Measured by `script/bench front`.

Links cost memory and heartbeats at both ends; hops cost time. Few links are easy, and so are short
paths; this page shows which algorithms give both. First, {nodes:,} nodes that subscribe to
{subscriptions} of {topics} topics each:
"""

PICTURE_TEXT = """Each point is an overlay for the same interests; lower left is better. No
overlay is better in both quantities than one on the line, the *Pareto front*. `gossamer front`
recommends:
"""

INSTANCES = """## On {count}

All candidates on {nodes:,} nodes with {subscriptions} of {topics} topics each, {drawn}.
"""

SCALING = """## Run time

*Seconds* are processor time on one core.
"""

PARAMETERS = """## The effect of the parameters

Bounded radius with radius {radius}; one parameter at a time takes another value. The defaults are
near the optimum:
"""

CAPPED = """## A degree cap for subset merge

Does a cap give `subset-merge` the maximum degree of LowODA, and at most {close:.0%} more links than
greedy merge?
"""

REAL = """## On real interests

Here a few users have very many subscriptions, and a few topics very many subscribers.
"""

STAND = """### Where we stand

LowODA is the published algorithm for few links and low maximum degrees. Our algorithms bound paths
as well. From each side, this is the overlay of fewest links among those whose maximum degree is
within {near:.0%} of the lowest.
"""

BEATEN = """Overlays of LowODA and MinMax-ODA that one of ours beats (no measure higher, at least
one lower): {answers}.
"""

TAILS = """### Heavy tails

Caps around the default, and LowODA at several ρ.
"""


def front_document(results: FrontResults, folder: Path | None) -> str:
    """Write the page; with a folder, draw its pictures below it."""
    size = results.plan.size
    parts = [
        INTRODUCTION.format(nodes=size.nodes, topics=size.topics, subscriptions=size.subscriptions),
        *_shown(results.drawn, "RSS feeds", "front", folder),
        PICTURE_TEXT,
        *_advice(results.drawn),
        *_instances(results),
        *_scaling(results),
        PARAMETERS.format(radius=results.plan.varied_radius),
        *tables.flatness(results.varied),
        "",
        tables.parameters_table(results.varied),
        "",
        CAPPED.format(close=tables.CLOSE - 1),
        *(f"- {tables.capped_answer(name, found)}" for name, found in results.capped.items()),
        "",
        tables.capped_table(dict(results.capped)),
        "",
        *_real(results.real, folder),
        *_not_best(results),
        "## Machine",
        "",
        f"{describe_machine()}. {_conditions(results.conditions)}",
        "",
    ]
    return "\n".join(parts)


def _shown(front: Front, name: str, file: str, folder: Path | None) -> list[str]:
    """Draw a front below the folder, and return what shows it; nothing without one."""
    if folder is None:
        return []
    title = f"The degree–diameter front of {name}"
    origin = replace(front.comparison.origin, title=title)
    path = Path("pictures") / f"{file}.png"
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    front_picture(
        replace(front, comparison=replace(front.comparison, origin=origin)), folder / path
    )
    return [f"![{title}]({path.as_posix()})", ""]


def _advice(front: Front) -> list[str]:
    """Return a table of the recommendations."""
    goals: dict[str, list[str]] = {}
    found = {}
    for one in recommend(front):
        if one.point is not None:
            goals.setdefault(one.point.label, []).append(one.goal.removeprefix("For "))
            found[one.point.label] = one.point
    rows = []
    for label, point in found.items():
        *others, last = goals[label]
        goal = f"{', '.join(others)} and {last}" if others else last
        degrees = [f"{point.mean_degree:.2f}", f"{point.max_degree:,}"]
        rows.append([goal, f"`{point.typed}`", *degrees, f"{point.max_diameter:,}"])
    return [markdown_table([*RECOMMENDED], rows, left=2), ""]


def _instances(results: FrontResults) -> list[str]:
    size, count = results.plan.size, len(results.instances)
    return [
        INSTANCES.format(
            count="one fresh instance" if count == 1 else f"{count} fresh instances",
            drawn="drawn from one seed" if count == 1 else f"drawn from {count} seeds",
            nodes=size.nodes,
            topics=size.topics,
            subscriptions=size.subscriptions,
        ),
        tables.instances_table(results),
        "",
    ]


def _scaling(results: FrontResults) -> list[str]:
    found = find_benchmark("short-paths")
    header, *body = table_of(found, list(results.scaling))
    return [SCALING, markdown_table(header, body, left=2), ""]


def _real(real: Mapping[str, Real], folder: Path | None) -> list[str]:
    if not real:
        return []
    parts = [REAL]
    for name, one in real.items():
        size = one.front.comparison
        parts += [f"### {one.title}", ""]
        parts += [
            f"{size.nodes:,} nodes, {size.topics:,} topics, {size.subscriptions:,} subscriptions; "
            f"at most {one.most:,} topics a node and {one.widest:,} subscribers a topic.",
            "",
        ]
        parts += _shown(one.front, one.title, f"front_{name.replace('-', '_')}", folder)
        parts += _advice(one.front)
        by_reason: dict[str, list[str]] = {}
        for label, why in one.front.left_out.items():
            by_reason.setdefault(re.sub(r" \(.*|; give values of .*", "", why), []).append(label)
        left = [f"{', '.join(labels)} ({why})" for why, labels in by_reason.items()]
        if left:
            parts += [f"Left out: {'; '.join(left)}.", ""]
    parts += [STAND.format(near=real_tables.NEAR - 1)]
    parts += [f"- {said}" for said in map(_standing, real.values()) if said]
    parts += ["", real_tables.stand_table(list(real.values())), ""]
    parts += [BEATEN.format(answers="; ".join(map(real_tables.beaten_answer, real.values())))]
    parts += [real_tables.beaten_table(list(real.values())), ""]
    if any(one.tails for one in real.values()):
        parts += [TAILS, real_tables.tails_table(list(real.values())), ""]
    return parts


def _standing(one: Real) -> str:
    published, ours = real_tables.like_low_oda(one), real_tables.like_ours(one)
    if published is None or ours is None:
        return ""
    return (
        f"**{one.title}.** LowODA: {_in_words(published)}; ours: {_in_words(ours)}: "
        f"{real_tables.verdict(ours, published)}."
    )


def _in_words(point: FrontPoint) -> str:
    return (
        f"`{point.typed}` ({point.mean_degree:.2f} links a node, {point.max_degree:,} at most, "
        f"{point.max_diameter:,} hops)"
    )


def _not_best(results: FrontResults) -> list[str]:
    """Say where another algorithm is better, from the numbers."""
    said = []
    found = tables.averages(results.instances)
    radius = results.plan.varied_radius
    bounded, forest = (
        found.get(f"{name}:radius={radius}") for name in ("bounded-radius", "cover-forest")
    )
    if bounded is not None and forest is not None:
        said.append(
            f"Where all interests have the same size, `cover-forest` needs "
            f"{forest.mean / bounded.mean:.2f} × the links of `bounded-radius` at radius {radius}."
        )
    said += [_no_hops_asked(results), *_protocols(results)]
    for one in results.real.values():
        said += [f"{one.title}: {text}" for text in [_lower_mean(one)] if text]
    return [
        "## Where other algorithms are better",
        "",
        *(f"- {text}" for text in said if text),
        "",
    ]


def _no_hops_asked(results: FrontResults) -> str:
    """Say what is best where hops do not matter."""
    whole = [point for point in results.drawn.points if point.topic_connected]
    fewest = min(whole, key=lambda p: (p.mean_degree, p.max_degree))
    lowest = min(whole, key=lambda p: (p.max_degree, p.mean_degree))
    other = (
        "the lowest maximum too" if lowest is fewest else f"{_in_words(lowest)} the lowest maximum"
    )
    return f"Where hops do not matter, {_in_words(fewest)} has the fewest links, and {other}."


def _protocols(results: FrontResults) -> list[str]:
    """Name the protocols that are on the front as well."""
    return [
        f"The protocol {_in_words(point)} is on the front as well, without a central "
        "design: each node chooses its own links."
        for point in results.drawn.points
        if point.kind == "protocol" and "all" in point.on
    ]


def _lower_mean(one: Real) -> str:
    """Say where LowODA keeps a lower mean, both being near their lowest maxima."""
    published, ours = real_tables.like_low_oda(one), real_tables.like_ours(one)
    if published is None or ours is None or published.mean_degree >= ours.mean_degree:
        return ""
    return (
        "near the lowest maxima LowODA has fewer links on average: "
        f"{_in_words(published)} beside {_in_words(ours)}."
    )


def _conditions(conditions: Conditions) -> str:
    cores = os.cpu_count() or 1
    if conditions.load >= BUSY:
        beside = (
            f"Other processes ran on the machine (load {conditions.load:.1f} on {cores} cores), so "
            "wall-clock times in the files are longer than on an idle one"
        )
    else:
        beside = "The machine was nearly idle"
    took = (
        "Some results come from an interrupted run and have its times."
        if conditions.resumed
        else f"The fronts took {conditions.seconds / 60:.0f} minutes."
    )
    return f"{beside}. {took}"
