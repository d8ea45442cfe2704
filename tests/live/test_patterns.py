"""Patterns of topics: matching, spread, and what comes of malformed topics."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AsyncExitStack
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.errors import ParameterError
from gossamer.live import (
    Node,
)
from gossamer.live.events.envelope import MARK
from gossamer.live.events.messages import PatternList, PatternUpdate
from gossamer.live.events.parts import PART_BYTES
from gossamer.live.events.patterns import PatternIndex, is_pattern
from tests.live.nodes import QUICK, crash, run, until

LEVELS = st.lists(st.sampled_from(["a", "b", "", "*", ">", "a*"]), min_size=1, max_size=4)


def matches(pattern: str, topic: str) -> bool:
    """Match by a regular expression."""
    expression = ""
    for place, level in enumerate(pattern.split(".")):
        expression += r"\." if place else ""
        expression += {"*": r"[^.]*", ">": r".*"}.get(level, re.escape(level))
    return re.fullmatch(expression, topic) is not None


@given(st.lists(LEVELS, max_size=6), st.lists(st.sampled_from(["a", "b", "", "a*"]), min_size=1))
def test_patterns_match_as_regular_expressions_do(
    patterns: list[list[str]], topic: list[str]
) -> None:
    listed = [".".join(one) for one in patterns if ">" not in one[:-1]]
    name = ".".join(topic)
    expected = sorted({one for one in listed if matches(one, name)})
    assert PatternIndex(listed).matching(name) == expected


def test_wildcards_are_whole_levels() -> None:
    assert [one for one in ("a.*", ">", "*", "a>", "*a", "a.b") if is_pattern(one)] == [
        "a.*",
        ">",
        "*",
    ]


def test_event_comes_once_to_each_stream_and_says_its_topic() -> None:
    async def test() -> None:
        async with (
            Node(topics=["orders.new"], **QUICK) as shop,
            Node(join=[shop.address], **QUICK) as audit,
        ):
            several = audit.subscribe("orders.*", "orders.>", "orders.new", "*.new")
            single = audit.subscribe("orders.new")
            other = audit.subscribe("stock.*")
            await audit.ready("orders.*")
            await audit.ready("orders.new")
            await shop.publish("orders.new", b"1", headers={"lang": "fr"})
            await shop.publish("orders.new.paid", b"2")
            await shop.publish("orders.new", MARK + b"3")
            got = [await anext(several) for _ in range(3)]
            assert {(one.topic, one.payload) for one in got} == {
                ("orders.new", b"1"), ("orders.new.paid", b"2"), ("orders.new", MARK + b"3"),
            }  # fmt: skip
            first = next(one for one in got if one.payload == b"1")
            assert set(first.topics) == {"orders.*", "orders.>", "orders.new", "*.new"}
            assert dict(first.headers) == {"lang": "fr"}
            assert {(await anext(single)).payload for _ in range(2)} == {b"1", MARK + b"3"}
            audit.unsubscribe("orders.>")
            assert set(audit.topics) == {"orders.*", "orders.new", "*.new", "stock.*"}
            for stream in (several, single, other):
                stream.close()
                assert [one async for one in stream] == []
            await until(lambda: shop._builder.tags_of("orders.new") == ("orders.new",))

    run(test)


def test_publisher_that_joins_later_knows_the_patterns() -> None:
    async def test() -> None:
        async with (
            Node(**QUICK) as first,
            Node(join=[first.address], **QUICK) as reader,
        ):
            events = reader.subscribe("orders.*")
            await reader.ready("orders.*")
            async with Node(join=[first.address], **QUICK) as late:
                await late.publish("orders.new", b"at once")
                assert (await anext(events)).payload == b"at once"
                await late.ready("orders.paid")
                async with late.subscribe("orders.paid"):
                    await late.ready("orders.paid")

    run(test)


def test_events_on_more_patterns_than_a_publication_has_topics() -> None:
    patterns = [".".join(one) for one in product("a*", repeat=7)]

    async def test() -> None:
        async with Node(**QUICK) as node, node.subscribe(*patterns) as events:
            await node.publish("a.a.a.a.a.a.a", b"one")
            await node.publish("a.a.a.a.a.a.a", b"two")
            assert [(await anext(events)).payload for _ in range(2)] == [b"one", b"two"]
            assert events.waiting == 0

    run(test)


def test_ordered_event_comes_once_to_each_stream() -> None:
    """With an order, the machine delivers a publication on each of its topics apart."""

    async def test() -> None:
        async with Node(order="publisher") as node:
            both, one = node.subscribe("a.b", "a.*", "a.>"), node.subscribe("a.>")
            for number in range(3):
                await node.publish("a.b", b"%d" % number)
            for stream in (both, one):
                stream.close()
                assert [event.payload async for event in stream] == [b"0", b"1", b"2"]

    run(test)


def test_publisher_for_patterns_alone_stops_at_once() -> None:
    async def test() -> None:
        async with Node(**QUICK) as reader, reader.subscribe("a.*") as events:
            async with Node(join=[reader.address], **QUICK) as publisher:
                for number in range(600):
                    await publisher.publish(f"a.{number}", b"")
                await publisher.flush(timeout=1.5)
            assert len({(await anext(events)).topic for _ in range(600)}) == 600

    run(test)


def test_patterns_of_a_crashed_node_are_forgotten() -> None:
    async def test() -> None:
        async with Node(topics=["a"], **QUICK) as one, AsyncExitStack() as stack:
            lost = Node(topics=["a", "a.*"], join=[one.address], **QUICK)
            await lost.start()
            stack.push_async_callback(lost.stop)
            await until(lambda: one._builder.tags_of("a.b") == ("a.b", "a.*"))
            await until(lambda: one.links)
            await crash(lost)
            await until(lambda: one._builder.tags_of("a.b") == ("a.b",))
            assert one._patterns is not None
            one._patterns.on_update("h:1", PatternUpdate((PatternList("h:1", 1, ("a.>",)),)))
            assert one._builder.tags_of("a.b") == ("a.b", "a.>")
            # A peer may say by mistake that this node has gone.
            one._patterns.set_own(["b.*"])
            version = one._patterns._lists[one.address].version
            one._patterns.on_update(
                "h:1", PatternUpdate((PatternList(one.address, version + 5, ()),))
            )
            assert one._patterns.own == ("b.*",)
            assert one._patterns._lists[one.address].version > version + 5

    run(test)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda node: node.try_publish("a.*", b""), "expected a topic without the wildcards"),
        (lambda node: node.try_publish("$a", b""), "those that begin with \\$ are reserved"),
        (lambda node: node.subscribe("$a"), "are reserved"),
        (lambda node: node.subscribe("a.>.b"), "expected > as the last level only"),
        (lambda node: node.subscribe(*[f"a.{n}.*" for n in range(1025)]), "has 1,025 patterns"),
        (lambda node: node.subscribe("a", policy="never"), "policy is 'never'; expected one"),
        (lambda node: node.subscribe("a", key=len), "key is given with policy drop-oldest"),
        (lambda node: node.subscribe("a", max_events=0), "max_events is 0"),
        (lambda node: node.subscribe("a", group="a b"), "group is 'a b'; expected a name without"),
        (lambda node: node.subscribe("a", group="b", last=True), "group and last"),
        (lambda node: node.subscribe("a" * 250, group="b"), "group and topic have 251 characters"),
        (lambda node: node.try_publish("a", b"", headers={"a": 1}), "expected two strings"),
        (lambda node: node.try_publish("a", b"", headers=[1]), r"headers is \[1\]; expected a map"),
        (lambda node: node.try_publish("a", b"", headers={"a": "b" * 5000}), "5,000 characters"),
        (
            lambda node: node.try_publish("a", b"", headers={str(n): "b" * 400 for n in range(60)}),
            "60 headers have 24,110 bytes",
        ),
        (lambda node: node.try_publish("a", bytes(PART_BYTES + 1)), "or await node.publish"),
        (lambda node: node.publish_threadsafe("a", b""), "in the thread of the node's event loop"),
    ],
)  # fmt: skip
def test_malformed_arguments_are_rejected(call: Callable[[Node], Any], says: str) -> None:
    async def test() -> None:
        async with Node() as node:
            with pytest.raises(ParameterError, match=says):
                call(node)
            assert node.topics == ()

    run(test)
