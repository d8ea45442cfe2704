"""Pattern lists: what each node knows about the patterns that all nodes subscribe to.

A node that subscribes to patterns has a list of them, with a version. Lists spread by flooding:
every ``BATCH_SECONDS``, a node sends the lists that are new to it to its linked peers and a few
known ones. A list reaches all nodes in some tenths of a second. A comparison recovers the lists
that a flood has missed: each second, a node sends a digest of its lists to one connected peer, or
to a known one if it has no connection, and the two exchange lists if the digests differ.

A node renews its list every ``RENEW_SECONDS``. If it has not done so for ``MAX_AGE_SECONDS``, or
its neighbours find it unreachable, they replace its list by an empty one with the next version,
which spreads in the same way. If the node is still present, it answers with a later version.

Guarantee: an event is published on each matching pattern that its publisher knows at that time.
Subscribers of other patterns never receive the event. Therefore a node that joins others compares
lists with one of them before its first publication, which waits for ``FIRST_SECONDS`` at most; and
``node.ready(pattern)`` waits until the peers have confirmed the pattern.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from hashlib import blake2b
from random import Random

from gossamer.live.events.messages import PatternDigest, PatternList, PatternUpdate
from gossamer.live.events.patterns import PatternIndex
from gossamer.protocols.contract import Peer

BATCH_SECONDS = 0.03
COMPARE_SECONDS = 1.0
IDLE_SECONDS = 5.0
"""Time between comparisons while a linked node knows no pattern."""
FIRST_SECONDS = 1.0
FIRST_COMPARISONS = 10
"""Number of comparisons of a new node that follow each other ten times as fast."""
RENEW_SECONDS = 20.0
MAX_AGE_SECONDS = 70.0
MAX_EMPTY_SECONDS = 600.0
"""Time after which an empty list is forgotten."""
MAX_NODES = 4096
MAX_LISTED = 256
FANOUT = 3
"""Number of known peers, besides the linked ones, to which a new list is sent."""


class PatternLists:
    """Pattern lists of a node and of the others.

    Parameters
    ----------
    me
        Identifier of the node.
    send
        Function that sends a message to a peer.
    peers
        Function that returns the linked, the connected and the known peers.
    now
        Function that returns the time in microseconds.
    contacts
        Addresses to join.
    """

    def __init__(
        self,
        me: str,
        send: Callable[[Peer, PatternUpdate | PatternDigest], None],
        peers: Callable[[], tuple[list[Peer], list[Peer], list[Peer]]],
        now: Callable[[], int],
        contacts: Iterable[Peer] = (),
    ) -> None:
        self.generation = 0
        """Number that increases when the set of known patterns changes."""
        self._me = me
        self._send = send
        self._peers = peers
        self._now = now
        self._random = Random(me)
        self._lists: dict[str, PatternList] = {}
        self._received_at: dict[str, int] = {}
        """Arrival time of each list (microseconds), by node."""
        self._confirmed_versions: dict[Peer, int] = {}
        """Version of this node's list that each peer has confirmed."""
        self._unsent: dict[str, Peer | None] = {}
        """Nodes whose lists are to be forwarded, each with the peer that sent its list."""
        self._index = PatternIndex()
        self._indexed_generation = 0
        self._changed_version = 0
        """Version of this node's list in which its patterns last changed."""
        self._comparisons = 0
        self._contacts = tuple(contacts)
        self.has_compared = not self._contacts
        """Whether this node has compared its lists with a peer, or need not do so."""
        self._first_comparison = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._flush_timer: asyncio.TimerHandle | None = None
        self._tick_timer: asyncio.TimerHandle | None = self._loop.call_later(
            COMPARE_SECONDS / 10, self._tick
        )

    # -- the application -----------------------------------------------------------------------

    @property
    def own(self) -> tuple[str, ...]:
        """Patterns of this node."""
        mine = self._lists.get(self._me)
        return () if mine is None else mine.patterns

    def set_own(self, patterns: Iterable[str]) -> None:
        """Change the patterns of this node."""
        listed = tuple(sorted(patterns))
        if listed != self.own:
            self._announce(listed)

    def matching(self, topic: str) -> list[str]:
        """Return the known patterns that match a topic."""
        if self._indexed_generation != self.generation:
            self._index = PatternIndex(
                pattern for one in self._lists.values() for pattern in one.patterns
            )
            self._indexed_generation = self.generation
        return self._index.matching(topic)

    def unconfirmed(self, peers: Iterable[Peer]) -> list[Peer]:
        """Return the peers that have not confirmed the latest patterns of this node."""
        return [
            peer for peer in peers if self._confirmed_versions.get(peer, 0) < self._changed_version
        ]

    def ask_to_confirm(self, peers: Iterable[Peer]) -> None:
        """Send the patterns of this node to peers that must confirm them."""
        mine = self._lists.get(self._me)
        if mine is not None:
            for peer in peers:
                self._send(peer, PatternUpdate((mine,), confirm=True))

    async def wait_for_comparison(self) -> None:
        """Wait for the first comparison with a peer, for ``FIRST_SECONDS`` at most."""
        with suppress(TimeoutError):
            async with asyncio.timeout(FIRST_SECONDS):
                await self._first_comparison.wait()
        self.has_compared = True

    def close(self) -> None:
        """Withdraw the patterns of this node, and stop."""
        if self.own:
            self._announce(())
            self._flush()
        for timer in (self._flush_timer, self._tick_timer):
            if timer is not None:
                timer.cancel()
        self._flush_timer = self._tick_timer = None
        self._first_comparison.set()

    def compare_with_contacts(self) -> None:
        """Compare lists with the addresses to join: the node starts."""
        for peer in self._contacts:
            self._send(peer, PatternDigest(self._digest(), first=True))

    # -- events --------------------------------------------------------------------------------

    def on_link(self, peer: Peer) -> None:
        """Compare lists with a new neighbour."""
        if self._lists:
            self._send(peer, PatternDigest(self._digest()))

    def on_unreachable(self, peer: Peer) -> None:
        """Replace the list of an unreachable peer by an empty one, which spreads to all nodes."""
        known = self._lists.get(str(peer))
        if known is not None and known.patterns and peer != self._me:
            self._store(PatternList(known.node, known.version + 1, ()), None)

    def on_update(self, peer: Peer, message: PatternUpdate) -> None:
        """Store newer lists and forward them; send back what the peer has in older versions."""
        outdated = []
        for one in message.lists:
            known = self._lists.get(one.node)
            if known is not None and one.version < known.version:
                outdated.append(known)
            elif known is None and not one.patterns:
                pass
            elif known is None or one.version > known.version:
                if one.node == self._me:
                    self._announce(self.own, after=one.version)
                else:
                    self._store(one, peer)
            if one.node == peer and message.confirm:
                self._send(peer, PatternDigest(b"", confirmed=one.version))
        self._send_lists(peer, outdated)

    def on_digest(self, peer: Peer, message: PatternDigest) -> None:
        """Exchange lists with a peer whose digest differs."""
        if message.confirmed:
            if len(self._confirmed_versions) >= MAX_NODES:
                self._confirmed_versions.clear()
            self._confirmed_versions[peer] = max(
                self._confirmed_versions.get(peer, 0), message.confirmed
            )
            return
        different = message.digest != self._digest()
        if different:
            self._send_lists(peer, [one for one in self._lists.values() if one.patterns])
        if message.answer:
            self.has_compared = True
            self._first_comparison.set()
        elif different or message.first:
            self._send(peer, PatternDigest(self._digest(), answer=True))

    # -- helpers -------------------------------------------------------------------------------

    def _announce(self, patterns: tuple[str, ...], after: int = 0) -> None:
        mine = self._lists.get(self._me)
        version = max(self._now(), after + 1, 0 if mine is None else mine.version + 1)
        if patterns != self.own:
            self._changed_version = version
        self._store(PatternList(self._me, version, patterns), None)

    def _store(self, one: PatternList, source: Peer | None) -> None:
        if one.node not in self._lists and len(self._lists) >= MAX_NODES:
            return
        known = self._lists.get(one.node)
        self._lists[one.node] = one
        self._received_at[one.node] = self._now()
        self._unsent[one.node] = source
        if (() if known is None else known.patterns) != one.patterns:
            self.generation += 1
        self._schedule()

    def _schedule(self) -> None:
        if self._flush_timer is None:
            self._flush_timer = self._loop.call_later(BATCH_SECONDS, self._flush)

    def _flush(self) -> None:
        """Send new lists to the linked peers and a few known ones, but not to their senders."""
        self._flush_timer = None
        unsent, self._unsent = self._unsent, {}
        linked, _, known = self._peers()
        others = [peer for peer in known if peer not in linked]
        targets = [*linked, *self._random.sample(others, min(FANOUT, len(others)))]
        for peer in targets:
            lists = [self._lists[node] for node, source in unsent.items() if source != peer]
            self._send_lists(peer, lists)

    def _send_lists(self, peer: Peer, lists: list[PatternList]) -> None:
        for start in range(0, len(lists), MAX_LISTED):
            self._send(peer, PatternUpdate(tuple(lists[start : start + MAX_LISTED])))

    def _digest(self) -> bytes:
        """Return a digest of all lists with patterns, or no bytes if there are none."""
        found, count = 0, 0
        for one in self._lists.values():
            if one.patterns:
                text = f"{one.version} {one.node}".encode()
                found ^= int.from_bytes(blake2b(text, digest_size=8).digest(), "big")
                count += 1
        return found.to_bytes(8, "big") if count else b""

    def _tick(self) -> None:
        """Renew this node's list, drop old ones, and compare lists with a peer."""
        self._comparisons += 1
        quick = self._comparisons <= FIRST_COMPARISONS
        linked, connected, known = self._peers()
        usual = IDLE_SECONDS if linked and not self._lists else COMPARE_SECONDS
        pause = COMPARE_SECONDS / 10 if quick else usual * (0.75 + self._random.random() / 2)
        self._tick_timer = self._loop.call_later(pause, self._tick)
        now = self._now()
        for node, heard in list(self._received_at.items()):
            age, one = (now - heard) / 1_000_000, self._lists[node]
            if node == self._me:
                if one.patterns and age > RENEW_SECONDS:
                    self._announce(one.patterns)
            elif one.patterns and age > MAX_AGE_SECONDS:
                self._store(PatternList(node, one.version + 1, ()), None)
            elif not one.patterns and age > MAX_EMPTY_SECONDS:
                del self._lists[node], self._received_at[node]
        among = connected or known or list(self._contacts)
        if among:
            first = not self._first_comparison.is_set()
            self._send(self._random.choice(among), PatternDigest(self._digest(), first=first))
