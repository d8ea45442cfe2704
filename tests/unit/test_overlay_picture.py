"""Drawings of overlays: layout, groups of interests, colours, parts of large overlays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import gossamer
from gossamer.errors import InputError
from gossamer.kernels.draw import communities, layout
from gossamer.model import Interests, Overlay
from gossamer.viz import overlay as drawing
from gossamer.viz.interest_groups import interest_groups
from gossamer.viz.layout import positions
from gossamer.viz.overlay import overlay_chart, overlay_picture
from gossamer.viz.styles import COLORS
from tests.strategies import interests as any_interests

CLUBS = {f"{club}{place}": [club, "all"] for club in ("tea", "jazz", "chess") for place in range(6)}
INTERESTS = Interests.from_lists(CLUBS)
RING = gossamer.design(INTERESTS, "ring-per-topic").overlay


def rows_of(chart: Any, name: str = "points") -> list[dict[str, Any]]:
    """Return the nodes of a drawing, or its links."""
    spec = chart.spec
    found: list[dict[str, Any]] = (
        spec["data"]["values"] if name == "points" else spec["layer"][0]["data"]["values"]
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
        assert 0 <= row["across"] <= drawing.WIDTH
        assert 0 <= row["along"] <= drawing.HEIGHT
        assert row["topics"] == 2
    assert {row["series"] for row in links} == {"", *chart.series}


def test_topic_stands_out_with_its_components() -> None:
    connected = overlay_chart(INTERESTS, RING, topic="jazz")
    assert connected.title == "jazz: 6 of 18 nodes, 6 links, connected, diameter 3"
    assert connected.series == ("component 1: 6 subscribers",)
    assert sum(row["series"] != "" for row in rows_of(connected)) == 6
    loose = Overlay.from_links(18, RING.links[:1])
    parts = overlay_chart(INTERESTS, loose, topic="all")
    assert "1 link, 17 components" in parts.title
    assert len(parts.series) == len(COLORS)
    assert parts.series[0] == "component 1: 2 subscribers"
    assert parts.series[-1] == "10 more: 10 subscribers"
    assert all(row["series"] for row in rows_of(parts)), "every subscriber has a colour"


def test_large_overlays_are_drawn_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "MAX_NODES", 7)
    chart = overlay_chart(INTERESTS, RING, topic="tea")
    shown = [row["label"] for row in rows_of(chart)]
    assert len(shown) == 7
    assert {name for name in CLUBS if name.startswith("tea")} < set(shown)
    assert chart.note.startswith("drawn: 7 of 18 nodes, those nearest to the subscribers; ")
    assert "the node of the highest degree" in overlay_chart(INTERESTS, RING).note
    nothing = Overlay.from_links(18, [])
    assert len(rows_of(overlay_chart(INTERESTS, nothing))) == 7


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_pictures_are_the_same_each_time(tmp_path: Path, ending: str) -> None:
    paths = [tmp_path / f"{name}.{ending}" for name in "ab"]
    for path in paths:
        overlay_picture(INTERESTS, RING, path, topic="tea", seed=1)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    if ending == "svg":
        text = paths[0].read_text()
        assert text.count("<line ") == RING.link_count
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
