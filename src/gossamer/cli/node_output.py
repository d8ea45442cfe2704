"""Output of ``gossamer node``: its status and publications, as text or JSON lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.cli.display import is_json, show_record

if TYPE_CHECKING:
    from gossamer.live import NodeStatus, PublishedEvent


class StatusLines:
    """Prints the status of a node whenever it has changed."""

    def __init__(self) -> None:
        self._last = ""

    def show(self, status: NodeStatus) -> None:
        """Print the status, if it has changed."""
        from gossamer.live.cluster import NodeLine

        if is_json():
            text = NodeLine.of(status).text()
        else:
            linked = ", ".join(map(str, status.links)) or "no node"
            text = f"linked to {linked}; knows {status.known:,}"
            if not self._last:
                show_record(f"listening at {status.address}")
        if text != self._last:
            print(text, flush=True)
            self._last = text


def show_event(event: PublishedEvent) -> None:
    """Print a publication."""
    text = event.payload.decode(errors="replace")
    topics = event.topics if event.topic in event.topics else (event.topic,)
    show_record(
        plain_text(f"{', '.join(map(str, topics))} from {event.publisher}: {text}"),
        event={
            "topics": list(event.topics),
            "topic": event.topic,
            "headers": dict(event.headers),
            "publisher": event.publisher,
            "payload": text,
            "hops": event.hops,
            "numbers": list(event.numbers),
            "missing": [[gap.topic, gap.first, gap.last] for gap in event.missing],
        },
    )


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
