"""Draws subset_merge.svg: the links of subset merge for twenty services, level by level."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

import gossamer
from drawing import BLUE, FAINT, GREEN, INK, ORANGE, RED, Drawing
from gossamer.design._merge.engine import MergeDesign, renumber_nodes
from gossamer.design.subset_merge import MAX_VISITS, merge_subsets
from services import interests, layout

COLORS = {4: RED, 3: ORANGE, 2: BLUE, 1: GREEN}


def links_in_order(table: gossamer.Interests) -> list[tuple[int, int]]:
    """Return the links of subset merge in the order in which it adds them."""
    order = np.argsort(-table.subscription_sizes, kind="stable")
    merging = MergeDesign(renumber_nodes(table, order), ties="fewest-degree", seed=0)
    merge_subsets(merging, MAX_VISITS * table.subscription_count)
    merging.span()
    links = [(int(u), int(v)) for u, v in order[merging.ordered_links()]]
    made = gossamer.Overlay.from_links(table.node_count, links)
    assert made == gossamer.subset_merge(table)
    return links


def merged_topics(
    table: gossamer.Interests, links: list[tuple[int, int]]
) -> list[tuple[tuple[int, int], list[str]]]:
    """Return each link with the topics in which it joins two components."""
    label = {(v, t): (v, t) for v in range(table.node_count) for t in table.topics_of(v).tolist()}
    found = []
    for u, v in links:
        topics = []
        for topic in sorted(set(table.topics_of(u).tolist()) & set(table.topics_of(v).tolist())):
            one, other = label[u, topic], label[v, topic]
            if one != other:
                topics.append(str(table.topic_names[topic]))
                label = {key: one if value == other else value for key, value in label.items()}
        found.append(((u, v), topics))
    return found


def draw() -> Drawing:
    """Draw a panel for each level, with the links before it in grey."""
    table = interests()
    merged = merged_topics(table, links_in_order(table))
    by_level: dict[int, list[tuple[tuple[int, int], list[str]]]] = defaultdict(list)
    for link, topics in merged:
        by_level[len(topics)].append((link, topics))
    page = Drawing(900, 590, "Subset merge, level by level")
    before: list[tuple[int, int]] = []
    for panel, level in enumerate(sorted(by_level, reverse=True)):
        left, top = 10 + 450 * (panel % 2), 20 + 295 * (panel // 2)
        links = by_level[level]
        links_text = "1 link" if len(links) == 1 else f"{len(links)} links"
        page.text((left, top), f"level {level}: {links_text}", color=COLORS[level], bold=True)
        (u, v), topics = links[0]
        first = f"first {table.node_names[u]} – {table.node_names[v]}, for {', '.join(topics)}"
        page.text((left, top + 17), first)
        places = layout(left + 20, top + 42, 380, 205)
        for u, v in before:
            page.line(places[u], places[v], FAINT, 1, opacity=0.6)
        for (u, v), _ in links:
            page.line(places[u], places[v], COLORS[level], 1 + 1.2 * level)
        for at in places:
            page.circle(at, 4, INK)
        before += [link for link, _ in links]
    return page


if __name__ == "__main__":
    draw().save("subset_merge")
