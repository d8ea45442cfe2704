"""Divide and conquer: blocks designed alone, then joined by representatives.

Nodes of alike interests come into one block (in the order of their rarest topics), greedy
merge designs each block, and in every block a few nodes that cover its topics ``cover`` times
stand for it; greedy merge on those joins the blocks. Dividing is what lets blocks be designed
side by side; what it costs in links is to be seen.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gossamer import greedy_merge, is_topic_connected, read_interests
from gossamer.design._merge.engine import Descent, MergeDesign
from gossamer.model import Interests, Overlay

__all__ = ["divided_merge"]


def divided_merge(interests: Interests, *, blocks: int, cover: int = 3, seed: int = 0) -> Overlay:
    """Design by blocks of about the same number of nodes, joined by representatives."""
    parts = [part for part in np.array_split(_by_likeness(interests), blocks) if len(part)]
    links, chosen = [], []
    for part in parts:
        mine = _restricted(interests, part)
        links.append(part[greedy_merge(mine, seed=seed).links])
        chosen.append(part[_cover(mine, cover)])
    # Within a block every topic is connected: its representatives have one component there.
    standing = np.concatenate(chosen)
    block_of = np.repeat(np.arange(len(parts)), [len(some) for some in chosen])
    joined = _restricted(interests, standing)
    merging = MergeDesign(joined, ties="fewest-degree", seed=seed)
    keys = joined.node_topics.astype(np.int64) * len(parts) + block_of[joined.node_column]
    merging.restore_from(
        np.unique(keys, return_inverse=True)[1].astype(np.int32),
        np.zeros(len(standing), dtype=np.int32),
    )
    descent = Descent(merging)
    for level in range(int(merging.ceilings.max(initial=0)), 1, -1):
        descent.link(level)
    merging.span()
    links.append(standing[merging.ordered_links()])
    return Overlay.from_links(interests.node_count, np.concatenate(links))


def _by_likeness(interests: Interests) -> NDArray[np.int64]:
    """Order nodes by their topics, rarest first."""
    rank = np.argsort(np.argsort(interests.popularity, kind="stable"))
    keys = [
        sorted(rank[interests.topics_of(node)].tolist()) for node in range(interests.node_count)
    ]
    return np.array(sorted(range(interests.node_count), key=keys.__getitem__), dtype=np.int64)


def _restricted(interests: Interests, nodes: NDArray[np.int64]) -> Interests:
    """Return the interests of some nodes, numbered in that order."""
    sizes = interests.subscription_sizes[nodes]
    starts = interests.node_offsets[nodes]
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    take = np.repeat(starts - offsets[:-1], sizes) + np.arange(offsets[-1])
    return Interests.from_ids(
        np.repeat(np.arange(len(nodes)), sizes),
        interests.node_topics[take],
        node_names=len(nodes),
        topic_names=interests.topic_count,
    )


def _cover(interests: Interests, times: int) -> NDArray[np.int64]:
    """Take nodes of many topics until every topic is covered so often, or by all it has."""
    needed = np.minimum(interests.popularity, times).astype(np.int64)
    waiting: dict[int, list[int]] = defaultdict(list)
    for node, size in enumerate(interests.subscription_sizes.tolist()):
        waiting[size].append(node)
    chosen = []
    for worth in range(max(waiting, default=0), 0, -1):
        for node in waiting.pop(worth, []):
            topics = interests.topics_of(node)
            left = int((needed[topics] > 0).sum())
            if left == worth:
                chosen.append(node)
                needed[topics] -= needed[topics] > 0
            elif left:
                waiting[left].append(node)
    return np.array(sorted(chosen), dtype=np.int64)


def main() -> None:
    """Design a table by blocks, and print the degrees as the command does."""
    parser = argparse.ArgumentParser(description="Divide and conquer, for comparison.")
    parser.add_argument("subscriptions", type=Path)
    parser.add_argument("--blocks", type=int, default=4)
    options = parser.parse_args()
    interests = read_interests(options.subscriptions)
    overlay = divided_merge(interests, blocks=options.blocks)
    assert is_topic_connected(interests, overlay)
    print(f"links per node, mean  {overlay.degrees.mean():.2f}")
    print(f"links per node, maximum  {overlay.degrees.max():,}")


if __name__ == "__main__":
    main()
