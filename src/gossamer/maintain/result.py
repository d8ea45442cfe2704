"""What came of a run: the overlay at its end, every change on the way, and every round."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.model import ChurnEvents, Interests, Overlay
from gossamer.tables import (
    changes_table,
    rounds_table,
    timings_table,
    write_links,
    write_table,
)

__all__ = ["FILES", "Maintenance"]

FILES = ("start.parquet", "links.parquet", "changes.parquet", "rounds.parquet", "timings.parquet")
"""What a run writes into its folder."""


@dataclass(frozen=True, eq=False, repr=False)
class Maintenance:
    """An overlay that was kept in order.

    Attributes
    ----------
    interests, events
        What was given.
    strategy, seed
        How, and with which seed.
    first_present, present
        Who is there at the start, and at the end.
    start, overlay
        The overlay at the start, and after the last event; all changes lead from one to the other.
    rounds
        A row an event: nodes there after it, links, the largest degree; links added and removed
        by it, and by the rebuild after it if there was one; whether there was one. Properties
        give its columns by name.
    milliseconds
        How long each took.
    changes
        A row a change, in the order in which they must be done: its round from 0, whether it is
        of a rebuild, whether it is a link, and the ids of both ends. Of round -1 are links added
        before the first event, for those that were left out.
    resumed
        How many rounds an earlier run had done.
    left_out
        How many of the links given have an end that is away at the start, and are not in it.
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

    @property
    def nodes(self) -> NDArray[np.int64]:
        """Nodes there after each event."""
        return self.rounds[:, 0]

    @property
    def links(self) -> NDArray[np.int64]:
        """Links after each event."""
        return self.rounds[:, 1]

    @property
    def max_degree(self) -> NDArray[np.int64]:
        """The largest degree after each event."""
        return self.rounds[:, 2]

    @property
    def added(self) -> NDArray[np.int64]:
        """Links made in each round."""
        return self.rounds[:, 3]

    @property
    def removed(self) -> NDArray[np.int64]:
        """Links given up in each round."""
        return self.rounds[:, 4]

    @property
    def rebuilt(self) -> NDArray[np.bool_]:
        """Whether all was rebuilt after each event."""
        return self.rounds[:, 5].astype(np.bool_)

    @property
    def first(self) -> Overlay:
        """The overlay before the first event: the one at the start, with what was added to it."""
        added = self.changes[self.changes[:, 0] < 0, 3:]
        if not len(added):
            return self.start
        links = np.concatenate((self.start.links, added))
        return Overlay.from_links(self.interests.node_count, links)

    @property
    def mean_degree(self) -> NDArray[np.float64]:
        """The mean degree of the nodes there after each event."""
        return 2 * self.links / np.maximum(self.nodes, 1)

    def summary(self) -> dict[str, Any]:
        """Return what to show of it, by label."""
        count = len(self.events)
        facts: dict[str, Any] = {
            "events": count,
            "joins": int(self.events.joins.sum()),
            "leaves": int((~self.events.joins).sum()),
            "links added": int(self.added.sum()),
            "links removed": int(self.removed.sum()),
        }
        if self.rebuilt.any():
            facts["rebuilds"] = int(self.rebuilt.sum())
        first = self.first
        if self.left_out:
            facts["links left out at the start"] = self.left_out
            facts["links added at the start"] = first.link_count - self.start.link_count
        for when, overlay, there in (
            ("before", first, self.first_present),
            ("after", self.overlay, self.present),
        ):
            nodes = int(there.sum())
            facts |= {
                f"nodes {when}": nodes,
                f"links {when}": overlay.link_count,
                f"mean degree {when}": 2 * overlay.link_count / max(nodes, 1),
                f"maximum degree {when}": int(overlay.degrees.max(initial=0)),
            }
        if count:
            facts["maximum degree, most on the way"] = int(self.max_degree.max())
            facts["links added, mean of an event"] = float(self.added.mean())
            facts["milliseconds, mean of an event"] = float(self.milliseconds.mean())
            facts["milliseconds, median of an event"] = float(np.median(self.milliseconds))
            facts["milliseconds, most of an event"] = float(self.milliseconds.max())
        return facts

    def write(self, folder: str | os.PathLike[str]) -> None:
        """Write both overlays, changes, rounds and timings into a folder, each whole or not."""
        place = Path(folder)
        start, links, changes, rounds, timings = (place / name for name in FILES)
        write_table(changes, changes_table(self.interests, self.events, self.changes))
        write_table(rounds, rounds_table(self.interests, self.events, self.rounds))
        write_table(timings, timings_table(self.milliseconds))
        write_links(start, self.interests, self.start)
        write_links(links, self.interests, self.overlay)

    def __repr__(self) -> str:
        return f"Maintenance({self.strategy}, {len(self.events)} events, {self.overlay})"
