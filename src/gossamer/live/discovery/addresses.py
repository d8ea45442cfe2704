"""Addresses of live nodes: ``host:port``, which are also their identifiers."""

from __future__ import annotations

from gossamer.errors import ParameterError


def split_address(text: str, what: str = "an address") -> tuple[str, int]:
    """Return host and port; ``what`` is the subject of the error.

    Examples
    --------
    >>> split_address("127.0.0.1:7000"), split_address("[::1]:7000")
    (('127.0.0.1', 7000), ('::1', 7000))
    """
    host, colon, port = text.rpartition(":") if isinstance(text, str) else ("", "", "")
    inside = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    digits = port.isascii() and port.isdigit() and int(port) < 65_536
    if not colon or not inside or not digits or (":" in inside and inside == host):
        raise ParameterError(
            f"{what} is {text!r}; expected host:port, as in 127.0.0.1:7000 or [::1]:7000"
        )
    return inside, int(port)


def advertised_address(advertise: str, port: int) -> str:
    """Return the address for peers: a host name gets the port that the node listens at.

    Examples
    --------
    >>> advertised_address("billing", 7000), advertised_address("gateway:80", 7000)
    ('billing:7000', 'gateway:80')
    >>> advertised_address("::1", 7000), advertised_address("[::1]:80", 7000)
    ('[::1]:7000', '[::1]:80')
    """
    colons = advertise.count(":") if isinstance(advertise, str) else 1
    if colons == 0 or (colons > 1 and not advertise.startswith("[")):
        advertise = join_address(advertise, port)
    host, outer = split_address(advertise, "advertise")
    if outer == 0:
        raise ParameterError(f"advertise is {advertise!r}; expected a port that peers can reach")
    return join_address(host, outer)


def join_address(host: str, port: int) -> str:
    """Return an address as text."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
