"""Changes of interests in place, under every strategy, against a twin of dictionaries and sets."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.design import find_algorithm
from gossamer.errors import InputError, ParameterError
from gossamer.maintain.dynamic_interests import DynamicInterests
from gossamer.maintain.dynamic_overlay import DynamicOverlay
from gossamer.maintain.events import LinkChanges
from gossamer.maintain.maintainer import Change, Maintainer
from gossamer.maintain.strategies.elasto_g import ElastoG
from gossamer.maintain.strategies.registry import strategies
from gossamer.model import ChurnEvents, Interests, Overlay
from gossamer.model.interests import Name
from tests import strategies as draws
from tests.reference.repair import parts_of

Link = tuple[Name, Name]
Step = tuple[str, int, int]
every_strategy = pytest.mark.parametrize("name", sorted(strategies()))
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "elasto-g": [{}, {"coverage": 0}, {"coverage": 1, "backups": "greedy"}, {"rho": 1.0}],
    "elasto-l": [{}, {"coverage": 0}, {"reach": 0, "all_needed": True}, {"backups": "greedy"}],
    "low-oda-inc": [{}, {"rho": 1.0}],
    "low-oda-re": [{}],
}
steps = st.lists(
    st.tuples(
        st.sampled_from(["move", "subscribe", "subscribe", "unsubscribe", "unsubscribe"]),
        st.integers(0, 8),
        st.integers(0, 8),
    ),
    max_size=25,
)
some_interests = draws.crowds() | draws.dense_interests(max_nodes=7, max_topics=4)


@dataclass
class Twin:
    """Topics of each node, present nodes, and links, by name; every question is a full search."""

    topics: dict[Name, set[Name]]
    present: set[Name]
    links: set[Link] = field(default_factory=set)

    @classmethod
    def of(cls, maintainer: Maintainer) -> Twin:
        interests = maintainer.interests
        names, topics = interests.node_names.tolist(), interests.topic_names
        return cls(
            {name: set(topics[interests.topics_of(v)].tolist()) for v, name in enumerate(names)},
            {name for v, name in enumerate(names) if maintainer.present[v]},
            links_of(maintainer),
        )

    def check(self, maintainer: Maintainer) -> None:
        """Compare with a maintainer, and check that topics are connected and links serve any."""
        assert self.links == links_of(maintainer)
        assert self.topics == Twin.of(maintainer).topics
        for topic in set().union(*self.topics.values()):
            members = {node for node in self.present if topic in self.topics[node]}
            assert len(parts_of(members, self.links)) <= 1, topic  # type: ignore[arg-type]
        for one, other in self.links:
            assert {one, other} <= self.present
            assert self.topics[one] & self.topics[other], "a link serves no topic"

    def apply(self, change: Change) -> None:
        """Apply changes of links, which must be possible, each once."""
        for listed in (change.links, change.unlinks):
            assert len(listed) == len(set(listed))
        assert set(change.unlinks) <= self.links
        self.links -= set(change.unlinks)
        assert not set(change.links) & self.links
        self.links |= set(change.links)


def links_of(maintainer: Maintainer) -> set[Link]:
    names = maintainer.interests.node_names
    return {(one, other) for one, other in names[maintainer.overlay.links].tolist()}


def act(maintainer: Maintainer, twin: Twin, step: Step) -> Change | None:
    """Carry out a step that fits the state; topics beyond those of the interests are new."""
    what, place, number = step
    node = sorted(twin.topics)[place % len(twin.topics)]
    own: list[Name] = sorted(twin.topics[node])
    if what == "move":
        leaves = node in twin.present
        (twin.present.remove if leaves else twin.present.add)(node)
        return (maintainer.leave if leaves else maintainer.join)(node)
    if what == "subscribe":
        if number in own:
            with pytest.raises(InputError, match="cannot subscribe"):
                maintainer.subscribe(node, number)
            return None
        twin.topics[node].add(number)
        return maintainer.subscribe(node, number)
    if not own:
        with pytest.raises(InputError, match=r"cannot unsubscribe|no topic is named"):
            maintainer.unsubscribe(node, number)
        return None
    topic = own[number % len(own)]
    twin.topics[node].remove(topic)
    return maintainer.unsubscribe(node, topic)


@every_strategy
@given(
    interests=some_interests, first=st.sampled_from(["low-oda", "ring-per-topic"]), steps=steps,
    data=st.data(),
)  # fmt: skip
def test_every_topic_stays_connected_whatever_happens(
    name: str, interests: Interests, first: str, steps: list[Step], data: st.DataObject
) -> None:
    maintainer = Maintainer(
        interests, find_algorithm(first)(interests, seed=0), strategy=name,
        **data.draw(st.sampled_from(OPTIONS[name])),
    )  # fmt: skip
    twin = Twin.of(maintainer)
    for step in steps:
        change = act(maintainer, twin, step)
        if change is not None:
            twin.apply(change)
        twin.check(maintainer)


@every_strategy
@settings(max_examples=30)
@given(interests=some_interests, steps=steps, seed=draws.seeds)
def test_changes_by_name_and_by_id_are_equal_and_deterministic(
    name: str, interests: Interests, steps: list[Step], seed: int
) -> None:
    by_name, by_id = (Maintainer(interests, strategy=name, seed=seed) for _ in range(2))
    twin = Twin.of(by_name)
    rows: list[tuple[int, str, int]] = []
    changes: list[Change] = []
    for what, place, number in steps:
        node, topic = place % interests.node_count, number % interests.topic_count
        if what == "move":
            kind = "leave" if node in twin.present else "join"
            twin.present ^= {node}
            changes.append(getattr(by_name, kind)(node))
            rows.append((node, kind, -1))
        elif (topic in twin.topics[node]) == (what == "unsubscribe"):
            twin.topics[node] ^= {topic}
            changes.append(getattr(by_name, what)(node, topic))
            rows.append((node, what, topic))
    events = ChurnEvents.from_columns(
        range(len(rows)), [row[0] for row in rows], [row[1] for row in rows],
        [row[2] for row in rows],
    )  # fmt: skip
    everywhere = np.ones(interests.node_count, dtype=np.bool_)
    events.check(everywhere, interests=interests)
    records = list(by_id.run(events, check=True))
    assert [by_id.named(record.changes) for record in records] == changes
    assert all(record.disconnected_topics == 0 for record in records)
    assert [(one.node, one.topic) for one in records] == [(row[0], row[2]) for row in rows]
    assert by_id.overlay == by_name.overlay
    assert events.interests_after(interests) == by_id.interests == by_name.interests
    assert events.present_after(everywhere, len(rows)).tolist() == by_id.present.tolist()


@every_strategy
def test_all_interests_go_and_return(name: str) -> None:
    interests = Interests.from_lists({node: [node % 3, 3, 4] for node in range(12)})
    maintainer = Maintainer(interests, strategy=name, seed=1)
    twin = Twin.of(maintainer)
    pairs = [(node, topic) for node in range(12) for topic in sorted(twin.topics[node])]
    for node, topic in pairs:
        twin.topics[node].remove(topic)
        twin.apply(maintainer.unsubscribe(node, topic))
        twin.check(maintainer)
    assert maintainer.overlay.link_count == 0
    for node, topic in reversed(pairs):
        twin.topics[node].add(topic)
        twin.apply(maintainer.subscribe(node, topic))
        twin.check(maintainer)
    assert maintainer.interests == interests


@every_strategy
def test_interests_of_an_absent_node_change_when_it_joins(name: str) -> None:
    lists = {"ann": ["tea"], "bob": ["tea", "jazz"], "cy": ["jazz"], "dan": ["tea"]}
    maintainer = Maintainer(Interests.from_lists(lists), strategy=name)
    maintainer.leave("ann")
    links = links_of(maintainer)
    assert maintainer.subscribe("ann", "chess") == ([], [])
    assert maintainer.subscribe("ann", "jazz") == ([], [])
    assert maintainer.unsubscribe("ann", "tea") == ([], [])
    assert links_of(maintainer) == links
    peers = {peer for link in maintainer.join("ann").links for peer in link} - {"ann"}
    assert peers
    assert peers <= {"bob", "cy"}, "only these subscribe to jazz"
    assert "chess" in maintainer.interests.topic_names.tolist()


@every_strategy
def test_a_new_topic_spreads(name: str) -> None:
    """Topics that no node has at the start change the ids of others."""
    interests = Interests.from_lists({node: [10, 20] for node in range(8)})
    maintainer = Maintainer(interests, strategy=name, seed=2)
    twin = Twin.of(maintainer)
    for topic in (15, 5, 25):
        for node in range(8):
            twin.topics[node].add(topic)
            twin.apply(maintainer.subscribe(node, topic))
            twin.check(maintainer)
    assert maintainer.interests.topic_names.tolist() == [5, 10, 15, 20, 25]


def test_a_link_that_serves_a_new_topic_already_is_enough() -> None:
    interests = Interests.from_lists({"ann": ["tea"], "bob": ["tea", "jazz"], "cy": ["jazz"]})
    for name in ("elasto-g", "elasto-l", "low-oda-inc"):
        maintainer = Maintainer(interests, strategy=name)
        assert maintainer.subscribe("ann", "jazz") == ([], []), name
        # The link stays for jazz, and goes with it.
        assert maintainer.unsubscribe("ann", "tea") == ([], []), name
        assert maintainer.unsubscribe("ann", "jazz") == ([], [("ann", "bob")]), name


@given(interests=draws.crowds(), steps=steps, coverage=st.sampled_from([1, 2]))
def test_elasto_g_changes_few_links(interests: Interests, steps: list[Step], coverage: int) -> None:
    """A subscription needs one link at most, a repair those that reconnect the topic."""
    maintainer = Maintainer(interests, strategy=ElastoG(coverage=coverage))
    twin = Twin.of(maintainer)
    for step in steps:
        before = {node: set(topics) for node, topics in twin.topics.items()}
        change = act(maintainer, twin, step)
        if change is None:
            continue
        twin.apply(change)
        if step[0] == "subscribe":
            assert not change.unlinks
            assert len(change.links) <= 1
        elif step[0] == "unsubscribe" and change.links:
            (node,) = (one for one in before if before[one] != twin.topics[one])
            (topic,) = before[node] - twin.topics[node]
            members = {one for one in twin.present if topic in twin.topics[one]}
            without = twin.links - set(change.links)
            parts = parts_of(members, without)  # type: ignore[arg-type]
            assert len(change.links) == len(parts) - 1


# -- the state -------------------------------------------------------------------------------


@given(
    interests=draws.interests(max_nodes=6, max_topics=4),
    changes=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), max_size=60),
)
def test_dynamic_interests_match_a_set_of_pairs(
    interests: Interests, changes: list[tuple[int, int]]
) -> None:
    dynamic = DynamicInterests(interests)
    nodes, topics = interests.node_count, interests.topic_count
    pairs = set(zip(interests.node_column.tolist(), interests.node_topics.tolist(), strict=True))
    assert dynamic.current is interests
    for one, other in changes if nodes and topics else []:
        pair = (one % nodes, other % topics)
        assert dynamic.has(*pair) == (pair in pairs)
        (dynamic.unsubscribe if pair in pairs else dynamic.subscribe)(*pair)
        pairs ^= {pair}
    columns = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)
    assert dynamic.current == Interests.from_ids(
        columns[:, 0], columns[:, 1], node_names=interests.node_names,
        topic_names=interests.topic_names,
    )  # fmt: skip
    for node in range(nodes):
        assert dynamic.topics_of(node).tolist() == sorted(t for v, t in pairs if v == node)
    for topic in range(topics):
        assert dynamic.subscribers_of(topic).tolist() == sorted(v for v, t in pairs if t == topic)


def test_lists_of_subscribers_grow_and_blocks_are_packed() -> None:
    dynamic = DynamicInterests(Interests.from_ids([], [], node_names=60, topic_names=40))
    pools = {len(dynamic.subscriptions.topics.pool)}
    for topic in range(39, -1, -1):
        for node in range(59, -1, -1):
            dynamic.subscribe(node, topic)
        pools.add(len(dynamic.subscriptions.topics.pool))
    assert len(pools) > 2
    assert dynamic.subscribers_of(7).tolist() == list(range(60))
    assert dynamic.topics_of(11).tolist() == list(range(40))
    for node in range(0, 60, 2):
        dynamic.unsubscribe(node, 7)
    assert dynamic.subscribers_of(7).tolist() == list(range(1, 60, 2))


# -- rejected input --------------------------------------------------------------------------


class Idle:
    """A strategy of the caller for joins and leaves alone."""

    def begin(self, dynamic_overlay: DynamicOverlay) -> None:
        """Do nothing."""

    def joined(self, dynamic_overlay: DynamicOverlay, node: int) -> LinkChanges:
        return LinkChanges()

    def left(
        self, dynamic_overlay: DynamicOverlay, node: int, neighbours: np.ndarray[Any, Any]
    ) -> LinkChanges:
        return LinkChanges()


def test_impossible_changes_are_rejected() -> None:
    interests = Interests.from_lists({"ann": ["tea"], "bob": ["tea", "jazz"]})
    maintainer = Maintainer(interests)
    with pytest.raises(InputError, match="'ann' cannot subscribe to 'tea' again"):
        maintainer.subscribe("ann", "tea")
    with pytest.raises(InputError, match="'ann' cannot unsubscribe from 'jazz': it does not sub"):
        maintainer.unsubscribe("ann", "jazz")
    with pytest.raises(InputError, match="no node is named 'eve'"):
        maintainer.subscribe("eve", "tea")
    with pytest.raises(InputError, match="no topic is named 'chess'"):
        maintainer.unsubscribe("ann", "chess")
    with pytest.raises(InputError, match="names must be all integers or all strings"):
        maintainer.subscribe("ann", 7)
    assert maintainer.interests == interests
    line = Overlay.from_links(2, [(0, 1)])
    with pytest.raises(ParameterError, match="Idle has no methods subscribed and unsubscribed"):
        Maintainer(interests, line, strategy=Idle()).subscribe("ann", "jazz")
