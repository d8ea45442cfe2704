"""Promises of every registered maintenance strategy, and of each strategy alone."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from gossamer.design import algorithms, find_algorithm
from gossamer.design.low_oda import low_oda
from gossamer.errors import InputError, ParameterError
from gossamer.maintain.backups import Backups
from gossamer.maintain.dynamic_overlay import DynamicOverlay
from gossamer.maintain.events import LinkChanges
from gossamer.maintain.maintainer import Change, Maintainer
from gossamer.maintain.strategies.elasto_g import ElastoG
from gossamer.maintain.strategies.registry import (
    StrategyEntry,
    find_strategy,
    strategies,
)
from gossamer.model import ChurnEvents, Interests, Overlay
from gossamer.model.interests import Name
from gossamer.quality import is_topic_connected, topic_components
from tests import strategies as draws
from tests.reference import repair as naive_repair

NAMES = sorted(strategies())
every_strategy = pytest.mark.parametrize("entry", [strategies()[name] for name in NAMES], ids=NAMES)
VALUES: dict[str, list[Any]] = {"rho": [1.0, 1.5, math.inf], "coverage": [0, 1]}
TOPICS = 4


class Event(NamedTuple):
    """A node, by number modulo the count, and its topics if it joins with other ones."""

    node: int
    topics: list[int] | None


class World(NamedTuple):
    """Interests, initial presence, first algorithm and events."""

    interests: Interests
    present: NDArray[np.bool_]
    first: str
    events: list[Event]

    def maintainer(self, strategy: Any, **options: Any) -> Maintainer:
        """Return a maintainer of the overlay of the first algorithm."""
        wanted = DynamicOverlay(
            self.interests, self.present, Overlay.from_links(self.interests.node_count, ())
        ).present_interests()
        overlay = find_algorithm(self.first)(wanted, seed=0)
        return Maintainer(
            self.interests, overlay, strategy=strategy, present=self.present, **options
        )


@st.composite
def worlds(draw: st.DrawFn, *, new_topics: bool = True) -> World:
    interests = draw(draws.crowds(topics=TOPICS))
    count = interests.node_count
    present = draw(st.lists(st.booleans(), min_size=count, max_size=count))
    others = st.lists(st.integers(0, TOPICS), max_size=3)
    topics = st.one_of(st.none(), others) if new_topics else st.none()
    events = draw(st.lists(st.builds(Event, st.integers(0, 8), topics), max_size=8))
    first = draw(st.sampled_from(["low-oda", "ring-per-topic"]))
    return World(interests, np.array(present), first, events)


def apply(maintainer: Maintainer, events: list[Event]) -> Iterator[tuple[Name, Change]]:
    """Make present nodes leave and absent ones join; names below 0 are new nodes."""
    for number, event in enumerate(events):
        names = maintainer.interests.node_names.tolist()
        name = names[event.node % len(names)]
        if maintainer.present[maintainer.interests.node_id(name)]:
            if event.topics is None:
                yield name, maintainer.leave(name)
            else:
                yield -1 - number, maintainer.join(-1 - number, topics=event.topics)
        else:
            yield name, maintainer.join(name, topics=event.topics)


def named_links(maintainer: Maintainer) -> set[tuple[Name, Name]]:
    names = maintainer.interests.node_names
    return {(one, other) for one, other in names[maintainer.overlay.links].tolist()}


def choices(entry: StrategyEntry) -> st.SearchStrategy[dict[str, Any]]:
    """The defaults, and each option alone with its choices or some values."""
    found: list[dict[str, Any]] = [{}]
    for option in entry.options.listed:
        values = [*option.choices] or VALUES.get(option.keyword, [])
        if option.kind is bool:
            values = [True, False]
        found += [{option.keyword: value} for value in values]
    return st.sampled_from(found)


@every_strategy
@given(world=worlds(), data=st.data())
def test_every_topic_stays_connected_and_changes_are_complete(
    entry: StrategyEntry, world: World, data: st.DataObject
) -> None:
    maintainer = world.maintainer(entry.name, **data.draw(choices(entry)))
    links = named_links(maintainer)
    for name, change in apply(maintainer, world.events):
        own = {link for link in links if name in link}
        assert own <= set(change.unlinks)
        assert set(change.unlinks) <= links
        links -= set(change.unlinks)
        assert not set(change.links) & links
        links |= set(change.links)
        assert len(change.links) == len(set(change.links))
        assert len(change.unlinks) == len(set(change.unlinks))
        assert links == named_links(maintainer)
        now, overlay = maintainer.present_interests, maintainer.overlay
        assert is_topic_connected(now, overlay)
        assert maintainer.present[overlay.links].all()
        assert maintainer.degrees.tolist() == overlay.degrees[maintainer.present].tolist()


@every_strategy
@settings(max_examples=30)
@given(world=worlds(), seed=draws.seeds)
def test_same_seed_gives_the_same_changes(entry: StrategyEntry, world: World, seed: int) -> None:
    first, second = (
        [*apply(world.maintainer(entry.name, seed=seed), world.events)] for _ in range(2)
    )
    assert first == second


@every_strategy
@settings(max_examples=30)
@given(world=worlds(new_topics=False))
def test_changes_by_name_and_by_id_are_equal(entry: StrategyEntry, world: World) -> None:
    by_name, by_id = (world.maintainer(entry.name) for _ in range(2))
    changes = [change for _, change in apply(by_name, world.events)]
    nodes = [event.node % world.interests.node_count for event in world.events]
    present, joins = world.present.copy(), []
    for node in nodes:
        joins.append(not present[node])
        present[node] = not present[node]
    events = ChurnEvents.from_columns(range(len(nodes)), nodes, joins)
    found = [by_id.named(record.changes) for record in by_id.run(events)]
    assert found == changes
    assert by_id.overlay == by_name.overlay


@every_strategy
def test_all_nodes_leave_and_return(entry: StrategyEntry) -> None:
    interests = Interests.from_lists({node: [node % 3, 3] for node in range(12)})
    maintainer = Maintainer(interests, strategy=entry.name)
    for name in range(12):
        maintainer.leave(name)
        assert is_topic_connected(maintainer.present_interests, maintainer.overlay)
    assert maintainer.overlay.link_count == 0
    for name in range(12):
        maintainer.join(name)
    assert topic_components(interests, maintainer.overlay).tolist() == [1, 1, 1, 1]


# -- new nodes -------------------------------------------------------------------------------


@every_strategy
def test_new_nodes_and_new_topics_may_join(entry: StrategyEntry) -> None:
    lists = {"bob": ["tea", "jazz"], "cy": ["tea"], "dan": ["jazz"]}
    maintainer = Maintainer(Interests.from_lists(lists), strategy=entry.name)
    assert {"ann"} <= {name for link in maintainer.join("ann", ["tea"]).links for name in link}
    assert maintainer.interests.node_names.tolist() == ["ann", "bob", "cy", "dan"]
    maintainer.leave("cy")
    links = maintainer.join("cy", ["jazz", "chess", "jazz"]).links
    assert {"cy"} <= {name for link in links for name in link}
    interests = maintainer.interests
    assert interests.topic_names[interests.topics_of(2)].tolist() == ["chess", "jazz"]
    assert maintainer.join("eve", []).links == [] or entry.name == "low-oda-re"
    wanted = {"ann": ["tea"], "bob": ["tea", "jazz"], "cy": ["jazz", "chess"], "dan": ["jazz"]}
    assert maintainer.interests == Interests.from_lists({**wanted, "eve": []})
    assert is_topic_connected(maintainer.interests, maintainer.overlay)
    assert maintainer.present.all()


# -- each of them ----------------------------------------------------------------------------


class RecordingBackups(Backups):
    """Backups that keep the last result."""

    last: tuple[int, ...] = ()

    def of(
        self, dynamic_overlay: DynamicOverlay, node: int, *, at_least: int = 0
    ) -> NDArray[np.int32]:
        found = super().of(dynamic_overlay, node, at_least=at_least)
        self.last = tuple(found.tolist())
        return found


@given(world=worlds(new_topics=False), coverage=st.sampled_from([0, 1, 5]))
def test_elasto_g_links_only_shadows_and_no_more_than_needed(world: World, coverage: int) -> None:
    strategy = ElastoG(coverage=coverage)
    strategy.backups = backups = RecordingBackups("primal-dual", coverage, seed=1)
    maintainer = world.maintainer(strategy)
    for event in world.events:
        node = event.node % world.interests.node_count
        before = [*map(tuple, maintainer.overlay.links.tolist())]
        if maintainer.present[node]:
            neighbours = maintainer.dynamic_overlay.neighbours_of(node).tolist()
            links, unlinks = maintainer.leave_id(node)
            shadows = {*backups.last, *neighbours}
            assert len(unlinks) == len(neighbours)
        else:
            links, unlinks = maintainer.join_id(node)
            shadows = {*backups.last, node}
            assert not len(unlinks)
        assert {int(end) for end in links.ravel()} <= shadows
        present = set(np.flatnonzero(maintainer.present).tolist())
        kept = [link for link in before if node not in link]
        apart = sum(
            max(len(naive_repair.components_of(world.interests, present, kept, topic)) - 1, 0)
            for topic in range(TOPICS)
        )
        assert len(links) <= apart


@given(world=worlds(new_topics=False), rho=st.sampled_from([1.0, 1.5, 3.0, math.inf]))
def test_low_oda_inc_links_follow_the_rule(world: World, rho: float) -> None:
    maintainer = world.maintainer("low-oda-inc", rho=rho)
    for event in world.events:
        node = event.node % world.interests.node_count
        links = [(one, other) for one, other in maintainer.overlay.links.tolist()]
        if maintainer.present[node]:
            done = maintainer.leave_id(node)
            assert len(done.unlinks) == sum(node in link for link in links)
            links = [link for link in links if node not in link]
        else:
            done = maintainer.join_id(node)
        new = [(one, other) for one, other in done.links.tolist()]
        present = set(np.flatnonzero(maintainer.present).tolist())
        assert naive_repair.low_oda_goes_on(world.interests, present, links, new, rho)


@given(world=worlds(), rho=st.sampled_from([1.0, 3.0]))
def test_low_oda_re_equals_low_oda(world: World, rho: float) -> None:
    maintainer = world.maintainer("low-oda-re", rho=rho, seed=3)
    for _ in apply(maintainer, world.events):
        assert maintainer.overlay == low_oda(maintainer.present_interests, rho=rho, seed=3)


# -- rebuilding -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(algorithms()))
def test_rebuild_by_any_algorithm_links_present_nodes(name: str) -> None:
    interests = Interests.from_lists({node: [node % 4, 4 + node % 2] for node in range(24)})
    present = np.arange(24) % 5 != 2
    maintainer = Maintainer(interests, present=present)
    links = named_links(maintainer)
    if not algorithms()[name].topic_connected:
        with pytest.raises(ParameterError, match=f"{name} does not promise that topics are conn"):
            maintainer.rebuild(name)
        assert named_links(maintainer) == links
        return
    change = maintainer.rebuild(name)
    assert set(change.unlinks) <= links
    assert not set(change.links) & links
    assert (links - set(change.unlinks)) | set(change.links) == named_links(maintainer)
    assert present[maintainer.overlay.links].all()
    assert is_topic_connected(maintainer.present_interests, maintainer.overlay)
    assert maintainer.rebuild(name) == ([], [])
    maintainer.leave(0)
    maintainer.join(2)


@given(worlds())
def test_initial_overlay_is_by_low_oda(world: World) -> None:
    maintainer = Maintainer(world.interests, present=world.present)
    assert maintainer.overlay == low_oda(maintainer.present_interests)


def test_progress_of_the_initial_design_is_reported() -> None:
    reported: list[float] = []
    Maintainer(FRIENDS, progress=lambda stage, share: reported.append(share))
    assert reported[-1] == 1


# -- rejected input --------------------------------------------------------------------------

FRIENDS = Interests.from_lists({"ann": ["tea"], "bob": ["tea"], "cy": ["tea"]})


class Idle:
    """A strategy of the caller that does nothing."""

    def begin(self, dynamic_overlay: DynamicOverlay) -> None:
        self.begun = True

    def joined(self, dynamic_overlay: DynamicOverlay, node: int) -> LinkChanges:
        return LinkChanges(np.empty((0, 2), dtype=np.int32))

    def left(
        self, dynamic_overlay: DynamicOverlay, node: int, neighbours: NDArray[np.int32]
    ) -> LinkChanges:
        return LinkChanges(np.empty((0, 2), dtype=np.int32))


def test_strategy_object_is_used_as_it_is() -> None:
    idle = Idle()
    maintainer = Maintainer(FRIENDS, Overlay.from_links(3, [(0, 1), (1, 2)]), strategy=idle)
    assert idle.begun
    assert maintainer.leave("bob") == ([], [("ann", "bob"), ("bob", "cy")])
    assert maintainer.join("dan", ["tea"]) == ([], [])
    with pytest.raises(ParameterError, match="the strategy is an object, and has no options; got"):
        Maintainer(FRIENDS, strategy=Idle(), rho=2.0)


def test_topics_as_a_string_are_rejected() -> None:
    with pytest.raises(InputError, match="topics is the text 'tea'; expected a list of topics"):
        Maintainer(FRIENDS).join("ivy", topics="tea")


def test_disconnecting_links_are_rejected_on_request() -> None:
    apart, line = Overlay.from_links(3, [(0, 1)]), Overlay.from_links(3, [(0, 1), (1, 2)])
    with pytest.raises(
        InputError, match=r"leave 1 of 1 topics disconnected \(first: 'tea', 2 components\)"
    ):
        Maintainer(FRIENDS, apart, check=True)
    assert Maintainer(FRIENDS, apart).overlay == apart
    assert Maintainer(FRIENDS, line, check=True).overlay == line
    away = np.array([True, True, False])
    assert Maintainer(FRIENDS, apart, present=away, check=True).overlay == apart


@every_strategy
def test_impossible_events_are_rejected(entry: StrategyEntry) -> None:
    maintainer = Maintainer(FRIENDS, strategy=entry.name)
    before = maintainer.overlay
    for topics in (None, ["tea"], ["jazz"]):
        with pytest.raises(InputError, match="'bob' cannot join: it is present"):
            maintainer.join("bob", topics)
    for event in (maintainer.join, maintainer.leave):
        with pytest.raises(InputError, match=r"no node is named 'dan' \(3 nodes\)"):
            event("dan")
    with pytest.raises(InputError, match="all integers or all strings; found int, str"):
        maintainer.join(7, ["tea"])
    assert maintainer.overlay == before
    assert maintainer.interests is FRIENDS
    maintainer.leave("bob")
    with pytest.raises(InputError, match="'bob' cannot leave: it is not present"):
        maintainer.leave("bob")
    with pytest.raises(ParameterError, match=r"no algorithm is named 'best'; there are 2d-oda"):
        maintainer.rebuild("best")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"overlay": Overlay.from_links(2, [(0, 1)])}, "the overlay has 2 nodes; expected 3, as"),
        (
            {
                "overlay": Overlay.from_links(3, [(0, 1), (1, 2)]),
                "present": np.array([True, True, False]),
            },
            "1 links have an absent end, as 'bob' to 'cy'; expected links between present nodes",
        ),
        ({"present": np.ones(2, dtype=np.bool_)}, r"bool of shape \(2,\); expected 3 truth values"),
        ({"present": np.array([0, 1, 2])}, r"of int64 of shape \(3,\); expected 3 truth values"),
        ({"strategy": "best"}, "no strategy is named 'best'; there are elasto-g, "),
        ({"seed": -1}, "seed is -1; expected 0 to"),
        ({"rho": 0.5}, "rho is 0.5; expected 1 or more"),
        ({"rho": "3"}, "rho is '3'; expected a number"),
        ({"rho": 0.5, "strategy": "low-oda-inc"}, "rho is 0.5; expected 1 or more"),
        ({"rho": 0.5, "strategy": "low-oda-re"}, "rho is 0.5; expected 1 or more"),
        ({"coverage": -1}, "coverage is -1; expected 0 to 1000"),
        ({"coverage": 2.5}, "coverage is 2.5; expected a whole number"),
        ({"coverage": 2, "strategy": "low-oda-re"}, "low-oda-re has no option 'coverage'; its"),
        ({"backups": "best"}, "backups is 'best'; expected one of primal-dual, greedy"),
        ({"whole_maximum": 1}, "whole_maximum is 1; expected True or False"),
    ],
)
def test_wrong_arguments_are_rejected(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Maintainer(FRIENDS, **arguments)


def test_strategies_are_registered_with_a_summary() -> None:
    assert find_strategy("elasto-g").build is ElastoG
    assert {"elasto-g", "low-oda-inc", "low-oda-re"} <= set(NAMES)
    for name, entry in strategies().items():
        assert entry.name == name
        assert entry.summary.endswith(".")
        assert entry.reference
