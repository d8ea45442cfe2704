"""Checks of the topics that an application gives: in live nodes a topic is a string."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gossamer.errors import ParameterError
from gossamer.live.frames import MAX_FRAME
from gossamer.protocols.contract import MAX_CHARACTERS, MAX_TOPICS

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
    """Raise ParameterError for more topics than messages have room for."""
    listed = [str(topic) for topic in topics]
    size = sum(len(topic.encode()) + 3 for topic in listed)
    if len(listed) > MAX_TOPICS or size > MAX_TOPIC_BYTES:
        raise ParameterError(
            f"a node has {len(listed):,} topics of {size:,} bytes; expected at most "
            f"{MAX_TOPICS:,} topics of {MAX_TOPIC_BYTES:,} bytes"
        )
