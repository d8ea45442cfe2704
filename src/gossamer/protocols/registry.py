"""The registry of protocols.

A protocol is a folder of this package whose ``__init__`` calls :func:`register_protocol` with a
class of machines and a class of options; or a class of machines in a plug-in, marked with
:func:`protocol`. The simulator, live nodes, the command line and the conformance suite read the
registry.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, make_dataclass
from typing import Any, Literal, TypeVar

from gossamer.definitions import (
    blame,
    check_class,
    check_decorated,
    is_own,
    module_of,
    named_parameters,
)
from gossamer.errors import ParameterError
from gossamer.options import Options, options_of, options_of_fields, setting, summary_of
from gossamer.protocols.components.config import ProtocolConfig
from gossamer.protocols.contract import Machine, Message, NodeContext
from gossamer.registry import Registry, resolve

MachineClass = TypeVar("MachineClass", bound=type)
METHODS = ("handle", "topics", "linked", "neighbours_on", "link_states", "check_invariants")
RESERVED = (
    "protocol", "scenario", "options", "engine", "initial_overlay", "rebuild", "recording",
    "progress", "seed", "interests", "algorithm", "resilient", "start", "listen", "join", "topics",
    "on_event", "limits", "journal", "tracer", "advertise", "host", "environment", "path",
)  # fmt: skip
"""Names that no option can have: those of arguments of :func:`gossamer.simulate`,
:func:`gossamer.write_scenario`, :class:`gossamer.Node`, clusters and designs."""


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
    uses_repair_rule
        Whether its machines call the repair rule of their context, which is compiled.
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
    uses_repair_rule: bool = False

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


def protocol(
    name: str,
    *,
    messages: Sequence[type[Message]] = (),
    background: Sequence[type[Message]] = (),
    config: type[ProtocolConfig] | None = None,
    reference: str = "",
    topic_connected: bool = False,
    delivers: bool | None = None,
    views_by_topic: bool = False,
    installs_links: bool = False,
) -> Callable[[MachineClass], MachineClass]:
    """Register a class of machines as the protocol of that name.

    A machine is one node's side of a protocol (:mod:`gossamer.protocols.contract`). Without
    ``config`` the options are the named parameters of the constructor, each with a type and a
    default: ``__init__(self, context, *, fanout: int = 3)``. With it the constructor takes the
    context and a config. A name can be registered again.

    Parameters
    ----------
    name
        Name on the command line: a to z, 0 to 9, and hyphens between words.
    messages, background
        Types of all messages, and of those that are sent whether or not links change. Those of
        a :class:`~gossamer.protocols.components.composed_machine.ComposedMachine` are added.
    config
        Dataclass of options.
    reference
        Place of publication, in a few words.
    topic_connected
        Whether its overlay connects every topic.
    delivers
        Whether publications reach every subscriber; ``topic_connected`` if not given.
    views_by_topic
        Whether a link may serve only some of the topics that its ends share.
    installs_links
        Whether it accepts the links of a design algorithm.

    Raises
    ------
    PluginError
        If the name or the class does not fit, for example because a method is missing or no method
        takes one of the messages; the error names its file and line.
    """
    check_decorated(name, "protocol")

    def register(kind: MachineClass) -> MachineClass:
        from gossamer.protocols.components.composed_machine import (
            COMPONENT_MESSAGES,
            ComposedMachine,
        )

        check_class(kind, "a protocol", METHODS)
        added = COMPONENT_MESSAGES if issubclass(kind, ComposedMachine) else ()
        for what, given in (("messages", messages), ("background", background)):
            if not isinstance(given, Iterable):
                blame(kind, f"{what} is {given!r}; expected a list of types, as in [Hello]")
        all_messages = _checked_messages(kind, (*messages, *background, *added))
        if issubclass(kind, ComposedMachine):
            _check_methods(kind)
            if kind.handle is ComposedMachine.handle:
                _check_handlers(kind, all_messages)
        build: Callable[[NodeContext, Any], Machine] = kind
        options = config
        if options is None:
            options, build = _config_of(name, kind), _KeywordBuilder(kind)
        elif not (is_dataclass(options) and issubclass(options, ProtocolConfig)):
            blame(kind, f"config is {options!r}; expected a dataclass that extends ProtocolConfig")
        else:
            named_parameters(kind, positional=("context", "config"))
            for one in fields(options):
                if one.name in RESERVED:
                    blame(kind, f"an option is named {one.name}; expected another name")
        register_protocol(
            name,
            build,
            options,
            messages=all_messages,
            background=(*background, *added),
            reference=reference,
            topic_connected=topic_connected,
            delivers=delivers,
            views_by_topic=views_by_topic,
            installs_links=installs_links,
            definition=kind,
        )
        return kind

    return register


def register_protocol(
    name: str,
    build: Callable[[NodeContext, Any], Machine],
    config: type[ProtocolConfig],
    *,
    topic_connected: bool = True,
    delivers: bool | None = None,
    definition: Any = None,
    **entry: Any,
) -> None:
    """Add a protocol.

    ``delivers`` is ``topic_connected`` if not given, and ``definition`` is ``config``.
    """
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
        config if definition is None else definition,
    )


@dataclass(frozen=True)
class _KeywordBuilder:
    """Constructor of machines that take their options by name."""

    kind: type

    def __call__(self, context: NodeContext, config: Any) -> Any:
        return self.kind(context, **vars(config))


def _config_of(name: str, kind: type) -> type[ProtocolConfig]:
    """Return the dataclass of the options that the constructor of a machine takes by name."""
    from gossamer.protocols.components.composed_machine import ComposedMachine

    if getattr(kind, "__init__") is ComposedMachine.__init__:  # noqa: B009
        options = Options(name, ())  # its parameters are parts of the machine
    else:
        options = options_of(name, kind, positional=("context",), reserved=RESERVED)
    found = [
        (
            one.keyword,
            Literal[one.choices] if one.choices else one.kind,
            setting(one.default, one.meaning),
        )
        for one in options.listed
    ]
    return make_dataclass(
        f"{kind.__name__}Config",
        found,
        bases=(ProtocolConfig,),
        frozen=True,
        kw_only=True,
        namespace={"__doc__": inspect.getdoc(kind) or "", "__module__": module_of(kind)},
    )


def _checked_messages(kind: type, messages: Sequence[Any]) -> tuple[type[Message], ...]:
    """Return the distinct types of messages, or raise the error of the machine."""
    distinct = tuple(dict.fromkeys(messages))
    if not distinct:
        blame(kind, "there are no messages; expected their types, as in messages=(Hello,)")
    tags: dict[Any, Any] = {}
    for message in distinct:
        if not (isinstance(message, type) and issubclass(message, Message)):
            blame(kind, f"messages has {message!r}; expected subclasses of contract.Message")
        tag = message.__struct_config__.tag
        if tag in tags:
            both = f"{tags[tag].__name__} and {message.__name__}"
            blame(kind, f"the messages {both} have the tag {tag!r}; expected different ones")
        tags[tag] = message
    return distinct


def _check_methods(kind: type) -> None:
    """Raise if a class does not define methods that its base in gossamer leaves to it.

    A machine that sets no timer of its own needs no ``on_timer``.
    """
    methods = {name: getattr(kind, name) for name in dir(kind)}
    code = {name: method.__code__ for name, method in methods.items() if inspect.isfunction(method)}
    timers = any(
        "SetTimer" in one.co_names for name, one in code.items() if not is_own(methods[name])
    )
    missing = [
        f"{name}({', '.join(inspect.signature(methods[name]).parameters)})"
        for name, one in code.items()
        if is_own(methods[name]) and one.co_names == (NotImplementedError.__name__,)
        if name != "on_timer" or timers
    ]
    if missing:
        blame(kind, f"does not define {' and '.join(missing)}; every machine needs them")


def _check_handlers(kind: Any, messages: Sequence[type[Message]]) -> None:
    """Raise if no method of a composed machine takes one of the messages."""
    taken = kind.ROUTES
    untaken = [message.__name__ for message in messages if message not in taken]
    if untaken:
        name = untaken[0]
        word = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
        blame(
            kind,
            f"no method takes the message {' and none the message '.join(untaken)}; expected "
            f"def on_{word}(self, peer, message: {name}, now, out), with the type of the message",
        )


def protocols() -> dict[str, ProtocolEntry]:
    """Return every protocol by name, in alphabetical order."""
    return REGISTRY.all()


def resolve_protocol(
    protocol: str, options: Mapping[str, Any] | None = None
) -> tuple[ProtocolEntry, dict[str, Any]]:
    """Return the protocol of a name such as ``spidercast:kr=1``, and its options.

    ``options`` are given beside the name.
    """
    return resolve(REGISTRY, protocol, options)


def find_protocol(name: str) -> ProtocolEntry:
    """Return the protocol of that name, or raise an error that lists the names."""
    return REGISTRY.find(name)
