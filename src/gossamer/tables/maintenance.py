"""What keeping an overlay in order took, as tables: every change, every round, and its time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gossamer.model import ChurnEvents, Interests
from gossamer.tables.names import names_array
from gossamer.tables.schema import CHANGES, MAINTENANCE_ROUNDS, TIMINGS

__all__ = ["changes_table", "rounds_table", "timings_table"]

EVENTS, ACTIONS = ("leave", "join", "rebuild", "start"), ("unlink", "link")
Numbers = NDArray[np.int64]


def changes_table(interests: Interests, events: ChurnEvents, changes: Numbers) -> Any:
    """Return what must be done, in order, by the names of nodes.

    Parameters
    ----------
    interests
        Whose nodes they are.
    events
        What each round began with.
    changes
        A row a change: its round from 0, whether it is of a rebuild, whether it is a link, and
        the ids of both ends. Before the first event the round is -1.

    Examples
    --------
    >>> people = Interests.from_lists({"ann": ["tea"], "bob": ["tea"]})
    >>> events = ChurnEvents.from_columns([5], [1], [True])
    >>> changes_table(people, events, np.array([[0, 0, 1, 0, 1]])).to_pylist()[0]["action"]
    'link'
    """
    names = names_array(interests.node_names, "node")
    rounds, rebuilt, linked, low, high = changes.reshape(-1, 5).T
    # What is at -1 is the last: of the start, which is at time 0 and nobody's.
    nodes, times = np.append(events.nodes, 0), np.append(events.times, 0)
    kinds = np.append(events.joins.astype(np.int64), 3)[rounds]
    who = pa.array(nodes[rounds], mask=(rebuilt == 1) | (rounds < 0))
    kinds[rebuilt == 1] = 2
    return CHANGES.table(
        rounds + 1,
        times[rounds],
        names.take(who),
        pa.array(EVENTS).take(pa.array(kinds)),
        pa.array(ACTIONS).take(pa.array(linked)),
        names.take(pa.array(low)),
        names.take(pa.array(high)),
    )


def rounds_table(interests: Interests, events: ChurnEvents, rounds: Numbers) -> Any:
    """Return what the overlay was like after each event.

    Parameters
    ----------
    interests, events
        Whose nodes they are, and what each round began with.
    rounds
        A row a round: nodes there, links, largest degree, links added, links removed, and
        whether all was rebuilt.
    """
    names = names_array(interests.node_names, "node")
    nodes, links, largest, added, removed, rebuilt = rounds.reshape(-1, 6).T
    return MAINTENANCE_ROUNDS.table(
        np.arange(1, len(rounds) + 1),
        events.times,
        names.take(pa.array(events.nodes)),
        pa.array(EVENTS).take(pa.array(events.joins.astype(np.int64))),
        nodes,
        links,
        2 * links / np.maximum(nodes, 1),
        largest,
        added,
        removed,
        rebuilt.astype(np.bool_),
    )


def timings_table(milliseconds: NDArray[np.float64]) -> Any:
    """Return how long each round took."""
    return TIMINGS.table(np.arange(1, len(milliseconds) + 1), milliseconds)
