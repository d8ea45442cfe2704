"""State of a node on each of its topics: its neighbours, and walks and swaps in progress."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.protocols.components.kmv_sketch import KmvSketch
from gossamer.protocols.contract import Peer, Topic

MAX_NEIGHBOURS = 256
"""Maximum number of neighbours on a topic."""
MAX_LOST = 16


@dataclass(frozen=True, slots=True)
class Swap:
    """A node's part in a swap in progress.

    Attributes
    ----------
    offering, number
        Node that started it, and its number there.
    before, after
        Previous node of the chain, none at the start, and the node whose answer is awaited.
    given_up, gained
        Neighbour that leaves the view, and the one that enters it.
    since
        Time of its start at this node.
    """

    offering: Peer
    number: int
    before: Peer | None
    after: Peer
    given_up: Peer
    gained: Peer
    since: int


class TopicView:
    """One topic's view.

    Attributes
    ----------
    topic, token
        Name of the topic, and its token in messages.
    peers
        Neighbours, in the order of addition.
    filled_at
        Time until which the node asks for neighbours; walks start then.
    aim
        Largest size that the view has aimed at.
    asked
        Requested neighbours, with the times of the requests.
    swap
        Swap in progress.
    walking
        Whether a walk is in progress.
    idle, due
        Consecutive walks without a change, and the round of the next walk.
    lost
        Neighbours that failed, the latest last.
    sketch
        Estimate of the number of subscribers.
    """

    __slots__ = (
        "aim",
        "asked",
        "due",
        "filled_at",
        "idle",
        "lost",
        "peers",
        "sketch",
        "swap",
        "token",
        "topic",
        "walking",
    )  # fmt: skip

    def __init__(self, topic: Topic, token: int, filled_at: int) -> None:
        self.topic = topic
        self.token = token
        self.peers: list[Peer] = []
        self.filled_at = filled_at
        self.aim = 0
        self.asked: dict[Peer, int] = {}
        self.swap: Swap | None = None
        self.walking = False
        self.idle = 0
        self.due = 0
        self.lost: dict[Peer, None] = {}
        self.sketch = KmvSketch()

    def lose(self, peer: Peer) -> None:
        """Record a neighbour that failed."""
        self.lost.pop(peer, None)
        if len(self.lost) >= MAX_LOST:
            del self.lost[next(iter(self.lost))]
        self.lost[peer] = None
