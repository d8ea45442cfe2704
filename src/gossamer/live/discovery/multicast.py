"""Discovery by multicast: nodes of a local network announce their addresses to a group.

A node announces itself at the start, when it hears a new node, and every few seconds.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import struct
from typing import Any

import msgspec

from gossamer.errors import ParameterError
from gossamer.live.discovery.addresses import split_address

FIRST_PAUSE, MAX_PAUSE = 0.1, 5.0
"""Seconds between announcements: the first pause, doubled for each further one, and the maximum."""
MAX_AGE_SECONDS = 30.0
MAX_HEARD = 1024
MAGIC = "gossamer 1"


class Announced(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Announcement of a node."""

    magic: str
    protocol: str
    address: str


_ANNOUNCED: msgspec.msgpack.Decoder[Announced] = msgspec.msgpack.Decoder(Announced)


class MulticastSource(asyncio.DatagramProtocol):
    """Nodes that announce themselves to a group.

    Parameters
    ----------
    group, port
        Address of the group.
    """

    def __init__(self, group: str, port: int) -> None:
        try:
            valid = ipaddress.IPv4Address(group).is_multicast and port
        except ValueError:
            valid = False
        if not valid:
            raise ParameterError(
                f"a multicast group is {group}:{port}; expected one of 224.0.0.0 to "
                "239.255.255.255, and a port"
            )
        self._group = group
        self._port = port
        self._heard: dict[str, float] = {}
        self._content = b""
        self._me = ""
        self._protocol = ""
        self._pause = FIRST_PAUSE
        self._timer: asyncio.TimerHandle | None = None
        self._transport: asyncio.DatagramTransport | None = None

    async def start(self, me: str, protocol: str) -> None:
        """Join the group, on the interface of the node's address, and announce the node."""
        self._me, self._protocol = me, protocol
        self._content = msgspec.msgpack.encode(Announced(MAGIC, protocol, me))
        loop = asyncio.get_running_loop()
        try:
            opened = self._open(split_address(me)[0])
        except OSError as fault:
            raise ParameterError(
                f"cannot join the multicast group {self._group} ({fault.strerror or fault})"
            ) from None
        await loop.create_datagram_endpoint(lambda: self, sock=opened)
        self._announce()

    async def addresses(self) -> list[str]:
        """Return the nodes that have announced themselves lately."""
        limit = asyncio.get_running_loop().time() - MAX_AGE_SECONDS
        return [address for address, heard in self._heard.items() if heard >= limit]

    def close(self) -> None:
        """Leave the group."""
        if self._timer is not None:
            self._timer.cancel()
        if self._transport is not None:
            self._transport.close()

    def _open(self, host: str) -> socket.socket:
        opened = socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_UDP)
        try:
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if hasattr(socket, "SO_REUSEPORT"):
                opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            opened.bind(("", self._port))
            try:
                interface = ipaddress.IPv4Address(host).packed
            except ValueError:  # a name, which the operating system routes
                interface = socket.inet_aton("0.0.0.0")
            membership = struct.pack("4s4s", socket.inet_aton(self._group), interface)
            opened.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, membership)
            opened.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, interface)
            opened.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 1)
            opened.setblocking(False)
        except OSError:
            opened.close()
            raise
        return opened

    def _announce(self) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.sendto(self._content, (self._group, self._port))
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(self._pause, self._announce)
        self._pause = min(2 * self._pause, MAX_PAUSE)

    # -- asyncio -------------------------------------------------------------------------

    def connection_made(self, transport: Any) -> None:
        """Open the socket (asyncio)."""
        self._transport = transport

    def datagram_received(self, data: bytes, addr: Any) -> None:
        """Note a node (asyncio)."""
        try:
            found = _ANNOUNCED.decode(data)
            split_address(found.address)
        except (msgspec.MsgspecError, UnicodeDecodeError, ParameterError):
            return
        if (found.magic, found.protocol) != (MAGIC, self._protocol) or found.address == self._me:
            return
        new = self._heard.pop(found.address, None) is None
        self._heard[found.address] = asyncio.get_running_loop().time()
        if len(self._heard) > MAX_HEARD:
            del self._heard[next(iter(self._heard))]
        if new and self._pause > FIRST_PAUSE and self._timer is not None:
            self._timer.cancel()
            self._pause = FIRST_PAUSE
            self._timer = asyncio.get_running_loop().call_later(FIRST_PAUSE, self._announce)

    def error_received(self, exc: Exception) -> None:
        """Go on: the network may come back (asyncio)."""
