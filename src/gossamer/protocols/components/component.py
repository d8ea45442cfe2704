"""The parts of a machine.

A machine is a subclass of :class:`~gossamer.protocols.components.composed_machine.ComposedMachine`
that names its components in ``COMPONENTS``. A component holds the state of one concern. It declares
the messages that it handles and its timer, and so receives them without code in the machine. It
appends effects to ``out``, and calls the machine that it belongs to (``node``) for the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from gossamer.protocols.contract import Effects, Key, Peer

__all__ = ["Component", "Handler"]

Handler = Callable[[Any, Peer, Any, int, Effects], None]
"""Method that handles a message: ``(self, peer, message, now, out)``."""


class Component:
    """A part of a machine."""

    HANDLERS: ClassVar[Mapping[type, Handler]] = {}
    """Methods by type of message."""
    TIMER: ClassVar[Key | None] = None
    """Key of the timer, if it has one."""

    def on_timer(self, now: int, out: Effects) -> None:
        """Do what is due at the timer."""
        raise NotImplementedError
