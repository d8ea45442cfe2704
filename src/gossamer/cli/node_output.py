"""Output of ``gossamer node``: its status and publications, as text or JSON lines."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from gossamer.cli.display import show_line

if TYPE_CHECKING:
    from gossamer.live import NodeStatus, PublishedEvent


class StatusLines:
    """Prints the status of a node whenever it has changed."""

    def __init__(self, as_json: bool) -> None:
        self._as_json = as_json
        self._last = ""

    def show(self, status: NodeStatus) -> None:
        """Print the status, if it has changed."""
        from gossamer.live.cluster import NodeLine

        if self._as_json:
            text = NodeLine.of(status).text()
        else:
            linked = ", ".join(map(str, status.links)) or "no node"
            text = f"linked to {linked}; knows {status.known:,}"
            if not self._last:
                show_line(f"listening at {status.address}")
        if text != self._last:
            show_line(text)
            self._last = text


def show_event(event: PublishedEvent) -> None:
    """Print a publication as a line of text."""
    text = event.payload.decode(errors="replace")
    show_line(plain_text(f"{', '.join(map(str, event.topics))} from {event.publisher}: {text}"))


def show_event_as_json(event: PublishedEvent) -> None:
    """Print a publication as a line of JSON."""
    parts = {
        "topics": list(event.topics),
        "publisher": event.publisher,
        "payload": event.payload.decode(errors="replace"),
        "hops": event.hops,
        "missing": event.missing,
    }
    show_line(json.dumps({"event": parts}))


def plain_text(text: str) -> str:
    r"""Return text with escape sequences in place of characters that control a terminal.

    Examples
    --------
    >>> plain_text("tea \x1b[2J is ready, é")
    'tea \\x1b[2J is ready, é'
    """
    return "".join(
        one if one.isprintable() else one.encode("unicode_escape").decode() for one in text
    )
