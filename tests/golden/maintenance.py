"""Every maintenance strategy over 300 events."""

from __future__ import annotations

from functools import partial
from typing import Any

from tests.golden import program
from tests.golden.inputs import Case, designed, heavy, rss

OPTIONS: dict[str, dict[str, Any]] = {
    "elasto-g": {"coverage": 3, "backups": "greedy", "rho": 2.0, "whole_maximum": True},
    "elasto-l": {"coverage": 3, "backups": "greedy", "concurrent": 2, "rho": 2.0, "share": 0.1},
    "low-oda-inc": {"rho": 5.0},
    "low-oda-re": {"rho": 5.0},
}
"""Of each strategy: options other than the defaults."""

NAMES = set(OPTIONS)
CASES: dict[str, Case] = {}


def _plain(strategy: str) -> Any:
    return program.maintain(rss(), None, "rounds:300", strategy=strategy, verify="never", seed=1)


def _options(strategy: str) -> Any:
    """A given overlay, nodes absent at the start, a heavy tail, rebuilds."""
    interests = heavy()
    present, events = program.draw_rounds(
        len(program.interest_values(interests)[0]), 300, seed=2, present=0.8
    )
    return program.maintain(
        interests, designed("heavy"), events, present=present, strategy=strategy,
        options=OPTIONS[strategy], rebuild_every=120, algorithm="greedy-merge", verify="end",
        seed=2,
    )  # fmt: skip


for _name in OPTIONS:
    CASES[f"maintenance/{_name}"] = partial(_plain, _name)
    CASES[f"maintenance/{_name}/options"] = partial(_options, _name)
