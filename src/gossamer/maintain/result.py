"""Result of a maintenance run: the overlays, every change, and measurements after each event."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.maintain.dynamic_overlay import present_interests
from gossamer.maintain.rebuild_check import GAIN, RebuildCheck, compare_with_design
from gossamer.model import ChurnEvents, Interests, Overlay
from gossamer.model.churn import KINDS, NO_TOPIC
from gossamer.options import join_spec, split_spec
from gossamer.progress import Progress
from gossamer.quality.resilience import resilience_of_topics
from gossamer.quality.topic_graphs import TopicGraphs
from gossamer.results import Result, Table
from gossamer.tables import (
    CHANGES,
    MAINTENANCE_ROUNDS,
    TIMINGS,
    name_column,
    write_interests,
    write_links,
    write_table,
)

FILES = (
    "start.parquet", "links.parquet", "changes.parquet", "rounds.parquet", "timings.parquet",
    "subscriptions.parquet",
)  # fmt: skip
"""Files of a run, in its folder."""
EVENTS = np.array([*KINDS, "rebuild", "start"])
REBUILD, START = len(KINDS), len(KINDS) + 1
ACTIONS = np.array(["unlink", "link"])


@dataclass(frozen=True, eq=False, repr=False)
class Maintenance(Result):
    """A maintenance run.

    Attributes
    ----------
    interests, events
        Interests at the start, and churn of the scenario.
    strategy, seed
        Name of the strategy, and seed of the random number generator.
    first_present, present
        Presence of each node at the start and at the end.
    start, overlay
        Overlay at the start and after the last event; the changes lead from one to the other.
    rounds
        One row per event: present nodes, links and maximum degree after it; links added and
        removed by it and by the rebuild after it; whether there was a rebuild. The columns are
        properties.
    milliseconds
        Computing time of each event.
    changes
        One row per change, in order: the event from 0 (-1 before the first one), whether it
        belongs to a rebuild, whether it adds the link, and the ids of both ends.
    resumed
        Number of events that an earlier run had applied.
    left_out
        Number of given links that have an absent end at the start, and are not in ``start``.
    algorithm
        Design algorithm with options, of rebuilds and comparisons with a new design.
    first_date
        Date of time 0, in microseconds since 1970, if a table of churn has dates.
    """

    interests: Interests
    events: ChurnEvents
    strategy: str
    seed: int
    first_present: NDArray[np.bool_]
    present: NDArray[np.bool_]
    start: Overlay
    overlay: Overlay
    rounds: NDArray[np.int64]
    milliseconds: NDArray[np.float64]
    changes: NDArray[np.int64]
    resumed: int = 0
    left_out: int = 0
    algorithm: str = "low-oda"
    first_date: int | None = None

    @property
    def nodes(self) -> NDArray[np.int64]:
        """Number of present nodes after each event."""
        return self.rounds[:, 0]

    @property
    def links(self) -> NDArray[np.int64]:
        """Number of links after each event."""
        return self.rounds[:, 1]

    @property
    def max_degree(self) -> NDArray[np.int64]:
        """Maximum degree after each event."""
        return self.rounds[:, 2]

    @property
    def added(self) -> NDArray[np.int64]:
        """Number of links added by each event."""
        return self.rounds[:, 3]

    @property
    def removed(self) -> NDArray[np.int64]:
        """Number of links removed by each event."""
        return self.rounds[:, 4]

    @property
    def rebuilt(self) -> NDArray[np.bool_]:
        """Whether a rebuild followed each event."""
        return self.rounds[:, 5].astype(np.bool_)

    @cached_property
    def interests_at_end(self) -> Interests:
        """Interests after the last event, in which absent nodes have no topics."""
        return self.interests_after(len(self.events))

    def interests_after(self, events: int) -> Interests:
        """Return the interests after the first events, in which absent nodes have no topics."""
        present = self.events.present_after(self.first_present, events)
        return present_interests(self.events.interests_after(self.interests, events), present)

    def overlay_after(self, events: int) -> Overlay:
        """Return the overlay after the first events, and the rebuild after them."""
        return with_changes(self.start, self.changes[self.changes[:, 0] < events])

    def check_rebuild(
        self,
        after: int | None = None,
        *,
        algorithm: str | None = None,
        gain: float = GAIN,
        progress: Progress | None = None,
    ) -> RebuildCheck:
        """Compare the overlay with a new design for the present nodes.

        Parameters
        ----------
        after
            Number of events before the comparison; all of them if not given.
        algorithm
            Design algorithm with options; that of the run if not given, and resilient if the
            overlay at the start was.
        gain
            Share of the links that a rebuild must save to pay.
        progress
            Callback that receives the current step and the fraction done.

        Notes
        -----
        Costs a design, and no design where a lower bound shows that it cannot pay.
        """
        return compare_with_design(
            self,
            len(self.events) if after is None else after,
            self._like_start(self.algorithm) if algorithm is None else algorithm,
            gain=gain,
            progress=progress,
        )

    def _like_start(self, algorithm: str) -> str:
        """Return an algorithm with options; resilient if the overlay at the start was."""
        if "resilient" in split_spec(algorithm)[1] or not self.resilient_at_start:
            return algorithm
        return join_spec(algorithm, {"resilient": "yes"})

    @property
    def first(self) -> Overlay:
        """Overlay before the first event: the start, with the links added to connect it."""
        return self.overlay_after(0)

    @property
    def mean_degree(self) -> NDArray[np.float64]:
        """Mean degree of the present nodes after each event."""
        return 2 * self.links / np.maximum(self.nodes, 1)

    @cached_property
    def failures(self) -> dict[str, int]:
        """Bridges and articulation points before the first event and after the last, by name."""
        old, new = (
            resilience_of_topics(TopicGraphs.of(self.interests_after(events), overlay))
            for events, overlay in ((0, self.first), (len(self.events), self.overlay))
        )
        return {
            "bridges_before": int(old.bridges.sum()),
            "bridges_after": int(new.bridges.sum()),
            "articulation_points_before": int(old.articulation_points.sum()),
            "articulation_points_after": int(new.articulation_points.sum()),
        }

    @cached_property
    def resilient_at_start(self) -> bool:
        """Whether no bridge at the start could be removed: any single link could fail."""
        graphs = TopicGraphs.of(self.interests_after(0), self.first)
        return self.failures["bridges_before"] == int(graphs.components_of_two().sum())

    def summary(self) -> dict[str, Any]:
        """Return the numbers of the run by name."""
        count = len(self.events)
        happened = self.events.summary()
        happened.pop("last_second")
        zero = {} if self.first_date is None else {"time_zero": _date(self.first_date)}
        facts: dict[str, Any] = {
            **happened,
            **zero,
            "links_added": int(self.added.sum()),
            "links_removed": int(self.removed.sum()),
        }
        if self.rebuilt.any():
            facts["rebuilds"] = int(self.rebuilt.sum())
        first = self.first
        if self.left_out:
            facts["links_left_out"] = self.left_out
            facts["links_added_at_start"] = first.link_count - self.start.link_count
        for when, overlay, present in (
            ("before", first, self.first_present),
            ("after", self.overlay, self.present),
        ):
            nodes = int(present.sum())
            facts |= {
                f"nodes_{when}": nodes,
                f"links_{when}": overlay.link_count,
                f"mean_degree_{when}": 2 * overlay.link_count / max(nodes, 1),
                f"max_degree_{when}": int(overlay.degrees.max(initial=0)),
            }
        facts |= self.failures
        if count:
            facts["max_degree_ever"] = int(self.max_degree.max())
            facts["mean_links_added"] = float(self.added.mean())
            facts["mean_links_removed"] = float(self.removed.mean())
            facts["mean_event_ms"] = float(self.milliseconds.mean())
            facts["median_event_ms"] = float(np.median(self.milliseconds))
            facts["max_event_ms"] = float(self.milliseconds.max())
        return facts

    def write(self, folder: str | os.PathLike[str]) -> None:
        """Write the tables of the run into a folder; each file is atomic.

        They are both overlays, changes, rounds and timings, and the subscriptions of the nodes that
        are present at the end.
        """
        place = Path(folder)
        start, links, changes, rounds, timings, subscriptions = (place / name for name in FILES)
        write_table(changes, self.changes_table())
        write_table(rounds, self.rounds_table())
        write_table(timings, self.timings_table())
        write_links(start, self.interests, self.start)
        write_links(links, self.interests, self.overlay)
        write_interests(subscriptions, self.interests_at_end)

    def changes_table(self) -> Any:
        """Return the table of changes, by the names of nodes."""
        names = self.interests.node_names
        rounds, rebuilt, linked, low, high = self.changes.reshape(-1, 5).T
        # Index -1 is the last entry: time 0 and no node, for changes before the first event.
        nodes, times = np.append(self.events.nodes, 0), np.append(self.events.times, 0)
        kinds = np.append(self.events.kinds.astype(np.int64), START)[rounds]
        kinds[rebuilt == 1] = REBUILD
        topics = np.append(self.events.topics, NO_TOPIC)[rounds]
        return CHANGES.table(
            rounds + 1,
            times[rounds],
            *self._date_column(times[rounds]),
            name_column(names, nodes[rounds], missing=kinds >= REBUILD),
            EVENTS[kinds],
            *self._topic_column(np.where(kinds < REBUILD, topics, NO_TOPIC)),
            ACTIONS[linked],
            name_column(names, low),
            name_column(names, high),
            optional=self._optional_columns,
        )

    def rounds_table(self) -> Any:
        """Return the table of the overlay after each event."""
        nodes, links, max_degree, added, removed, rebuilt = self.rounds.reshape(-1, 6).T
        return MAINTENANCE_ROUNDS.table(
            np.arange(1, len(self.rounds) + 1),
            self.events.times,
            *self._date_column(self.events.times),
            name_column(self.interests.node_names, self.events.nodes),
            EVENTS[self.events.kinds],
            *self._topic_column(self.events.topics),
            nodes,
            links,
            2 * links / np.maximum(nodes, 1),
            max_degree,
            added,
            removed,
            rebuilt.astype(np.bool_),
            optional=self._optional_columns,
        )

    def timings_table(self) -> Any:
        """Return the table of the computing time of each event."""
        return TIMINGS.table(np.arange(1, len(self.milliseconds) + 1), self.milliseconds)

    @property
    def _optional_columns(self) -> list[str]:
        """Names of the optional columns that the tables of this run have."""
        dates = ["date"] if self.first_date is not None else []
        return dates + (["topic"] if len(self.events.interest_changes) else [])

    def _date_column(self, times: NDArray[np.int64]) -> list[Any]:
        """Return the column of dates, if the churn has dates."""
        return [] if self.first_date is None else [times + self.first_date]

    def _topic_column(self, topics: NDArray[Any]) -> list[Any]:
        """Return the column of the topics of changes of interests, if there are any changes."""
        if not len(self.events.interest_changes):
            return []
        return [name_column(self.interests.topic_names, topics, "topic", missing=topics < 0)]

    def _tables(self) -> Mapping[str, Table]:
        return {
            "rounds": self.rounds_table,
            "changes": self.changes_table,
            "timings": self.timings_table,
            "links": self.overlay._tables()["links"],
            "start": self.start._tables()["links"],
            "subscriptions": self.interests_at_end._tables()["subscriptions"],
        }

    def _interests(self) -> Interests:
        return self.interests

    def __repr__(self) -> str:
        return f"Maintenance({self.strategy}, {len(self.events)} events, {self.overlay!r})"


def _date(microseconds: int) -> str:
    """Return a date as ISO 8601 has it: ``2024-05-01T08:00:00Z``."""
    return f"{np.datetime64(microseconds, 'us').item().isoformat()}Z"


def with_changes(start: Overlay, changes: NDArray[np.int64]) -> Overlay:
    """Return an overlay with changes, in order: rows as those of :class:`Maintenance`."""
    if not len(changes):
        return start
    links = np.concatenate((start.links, changes[:, 3:])).astype(np.int64)
    exists = np.concatenate((np.ones(start.link_count, dtype=np.int64), changes[:, 2]))
    keys = links[:, 0] * start.node_count + links[:, 1]
    last = len(keys) - 1 - np.unique(keys[::-1], return_index=True)[1]
    return Overlay.from_links(start.node_count, links[last[exists[last] == 1]])
