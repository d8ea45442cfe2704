"""Comparison of a maintained overlay with a new design: where a rebuild pays, and where not."""

from __future__ import annotations

import pytest

import gossamer
from gossamer import ChurnEvents, Interests, Maintainer, Scenario
from gossamer.errors import ParameterError
from gossamer.maintain import Maintenance
from gossamer.maintain.rebuild_check import subscribed_interests
from gossamer.workloads import churn_rounds, generate_interests

INTERESTS = generate_interests("rss", nodes=60, topics=15, subscriptions=5, seed=1)


@pytest.fixture(scope="module")
def done() -> Maintenance:
    present, events = churn_rounds(INTERESTS, 120, seed=2, present=0.9, interest_changes=0.5)
    scenario = Scenario(INTERESTS, churn=events, present=present, seed=3)
    return gossamer.maintain(scenario, rebuild_every=50, algorithm="low-oda:rho=2")


def test_rebuild_pays_after_many_events(done: Maintenance) -> None:
    check = done.check_rebuild()
    now = subscribed_interests(done.interests_at_end)
    new = gossamer.low_oda(now, rho=2.0, seed=3)
    assert check.events == 120
    assert check.nodes == now.node_count
    assert check.mean_degree == 2 * done.overlay.link_count / now.node_count
    assert check.max_degree == done.overlay.degrees.max()
    assert check.new_mean_degree == 2 * new.link_count / now.node_count
    assert check.new_max_degree == new.degrees.max()
    assert check.lower_bound <= 2 * new.link_count / now.node_count
    assert check.links_saved == pytest.approx(1 - new.link_count / done.overlay.link_count)
    assert (check.links_saved or 0.0) > 0.1
    assert check.pays
    assert not done.check_rebuild(gain=0.5).pays
    assert check.sentence().startswith(f"a new design would have {check.new_mean_degree:.2f} inst")
    assert check.command("kept/my table.parquet") == (
        "gossamer design 'kept/my table.parquet' --algorithm low-oda --rho 2 --seed 3 "
        "--out rebuilt.parquet"
    )


def test_rebuild_does_not_pay_after_a_rebuild(done: Maintenance) -> None:
    check = done.check_rebuild(100)
    assert check.links_saved == 0
    assert check.max_degree == check.new_max_degree
    assert not check.pays
    assert done.check_rebuild(0).links_saved == 0
    other = done.check_rebuild(100, algorithm="ring-per-topic")
    assert other.links_saved is not None
    assert other.links_saved < 0
    assert not other.pays


def test_price_of_a_rebuild_is_the_links_removed_and_added(done: Maintenance) -> None:
    for after in (0, 30, 120):
        present = done.interests_after(after)
        new = gossamer.low_oda(subscribed_interests(present), rho=2.0, seed=3)
        names = subscribed_interests(present).node_names
        places = {name: node for node, name in enumerate(done.interests.node_names.tolist())}
        wanted = {
            tuple(sorted(places[name] for name in pair)) for pair in names[new.links].tolist()
        }
        current = set(map(tuple, done.overlay_after(after).links.tolist()))
        changed = done.check_rebuild(after).links_changed
        assert changed is None or changed == len(wanted ^ current)
    assert done.check_rebuild(0).links_changed == 0


def test_resilient_start_is_compared_with_a_resilient_design() -> None:
    start = gossamer.design(INTERESTS, "low-oda", resilient=True).overlay
    run = gossamer.maintain(Scenario(INTERESTS, churn="rounds:60", seed=1), overlay=start)
    assert run.resilient_at_start
    bridges = run.failures["bridges_before"], run.failures["bridges_after"]
    assert bridges[0] < bridges[1]
    facts = run.summary()
    assert (facts["bridges_before"], facts["bridges_after"]) == bridges
    assert facts["mean_links_removed"] == run.removed.mean()
    check = run.check_rebuild(gain=0.01)
    assert check.algorithm == "low-oda:resilient=yes"
    assert "--algorithm low-oda --resilient --seed 1 --out" in check.command("kept")
    assert check.sentence().startswith("a new resilient design")
    plain = gossamer.maintain(Scenario(INTERESTS, churn="rounds:9", seed=1))
    assert not plain.resilient_at_start
    assert plain.check_rebuild(gain=0.01).algorithm == "low-oda"


def test_overlay_and_interests_between_events(done: Maintenance) -> None:
    events = done.events
    maintainer = Maintainer(
        INTERESTS, done.start, present=done.first_present, strategy="elasto-g", seed=3
    )
    for number, _ in enumerate(maintainer.run(events), start=1):
        if number == 50:
            break  # a rebuild follows
        assert done.overlay_after(number) == maintainer.overlay
        assert done.interests_after(number) == maintainer.present_interests
    assert done.overlay_after(120) == done.overlay
    assert done.overlay_after(0) == done.first


def test_lower_bound_spares_the_design() -> None:
    """No overlay has fewer links than one of a single topic, so no design is needed."""
    interests = Interests.from_lists({name: ["tea"] for name in "abcdef"})
    events = ChurnEvents.from_columns([1], [0], ["leave"])
    check = gossamer.maintain(Scenario(interests, churn=events)).check_rebuild()
    assert (check.mean_degree, check.lower_bound) == (2 * 4 / 5, 2 * 4 / 5)
    assert check.new_mean_degree is check.new_max_degree is check.links_saved is None
    assert not check.pays
    assert check.sentence() == ""


def test_overlay_without_links() -> None:
    interests = Interests.from_lists({"ann": ["tea"], "bob": ["jazz"]})
    events = ChurnEvents.from_columns([1, 2], [0, 1], ["leave", "leave"])
    check = gossamer.maintain(Scenario(interests, churn=events)).check_rebuild()
    assert (check.nodes, check.mean_degree, check.pays) == (0, 0.0, False)


def test_impossible_comparisons_are_rejected(done: Maintenance) -> None:
    for gain in (0, 1, -0.5):
        with pytest.raises(ParameterError, match=r"gain is .*; expected a share of the links"):
            done.check_rebuild(gain=gain)
    for after in (-1, 121):
        with pytest.raises(ParameterError, match=f"after is {after}; expected 0 to 120 events"):
            done.check_rebuild(after)
    with pytest.raises(ParameterError, match="random does not promise"):
        done.check_rebuild(algorithm="random")
