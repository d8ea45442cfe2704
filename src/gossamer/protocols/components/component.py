"""The parts of a machine.

A machine is a subclass of :class:`~gossamer.protocols.components.composed_machine.ComposedMachine`
that names its components in ``COMPONENTS``. A component holds the state of one concern. It receives
its messages and its timer without code in the machine, appends effects to ``out``, and calls the
machine that it belongs to (``node``) for the rest.

A method ``on_…`` or ``_on_…`` of a component or machine handles the types of messages that its
parameter ``message`` is annotated with: ``(self, peer, message, now, out)``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, get_args, get_type_hints

from gossamer.protocols.contract import Effects, Key, Peer

Handler = Callable[[Any, Peer, Any, int, Effects], None]


class Component:
    """A part of a machine."""

    TIMER: ClassVar[Key | None] = None
    """Key of the timer, if it has one."""

    def on_timer(self, now: int, out: Effects) -> None:
        """Do what is due at the timer."""
        raise NotImplementedError


def handlers_of(kind: type) -> dict[type, Handler]:
    """Return the methods of a class that handle messages, by type of message."""
    found: dict[type, Handler] = {}
    for base in reversed(kind.__mro__):
        for name, method in vars(base).items():
            if name.lstrip("_").startswith("on_") and "message" in method.__annotations__:
                hint = get_type_hints(method)["message"]
                found |= dict.fromkeys(get_args(hint) or (hint,), method)
    return found
