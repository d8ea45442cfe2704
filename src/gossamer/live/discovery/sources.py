"""Sources of addresses: where a node finds the first nodes to join.

``host:port``
    An address. A host name stands for all its addresses, so that the name of a headless Kubernetes
    service stands for all pods.
``srv://_gossamer._tcp.example.com``
    SRV records, which have ports; needs the package dnspython.
``multicast://239.1.2.3:7400``
    Nodes that announce themselves to a multicast group
    (:mod:`~gossamer.live.discovery.multicast`).
``file://peers.txt``
    Addresses in a file, one per line. The file is read at each use, so it may change.

The protocol sends messages to a source as to an address: at the start until a node answers, and
from time to time after that. Each message goes to a few addresses of the source, at random.
"""

from __future__ import annotations

import asyncio
import importlib
import ipaddress
import socket
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol

from gossamer.errors import MissingPackageError, ParameterError
from gossamer.live.discovery.addresses import join_address, split_address
from gossamer.live.discovery.multicast import MulticastSource
from gossamer.live.log import LOG

MAX_ADDRESSES = 1024
MAX_FILE_BYTES = 1 << 16


class JoinSource(Protocol):
    """A source of addresses."""

    async def start(self, me: str, protocol: str) -> None:
        """Start, for a node with an address and a protocol."""
        ...

    async def addresses(self) -> list[str]:
        """Return the addresses that are known now; raise OSError if they cannot be found."""
        ...

    def close(self) -> None:
        """Release the resources of the source."""
        ...


class _Lookup:
    """A source that needs neither start nor end."""

    async def start(self, me: str, protocol: str) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


class NameSource(_Lookup):
    """All addresses of a host name."""

    def __init__(self, host: str, port: int) -> None:
        self._host = host
        self._port = port

    async def addresses(self) -> list[str]:
        """Look up the A and AAAA records."""
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(self._host, self._port, type=socket.SOCK_STREAM)
        return [join_address(str(place[0]), int(place[1])) for _, _, _, _, place in found]


class ServiceSource(_Lookup):
    """The targets of SRV records."""

    def __init__(self, name: str) -> None:
        self._name = name
        try:
            self._resolver: Any = importlib.import_module("dns.asyncresolver")
            self._fault: Any = importlib.import_module("dns.exception").DNSException
        except ImportError:
            raise MissingPackageError(
                "an address srv://… needs the package dnspython; install it with: pip install "
                "dnspython",
                name="dns",
            ) from None

    async def addresses(self) -> list[str]:
        """Look up the SRV records."""
        try:
            answer = await self._resolver.resolve(self._name, "SRV")
        except self._fault as fault:
            raise OSError(f"{self._name} has no SRV records ({fault})") from None
        return [join_address(str(one.target).rstrip("."), int(one.port)) for one in answer]


class FileSource(_Lookup):
    """The addresses in a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._faulty: str | None = None

    async def addresses(self) -> list[str]:
        """Read the file: an address on each line, empty lines and comments after ``#``."""
        with self._path.open("rb") as file:
            text = file.read(MAX_FILE_BYTES).decode(errors="replace")
        return list(self._valid(line.partition("#")[0].strip() for line in text.splitlines()))

    def _valid(self, lines: Iterable[str]) -> Iterable[str]:
        for line in filter(None, lines):
            try:
                split_address(line, f"an address in {self._path}")
                yield line
            except ParameterError as fault:
                if self._faulty != line:
                    self._faulty = line
                    LOG.warning("%s", fault)


def source_of(text: str) -> JoinSource | None:
    """Return the source that an address to join stands for; None if it is one address.

    Examples
    --------
    >>> source_of("10.0.0.7:7000") is None, type(source_of("billing:7000")).__name__
    (True, 'NameSource')
    """
    scheme, separator, rest = text.partition("://") if isinstance(text, str) else (text, "", "")
    if not separator:
        host, port = split_address(text, "an address to join")
        try:
            ipaddress.ip_address(host)
        except ValueError:
            return NameSource(host, port)
        return None
    if scheme == "srv" and rest:
        return ServiceSource(rest)
    if scheme == "file" and rest:
        return FileSource(Path(rest))
    if scheme == "multicast":
        host, port = split_address(rest, "a multicast group")
        return MulticastSource(host, port)
    raise ParameterError(
        f"an address to join is {text!r}; expected host:port, srv://NAME, file://PATH or "
        "multicast://GROUP:PORT"
    )
