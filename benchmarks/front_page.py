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

There are many nodes, and each wants some topics. Whatever is published on a topic must reach all
who want it, over links between nodes that want it too: no stranger passes it on. Two things should
be low. **Links**: each costs its two nodes memory and upkeep, so a node should have few on average,
and no node very many. **Hops**: each link on the way from one subscriber to another takes time, and
is one more that can fail, so no two subscribers of a topic should be far apart; how far apart the
farthest are is the topic's *diameter*. One is easily had without the other. Here are both, for
{nodes:,} nodes that want {subscriptions} of {topics} topics each:
"""

PICTURE_TEXT = """Each point is an overlay for the same interests; lower left is better. The line
is the *front*: what no other beats. To the left the busiest node is a hub, to the right the paths
are long. In between lies what is new here, `bounded-radius`: one says how far from a topic's centre
anybody may be, and gets few links without hubs. What `gossamer front` says of this picture:
"""

HOW = """## How bounded-radius works

Every topic becomes a tree, and one link serves as many topics as it can: a link between two nodes
that share five topics may join trees in five of them at once. What a link is worth is the number of
topics in which it joins trees.

1. **Loose trees.** At first every node is alone in each of its topics. Links of the highest worth
   come first, as in greedy merge, but only where the joined tree stays shallow. So small trees grow
   together, until nearly half of the joining is done.
2. **Roots.** The largest tree of every topic gets a root: its centre.
3. **Hanging.** The others are hung under the rooted tree, from a member that is near enough to the
   root that nobody ends up deeper than the radius R. Tight fits come first, so that places near the
   root are left for the tall trees. Those not hung yet go on growing together.
4. **Second thoughts.** With all links at hand, a node often needs fewer. Links that nobody needs
   are taken away; then every node chooses anew whom it hangs under, and moves if that takes fewer
   links, or as many to nodes that are less busy. So it goes on while it saves links, within the
   same radius.

Nodes have a *cap*, a number of links that they should not exceed. By rule it is what the radius
makes necessary: a tree of n members no deeper than R has somebody with about n^(1/R) children. A
node keeps room for the topics in which it is still alone, so that it is not full before it is
hung itself. The cap is soft, and rises where it would leave a tree nowhere to hang. The constants
of the rule were fitted on interests like those below, on other seeds, and the least cap on two of
the real tables, Ask Ubuntu and Facebook; Epinions and Deezer had no part in it.

**The guarantee.** Nobody is deeper than R in any topic, so two subscribers of a topic are at most
2 R hops apart, by way of the root; links made for other topics can only shorten that. And it
always ends with one tree a topic: the centre of a loose tree can hang directly from the root. The
proof is with the [code](../src/gossamer/design/bounded_radius.py), and the test suite holds every
overlay to it.

`cover-forest` is for heavy tails, where some nodes want a hundred times as many topics as others:
nodes are placed one by one, those of many interests first, each under a few others that cover its
topics. Second thoughts follow as above, and the same bound on diameters holds.
"""

INSTANCES = """## On {count}

{nodes:,} nodes with {subscriptions} of {topics} topics each, popularity as in RSS feeds, {drawn}.
Mean degree, its ratio to the proven lower bound and the seconds are averages; where instances
differ in the others, the least and the most are given. Nodes over their cap: how many, and by how
many links at most.
"""

PROTOTYPE = """## Beside an independent prototype

An independent prototype of the same idea was measured before, on one instance of this size; its
numbers were written down. Ours stand beside them, on other instances. The rule: mean degrees are
compared at the prototype's decimals, as averages over the instances, the others as the middle one
of the instances; *beaten* has no measure above and one below, *met* all equal. The first rows are
algorithms that both have: they show how alike the instances are.
"""

SCALING = """## How long it takes

*Seconds* are those in which the process computes, on one core; the ratio divides them by greedy
merge's of the same size, in the same run. *Peak* is the most memory that a process of its own
held for it: input, work and result.
"""

PARAMETERS = """## What the parameters do

Bounded radius with radius {radius} on the first instance: one parameter at a time at other values,
the others by rule. What the rule takes is in bold.
"""

CAPPED = """## A degree cap for subset merge

`subset-merge` is close to greedy merge at a fraction of the work on large tables, and takes a
degree cap. Does that bring LowODA's maximum at greedy merge's mean? The rule for *yes*: a maximum
not above LowODA's, and a mean at most {close:.0%} above greedy merge's.
"""

REAL = """## On real interests

The same with interests of real users, where a few want very many topics and a few topics are
wanted by very many. What would take too long at a size is left out, as `gossamer front` does.
"""

STAND = """### Where we stand

LowODA is the published algorithm that is made for low maxima without many links. Held against each
other are, of LowODA at its values of ρ and of ours with a bound on paths (at its radii and, under
*Heavy tails*, caps), the overlay with the fewest links among those whose maximum is within
{near:.0%} of the lowest of its kind.
"""

BEATEN = """LowODA and MinMax-ODA at every value that was run, and of ours with a bound on paths the
overlay that beats it, with no measure above and one below, at the fewest links. So many of theirs
are beaten: {answers}.
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
            f"the busiest node wants {one.most:,} topics, the largest topic has {one.widest:,} "
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
    """Say what did not help, and where another is better, from the numbers."""
    said = []
    found = tables.averages(results.instances)
    radius = results.plan.varied_radius
    bounded, forest = (
        found.get(f"{name}:radius={radius}") for name in ("bounded-radius", "cover-forest")
    )
    if bounded is not None and forest is not None:
        said.append(
            f"Where all nodes want equally many topics, `cover-forest` needs "
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
    """Say what is best where hops do not matter."""
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
        f"The protocol {_in_words(point)} is on the front as well, and nobody designs it: each "
        "node chooses its own links."
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


def _larger_radii(one: Real) -> str:
    """Say where a larger radius does not buy fewer links."""
    found = [p for p in one.front.points if p.family == "bounded-radius" and "radius" in p.options]
    if len(found) < 2:
        return ""
    widest = max(found, key=lambda p: int(p.options["radius"]))
    fewest = min(found, key=lambda p: p.mean_degree)
    if widest.mean_degree <= tables.CLOSE * fewest.mean_degree:
        return ""
    return (
        f"a larger radius does not buy fewer links: {_in_words(fewest)} beside "
        f"{_in_words(widest)}. By rule the cap is lower there, and that may cost more than depth "
        "saves."
    )


def _lower_caps(one: Real) -> list[str]:
    """Say where the lowest cap adds more to the mean than it takes off the maximum."""
    said = []
    points = one.tails.points if one.tails else ()
    for rule in points:
        capped = [p for p in points if p.label.startswith(f"{rule.label}:degree-cap=")]
        if not capped:
            continue
        lower = min(capped, key=lambda p: int(p.options["degree-cap"]))
        if lower.mean_degree * lower.max_degree <= rule.mean_degree * rule.max_degree:
            continue
        told = real_tables.relation(lower, rule).rpartition(":")[0]
        said.append(
            f"a lower cap than the rule's costs more than it gives: `{rule.typed}` with "
            f"{lower.options['degree-cap']}: {told}."
        )
    return said


def _conditions(conditions: Conditions) -> str:
    cores = os.cpu_count() or 1
    if conditions.load >= BUSY:
        beside = (
            f"Others ran on the machine beside it: its load was {conditions.load:.1f} on {cores} "
            f"cores before the fronts began, and the run got {conditions.share:.0%} of a core; so "
            "seconds of fronts, which are read off the wall, are longer than on an idle machine"
        )
    else:
        beside = (
            f"Nothing much ran beside it (load {conditions.load:.1f} before the fronts began, "
            f"{conditions.share:.0%} of a core for the run); seconds of fronts are read off the "
            "wall"
        )
    took = (
        "Some results were kept from a run that was interrupted, and have its times."
        if conditions.resumed
        else f"The fronts took {conditions.seconds / 60:.0f} minutes."
    )
    return (
        f"{beside}. {took} Ratios under *How long it takes* are of the process's own seconds, "
        "which others disturb little."
    )
