"""One node of OPT: enough neighbours for each topic, and no link that both ends can spare.

It gossips as Vitis does, and asks the nodes that it needs. A link exists when both ends have each
other in their tables; a node with the maximum number of links refuses. In each round a node reports
to each neighbour that it can spare. A neighbour that can spare the sender, too, agrees, and does
not count on it for the rest of the round; a node that receives the agreement, and can still spare
the neighbour, ends the link.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from gossamer.protocols.components.hashes import hash_of_pair
from gossamer.protocols.components.neighbour_table import NeighbourTableMachine
from gossamer.protocols.components.profiles import RatedDescriptor
from gossamer.protocols.contract import Effects, NodeContext, Peer, Send, Topic, Topics
from gossamer.protocols.opt.config import OptConfig
from gossamer.protocols.opt.messages import Spare
from gossamer.protocols.opt.policy import covering, missing_cover, spared


class Opt(NeighbourTableMachine):
    """One node of OPT."""

    def __init__(self, context: NodeContext, config: OptConfig) -> None:
        super().__init__(context, config, max_in_degree=config.max_links, flood=config.flood)
        self.cover = config.cover
        self.bound = config.max_links
        self._agreed: dict[Peer, None] = {}

    # -- queries -----------------------------------------------------------------------------

    def is_linked(self, peer: Peer) -> bool:
        """Whether both ends have the other in their tables."""
        return peer in self.table and peer in self.inward

    def check_invariants(self) -> None:
        """Raise AssertionError if the state contradicts itself."""
        super().check_invariants()
        assert len(self.neighbours) <= self.bound
        assert self._agreed.keys() <= self.neighbours.keys()

    # -- events ------------------------------------------------------------------------------

    def on_agreed(self, peer: Peer) -> None:
        """Put a peer into the table that has this node in its own."""
        self._asked.pop(peer, None)
        self.table[peer] = None

    def on_unlinked(self, peer: Peer, now: int, out: Effects) -> None:
        """Forget agreements with a former neighbour."""
        self._agreed.pop(peer, None)

    # -- messages ----------------------------------------------------------------------------

    def _on_spare(self, peer: Peer, message: Spare, now: int, out: Effects) -> None:
        if peer not in self.neighbours or (peer in self._agreed and not message.agreed):
            return
        beyond = self._beyond([one for one in self._agreed if one != peer])
        if not spared(beyond, [(peer, self.neighbours[peer].topics)]):
            return
        if message.agreed:
            self._agreed.pop(peer, None)
            self._drop(peer, now, out)
        else:
            self._agreed[peer] = None
            out.append(Send(peer, Spare(agreed=True)))

    # -- timers ------------------------------------------------------------------------------

    def after_profiles(self, now: int, out: Effects) -> None:
        """Report to each neighbour that the node can spare."""
        self._agreed.clear()
        beyond = self._beyond()
        for peer, known in self.neighbours.items():
            if spared(beyond, [(peer, known.topics)]):
                out.append(Send(peer, Spare(agreed=False)))

    # -- decisions ---------------------------------------------------------------------------

    def chosen(self, candidates: Mapping[Peer, RatedDescriptor]) -> list[Peer]:
        """Return the present neighbours, and the candidates that the node needs."""
        present = [peer for peer in self.neighbours if peer in candidates]
        others = {
            p: descriptor.topics for p, descriptor in candidates.items() if p not in self.neighbours
        }
        capacity = self.bound - len(self.neighbours)
        wanted = covering(
            self._beyond(), others, capacity, lambda peer: hash_of_pair(self.me, peer)
        )
        return [*present, *wanted]

    def accepts(self, peer: Peer, topics: Topics, *, ring: bool) -> bool:
        """Whether the node may have another neighbour, which shares a topic."""
        if not any(topic in self._topics for topic in topics):
            return False
        taken = len(self.neighbours) + sum(one not in self.neighbours for one in self._asked)
        return peer in self._asked or taken < self.bound

    # -- helpers -----------------------------------------------------------------------------

    def _beyond(self, without: Collection[Peer] = ()) -> dict[Topic, int]:
        near = [known.topics for peer, known in self.neighbours.items() if peer not in without]
        return missing_cover(self._topics, near, self.cover)
