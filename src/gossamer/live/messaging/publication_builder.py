"""From an application's event to the publications that its machine sends."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from gossamer.errors import ParameterError
from gossamer.live.events.envelope import MARK, NO_HEADERS, Envelope, check_headers, encode_envelope
from gossamer.live.events.parts import PART_BYTES, split
from gossamer.live.events.patterns import is_pattern
from gossamer.live.events.topics import check_published, check_topic, check_topics
from gossamer.live.messaging.pattern_lists import PatternLists
from gossamer.protocols.components.dissemination import MAX_TAGS
from gossamer.protocols.contract import Publish

MAX_CACHED = 1 << 16


class PublicationBuilder:
    """Builder of a node's publications: topics, patterns, envelopes and parts.

    Parameters
    ----------
    max_payload
        Maximum size of a payload in bytes.
    """

    def __init__(self, max_payload: int) -> None:
        self.patterns: PatternLists | None = None
        self._max_payload = max_payload
        self._tags: dict[str, tuple[str, ...]] = {}
        """Each checked topic, with the known patterns that match it."""
        self._generation = 0
        self._numbers = itertools.count(time.time_ns())

    def next_number(self) -> int:
        """Return a number that no other event of the node has."""
        return next(self._numbers)

    def tags_of(self, topics: str | Iterable[str]) -> tuple[str, ...]:
        """Check topics; return them with the known patterns that match any of them."""
        patterns = self.patterns
        if patterns is not None and patterns.generation != self._generation:
            self._tags.clear()
            self._generation = patterns.generation
        if isinstance(topics, str):
            found = self._tags.get(topics)
            if found is None:
                found = self._tags_of_each((topics,))
                if len(self._tags) >= MAX_CACHED:
                    self._tags.clear()
                self._tags[topics] = found
            return found
        return self._tags_of_each(topics)

    def _tags_of_each(self, topics: Any) -> tuple[str, ...]:
        if isinstance(topics, bytes) or not isinstance(topics, Iterable):
            check_topic(topics)
        listed = check_topics(topics, "topics")
        if not listed:
            raise ParameterError("published on no topic; expected one or more")
        if len(listed) > MAX_TAGS:
            raise ParameterError(f"published on {len(listed)} topics; expected {MAX_TAGS} at most")
        for topic in listed:
            check_published(topic)
        if self.patterns is None:
            return listed
        matching = {pattern: None for topic in listed for pattern in self.patterns.matching(topic)}
        return (*listed, *matching)

    def plain_tags(self, topics: str | Iterable[str], payload: Any) -> tuple[str, ...] | None:
        """Return the tags of an event that needs no envelope; None if it needs one."""
        if type(topics) is not str or type(payload) is not bytes or len(payload) > PART_BYTES:
            return None
        tags = self.tags_of(topics)
        if len(tags) > 1 or payload.startswith(MARK) or len(payload) > self._max_payload:
            return None
        return tags

    def payload_of(self, payload: Any) -> bytes:
        """Check a payload, and return it as bytes."""
        if not isinstance(payload, bytes | bytearray | memoryview):
            raise ParameterError(f"the payload is of type {type(payload).__name__}; expected bytes")
        content = payload if type(payload) is bytes else bytes(payload)
        if len(content) > self._max_payload:
            raise ParameterError(
                f"the payload has {len(content):,} bytes; expected {self._max_payload:,} at most"
            )
        return content

    def events(
        self,
        tags: tuple[str, ...],
        content: bytes,
        headers: Mapping[str, str] = NO_HEADERS,
        request: int = 0,
    ) -> Iterator[Publish]:
        """Yield the publications of an event: one, unless it is large or matches many patterns."""
        topics = tuple(tag for tag in tags if not is_pattern(tag)) if len(tags) > 1 else tags
        plain = not (headers or request or content[:1] == MARK or len(tags) > len(topics))
        if plain and len(content) <= PART_BYTES:
            yield Publish(tags, content)
            return
        number = request or self.next_number()
        checked = check_headers(headers) if headers else {}
        whole = encode_envelope(Envelope(number, topics, checked, bool(request), content))
        for one in contents_of(whole, number):
            for start in range(0, len(tags), MAX_TAGS):
                yield Publish(tags[start : start + MAX_TAGS], one)


def contents_of(whole: bytes, number: int) -> Iterator[bytes]:
    """Yield an encoded envelope whole, or in parts if it is large."""
    if len(whole) <= PART_BYTES:
        yield whole
        return
    for part in split(whole, number):
        yield encode_envelope(part)
