"""Addresses of live nodes: ``host:port``, which are also their identifiers."""

from __future__ import annotations

from gossamer.errors import ParameterError


def split_address(text: str) -> tuple[str, int]:
    """Return host and port.

    Examples
    --------
    >>> split_address("127.0.0.1:7000"), split_address("[::1]:7000")
    (('127.0.0.1', 7000), ('::1', 7000))
    """
    host, colon, port = text.rpartition(":")
    inside = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    digits = port.isascii() and port.isdigit() and int(port) < 65_536
    if not colon or not inside or not digits or (":" in inside and inside == host):
        raise ParameterError(
            f"an address is {text!r}; expected host:port, as in 127.0.0.1:7000 or [::1]:7000"
        )
    return inside, int(port)


def join_address(host: str, port: int) -> str:
    """Return an address as text."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
