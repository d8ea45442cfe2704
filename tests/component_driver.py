"""Drive a component of a machine alone: its methods return the effects that they append."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from inspect import signature
from types import SimpleNamespace
from typing import Any, cast

from gossamer.protocols.components.dissemination import Disseminator
from gossamer.protocols.contract import Effect, Peer, Topic, Topics

__all__ = ["ComponentDriver", "DisseminatorDriver"]


class ComponentDriver:
    """A component; calls of its methods return the list of effects in place of ``out``."""

    def __init__(self, part: Any) -> None:
        self.part = part

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.part, name)
        if not callable(found) or "out" not in signature(found).parameters:
            return found

        def call(*arguments: Any) -> list[Effect]:
            out: list[Effect] = []
            found(*arguments, out)
            return out

        return call

    def __contains__(self, key: Any) -> bool:
        return key in self.part


class DisseminatorDriver(ComponentDriver):
    """A disseminator of a node whose subscriptions are given with each call."""

    def __init__(
        self, me: Peer, neighbours_on: Callable[[Topic], Iterable[Peer]], **options: Any
    ) -> None:
        node = SimpleNamespace(me=me, topics=(), neighbours_on=neighbours_on)
        self.node = cast(Any, node)
        super().__init__(Disseminator(self.node, **options))

    def on(self, topics: Topics) -> DisseminatorDriver:
        self.node.topics = topics
        return self
