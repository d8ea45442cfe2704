"""Completion of given links by greedy merge, against the reference, step by step."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import gossamer
from gossamer.design._merge.engine import MergeDesign
from gossamer.design.completion import continue_from
from gossamer.model import Interests, Overlay
from tests import strategies
from tests.reference import design as naive


@given(strategies.interests(), strategies.seeds, st.data())
def test_every_added_link_merges_most_components(
    interests: Interests, seed: int, data: st.DataObject
) -> None:
    count = interests.node_count
    pairs = [(one, other) for one in range(count) for other in range(one + 1, count)]
    links = data.draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    start = Overlay.from_links(count, links)
    merging = continue_from(MergeDesign(interests, ties="fewest-degree", seed=seed), start)
    components = naive.Components(naive.topics_by_node(interests))
    for link in links:
        components.add(link)
    for one, other in merging.ordered_links().tolist():
        worth = {pair: len(components.merged_by(pair)) for pair in pairs}
        assert worth[one, other] == max(worth.values()) > 0
        components.add((one, other))
    assert all(not components.merged_by(pair) for pair in pairs)
    done = gossamer.design(interests, seed=seed, start=start)
    assert done.topic_connected
    assert set(map(tuple, done.overlay.links.tolist())) >= set(links)
    assert merging.degrees.tolist() == done.overlay.degrees.tolist()
