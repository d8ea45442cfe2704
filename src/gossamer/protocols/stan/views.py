"""What a node keeps for each of its topics: its neighbours there, and what is under way."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.protocols.components.kmv_sketch import Counting
from gossamer.protocols.contract import Peer, Topic

__all__ = ["MAX_NEIGHBOURS", "Swap", "TopicView"]

MAX_NEIGHBOURS = 256
"""Nobody is a neighbour of more on a topic, whoever asks."""
MAX_LOST = 16


@dataclass(frozen=True, slots=True)
class Swap:
    """A node's part in a swap that is under way: whom it waits for, and whom it tells then.

    Attributes
    ----------
    offering, number
        Who began it, and which of theirs it is.
    before, after
        Who told us, none if we began; and whose word we wait for.
    given_up, gained
        What it does to our view.
    since
        When we took it on.
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
        Its name, and what stands for it in messages.
    peers
        The neighbours, in the order in which they came.
    filled_at
        Until when the node asks others to be neighbours; then it walks.
    aim
        How many neighbours it had in mind at most.
    asked
        Who was asked to be a neighbour, and when.
    swap
        The swap that this node takes part in.
    walking
        Whether a walk is under way.
    idle, due
        How many walks in a row changed nothing, and the round of the next one.
    lost
        Neighbours that went without a word, the latest last.
    counting
        How many subscribers there are.
    """

    __slots__ = (
        "aim", "asked", "counting", "due", "filled_at", "idle", "lost", "peers", "swap",
        "token", "topic", "walking",
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
        self.counting = Counting()

    def lose(self, peer: Peer) -> None:
        """Remember a neighbour that went without a word."""
        self.lost.pop(peer, None)
        if len(self.lost) >= MAX_LOST:
            del self.lost[next(iter(self.lost))]
        self.lost[peer] = None
