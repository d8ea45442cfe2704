"""Errors of live nodes, which extend the tree of :mod:`gossamer.errors`.

::

    ParameterError
    └── NotRunningError          the node has not started, or has stopped meanwhile
    GossamerError
    ├── RequestError             a responder has failed
    │   ├── NoRespondersError    no node has taken the request in time (also a TimeoutError)
    │   └── RequestTimeoutError  a responder has not answered in time (also a TimeoutError)
    └── NotReadyError            a topic not ready, or data not written, in time (a TimeoutError)
"""

from __future__ import annotations

from gossamer.errors import GossamerError, ParameterError


class NotRunningError(ParameterError):
    """A call to a node that has not started, or that stops while the call waits."""

    def __init__(self, text: str = "the node is not running; start it first") -> None:
        super().__init__(text)


class RequestError(GossamerError):
    """A request that a responder has answered with an error."""


class NoRespondersError(RequestError, TimeoutError):
    """A request that no node has taken in time."""


class RequestTimeoutError(RequestError, TimeoutError):
    """A request that a node has taken, and not answered in time."""


class NotReadyError(GossamerError, TimeoutError):
    """A topic without the expected subscribers in time, or publications that were not written."""
