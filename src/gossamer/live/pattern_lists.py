"""The patterns that are subscribed to somewhere, as each node knows them.

A node that subscribes to patterns has a list of them, with a version. Lists spread by flooding: a
new one goes to the linked peers and a few known ones, and so on, in batches of ``BATCH_SECONDS``;
it takes some tenths of a second. What a flood has missed comes by comparison: each second a node
sends a digest of its lists to one connected peer, and the two exchange them if the digests differ.
A node without a connection compares with a known peer.

A node renews its list. If it does not within ``MAX_AGE_SECONDS``, or its neighbours notice that its
process has ended, they replace the list by an empty one with the next version, which spreads too;
if the node is still present, it answers with a later one.

Guarantee: an event is published on each pattern that matches and that its publisher knows at that
time. Patterns that the publisher does not know miss it, also later. Therefore a node that joins
others compares with one of them before its first publication, which waits for that
``FIRST_SECONDS`` at most; and ``node.ready(pattern)`` waits until the peers have confirmed it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from hashlib import blake2b
from random import Random

from gossamer.live.messages import PatternDigest, PatternList, PatternUpdate
from gossamer.live.patterns import PatternIndex
from gossamer.protocols.contract import Peer

BATCH_SECONDS = 0.03
COMPARE_SECONDS = 1.0
IDLE_SECONDS = 5.0
"""Time between comparisons of a node with links while no pattern is known."""
FIRST_SECONDS = 1.0
FIRST_COMPARISONS = 10
"""Comparisons of a new node that come ten times as fast."""
RENEW_SECONDS = 20.0
MAX_AGE_SECONDS = 70.0
MAX_EMPTY_SECONDS = 600.0
"""Time after which an empty list is forgotten."""
MAX_NODES = 4096
MAX_LISTED = 256
FANOUT = 3
"""Known peers beside the linked ones that a new list goes to."""


class PatternLists:
    """Pattern lists of a node and of others.

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
        """Number that changes with the set of known patterns."""
        self._me = me
        self._send = send
        self._peers = peers
        self._now = now
        self._random = Random(me)
        self._lists: dict[str, PatternList] = {}
        self._heard: dict[str, int] = {}
        """Time of each list, by the clock of this node."""
        self._confirmed: dict[Peer, int] = {}
        """Version of the node's own list that each peer has confirmed."""
        self._fresh: dict[str, Peer | None] = {}
        """Nodes whose lists are to be sent on, with the sender."""
        self._index = PatternIndex()
        self._indexed = 0
        self._changed = 0
        """Version of the node's own list with which its patterns have changed."""
        self._comparisons = 0
        self._contacts = tuple(contacts)
        self.compared = not self._contacts
        """Whether this node has the lists of another one, or need not wait for them."""
        self._first = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._flushing: asyncio.TimerHandle | None = None
        self._ticking: asyncio.TimerHandle | None = self._loop.call_later(
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
        if self._indexed != self.generation:
            self._index = PatternIndex(
                pattern for one in self._lists.values() for pattern in one.patterns
            )
            self._indexed = self.generation
        return self._index.matching(topic)

    def unconfirmed(self, peers: Iterable[Peer]) -> list[Peer]:
        """Return the peers that have not confirmed the latest patterns of this node."""
        return [peer for peer in peers if self._confirmed.get(peer, 0) < self._changed]

    def ask_to_confirm(self, peers: Iterable[Peer]) -> None:
        """Send the patterns of this node to peers that must confirm them."""
        mine = self._lists.get(self._me)
        if mine is not None:
            for peer in peers:
                self._send(peer, PatternUpdate((mine,), confirm=True))

    async def wait_for_comparison(self) -> None:
        """Wait until this node has the lists of another one, for some time at most."""
        with suppress(TimeoutError):
            async with asyncio.timeout(FIRST_SECONDS):
                await self._first.wait()
        self.compared = True

    def close(self) -> None:
        """Withdraw the patterns of this node, and stop."""
        if self.own:
            self._announce(())
            self._flush()
        for timer in (self._flushing, self._ticking):
            if timer is not None:
                timer.cancel()
        self._flushing = self._ticking = None
        self._first.set()

    def compare_with_contacts(self) -> None:
        """Compare with the addresses to join: the node starts."""
        for peer in self._contacts:
            self._send(peer, PatternDigest(self._digest(), first=True))

    # -- events --------------------------------------------------------------------------------

    def on_link(self, peer: Peer) -> None:
        """Compare with a new neighbour."""
        if self._lists:
            self._send(peer, PatternDigest(self._digest()))

    def on_unreachable(self, peer: Peer) -> None:
        """Drop the list of a peer whose process has ended, here and everywhere."""
        known = self._lists.get(str(peer))
        if known is not None and known.patterns and peer != self._me:
            self._take(PatternList(known.node, known.version + 1, ()), None)

    def on_update(self, peer: Peer, message: PatternUpdate) -> None:
        """Take the lists that are newer, and send them on."""
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
                    self._take(one, peer)
            if one.node == peer and message.confirm:
                self._send(peer, PatternDigest(b"", confirmed=one.version))
        self._send_lists(peer, outdated)

    def on_digest(self, peer: Peer, message: PatternDigest) -> None:
        """Exchange lists with a peer whose digest differs."""
        if message.confirmed:
            if len(self._confirmed) >= MAX_NODES:
                self._confirmed.clear()
            self._confirmed[peer] = max(self._confirmed.get(peer, 0), message.confirmed)
            return
        different = message.digest != self._digest()
        if different:
            self._send_lists(peer, [one for one in self._lists.values() if one.patterns])
        if message.answer:
            self.compared = True
            self._first.set()
        elif different or message.first:
            self._send(peer, PatternDigest(self._digest(), answer=True))

    # -- helpers -------------------------------------------------------------------------------

    def _announce(self, patterns: tuple[str, ...], after: int = 0) -> None:
        mine = self._lists.get(self._me)
        version = max(self._now(), after + 1, 0 if mine is None else mine.version + 1)
        if patterns != self.own:
            self._changed = version
        self._take(PatternList(self._me, version, patterns), None)

    def _take(self, one: PatternList, source: Peer | None) -> None:
        if one.node not in self._lists and len(self._lists) >= MAX_NODES:
            return
        known = self._lists.get(one.node)
        self._lists[one.node] = one
        self._heard[one.node] = self._now()
        self._fresh[one.node] = source
        if (() if known is None else known.patterns) != one.patterns:
            self.generation += 1
        self._schedule()

    def _schedule(self) -> None:
        if self._flushing is None:
            self._flushing = self._loop.call_later(BATCH_SECONDS, self._flush)

    def _flush(self) -> None:
        """Send new lists to the linked peers and a few known ones, but not back."""
        self._flushing = None
        fresh, self._fresh = self._fresh, {}
        linked, _, known = self._peers()
        others = [peer for peer in known if peer not in linked]
        targets = [*linked, *self._random.sample(others, min(FANOUT, len(others)))]
        for peer in targets:
            lists = [self._lists[node] for node, source in fresh.items() if source != peer]
            self._send_lists(peer, lists)

    def _send_lists(self, peer: Peer, lists: list[PatternList]) -> None:
        for start in range(0, len(lists), MAX_LISTED):
            self._send(peer, PatternUpdate(tuple(lists[start : start + MAX_LISTED])))

    def _digest(self) -> bytes:
        """Return a digest of all lists with patterns, in any order; empty if there is none."""
        found, count = 0, 0
        for one in self._lists.values():
            if one.patterns:
                text = f"{one.version} {one.node}".encode()
                found ^= int.from_bytes(blake2b(text, digest_size=8).digest(), "big")
                count += 1
        return found.to_bytes(8, "big") if count else b""

    def _tick(self) -> None:
        """Renew the node's list, drop old ones, and compare with a peer."""
        self._comparisons += 1
        quick = self._comparisons <= FIRST_COMPARISONS
        linked, connected, known = self._peers()
        usual = IDLE_SECONDS if linked and not self._lists else COMPARE_SECONDS
        pause = COMPARE_SECONDS / 10 if quick else usual * (0.75 + self._random.random() / 2)
        self._ticking = self._loop.call_later(pause, self._tick)
        now = self._now()
        for node, heard in list(self._heard.items()):
            age, one = (now - heard) / 1_000_000, self._lists[node]
            if node == self._me:
                if one.patterns and age > RENEW_SECONDS:
                    self._announce(one.patterns)
            elif one.patterns and age > MAX_AGE_SECONDS:
                self._take(PatternList(node, one.version + 1, ()), None)
            elif not one.patterns and age > MAX_EMPTY_SECONDS:
                del self._lists[node], self._heard[node]
        among = connected or known or list(self._contacts)
        if among:
            first = not self._first.is_set()
            self._send(self._random.choice(among), PatternDigest(self._digest(), first=first))
