"""The registry of protocols.

A protocol is a folder of this package whose ``__init__`` calls :func:`register_protocol` with a
class of machines and a class of options. The simulator, live nodes, the command line and the
conformance suite read the registry.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gossamer.errors import ParameterError
from gossamer.protocols.components.config import ProtocolConfig
from gossamer.protocols.contract import Machine, Message, NodeContext
from gossamer.registry import Options, Registry, options_of_fields, summary_of


@dataclass(frozen=True)
class ProtocolEntry:
    """A protocol, its options and its promises.

    Attributes
    ----------
    name
        Name on the command line.
    build
        Constructor of machines: ``build(context, config) -> Machine``.
    config
        Dataclass of options.
    messages
        Types of all messages.
    background
        Types of messages that are sent whether or not links change: heartbeats, gossip and
        publications.
    reference
        Publication that describes the protocol.
    topic_connected
        Whether its overlay connects every topic.
    delivers
        Whether publications reach every subscriber.
    views_by_topic
        Whether a link may serve only some of the topics that its ends share.
    installs_links
        Whether it accepts links from outside
        (:class:`~gossamer.protocols.contract.InstallLinks`).
    """

    name: str
    build: Callable[[NodeContext, Any], Machine]
    config: type[ProtocolConfig]
    messages: tuple[type[Message], ...]
    background: tuple[type[Message], ...]
    reference: str = ""
    topic_connected: bool = True
    delivers: bool = True
    views_by_topic: bool = False
    installs_links: bool = False

    @property
    def summary(self) -> str:
        """The protocol in one sentence."""
        return summary_of(self.config)

    @property
    def options(self) -> Options:
        """Its options, as its config declares them."""
        return options_of_fields(self.name, self.config)

    def configure(self, options: Mapping[str, Any] | None = None) -> ProtocolConfig:
        """Return the config for some options, after checking them."""
        given = dict(options or {})
        self.options.check(given)
        return self.config(**given)

    def require_installed_links(self) -> None:
        """Raise if the protocol does not accept links from outside."""
        if not self.installs_links:
            able = ", ".join(name for name, entry in protocols().items() if entry.installs_links)
            raise ParameterError(
                f"{self.name} makes all its links itself; expected a protocol that accepts them "
                f"from a design algorithm: {able}"
            )

    def __call__(self, context: NodeContext, **options: Any) -> Machine:
        """Return a machine with these options, and the defaults of the others."""
        return self.build(context, self.configure(options))


REGISTRY: Registry[ProtocolEntry] = Registry("protocol", "gossamer.protocols")


def register_protocol(
    name: str,
    build: Callable[[NodeContext, Any], Machine],
    config: type[ProtocolConfig],
    *,
    topic_connected: bool = True,
    delivers: bool | None = None,
    **entry: Any,
) -> None:
    """Add a protocol; ``delivers`` is ``topic_connected`` if not given."""
    REGISTRY.add(
        name,
        ProtocolEntry(
            name=name,
            build=build,
            config=config,
            topic_connected=topic_connected,
            delivers=topic_connected if delivers is None else delivers,
            **entry,
        ),
    )


def protocols() -> dict[str, ProtocolEntry]:
    """Return every protocol by name, in alphabetical order."""
    return REGISTRY.all()


def find_protocol(name: str) -> ProtocolEntry:
    """Return the protocol of that name, or raise an error that lists the names."""
    return REGISTRY.find(name)
