"""Churn events of a scenario, and the record of an event that was applied."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import ParameterError
from gossamer.model import ChurnEvents, Scenario, Sessions
from gossamer.tables import read_churn_or_sessions
from gossamer.workloads import churn_rounds

__all__ = ["EventRecord", "LinkChanges", "RepairCost", "churn_of"]

ENDINGS = (".parquet", ".csv", ".tsv", ".txt", ".gz")
NO_LINKS: NDArray[np.int32] = np.empty((0, 2), dtype=np.int32)


class LinkChanges(NamedTuple):
    """Links to add and links to remove, as pairs of ids."""

    links: NDArray[np.int32] = NO_LINKS
    unlinks: NDArray[np.int32] = NO_LINKS


class RepairCost(NamedTuple):
    """Cost of a repair by nodes with local views.

    Attributes
    ----------
    coordinator
        Node that coordinated the repair; -1 if there was no other node.
    shadows, known
        Number of shadows, and of nodes that the coordinator knew.
    messages
        Messages of the event: the request and its answer, questions for neighbours and views, and
        two for each end of a new link. Gossip is not counted.
    """

    coordinator: int = -1
    shadows: int = 0
    known: int = 0
    messages: int = 0


NO_CHANGES, NO_COST = LinkChanges(), RepairCost()


@dataclass(frozen=True)
class EventRecord:
    """An applied churn event: its changes, and the overlay after it.

    Attributes
    ----------
    node, joined
        Node of the event, and whether it joined or left.
    nodes, links
        Number of present nodes and of links.
    mean_degree, max_degree
        Mean and maximum degree of the present nodes.
    disconnected_topics
        Number of disconnected topics; -1 if not checked.
    changes, rebuild
        Changes by the event, the leaving node's own links included; changes by the rebuild after
        it, if there was one. Both are empty for protocols.
    seconds
        Computing time of the event, and of the rebuild.
    cost
        Messages and shadows of the repair, for ElastO-L and protocols.
    """

    node: int
    joined: bool
    nodes: int
    links: int
    mean_degree: float
    max_degree: int
    disconnected_topics: int = -1
    changes: LinkChanges = NO_CHANGES
    rebuild: LinkChanges | None = None
    seconds: float = 0.0
    cost: RepairCost = NO_COST


def churn_of(scenario: Scenario) -> tuple[NDArray[np.bool_], ChurnEvents]:
    """Return the presence of each node at the start of a scenario, and the events after it.

    Raises
    ------
    InputError
        If the scenario has no churn, or an absent node leaves or a present one joins.

    Examples
    --------
    >>> from gossamer.model import Interests
    >>> interests = Interests.from_lists({name: ["tea"] for name in "abcd"})
    >>> len(churn_of(Scenario(interests, churn="rounds:12"))[1])
    12
    """
    interests, churn = scenario.interests, scenario.churn
    if churn is None:
        raise ParameterError(
            "the scenario has no churn; expected events, sessions, a table or rounds:COUNT"
        )
    if isinstance(churn, ChurnEvents):
        present, events = churn.present_at_first(interests.node_count), churn
    elif isinstance(churn, Sessions):
        present, events = ChurnEvents.from_sessions(churn, interests.node_count)
    else:
        present, events = _read_or_draw(os.fspath(churn), scenario)
    if scenario.present is not None:
        present = np.array(scenario.present, dtype=np.bool_)
        if present.shape != (interests.node_count,):
            raise ParameterError(
                f"present has {present.size} values; expected one for each of the "
                f"{interests.node_count} nodes"
            )
    events.check(present, interests.node_names)
    return present, events


def _read_or_draw(text: str, scenario: Scenario) -> tuple[NDArray[np.bool_], ChurnEvents]:
    if Path(text).exists() or text.lower().endswith(ENDINGS):
        return read_churn_or_sessions(text, scenario.interests)
    drawn = re.fullmatch(r"rounds:(\d{1,9})", text.strip().lower(), flags=re.ASCII)
    if drawn is None:
        raise ParameterError(
            f"events are {text!r}; expected a table of churn or of sessions, or rounds:COUNT, as "
            "in rounds:1000"
        )
    return churn_rounds(scenario.interests.node_count, int(drawn[1]), seed=scenario.seed)
