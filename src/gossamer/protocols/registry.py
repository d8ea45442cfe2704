"""The one list of protocols.

A protocol is a folder of this package whose ``__init__`` marks a function with
:func:`protocol`: it is given a :class:`~gossamer.protocols.contract.NodeContext` and options, and
returns a machine. The simulator, the live node, the command line and the conformance tests
read this list.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from gossamer.protocols.contract import Machine, Message, NodeContext
from gossamer.registry import Options, Registry, options_of, summary_of

__all__ = ["ProtocolEntry", "find_protocol", "protocol", "protocols"]

Build = TypeVar("Build", bound=Callable[..., Machine])


@dataclass(frozen=True)
class ProtocolEntry:
    """A protocol and what it promises.

    Attributes
    ----------
    name
        As written on the command line.
    build
        ``build(context, **options) -> Machine``.
    messages
        Every kind of message that it sends or understands.
    upkeep
        Of these, those that are sent whether or not links change: heartbeats, gossip, and
        what is published.
    topic_connected
        Whether it strives for an overlay in which every topic is connected.
    delivers
        Whether what is published is to come to every subscriber; if not given, it is where every
        topic is to be connected.
    views_by_topic
        Whether a node has a view of its own for each topic, so that a link may serve some of
        the topics that its ends share and not others.
    arranged
        Whether links can be given to it from outside, by
        :class:`~gossamer.protocols.contract.InstallLinks`.
    summary, reference
        What it is, and where it was published.
    options
        Its own parameters, read from the signature.
    """

    name: str
    build: Callable[..., Machine]
    messages: tuple[type[Message], ...]
    upkeep: tuple[type[Message], ...]
    topic_connected: bool
    views_by_topic: bool
    summary: str
    reference: str
    options: Options
    delivers: bool = False
    arranged: bool = False

    def __call__(self, context: NodeContext, **options: Any) -> Machine:
        """Build one node's machine, after checking that there are these options."""
        self.options.check(options)
        return self.build(context, **options)


REGISTRY: Registry[ProtocolEntry] = Registry("protocol", "gossamer.protocols")


def protocol(
    name: str,
    *,
    reference: str,
    messages: tuple[type[Message], ...],
    upkeep: tuple[type[Message], ...] = (),
    topic_connected: bool = True,
    delivers: bool | None = None,
    views_by_topic: bool = False,
    arranged: bool = False,
) -> Callable[[Build], Build]:
    """Mark a function as what builds the machines of a protocol."""

    def register(function: Build) -> Build:
        entry = ProtocolEntry(
            name=name,
            build=function,
            messages=messages,
            upkeep=upkeep,
            topic_connected=topic_connected,
            views_by_topic=views_by_topic,
            summary=summary_of(function),
            reference=reference,
            options=options_of(name, function),
            delivers=topic_connected if delivers is None else delivers,
            arranged=arranged,
        )
        REGISTRY.add(name, entry)
        return function

    return register


def protocols() -> dict[str, ProtocolEntry]:
    """Return every protocol by name, in alphabetical order."""
    return REGISTRY.all()


def find_protocol(name: str) -> ProtocolEntry:
    """Return the protocol of that name, or say which there are."""
    return REGISTRY.find(name)
