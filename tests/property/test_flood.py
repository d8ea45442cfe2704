"""Flood kernels against the reference with dictionaries and a queue."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gossamer.model import Interests, Overlay, Publications
from gossamer.quality import FLOODS, Flood, TopicGraphs, flood_publications, savings
from tests.reference.flood import Links, flood
from tests.strategies import interests as some_interests

Given = tuple[Interests, TopicGraphs, Publications]


@st.composite
def floods(draw: st.DrawFn) -> Given:
    """Interests, links of all shared topics or of some of them, and publications."""
    interests = draw(some_interests(max_nodes=8, max_topics=5))
    nodes = interests.node_count
    pairs = [(a, b) for a in range(nodes) for b in range(a + 1, nodes)]
    links = sorted(draw(st.sets(st.sampled_from(pairs)))) if pairs else []
    if draw(st.booleans()):
        graphs = TopicGraphs.of(interests, Overlay.from_links(nodes, links))
    else:
        arcs = [
            (topic, *pair)
            for a, b in links
            for topic in range(interests.topic_count)
            if draw(st.booleans())
            for pair in ((a, b), (b, a))
        ]
        graphs = TopicGraphs.from_arcs(interests, *np.array(arcs, dtype=int).reshape(-1, 3).T)
    able = [node for node in range(nodes) if len(interests.topics_of(node))]
    publishers = draw(st.lists(st.sampled_from(able), max_size=5)) if able else []
    topics = [
        draw(st.lists(st.sampled_from(interests.topics_of(p).tolist()), min_size=1, unique=True))
        for p in publishers
    ]
    return interests, graphs, Publications.from_lists(publishers, topics)


def as_dictionaries(interests: Interests, graphs: TopicGraphs) -> tuple[list[set[int]], Links]:
    wants = [set(interests.topics_of(node).tolist()) for node in range(interests.node_count)]
    links: Links = {}
    for topic in range(interests.topic_count):
        members = interests.subscribers_of(topic).tolist()
        graph = graphs.graph_of(topic)
        for place, node in enumerate(members):
            begin, end = graph.offsets[place : place + 2] - graph.offsets[0]
            links[node, topic] = [members[k] for k in graph.neighbours[begin:end].tolist()]
    return wants, links


@given(floods(), st.sampled_from(FLOODS), st.booleans())
def test_floods_equal_the_reference(case: Given, kind: Flood, send_back: bool) -> None:
    interests, graphs, publications = case
    listed = [publications.topics_of(k).tolist() for k in range(len(publications))]
    entries = len(publications) if kind == "crosspost" else len(publications.topics)
    found = flood_publications(
        interests, graphs, publications, flood=kind, send_back=send_back, sizes=np.full(entries, 7)
    )
    published = list(zip(publications.publishers.tolist(), listed, strict=True))
    twin = flood(*as_dictionaries(interests, graphs), published, kind, send_back)
    nodes = range(interests.node_count)
    assert found.sent.tolist() == [twin.sent[node] for node in nodes]
    assert found.bytes.tolist() == [7 * twin.sent[node] for node in nodes]
    to = Counter(node for _, _, node in twin.delivered)
    assert found.deliveries.tolist() == [to[node] for node in nodes]
    of = Counter(number for number, _, _ in twin.delivered)
    assert found.delivered.tolist() == [of[number] for number in range(len(listed))]
    first = Counter(number for number, _ in twin.receipts)
    assert found.receipts.tolist() == [first[number] for number in range(len(listed))]
    hops = Counter(twin.delivered.values())
    assert dict(zip(found.hops.values.tolist(), found.hops.counts.tolist(), strict=True)) == hops
    assert found.furthest.tolist() == [
        max((h for (n, _, _), h in twin.delivered.items() if n == number), default=0)
        for number in range(len(listed))
    ]
    assert found.arrived == found.copies.sum() == found.sent.sum() == sum(twin.sent.values())
    assert found.expected.tolist() == [
        sum(len(interests.subscribers_of(topic)) - 1 for topic in tags) for tags in listed
    ]
    expected = found.expected.sum()
    assert found.hit_ratio == (len(twin.delivered) / expected if expected else 1.0)
    receipts, copies = len(twin.receipts), sum(twin.sent.values())
    assert found.duplicates_per_receipt == ((copies - receipts) / receipts if receipts else 0.0)


@given(floods())
def test_crossposts_reach_the_receivers_of_simple_floods_at_least_as_early(case: Given) -> None:
    cross, simple = (flood_publications(*case, flood=kind) for kind in FLOODS)
    assert (cross.delivered >= simple.delivered).all()
    assert (cross.deliveries >= simple.deliveries).all()
    if cross.hit_ratio == simple.hit_ratio:
        assert cross.hops.mean <= simple.hops.mean
        spared = simple.delivered.sum() - simple.receipts.sum()
        assert cross.copies.sum() <= simple.copies.sum() + spared


@given(floods())
def test_copies_that_are_sent_back_reach_no_further_node(case: Given) -> None:
    """And as printed, a node never sends more copies of a crosspost than of simple floods."""
    cross, simple = (flood_publications(*case, flood=kind, send_back=True) for kind in FLOODS)
    for printed in (cross, simple):
        ours = flood_publications(*case, flood="simple" if printed is simple else "crosspost")
        assert (printed.sent >= ours.sent).all()
        for name in ("delivered", "receipts", "furthest", "deliveries"):
            assert getattr(printed, name).tolist() == getattr(ours, name).tolist()
    if cross.hit_ratio == simple.hit_ratio:
        assert (savings(simple, cross) >= 0).all()


def test_crossposts_save_shared_links_and_cost_one_source() -> None:
    """Every link serves both topics: half the copies. No link serves both: more than apart.

    Who floods two topics apart sends neither back where it came from; who floods them together
    spares one sender alone.
    """
    alike = Interests.from_lists({node: [0, 1] for node in range(4)})
    chain = TopicGraphs.of(alike, Overlay.from_links(4, [(0, 1), (1, 2), (2, 3)]))
    apart = np.array([(0, 0, 1), (0, 1, 2), (0, 2, 3), (1, 1, 3), (1, 3, 0), (1, 0, 2)])
    arcs = np.concatenate((apart, apart[:, [0, 2, 1]]))
    published = Publications.from_lists([0], [[0, 1]])
    for graphs, sent in ((chain, [3, 6]), (TopicGraphs.from_arcs(alike, *arcs.T), [9, 6])):
        found = [flood_publications(alike, graphs, published, flood=kind) for kind in FLOODS]
        assert [int(one.sent.sum()) for one in found] == sent
    cross, simple = (flood_publications(alike, chain, published, flood=kind) for kind in FLOODS)
    assert savings(simple, cross).tolist() == [50.0] * 3, "the last node sends nothing"
