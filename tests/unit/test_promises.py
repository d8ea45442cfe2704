"""Promises of design algorithms, checked in one place for memory and Spark."""

from __future__ import annotations

from typing import Any

import pytest

from gossamer.design import find_algorithm
from gossamer.design.verified_design import check_promises
from gossamer.errors import GossamerError


@pytest.mark.parametrize(
    ("name", "measured", "broken"),
    [
        ("greedy-merge", {"disconnected": 0, "diameter": 99}, ""),
        ("greedy-merge", {"disconnected": 2}, r"topics disconnected \(2\)"),
        ("random", {"disconnected": 2}, ""),
        ("greedy-merge", {"disconnected": 0, "bridged": 3}, ""),
        ("greedy-merge", {"disconnected": 0, "resilient": True}, ""),
        ("greedy-merge", {"disconnected": 0, "resilient": True, "bridged": 3}, r"bridge \(3\)"),
        ("bounded-radius", {"disconnected": 0, "diameter": 8}, ""),
        ("bounded-radius", {"disconnected": 0, "diameter": 9}, "diameter of 9, and the limit is 8"),
    ],
)
def test_broken_promise_is_an_error(name: str, measured: dict[str, Any], broken: str) -> None:
    options = {"radius": 4} if name == "bounded-radius" else {}
    if not broken:
        check_promises(find_algorithm(name), options, **measured)
        return
    with pytest.raises(GossamerError, match=f"{name} left.*{broken}.*bug in the algorithm"):
        check_promises(find_algorithm(name), options, **measured)
