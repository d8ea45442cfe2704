"""States of the link to a peer, and the transitions between them.

Each machine derives the state of a link from its own tables
(:meth:`~gossamer.protocols.components.composed_machine.ComposedMachine.link_states`). The host
compares the states before and after each event with the table of transitions, in tests and on
request.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any


class LinkState(Enum):
    """State of the link to a peer, as one node sees it."""

    ABSENT = "absent"
    """No link, and none requested."""
    REQUESTED = "requested"
    """Requested by this node, and not answered."""
    LINKED = "linked"
    """A link of the overlay."""
    SUSPECTED = "suspected"
    """Given up after silence; older descriptors of the peer are rejected."""
    LOST = "lost"
    """A former link that ended without a message; requested again with backoff."""


_ABSENT, _REQUESTED, _LINKED, _SUSPECTED, _LOST = LinkState

TRANSITIONS: Mapping[LinkState, frozenset[LinkState]] = {
    _ABSENT: frozenset({_ABSENT, _REQUESTED, _LINKED, _SUSPECTED}),
    _REQUESTED: frozenset(LinkState),
    _LINKED: frozenset(LinkState),
    _SUSPECTED: frozenset({_ABSENT, _REQUESTED, _LINKED, _SUSPECTED}),
    _LOST: frozenset({_ABSENT, _REQUESTED, _LINKED, _LOST}),
}
"""States that may follow each state after one event."""


def check_transitions(before: Mapping[Any, LinkState], after: Mapping[Any, LinkState]) -> None:
    """Raise AssertionError if the state of a link changed in a way that the table does not have."""
    if before == after:
        return
    for peer in {**before, **after}:
        old, new = before.get(peer, _ABSENT), after.get(peer, _ABSENT)
        assert new in TRANSITIONS[old], f"the link to {peer} went from {old.value} to {new.value}"
