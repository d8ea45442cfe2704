"""State of a node on each of its topics: its links, and requests without an answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from gossamer.protocols.components.kmv_sketch import KmvSketch
from gossamer.protocols.contract import Peer, Topic
from gossamer.protocols.stan.messages import (
    JoinAccept,
    JoinRequest,
    LinkClaim,
    Seen,
    SwapReply,
    SwapRequest,
)
from gossamer.protocols.stan.policy import Offer

MAX_NEIGHBOURS = 256
"""Maximum number of neighbours on a topic."""
MAX_LOST = 16
MAX_ANSWERS = 32
MAX_CANDIDATES = 8
MAX_HEARD = 16
"""Maximum number of walks whose nodes are not yet among the candidates."""


Request = TypeVar("Request", JoinRequest, SwapRequest)


@dataclass(frozen=True, slots=True)
class Pending(Generic[Request]):
    """A request that has not been answered.

    Attributes
    ----------
    message
        The request, which is sent again in the next round.
    first, sent
        Times at which it was sent first and last.
    """

    message: Request
    first: int
    sent: int


@dataclass(frozen=True, slots=True)
class PendingClaim:
    """A claim of a link that has not been acknowledged.

    Attributes
    ----------
    message
        The claim, which is sent again in the next round.
    sent
        Time at which it was sent last.
    """

    message: LinkClaim
    sent: int


class TopicView:
    """One topic's view.

    Attributes
    ----------
    topic, token
        Name of the topic, and its token in messages.
    peers
        Neighbours, in the order of addition: those of ``owned`` and ``held``.
    owned, held
        Peers to which this node owns a link, and peers that own a link to it. The owner of a link
        alone gives it away, and claims it from the other end.
    claims
        Claims of owned links that have not been acknowledged.
    filled_at
        Time until which the node asks for neighbours; walks start then.
    aim
        Largest size that the view has aimed at.
    asked
        Requested neighbours, with the requests.
    swaps
        Peers of swaps in progress, with the requests.
    answers
        Answers to the latest requests of peers, which are repeated if the request is.
    candidates
        Nodes that walks met lately, with their links, without those of ``heard``.
    heard
        Nodes that the latest walks have collected, with their links.
    whole_offer
        All links as an offer, while no request is without an answer; None if they have changed.
    moving
        Neighbour to give up for another one that is asked, if one end of a link moves.
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
        "answers",
        "asked",
        "candidates",
        "claims",
        "due",
        "filled_at",
        "heard",
        "held",
        "idle",
        "lost",
        "moving",
        "owned",
        "peers",
        "sketch",
        "swaps",
        "token",
        "topic",
        "walking",
        "whole_offer",
    )  # fmt: skip

    def __init__(self, topic: Topic, token: int, filled_at: int) -> None:
        self.topic = topic
        self.token = token
        self.peers: list[Peer] = []
        self.filled_at = filled_at
        self.aim = 0
        self.owned: dict[Peer, None] = {}
        self.held: dict[Peer, None] = {}
        self.claims: dict[Peer, PendingClaim] = {}
        self.asked: dict[Peer, Pending[JoinRequest]] = {}
        self.swaps: dict[Peer, Pending[SwapRequest]] = {}
        self.answers: dict[Peer, JoinAccept | SwapReply] = {}
        self.candidates: dict[Peer, Offer] = {}
        self.heard: list[Seen] = []
        self.whole_offer: Offer | None = None
        self.moving: tuple[Peer, Peer] | None = None
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

    @property
    def size(self) -> int:
        """Number of links; two nodes may have two for a while."""
        return len(self.owned) + len(self.held)

    def free(self) -> list[Peer]:
        """Return the peers whose links may be given away: acknowledged, and not on offer."""
        offered = {one for pending in self.swaps.values() for one in pending.message.offered}
        return [one for one in self.owned if one not in self.claims and one not in offered]

    def expected(self) -> list[Peer]:
        """Return the neighbours, and the peers to which the node may soon own a link."""
        wanted = [one for pending in self.swaps.values() for one in pending.message.wanted]
        return [*self.peers, *self.asked, *wanted]

    def offer(self, me: Peer) -> Offer:
        """Return what this node may swap; it wants no second link to an expected neighbour."""
        if not self.swaps and not self.claims and not self.asked:
            if self.whole_offer is None:
                held = [one for one in self.peers if one in self.held]
                self.whole_offer = Offer(me, tuple(self.owned), tuple(held))
            return self.whole_offer
        free = self.free()
        others = [one for one in self.expected() if one not in free or one in self.held]
        return Offer(me, free, others)

    def remember(self, peer: Peer, answer: JoinAccept | SwapReply) -> None:
        """Remember the answer to a request of a peer."""
        self.answers.pop(peer, None)
        if len(self.answers) >= MAX_ANSWERS:
            del self.answers[next(iter(self.answers))]
        self.answers[peer] = answer

    def hear(self, seen: Seen, me: Peer) -> None:
        """Note the nodes that a walk has collected."""
        self.heard.append(seen)
        if len(self.heard) > MAX_HEARD:
            self.update_candidates(me)

    def update_candidates(self, me: Peer) -> None:
        """Let the nodes that walks met last be the candidates, the latest last."""
        if not self.heard:
            return
        latest: dict[Peer, Offer] = {}
        for seen in reversed(self.heard):
            for node, owned, held in reversed(seen):
                if node != me and node not in latest and len(latest) < MAX_CANDIDATES:
                    latest[node] = Offer(node, owned, held)
            if len(latest) >= MAX_CANDIDATES:
                break
        for node, offer in reversed(self.candidates.items()):
            if node not in latest and len(latest) < MAX_CANDIDATES:
                latest[node] = offer
        self.heard.clear()
        self.candidates = dict(reversed(latest.items()))
