"""Virtual time and fault rules, on their own: counts, order, delays of every copy."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from gossamer.errors import ParameterError
from gossamer.host import Stream
from gossamer.model import Interests, Latency, Scenario
from gossamer.sim.rules import (
    DEFAULT_DELAY,
    Delay,
    Duplication,
    Isolation,
    Loss,
    Reordering,
    Rule,
    Separation,
    SiteDelay,
    apply_rules,
)
from gossamer.sim.scheduler import Scheduler
from gossamer.sim.world import World
from gossamer.workloads import resolve_latency


def outcomes(rule: Rule, before: tuple[int, ...], draws: int = 300) -> list[tuple[int, ...]]:
    """Return what becomes of copies with these delays, drawn many times."""
    random = Stream(3)
    return [rule.judge(0, 0, 1, before, random) for _ in range(draws)]


# -- scheduler -----------------------------------------------------------------------------


def test_events_are_counted_over_several_runs_cancelled_ones_included() -> None:
    scheduler = Scheduler()
    assert (scheduler.now(), scheduler.idle) == (0, True)
    seen: list[int] = []
    for when in (1, 2, 3, 3, 8):
        scheduler.call_at(when, seen.append, when)
    scheduler.call_at(2, seen.append, -1).cancel()
    assert scheduler.happened == 0
    scheduler.run(2)
    assert (scheduler.happened, scheduler.time, seen) == (3, 2, [1, 2])
    scheduler.run(2)
    assert scheduler.happened == 3
    scheduler.run(7)
    assert (scheduler.happened, scheduler.time, scheduler.idle) == (5, 7, False)
    scheduler.run(8)
    assert (scheduler.happened, seen, scheduler.idle) == (6, [1, 2, 3, 3, 8], True)


def test_a_timer_fires_once_even_if_its_place_comes_up_again() -> None:
    scheduler = Scheduler()
    seen: list[Any] = []
    timer = scheduler.call_at(5, seen.append, "once")
    assert seen == []
    scheduler.run(5)
    timer.cancel()
    scheduler.run(50)
    assert seen == ["once"]


def test_what_happens_may_schedule_more_for_the_same_time() -> None:
    scheduler = Scheduler()
    seen: list[tuple[int, str]] = []

    def note(name: str, then: str | None) -> None:
        seen.append((scheduler.now(), name))
        if then is not None:
            scheduler.at(0, note, then, None)

    scheduler.at(4, note, "a", "c")
    scheduler.at(4, note, "b", None)
    scheduler.run(4)
    assert seen == [(4, "a"), (4, "b"), (4, "c")], "in the past means now, after what waits"


# -- rules ---------------------------------------------------------------------------------


def test_every_copy_is_delayed_by_a_time_of_its_own_within_bounds() -> None:
    single = [delays[0] for delays in outcomes(Delay(10, 13), (5,))]
    assert set(single) == {15, 16, 17, 18}
    both = outcomes(Delay(10, 13), (5, 100))
    assert {first for first, _ in both} == {15, 16, 17, 18}
    assert {second for _, second in both} == {110, 111, 112, 113}
    assert len(set(both)) == 16, "drawn apart"
    assert outcomes(Delay(4, 4), (0,), 3) == [(4,)] * 3
    assert outcomes(Delay(0, 0), (7,), 3) == [(7,)] * 3


def test_messages_take_5_to_15_milliseconds_by_default() -> None:
    found = {delays[0] for delays in outcomes(DEFAULT_DELAY, (0,), 40_000)}
    assert (min(found), max(found)) == (5_000, 15_000)


def test_sites_delay_every_copy() -> None:
    latency = Latency.from_matrix([[0, 40], [90, 0]], [0, 1])
    assert SiteDelay(latency).judge(0, 0, 1, (1, 2), Stream(0)) == (41, 42)
    assert SiteDelay(latency).judge(0, 1, 0, (1, 2), Stream(0)) == (91, 92)


def test_each_of_several_copies_is_lost_on_its_own() -> None:
    found = outcomes(Loss(0.5), (1, 2, 3), 2000)
    assert len(set(found)) == 8
    for copy in (1, 2, 3):
        assert 0.45 < sum(copy in kept for kept in found) / 2000 < 0.55
    assert set(outcomes(Loss(0.5), (1, 2))) == {(), (1,), (2,), (1, 2)}
    assert set(outcomes(Loss(0.25), (7,), 2000)) == {(), (7,)}
    assert 0.21 < sum(not kept for kept in outcomes(Loss(0.25), (7,), 2000)) / 2000 < 0.29
    for few in ((1,), (1, 2)):
        assert set(outcomes(Loss(0.0), few)) == {few}
        assert set(outcomes(Loss(1.0), few)) == {()}


class Extremes(Stream):
    """A stream of the lowest chances and the highest whole numbers."""

    def random(self) -> float:
        return 0.0

    def randbelow(self, bound: int) -> int:
        return bound - 1


@pytest.mark.parametrize("rule", [Loss(0.0), Duplication(0.0), Reordering(0.0, spread=9)])
def test_a_chance_of_nothing_changes_nothing_whatever_is_drawn(rule: Rule) -> None:
    for before in ((5,), (5, 6)):
        assert rule.judge(0, 0, 1, before, Extremes(1)) == before


def test_a_doubled_copy_comes_later_by_up_to_its_bound() -> None:
    found = outcomes(Duplication(1.0, spread=3), (10,))
    assert {delays[0] for delays in found} == {10}, "the first as it was"
    assert {delays[1] for delays in found} == {10, 11, 12, 13}
    several = outcomes(Duplication(1.0, spread=3), (10, 50))
    assert {len(delays) for delays in several} == {4}
    assert {delays[:2] for delays in several} == {(10, 50)}
    assert {delays[3] for delays in several} == {50, 51, 52, 53}
    assert set(outcomes(Duplication(0.0), (10,))) == {(10,)}
    share = sum(len(delays) == 2 for delays in outcomes(Duplication(0.3), (10,), 2000)) / 2000
    assert 0.26 < share < 0.34
    assert Duplication(1.0).spread == 50_000
    assert max(delays[-1] for delays in outcomes(Duplication(1.0), (0,), 2000)) > 40_000


def test_reordering_holds_up_some_copies_by_up_to_its_bound() -> None:
    found = outcomes(Reordering(0.5, spread=2), (10, 50), 600)
    assert {delays[0] for delays in found} == {10, 11, 12}
    assert {delays[1] for delays in found} == {50, 51, 52}
    assert set(outcomes(Reordering(0.0), (10,))) == {(10,)}
    held = [delays[0] for delays in outcomes(Reordering(0.2), (0,), 3000)]
    assert 0.17 < sum(delay > 0 for delay in held) / 3000 < 0.23
    assert 90_000 < max(held) <= Reordering(0.2).spread == 100_000


@pytest.mark.parametrize(("now", "passes"), [(9, True), (10, False), (19, False), (20, True)])
def test_a_cut_and_a_silence_begin_and_end_on_time(now: int, passes: bool) -> None:
    random = Stream(0)
    expected = (5,) if passes else ()
    cut = Separation(lambda node: node % 2, 10, 20)
    assert cut.judge(now, 0, 1, (5,), random) == expected
    assert cut.judge(now, 0, 2, (5,), random) == (5,), "on the same side"
    silence = Isolation(frozenset({1}), 10, 20)
    assert silence.judge(now, 0, 1, (5,), random) == expected
    assert silence.judge(now, 1, 0, (5,), random) == expected
    assert silence.judge(now, 0, 2, (5,), random) == (5,)


def test_a_silence_lasts_for_ever_by_default() -> None:
    silence = Isolation(frozenset({1}))
    for now in (0, 1, 10**15):
        assert silence.judge(now, 0, 1, (5,), Stream(0)) == ()


def test_rules_after_a_loss_are_not_asked() -> None:
    class Never:
        def judge(self, *_: Any) -> tuple[int, ...]:
            raise AssertionError

    assert apply_rules([Loss(1.0), Never()], 0, 0, 1, Stream(0)) == ()
    assert apply_rules([], 0, 0, 1, Stream(0)) == (0,)


@pytest.mark.parametrize("chance", [-0.1, 1.1, float("nan")])
@pytest.mark.parametrize(
    ("rule", "what"), [(Loss, "loss"), (Duplication, "duplication"), (Reordering, "reordering")]
)
def test_a_chance_outside_0_to_1_is_rejected(rule: Any, what: str, chance: float) -> None:
    with pytest.raises(ParameterError, match=f"{what} is {chance}; expected a probability"):
        rule(chance)
    rule(0.0)
    rule(1.0)


@pytest.mark.parametrize(("least", "most"), [(-1, 5), (6, 5)])
def test_a_delay_that_is_no_range_is_rejected(least: int, most: int) -> None:
    said = re.escape(f"a delay is from {least} to {most} µs; expected 0 <= minimum <= maximum")
    with pytest.raises(ParameterError, match=said):
        Delay(least, most)
    Delay(0, 0)


def test_nodes_are_at_every_site_and_at_the_same_for_a_seed(tmp_path: Path) -> None:
    (tmp_path / "rtt.txt").write_text("2 4 6\n8 10 12\n14 16 18\n")
    interests = Interests.from_lists({n: [0] for n in range(90)})

    def sites(seed: int) -> list[int]:
        found = resolve_latency(Scenario(interests, latency=tmp_path / "rtt.txt", seed=seed))
        assert isinstance(found, Latency)
        return [int(site) for site in found.sites]

    assert len(sites(4)) == 90
    assert set(sites(4)) == {0, 1, 2}
    assert sites(4) == sites(4) != sites(5)


# -- a whole world -------------------------------------------------------------------------

SECOND = 1_000_000


def small_world(**more: Any) -> World:
    interests = Interests.from_lists({f"n{n}": [f"t{n % 3}", f"t{n % 4}"] for n in range(20)})
    return World("spidercast", interests, seed=1, **more)


def counts(world: World) -> tuple[int, int, int]:
    return world.scheduler.happened, sum(world.fabric.sent.values()), world.fabric.changes


def test_a_world_that_is_run_in_parts_counts_as_one_that_is_run_at_once() -> None:
    whole, parts = small_world(), small_world()
    whole.run(30 * SECOND)
    for end in (1, 7, 7, 20, 30):
        parts.run(end * SECOND)
    assert counts(parts) == counts(whole)
    assert [port.sent for port in parts.ports] == [port.sent for port in whole.ports]
    assert sum(port.sent for port in parts.ports) == counts(parts)[1]


def test_a_quiet_world_has_a_bounded_number_of_events() -> None:
    world = small_world()
    world.run(60 * SECOND)
    before = counts(world)
    world.run(120 * SECOND)
    events, messages, changes = (
        now - then for now, then in zip(counts(world), before, strict=True)
    )
    assert changes == 0, "the overlay has converged"
    # Every node sends its neighbours a heartbeat a second and looks for silent ones.
    links = sum(len(port.links) for port in world.ports)
    assert messages <= 60 * links
    assert events <= messages + 60 * 4 * len(world.ports)
