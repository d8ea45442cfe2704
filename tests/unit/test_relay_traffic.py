"""Traffic overhead, in its three definitions."""

from __future__ import annotations

import numpy as np
import pytest

from gossamer.quality.relay_traffic import RelayTraffic


def traffic(*columns: list[float]) -> RelayTraffic:
    return RelayTraffic(*(np.array(one, dtype=np.float64) for one in columns))


def test_three_overheads() -> None:
    """The second node gets half of its events for others, the third nothing else."""
    found = traffic([8, 2, 0, 0], [0, 2, 4, 0], [16, 2, 0, 0], [0, 2, 10, 0])
    assert found.overhead == pytest.approx(6 / 16)
    assert found.overhead_with_duplicates == pytest.approx(12 / 30)
    assert found.by_node.tolist() == [0.0, 0.5, 1.0], "who got nothing is left out"
    assert found.mean_over_nodes == pytest.approx(0.5)


def test_overheads_without_traffic() -> None:
    for found in (traffic([], [], [], []), traffic([0, 0], [0, 0], [0, 0], [0, 0])):
        assert found.overhead == found.overhead_with_duplicates == found.mean_over_nodes == 0.0
        assert found.by_node.tolist() == []


def test_common_weights_cancel_out() -> None:
    one = traffic([3, 1], [1, 2], [4, 1], [1, 5])
    other = traffic([0.3, 0.1], [0.1, 0.2], [0.4, 0.1], [0.1, 0.5])
    assert one.overhead == pytest.approx(other.overhead)
    assert one.mean_over_nodes == pytest.approx(other.mean_over_nodes)
