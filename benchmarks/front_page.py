"""The page on the degree–diameter front: the idea, the picture, the tables, where it fails."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import front_real as real_tables
from benchmarks import front_tables as tables
from benchmarks.harness import find_benchmark
from benchmarks.harness.machine import describe_machine
from benchmarks.harness.page import markdown_table, table_of
from gossamer.experiments.pareto_front import Front, FrontPoint
from gossamer.experiments.recommendation import recommend
from gossamer.viz.front import front_picture

if TYPE_CHECKING:
    from benchmarks.front import Conditions, FrontResults, Real

__all__ = ["front_document"]

BUSY = 0.3
"""A load before the run from which on others are said to have run beside it."""

INTRODUCTION = """# Fewer links or shorter paths

Written by `script/bench front`. Run it again for the numbers of your machine.

Nodes subscribe to topics. A publication must reach all subscribers of its topic over links
between subscribers of that topic; no other node relays it. Two measures should be low. **Links**:
each link costs its two nodes memory and maintenance, so the mean degree and the maximum degree
should be low. **Hops**: each link of a path takes time and may fail, so the *diameter* of a
topic, the longest of the shortest paths between its subscribers, should be low. Each alone is
easy, at the expense of the other. These are overlays for {nodes:,} nodes with {subscriptions} of
{topics} topics each:
"""

PICTURE_TEXT = """Each point is an overlay for the same interests; lower left is better. The line
is the *Pareto front*: the overlays that no other dominates. On the left a few nodes are hubs, on
the right paths are long. Between them is the new algorithm `bounded-radius`: given a maximum
distance from the centre of each topic, it needs few links and no hubs. `gossamer front`
recommends:
"""

HOW = """## How bounded-radius works

Every topic becomes a tree, and one link serves as many topics as possible: a link between two nodes
with five topics in common may join trees in five of them. The gain of a link is the number of
topics in which it joins trees.

1. **Loose trees.** Each node starts alone in each of its topics. Links with the highest gain are
   added first, as in greedy merge, if the joined trees stay shallow. Small trees grow until almost
   half of the joins are done.
2. **Roots.** The largest tree of each topic gets a root: its centre.
3. **Attachment.** The other trees are attached to the rooted tree, at a member near enough to the
   root that no node is deeper than the radius R. Tight fits come first, so that places near the
   root remain for tall trees. Trees that are not attached yet continue to grow.
4. **Improvement phase.** Once all links are known, redundant links are pruned. Then each node
   reconsiders its parent, and moves if that needs fewer links, or as many links to nodes of lower
   degree. Both repeat while they save links, within the same radius.

Nodes have a degree *cap*. By rule it follows from the radius: in a tree of n members no deeper
than R, some node has about n^(1/R) children. A node reserves capacity for the topics in which it
is still alone, so that it is not full before it is attached itself. The cap is soft: it rises
where a tree could not be attached otherwise. The constants of the rule were fitted on interests
like those below, with other seeds, and the minimum cap on two of the real tables, Ask Ubuntu and
Facebook; Epinions and Deezer were not used.

**The guarantee.** No node is deeper than R in any topic, so two subscribers of a topic are at
most 2 R hops apart, by way of the root; links of other topics can only shorten that. The
algorithm always ends with one tree a topic, because the centre of a loose tree can be attached to
the root. The proof is with the [code](../src/gossamer/design/bounded_radius.py), and the test
suite checks it for every overlay.

`cover-forest` is for heavy tails, where some nodes have a hundred times as many topics as others:
nodes are placed one by one, those with most topics first, each under a few others that cover its
topics. The improvement phase follows as above, with the same bound on diameters.
"""

INSTANCES = """## On {count}

{nodes:,} nodes with {subscriptions} of {topics} topics each, popularity as in RSS feeds, {drawn}.
Mean degree, its ratio to the lower bound and the seconds are averages; where instances differ in
the other measures, minimum and maximum are given. Nodes over their cap: their number, and the
maximum excess in links.
"""

PROTOTYPE = """## Beside an independent prototype

An independent prototype of the same idea was measured earlier, on one instance of this size. Its
recorded numbers stand beside ours, on other instances. Mean degrees are compared to the decimals of
the prototype, as averages over the instances, the other measures as the median of the instances;
*beaten* has no measure above and one below, *met* has all equal. The first rows are algorithms that
both have: they show how similar the instances are.
"""

SCALING = """## How long it takes

*Seconds* are the processor time on one core; the ratio divides them by those of greedy merge at the
same size, in the same run. *Peak* is the maximum memory of a separate process: input, work and
result.
"""

PARAMETERS = """## What the parameters do

Bounded radius with radius {radius} on the first instance: one parameter at a time at other values,
the others by rule. The values of the rule are in bold.
"""

CAPPED = """## A degree cap for subset merge

`subset-merge` is close to greedy merge at a fraction of the work on large tables, and takes a
degree cap. Does it reach the maximum of LowODA at the mean of greedy merge? The criterion: a
maximum not above that of LowODA, and a mean at most {close:.0%} above greedy merge's.
"""

REAL = """## On real interests

The same with interests of real users: a few users have very many topics, and a few topics have very
many subscribers. Candidates that would take too long are left out, as in `gossamer front`.
"""

STAND = """### Where we stand

LowODA is the published algorithm for low maximum degrees with few links. Compared are LowODA at
its values of ρ and our algorithms with bounded paths (at their radii and, under *Heavy tails*,
caps): of each the overlay with the fewest links among those whose maximum is within {near:.0%} of
the lowest of its kind.
"""

BEATEN = """LowODA and MinMax-ODA at every measured value, and the overlay of ours with bounded
paths that dominates it, with the fewest links. Number of dominated overlays: {answers}.
"""

TAILS = """### Heavy tails

Caps around the rule, and LowODA at several ρ.
"""


def front_document(results: FrontResults, folder: Path | None) -> str:
    """Write the page; with a folder, draw its pictures below it."""
    size = results.plan.size
    parts = [
        INTRODUCTION.format(nodes=size.nodes, topics=size.topics, subscriptions=size.subscriptions),
        *_shown(results.drawn, "RSS feeds", "front", folder),
        PICTURE_TEXT,
        *_advice(results.drawn),
        HOW,
        *_instances(results),
        *_prototype(results),
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
        "## How it was measured",
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
    return [*(f"- {one.text}" for one in recommend(front)), ""]


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


def _prototype(results: FrontResults) -> list[str]:
    if results.plan.size != tables.REFERENCE_SIZE:
        return []
    table, answer = tables.beside_prototype(results), tables.prototype_answer(results)
    return [PROTOTYPE, answer, "", table, ""]


def _scaling(results: FrontResults) -> list[str]:
    found = find_benchmark("shortening")
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
            f"the busiest node has {one.most:,} topics, the largest topic has {one.widest:,} "
            "subscribers.",
            "",
        ]
        parts += _shown(one.front, one.title, f"front_{name.replace('-', '_')}", folder)
        parts += _advice(one.front)
        left = [f"{label} ({why})" for label, why in one.front.left_out.items()]
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
        f"**{one.title}.** LowODA: {_in_words(published)}; ours: {_in_words(ours)}. Of ours, "
        f"{real_tables.relation(ours, published)}."
    )


def _in_words(point: FrontPoint) -> str:
    return (
        f"`{point.typed}` ({point.mean_degree:.2f} links a node, {point.max_degree:,} at most, "
        f"{point.max_diameter:,} hops)"
    )


def _not_best(results: FrontResults) -> list[str]:
    """Return what did not help, and where another algorithm is better, from the numbers."""
    said = []
    found = tables.averages(results.instances)
    radius = results.plan.varied_radius
    bounded, forest = (
        found.get(f"{name}:radius={radius}") for name in ("bounded-radius", "cover-forest")
    )
    if bounded is not None and forest is not None:
        said.append(
            f"Where all nodes have the same number of topics, `cover-forest` needs "
            f"{forest.mean / bounded.mean:.2f} × the links of `bounded-radius` at radius {radius} "
            f"({forest.mean:.2f} for {bounded.mean:.2f} on average, {max(forest.maxima)} for "
            f"{max(bounded.maxima)} at most)."
        )
    said += [_no_hops_asked(results), *_protocols(results)]
    for one in results.real.values():
        for text in (_lower_mean(one), _larger_radii(one), *_lower_caps(one)):
            said += [f"{one.title}: {text}"] * bool(text)
    return [
        "## What did not help, and where ours is not the best",
        "",
        *(f"- {text}" for text in said if text),
        "",
    ]


def _no_hops_asked(results: FrontResults) -> str:
    """Return the best overlays if hops do not matter."""
    whole = [point for point in results.drawn.points if point.connected]
    fewest = min(whole, key=lambda p: (p.mean_degree, p.max_degree))
    lowest = min(whole, key=lambda p: (p.max_degree, p.mean_degree))
    other = (
        "the lowest maximum too" if lowest is fewest else f"{_in_words(lowest)} the lowest maximum"
    )
    return f"Where hops do not matter, {_in_words(fewest)} has the fewest links, and {other}."


def _protocols(results: FrontResults) -> list[str]:
    """Name the protocols that are on the front as well."""
    return [
        f"The protocol {_in_words(point)} is on the front as well, without any global design: "
        "each node chooses its own links."
        for point in results.drawn.points
        if point.kind == "protocol" and "all" in point.on
    ]


def _lower_mean(one: Real) -> str:
    """Return where LowODA has a lower mean, both near their lowest maxima."""
    published, ours = real_tables.like_low_oda(one), real_tables.like_ours(one)
    if published is None or ours is None or published.mean_degree >= ours.mean_degree:
        return ""
    return (
        "near the lowest maxima LowODA has fewer links on average: "
        f"{_in_words(published)} beside {_in_words(ours)}."
    )


def _larger_radii(one: Real) -> str:
    """Return where a larger radius does not save links."""
    found = [p for p in one.front.points if p.family == "bounded-radius" and "radius" in p.options]
    if len(found) < 2:
        return ""
    widest = max(found, key=lambda p: int(p.options["radius"]))
    fewest = min(found, key=lambda p: p.mean_degree)
    if widest.mean_degree <= tables.CLOSE * fewest.mean_degree:
        return ""
    return (
        f"a larger radius does not save links: {_in_words(fewest)} beside "
        f"{_in_words(widest)}. By rule the cap is lower there, and that may cost more than depth "
        "saves."
    )


def _lower_caps(one: Real) -> list[str]:
    """Return where the lowest cap adds more to the mean than it takes off the maximum."""
    said = []
    points = one.tails.points if one.tails else ()
    for rule in points:
        capped = [p for p in points if p.label.startswith(f"{rule.label}:degree-cap=")]
        if not capped:
            continue
        lower = min(capped, key=lambda p: int(p.options["degree-cap"]))
        if lower.mean_degree * lower.max_degree <= rule.mean_degree * rule.max_degree:
            continue
        change = real_tables.relation(lower, rule).rpartition(":")[0]
        said.append(
            f"a lower cap than the rule's costs more than it gives: `{rule.typed}` with "
            f"{lower.options['degree-cap']}: {change}."
        )
    return said


def _conditions(conditions: Conditions) -> str:
    cores = os.cpu_count() or 1
    if conditions.load >= BUSY:
        beside = (
            f"Other processes ran on the machine: its load was {conditions.load:.1f} on {cores} "
            f"cores before the fronts began, and the run got {conditions.share:.0%} of a core; so "
            "the wall-clock seconds of fronts are longer than on an idle machine"
        )
    else:
        beside = (
            f"Few other processes ran (load {conditions.load:.1f} before the fronts began, "
            f"{conditions.share:.0%} of a core for the run); seconds of fronts are wall-clock "
            "seconds"
        )
    took = (
        "Some results come from the checkpoint of an interrupted run, with its times."
        if conditions.resumed
        else f"The fronts took {conditions.seconds / 60:.0f} minutes."
    )
    return (
        f"{beside}. {took} Ratios under *How long it takes* are of the process's own seconds, "
        "which other processes disturb little."
    )
