"""Flash crowds and superpeers: sessions, notation, errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gossamer.errors import ParameterError
from gossamer.model import Interests, Scenario, Sessions
from gossamer.time import DAY, SECOND
from gossamer.workloads import (
    FlashCrowd,
    draw_sessions,
    generate_interests,
    parse_churn,
    resolve_sessions,
    superpeer_sessions,
)
from gossamer.workloads import with_flash_crowd as crowded
from gossamer.workloads.notation import split_crowds


def found_sessions(churn: Any, interests: Interests) -> tuple[Sessions, str]:
    sessions, origin = resolve_sessions(Scenario(interests, churn=churn, duration=60, seed=1))
    assert sessions is not None
    return sessions, origin


def present(sessions: Sessions, time: int) -> int:
    return int(((sessions.starts <= time) & (sessions.ends > time)).sum())


def test_crowd_joins_within_its_window() -> None:
    before = draw_sessions(parse_churn("exponential:300:300"), nodes=2000, until=10**9, seed=1)
    at, window = 600 * SECOND, 10 * SECOND
    after = crowded(
        before, nodes=2000, at=at, window=window, joining=800, stay=10**8, seed=1
    )  # fmt: skip
    assert present(after, at - 1) == present(before, at - 1)
    assert present(after, at + window) - present(before, at + window) == pytest.approx(800, abs=30)
    new = after.starts[(after.starts >= at) & (after.starts < at + window)]
    halves = np.bincount((new - at) // (window // 2))
    assert halves.min() > 350, "the joins are spread over the window"
    other = crowded(before, nodes=2000, at=at, window=window, joining=800, stay=10**8, seed=2)
    assert not np.array_equal(other.nodes, after.nodes)


def test_sessions_that_overlap_the_stay_are_merged_with_it() -> None:
    before = Sessions.from_columns([0, 0, 0, 0], [0, 12, 20, 40], [10, 15, 25, 50])
    after = crowded(before, nodes=1, at=10, window=0, joining=1, stay=10, seed=0)
    assert (after.starts.tolist(), after.ends.tolist()) == ([0, 40], [25, 50])


@pytest.mark.parametrize(
    ("text", "base", "crowds"),
    [
        ("exponential:300", "exponential:300", ()),
        ("exponential:300,flash:600:1000", "exponential:300", (FlashCrowd(600, 1000, 10, 600),)),
        ("a,b.csv, FLASH:1.5:2:3:4 ", "a,b.csv", (FlashCrowd(1.5, 2, 3, 4),)),
        ("x,flash:1:2:0,flash:3:4", "x", (FlashCrowd(1, 2, 0, 600), FlashCrowd(3, 4, 10, 600))),
        ("a,flashy.csv", "a,flashy.csv", ()),
    ],
)
def test_crowds_are_parsed(text: str, base: str, crowds: tuple[FlashCrowd, ...]) -> None:
    assert split_crowds(text) == (base, crowds)


@pytest.mark.parametrize(
    "text",
    ["flash", "flash:", "flash:1", "flash:1:0", "flash:1:2:3:0", "flash:1:2:3:4:5", "flash:-1:2",
     "flash:1:2.5", "flash:1:2,often"],
)  # fmt: skip
def test_malformed_crowds_are_rejected(text: str) -> None:
    with pytest.raises(ParameterError, match=r"a flash crowd is 'flash.*expected flash:AT:JOINING"):
        parse_churn(f"exponential:300,{text}")


def test_impossible_crowds_are_rejected() -> None:
    there = Sessions.from_columns([0], [0], [10])
    given = {"nodes": 3, "at": 5, "window": 0, "joining": 2, "stay": 5, "seed": 0}
    assert len(crowded(there, **given)) == 3
    for changed, message in (
        ({"joining": 3}, "3 nodes join .* but only 2 of 3 are absent then"),
        ({"joining": 0}, "0 nodes join in a flash crowd; expected 1 or more"),
        ({"at": -1}, "at is -1 µs; expected 0"),
        ({"window": -1}, "window is -1 µs"),
        ({"stay": 0}, "stay is 0 µs; expected 1"),
    ):
        with pytest.raises(ParameterError, match=message):
            crowded(there, **(given | changed))


def test_crowds_after_laws_and_tables(tmp_path: Path) -> None:
    interests = generate_interests("rss", nodes=40, topics=9, subscriptions=2)
    rows = "".join(f"{node},{0 if node < 10 else 50},60\n" for node in range(40))
    for name in ("sessions.csv", "some,flash:1:2.csv"):
        (tmp_path / name).write_text(f"node,start_s,end_s\n{rows}")
    plain, how = found_sessions(tmp_path / "sessions.csv", interests)
    assert how == "by name"
    text = f"{tmp_path / 'sessions.csv'},flash:20:15:1:5"
    found, how = found_sessions(text, interests)
    assert how == "by name"
    assert [present(found, time * SECOND) for time in (19, 22, 27, 55)] == [10, 25, 10, 40]
    whole, _ = found_sessions(tmp_path / "some,flash:1:2.csv", interests)
    assert len(whole) == len(plain)
    law = "exponential:30:30,flash:20:9:1:5"
    drawn, _ = found_sessions(law, interests)
    same = draw_sessions(parse_churn(law), nodes=40, until=60 * SECOND, seed=1)
    assert np.array_equal(drawn.starts, same.starts)
    with pytest.raises(ParameterError, match="at 60 s, and the run ends at 60 s; expected an earl"):
        found_sessions("exponential:30:30,flash:60:9", interests)


def test_superpeers_have_a_daily_rhythm_and_sessions_of_hours() -> None:
    sessions = superpeer_sessions(1000, seconds=7 * 86_400, seed=1)
    hours = (sessions.ends - sessions.starts) / 3_600 / SECOND
    assert np.median(hours) == pytest.approx(5.5, rel=0.1)
    by_hour = [present(sessions, day * DAY + hour * DAY // 24) for day in range(7)
               for hour in range(24)]  # fmt: skip
    assert 0.28 < min(by_hour) / 1000 < 0.36
    assert 0.42 < max(by_hour) / 1000 < 0.52
    nights, afternoons = by_hour[3::24], by_hour[15::24]
    assert max(nights) < min(afternoons)


def test_superpeer_sessions_are_compressed_and_independent() -> None:
    few, many = (superpeer_sessions(nodes, seconds=86_400, seed=2) for nodes in (5, 9))
    assert np.array_equal(few.starts, many.starts[many.nodes < 5])
    fast = superpeer_sessions(9, seconds=86_400, seed=2, time_scale=1000)
    assert np.abs(fast.starts - many.starts / 1000).max() < 1
    assert (superpeer_sessions(9, seed=2, time_scale=1e9).ends > 0).all()
    assert len(superpeer_sessions(0, seconds=1)) == 0


@pytest.mark.parametrize(
    ("given", "message"),
    [({"nodes": -1}, "nodes is -1"), ({"seconds": 0}, "seconds is 0"), ({"time_scale": 0}, "is 0")],
)
def test_invalid_superpeers_are_rejected(given: dict[str, int], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        superpeer_sessions(**given)
