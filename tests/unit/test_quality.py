"""Quality metrics on cases with known values, at the edges, and without compilation."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from gossamer.errors import OverlayError, ParameterError
from gossamer.model import Interests, Overlay
from gossamer.quality import (
    TopicGraph,
    assess,
    is_topic_connected,
    links_lower_bound,
    lower_bound,
    mean_clustering,
    shape_of_topic,
    top_intersection,
    topic_components,
)


def one_topic(count: int) -> Interests:
    return Interests.from_ids(np.arange(count), np.zeros(count), node_names=count, topic_names=1)


def ring(count: int) -> list[tuple[int, int]]:
    return [(node, (node + 1) % count) for node in range(count)]


def star(count: int) -> list[tuple[int, int]]:
    return [(0, node) for node in range(1, count)]


def mesh(count: int) -> list[tuple[int, int]]:
    return [(one, other) for one in range(count) for other in range(one)]


def wheel(count: int) -> list[tuple[int, int]]:
    return star(count) + [(node, node + 1) for node in range(1, count - 1)]


def petersen() -> list[tuple[int, int]]:
    return [
        *((v, (v + 1) % 5) for v in range(5)),
        *((v, v + 5) for v in range(5)),
        *((v + 5, (v + 2) % 5 + 5) for v in range(5)),
    ]


@pytest.mark.parametrize(
    ("count", "links", "components", "diameter"),
    [
        (0, [], 0, 0),
        (1, [], 1, 0),
        (5, [], 5, 0),
        (2, [(0, 1)], 1, 1),
        (40_000, star(40_000), 1, 2),
        (40_000, ring(40_000)[:-1], 1, 39_999),
        (40_000, ring(40_000), 1, 20_000),
        (1_001, ring(1_001), 1, 500),
        (300, mesh(300), 1, 1),
        (5_000, wheel(5_000), 1, 2),
        (10, petersen(), 1, 2),
        (12, [*ring(7), (7, 8), (8, 9)], 4, 3),
    ],
)
def test_shape_of_topic(
    count: int, links: list[tuple[int, int]], components: int, diameter: int
) -> None:
    assert shape_of_topic(TopicGraph.from_links(count, links)) == (components, diameter)


def test_diameter_of_a_torus_where_all_eccentricities_are_alike() -> None:
    side = 31
    cells = np.arange(side * side)
    right = cells - cells % side + (cells + 1) % side
    down = (cells + side) % (side * side)
    links = np.concatenate((np.stack((cells, right), 1), np.stack((cells, down), 1)))
    assert shape_of_topic(TopicGraph.from_links(side * side, links)) == (1, 30)


def test_clustering_of_hubs() -> None:
    count = 20_000
    assert mean_clustering(Overlay.from_links(count, star(count))) == 0
    coefficient = mean_clustering(Overlay.from_links(count, wheel(count)))
    assert coefficient == pytest.approx(2 / 3, abs=1e-3)


def test_overlay_over_other_nodes_is_rejected() -> None:
    interests, overlay = one_topic(3), Overlay.from_links(4, [])
    for measure in (assess, topic_components, is_topic_connected):
        with pytest.raises(OverlayError, match="4 nodes and the interests have 3"):
            measure(interests, overlay)


def test_empty_overlay() -> None:
    nobody = Interests.from_ids([], [], node_names=0, topic_names=0)
    assessment = assess(nobody, Overlay.from_links(0, []))
    assert assessment.topic_connected
    assert assessment.ratio is None
    assert assessment.mean_degree == assessment.clustering == assessment.mean_diameter == 0


def test_topics_of_one_subscriber_or_none_are_connected() -> None:
    interests = Interests.from_ids([0, 1], [0, 1], node_names=3, topic_names=3)
    assessment = assess(interests, Overlay.from_links(3, []))
    assert assessment.topic_components.tolist() == [1, 1, 0]
    assert assessment.topics_connected == assessment.topics == 3
    assert assessment.lower_bound is not None
    assert assessment.lower_bound.links == 0
    assert assessment.summary()["ratio_to_lower_bound"] is None


def test_summary_order() -> None:
    interests = one_topic(4)
    overlay = Overlay.from_links(4, star(4))
    assessment = assess(interests, overlay)
    summary = assessment.summary()
    assert list(summary)[:3] == ["nodes", "links", "mean_degree"]
    assert summary["ratio_to_lower_bound"] == 1.0
    assert str(assessment).splitlines()[3].split() == ["links", "per", "node,", "mean", "1.50"]
    assert "lower_bound" not in assess(interests, overlay, lower_bound=False).summary()


def test_given_bound_is_used() -> None:
    interests = one_topic(4)
    bound = links_lower_bound(interests)
    assert assess(interests, Overlay.from_links(4, ring(4)), lower_bound=bound).lower_bound is bound


def test_progress_ends_at_one() -> None:
    seen: dict[str, float] = {}
    random = np.random.default_rng(1)
    interests = Interests.from_ids(
        np.repeat(np.arange(60), 4), random.integers(0, 12, 240), node_names=60, topic_names=12
    )
    assess(interests, Overlay.from_links(60, ring(60)), progress=seen.__setitem__)
    assert seen == {"topic diameters": 1.0, "overlaps": 1.0, "lower bound": 1.0}


@pytest.mark.parametrize("count", [2, 3, 10, 200])
def test_the_bound_is_tight_for_one_topic(count: int) -> None:
    assert links_lower_bound(one_topic(count)).links == count - 1


def test_the_bound_is_tight_for_identical_interests() -> None:
    interests = Interests.from_ids(
        np.repeat(np.arange(50), 8), np.tile(np.arange(8), 50), node_names=50, topic_names=8
    )
    assert links_lower_bound(interests).links == 49


def test_the_bound_is_tight_for_topics_of_two() -> None:
    interests = Interests.from_ids(
        [0, 1, 1, 2, 2, 3], [0, 0, 1, 1, 2, 2], node_names=4, topic_names=3
    )
    assert links_lower_bound(interests).links == 3


def test_interests_too_large_to_scan_have_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lower_bound, "SCAN_LIMIT", 3)
    interests = Interests.from_lists(
        dict(enumerate(map(list, ("ab", "ab", "ac", "ac", "acd", "d", ""))))
    )
    bound = links_lower_bound(interests)
    assert (bound.links, bound.method) == (5, "spanning forest")
    assert bound.topics_used == 2


def test_the_same_interests_give_the_same_bound() -> None:
    random = np.random.default_rng(3)
    interests = Interests.from_ids(
        np.repeat(np.arange(200), 5), random.integers(0, 30, 1000), node_names=200, topic_names=30
    )
    one, other = links_lower_bound(interests), links_lower_bound(interests)
    assert one.links == other.links
    assert np.array_equal(one.subscription_multipliers, other.subscription_multipliers)


def test_invalid_parameters_are_rejected() -> None:
    with pytest.raises(ParameterError, match="depth is 0; expected 1 or more"):
        top_intersection(one_topic(3), 0)
    with pytest.raises(ParameterError, match="iterations is -1; expected 0 or more"):
        links_lower_bound(one_topic(3), iterations=-1)


MEASURES = """
import numpy as np
from gossamer.model import Interests, Overlay
from gossamer.quality import assess, links_lower_bound, top_intersection, topic_components
random = np.random.default_rng(7)
interests = Interests.from_ids(
    np.repeat(np.arange(30), 4), random.integers(0, 9, 120), node_names=30, topic_names=9
)
links = random.integers(0, 30, (60, 2))
overlay = Overlay.from_links(30, links[links[:, 0] != links[:, 1]])
bound = links_lower_bound(interests, iterations=8)
assessment = assess(interests, overlay, lower_bound=bound)
print(assessment.summary(), assessment.topic_components, assessment.topic_diameters)
print(assessment.topic_resilience)
print(topic_components(interests, overlay), round(top_intersection(interests, 5), 9))
"""


def test_uncompiled_kernels_measure_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    exec(MEASURES, {})
    uncompiled = subprocess.run(
        [sys.executable, "-W", "error", "-c", MEASURES],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert uncompiled == capsys.readouterr().out
    assert "mean_degree" in uncompiled
