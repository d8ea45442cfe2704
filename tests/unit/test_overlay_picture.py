"""Drawings of overlays: layout, groups of interests, colours, parts of large overlays."""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gossamer
from gossamer.errors import InputError
from gossamer.kernels.draw import communities, layout
from gossamer.model import Interests, Overlay
from gossamer.quality.diameters import shape_of_topic
from gossamer.quality.topic_graphs import TopicGraph
from gossamer.viz import overlay as drawing
from gossamer.viz.interest_groups import interest_groups
from gossamer.viz.layout import positions
from gossamer.viz.network import HEIGHT, WIDTH
from gossamer.viz.overlay import overlay_chart, overlay_picture
from gossamer.viz.styles import COLORS
from gossamer.viz.topic_tree import Tree, pack_discs, shortest_path_trees
from tests.strategies import interests as any_interests

CLUBS = {f"{club}{place}": [club, "all"] for club in ("tea", "jazz", "chess") for place in range(6)}
INTERESTS = Interests.from_lists(CLUBS)
RING = gossamer.design(INTERESTS, "ring-per-topic").overlay


def rows_of(chart: Any, name: str = "points") -> list[dict[str, Any]]:
    """Return the nodes of a drawing, or its links."""
    spec = chart.spec
    found: list[dict[str, Any]] = (
        spec["data"]["values"]
        if name == "points"
        else next(one for one in spec["layer"] if one.get("name") == "avoid_links")["data"][
            "values"
        ]
    )
    return found


def test_groups_follow_the_interests() -> None:
    groups = interest_groups(INTERESTS)
    names = [INTERESTS.topic_names[topic] for topic in groups.topics]
    assert (sorted(names), groups.sizes) == (["chess", "jazz", "tea"], [6, 6, 6])
    for node, group in zip(INTERESTS.node_names, groups.of_node, strict=True):
        assert str(node).startswith(names[group])


@given(any_interests())
def test_groups_have_sizes_and_topics_of_their_own(interests: Interests) -> None:
    groups = interest_groups(interests)
    assert groups.sizes == sorted(groups.sizes, reverse=True)
    assert np.bincount(groups.of_node, minlength=len(groups.sizes)).tolist() == groups.sizes
    distinct = [topic for topic in groups.topics if topic >= 0]
    assert len(set(distinct)) == len(distinct)
    for group, topic in enumerate(groups.topics):
        if topic >= 0:
            members = np.flatnonzero(groups.of_node == group)
            assert np.isin(interests.subscribers_of(topic), members).any()


def test_moves_of_vertices_never_lower_modularity() -> None:
    links = np.array([(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (2, 3)])
    offsets, neighbours = Overlay.from_links(6, links).adjacency
    ones, none = np.ones(len(neighbours), dtype=np.int64), np.zeros(6, dtype=np.int64)
    plain = getattr(communities.move_vertices, "py_func", communities.move_vertices)
    for move in (communities.move_vertices, plain):
        found = move(offsets, neighbours, ones, none, 20)
        assert len(set(found[:3])) == len(set(found[3:])) == 1
        assert found[0] != found[3]


def test_layout_is_the_same_compiled_or_not_and_groups_are_near() -> None:
    groups = interest_groups(INTERESTS).of_node
    places = positions(INTERESTS, RING, groups, seed=3)
    assert np.array_equal(places, positions(INTERESTS, RING, groups, seed=3))
    assert np.ptp(places[:, 0]) >= np.ptp(places[:, 1])
    distances = np.linalg.norm(places[:, None] - places[None], axis=2)
    inside = groups[:, None] == groups[None]
    assert distances[inside].mean() < distances[~inside].mean()
    plain = getattr(layout.force_layout, "py_func", layout.force_layout)
    start, weights, masses = places[:, ::-1].copy(), np.ones(RING.link_count), np.ones(18)
    once, again = start.copy(), start.copy()
    layout.force_layout(once, RING.links, weights, masses, groups, 0.5, 20)
    plain(again, RING.links, weights, masses, groups, 0.5, 20)
    assert once == pytest.approx(again, abs=1e-6)
    assert np.abs(once - start).max() > 0.1


def test_whole_overlay_has_a_colour_for_each_group() -> None:
    chart = overlay_chart(INTERESTS, RING)
    assert chart.title == f"18 nodes, {RING.link_count} links"
    assert set(chart.series) == {"tea (6)", "jazz (6)", "chess (6)"}
    points, links = rows_of(chart), rows_of(chart, "links")
    assert (len(points), len(links)) == (18, RING.link_count)
    assert {row["name"] for row in points} == set(CLUBS), "a small drawing names its nodes"
    for row in points:
        assert row["label"].startswith(row["series"].split()[0])
        assert 0 <= row["across"] <= WIDTH
        assert 0 <= row["along"] <= HEIGHT
        assert row["topics"] == 2
    assert {row["series"] for row in links} == {"", *chart.series}


def test_topic_is_drawn_alone_on_rings_around_its_centre() -> None:
    chart = overlay_chart(INTERESTS, RING, topic="jazz")
    assert chart.title == "jazz: 6 subscribers, 6 links, connected, diameter 3"
    assert chart.series == ("component 1: 6 subscribers",)
    points = rows_of(chart)
    assert {row["label"] for row in points} == {name for name in CLUBS if name.startswith("jazz")}
    assert sorted(row["hops"] for row in points) == [0, 1, 1, 2, 2, 3]
    (centre,) = (row for row in points if row["hops"] == 0)
    distance = {
        row["label"]: np.hypot(row["across"] - centre["across"], row["along"] - centre["along"])
        for row in points
    }
    step = max(distance.values()) / 3
    for row in points:
        assert distance[row["label"]] == pytest.approx(step * row["hops"], abs=0.2)
        assert row["degree"] == 2
    links = rows_of(chart, "links")
    assert (len(links), sum(link["faint"] for link in links)) == (6, 1), "one link closes the ring"
    assert chart.note == (
        "a tree of shortest paths from the centre; rings: 1, 2, 3 hops from it; "
        "thin: the other links of the topic"
    )


def test_components_of_a_topic_have_colours_and_do_not_overlap() -> None:
    loose = Overlay.from_links(18, RING.links[:1])
    chart = overlay_chart(INTERESTS, loose, topic="all")
    assert "1 link, 17 components" in chart.title
    assert len(chart.series) == len(COLORS)
    assert chart.series[0] == "component 1: 2 subscribers"
    assert chart.series[-1] == "10 more: 10 subscribers"
    points = rows_of(chart)
    assert len(points) == 18
    assert all(row["series"] for row in points), "every subscriber has a colour"
    assert {row["series"] for row in rows_of(chart, "links")} == {chart.series[0]}
    assert chart.note == "each component: a tree of shortest paths from its centre"


@given(st.lists(st.floats(0.5, 30), min_size=1, max_size=40))
def test_discs_are_in_the_frame_and_apart(radii: list[float]) -> None:
    radii = sorted(radii, reverse=True)
    discs = pack_discs(radii, 700, 500)
    x, y, size = discs.T
    assert (x - size >= -1e-6).all()
    assert (x + size <= 700 + 1e-6).all()
    assert (y - size >= -1e-6).all()
    assert (y + size <= 500 + 1e-6).all()
    apart = np.hypot(x[:, None] - x, y[:, None] - y) - (size[:, None] + size)
    assert (apart[~np.eye(len(radii), dtype=bool)] >= -1e-6).all()
    if len(radii) > 1:
        assert size / radii == pytest.approx(np.full(len(radii), size[0] / radii[0]))


@given(any_interests(), st.randoms(use_true_random=False))
def test_trees_are_of_shortest_paths(interests: Interests, random: Any) -> None:
    count = interests.node_count
    pairs = [(u, v) for u in range(count) for v in range(u) if random.random() < 0.3]
    graph = TopicGraph.from_links(count, pairs)
    trees = shortest_path_trees(graph)
    assert sorted(vertex for tree in trees for vertex in tree.order) == list(range(count))
    assert len(trees) == shape_of_topic(graph).components
    for tree in trees:
        hops = dict(zip(tree.order, tree.hops, strict=True))
        for vertex, parent, far in zip(tree.order, tree.parents, tree.hops, strict=True):
            near = {hops[u if v == vertex else v] for u, v in pairs if vertex in (u, v)}
            assert far == (1 + min(near) if far else 0)
            assert tree.hops[parent] == max(far - 1, 0)
        if len(pairs) == count - len(trees):  # the graph is a forest
            assert max(tree.hops) <= (shape_of_topic(graph).diameter + 1) // 2


def test_large_overlays_are_drawn_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "MAX_NODES", 7)
    chart = overlay_chart(INTERESTS, RING)
    assert len(rows_of(chart)) == 7
    assert chart.note.startswith(
        "drawn: 7 of 18 nodes, those nearest to the node of the highest degree; "
    )
    nothing = Overlay.from_links(18, [])
    assert len(rows_of(overlay_chart(INTERESTS, nothing))) == 7
    topic = overlay_chart(INTERESTS, RING, topic="all")
    hops = [row["hops"] for row in rows_of(topic)]
    assert 3 < len(hops) <= 7
    start = f"drawn: {len(hops)} of 18 subscribers, the nearest to the centre; "
    assert topic.note.startswith(start)


def test_groups_of_a_part_are_near_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "MAX_NODES", 200)
    interests = gossamer.generate_interests("rss", nodes=400, topics=60, subscriptions=5, seed=1)
    points = rows_of(overlay_chart(interests, gossamer.subset_merge(interests)))
    places = np.array([(row["across"], row["along"]) for row in points])
    series = np.array([row["series"] for row in points])
    of_all = float(places.std(axis=0).mean())
    inside = [places[series == name].std(axis=0).mean() for name in set(series) - {""}]
    assert np.mean(inside) < 0.6 * of_all


def test_groups_of_one_node_have_no_colour() -> None:
    lists = {"a": ["x"], "b": ["x"], "c": ["y"], "d": ["y"], "alone": ["z"], "none": []}
    interests = Interests.from_lists(lists)
    chart = overlay_chart(interests, gossamer.greedy_merge(interests))
    colours = {row["label"]: row["series"] for row in rows_of(chart)}
    assert len(chart.series) == 2
    assert colours["alone"] == colours["none"] == ""
    assert colours["a"] == colours["b"] != ""


def test_nodes_of_a_long_path_do_not_cover_each_other() -> None:
    count = 40
    interests = Interests.from_lists({f"n{place:02}": ["all"] for place in range(count)})
    path = Overlay.from_links(count, [(at, at + 1) for at in range(count - 1)])
    points = sorted(rows_of(overlay_chart(interests, path, topic="all")), key=lambda p: p["label"])
    for one, other in pairwise(points):
        apart = np.hypot(one["across"] - other["across"], one["along"] - other["along"])
        radii = sum((row["size"] / np.pi) ** 0.5 for row in (one, other))
        assert radii < apart


def test_ring_that_does_not_fit_is_left_out_unless_it_is_most_of_the_tree() -> None:
    wide = Tree([*range(8)], [0, 0, 0, 0, 1, 1, 1, 1], [0, 1, 1, 1, 2, 2, 2, 2])
    assert wide.nearest(6).hops == [0, 1, 1, 1]
    assert wide.nearest(8) == wide
    star = Tree([*range(8)], [0] * 8, [0, *[1] * 7])
    assert len(star.nearest(6).order) == 6


def test_topic_of_a_large_overlay_is_drawn_in_seconds() -> None:
    count = 100_000
    chain = np.stack((np.arange(count - 1), np.arange(1, count)), axis=1)
    members = np.arange(0, count, 50)
    interests = Interests.from_ids(
        np.concatenate((np.arange(count), members)),
        np.concatenate((np.zeros(count, int), np.ones(len(members), int))),
        node_names=count,
        topic_names=2,
    )
    overlay = Overlay.from_links(
        count, np.concatenate((chain, np.stack((members[:-1], members[1:]), axis=1)))
    )
    start = time.perf_counter()
    chart = overlay_chart(interests, overlay, topic=1)
    assert time.perf_counter() - start < 10
    assert len(rows_of(chart)) == 2000
    assert "2,000 subscribers, 1,999 links, connected, diameter 1,999" in chart.title


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_pictures_are_the_same_each_time(tmp_path: Path, ending: str) -> None:
    paths = [tmp_path / f"{name}.{ending}" for name in "ab"]
    for path in paths:
        overlay_picture(INTERESTS, RING, path, topic="tea", seed=1)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    if ending == "svg":
        text = paths[0].read_text()
        assert text.count("<line ") == 6
        assert COLORS[0] in text


@pytest.mark.parametrize("lists", [{}, {"a": []}, {"a": ["x"]}])
def test_tiny_overlays_are_drawn(tmp_path: Path, lists: dict[str, list[str]]) -> None:
    interests = Interests.from_lists(lists)
    overlay_picture(interests, Overlay.from_links(len(lists), []), tmp_path / "o.svg")
    assert (tmp_path / "o.svg").read_text().startswith("<svg")


def test_wrong_topics_and_overlays_are_rejected(tmp_path: Path) -> None:
    path = tmp_path / "o.svg"
    with pytest.raises(InputError, match="no topic is named 'gin'"):
        overlay_picture(INTERESTS, RING, path, topic="gin")
    with pytest.raises(InputError, match="expected the same nodes"):
        overlay_picture(INTERESTS, Overlay.from_links(2, []), path)
    with pytest.raises(InputError, match="ending"):
        overlay_picture(INTERESTS, RING, tmp_path / "o.bmp")
    assert list(tmp_path.iterdir()) == []
