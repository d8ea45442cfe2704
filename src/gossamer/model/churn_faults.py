"""Impossible events of churn, such as a present node that joins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.model.interests import Interests
from gossamer.model.wording import quoted

if TYPE_CHECKING:
    from gossamer.model.churn import ChurnEvents


class ChurnFault(NamedTuple):
    """An impossible event.

    Attributes
    ----------
    row
        Position of the event.
    text
        The event, and what was expected.
    """

    row: int
    text: str


def first_fault(
    events: ChurnEvents,
    present: NDArray[np.bool_],
    names: Sequence[Any] | NDArray[Any] | None = None,
    interests: Interests | None = None,
) -> ChurnFault | None:
    """Return the first impossible event, if there is one; see ``ChurnEvents.check``."""
    count = len(present)
    if names is None and interests is not None:
        names = interests.node_names
    unknown = events.nodes >= count
    rows = np.flatnonzero((events.kinds <= 1) & ~unknown)
    wrong = [np.flatnonzero(unknown), _repeated(rows, events.nodes[rows], events, present)]
    if interests is not None:
        wrong += _wrong_changes(events, interests, unknown)
    first = np.concatenate(wrong)
    if not len(first):
        return None
    row = int(first.min())
    node, kind, topic = int(events.nodes[row]), int(events.kinds[row]), int(events.topics[row])
    name = str(node) if names is None or node >= count else quoted(names[node])
    done = ("leaves", "joins", "unsubscribes from", "subscribes to")[kind]
    what = f"event {row + 1}, at {events.times[row]} µs: node {name} {done}"
    if topic >= 0:
        known = interests is not None and topic < interests.topic_count
        what += f" {quoted(interests.topic_names[topic]) if interests and known else topic}"
    if unknown[row]:
        return ChurnFault(row, f"{what}; expected a node of 0 to {count - 1}")
    if topic >= 0 and interests is not None and topic >= interests.topic_count:
        return ChurnFault(row, f"{what}; expected a topic of 0 to {interests.topic_count - 1}")
    expected = (
        ", but is absent; expected a present node",
        ", but is present; expected an absent node",
        ", which it does not have; expected one of its topics",
        ", which it has already; expected another topic",
    )[kind]
    return ChurnFault(row, what + expected)


def _wrong_changes(
    events: ChurnEvents, interests: Interests, unknown: NDArray[np.bool_]
) -> list[NDArray[np.int64]]:
    """Return the changes of interests that are impossible."""
    changes = events.kinds >= 2
    beyond = changes & (events.topics >= interests.topic_count)
    rows = np.flatnonzero(changes & ~beyond & ~unknown)
    nodes, topics = events.nodes[rows].astype(np.int64), events.topics[rows]
    pairs, codes = np.unique(nodes * max(interests.topic_count, 1) + topics, return_inverse=True)
    held = interests.are_subscribed(
        pairs // max(interests.topic_count, 1), pairs % max(interests.topic_count, 1)
    )
    return [np.flatnonzero(beyond), _repeated(rows, codes, events, held)]


def _repeated(
    rows: NDArray[np.int64],
    subjects: NDArray[Any],
    events: ChurnEvents,
    at_first: NDArray[np.bool_],
) -> NDArray[np.int64]:
    """Return the events that repeat the state of their subject, a node or a subscription.

    ``subjects`` are positions in ``at_first``, the states before the first event.
    """
    order = np.argsort(subjects, kind="stable")
    subject, after = subjects[order], events.kinds[rows][order] % 2 == 1
    before = np.empty(len(order), dtype=np.bool_)
    before[1:] = after[:-1]
    opening = np.ones(len(order), dtype=np.bool_)
    opening[1:] = subject[1:] != subject[:-1]
    before[opening] = at_first[subject[opening]]
    repeated: NDArray[np.int64] = rows[order[before == after]]
    return repeated
