"""Checks of an application's topics: in live nodes a topic is a string."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gossamer.errors import ParameterError
from gossamer.live.events.messages import MAX_PATTERNS
from gossamer.live.events.patterns import is_pattern, misplaced_wildcard, stray_wildcard
from gossamer.live.transport.frames import MAX_FRAME
from gossamer.protocols.contract import MAX_CHARACTERS, MAX_TOPICS

RESERVED = "$"
"""First character of the topics that nodes use among themselves."""

MAX_TOPIC_BYTES = MAX_FRAME - (1 << 14)
"""Maximum size of the topics of one node on the wire: a frame takes all of them."""


def check_topic(topic: Any) -> None:
    """Raise ParameterError for a malformed topic."""
    if not isinstance(topic, str):
        instead = f", as in {str(topic)!r}" if isinstance(topic, int) else ""
        if isinstance(topic, list | tuple | set | frozenset):
            instead = ": topics one by one, as in subscribe('orders', 'stock')"
        raise ParameterError(f"a topic is {topic!r}; expected a string{instead}")
    if not 0 < len(topic) <= MAX_CHARACTERS:
        raise ParameterError(f"a topic has {len(topic)} characters; expected 1 to {MAX_CHARACTERS}")


def check_topics(topics: Any, name: str) -> tuple[str, ...]:
    """Return topics, each once; raise ParameterError unless they are an iterable of strings."""
    if isinstance(topics, str | bytes) or not isinstance(topics, Iterable):
        raise ParameterError(f"{name} is {topics!r}; expected a list, as in ['orders']")
    listed = list(topics)
    for topic in listed:
        check_topic(topic)
    return tuple(dict.fromkeys(listed))


def check_size(topics: Iterable[Any]) -> None:
    """Raise ParameterError for more topics or patterns than messages have room for."""
    listed = [str(topic) for topic in topics]
    patterns = sum(map(is_pattern, listed))
    if patterns > MAX_PATTERNS:
        raise ParameterError(f"a node has {patterns:,} patterns; expected {MAX_PATTERNS:,} at most")
    size = sum(len(topic.encode()) + 3 for topic in listed)
    if len(listed) > MAX_TOPICS or size > MAX_TOPIC_BYTES:
        raise ParameterError(
            f"a node has {len(listed):,} topics of {size:,} bytes; expected at most "
            f"{MAX_TOPICS:,} topics of {MAX_TOPIC_BYTES:,} bytes"
        )


def check_published(topic: str) -> None:
    """Raise ParameterError unless a topic may be published on by an application."""
    if is_pattern(topic):
        raise ParameterError(
            f"published on {topic!r}; expected a topic without the wildcards * and >"
        )
    _check_levels(topic)
    _check_reserved(topic)


def check_subscribed(topic: str) -> None:
    """Raise ParameterError unless a topic or pattern may be subscribed to by an application."""
    if misplaced_wildcard(topic):
        raise ParameterError(f"a topic is {topic!r}; expected > as the last level only")
    _check_levels(topic)
    _check_reserved(topic)


def _check_levels(topic: str) -> None:
    stray = stray_wildcard(topic)
    if stray is not None:
        raise ParameterError(
            f"a topic is {topic!r}, with the level {stray!r}; expected names, or in a pattern * "
            "for one level or > for all further ones, as in 'orders.*' and 'orders.>'"
        )
    if "" in topic.split("."):
        raise ParameterError(
            f"a topic is {topic!r}; expected levels with a name, as in 'orders.new'"
        )


def _check_reserved(topic: str) -> None:
    if topic.startswith(RESERVED):
        raise ParameterError(f"a topic is {topic!r}; those that begin with {RESERVED} are reserved")
