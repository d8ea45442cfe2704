"""Backups: nodes that cover the topics of another, to mend the overlay when it goes (ElastO §6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import ParameterError
from gossamer.kernels.repair.backups import add_by_greed, add_by_primal_dual, count_cover
from gossamer.maintain.dynamic_overlay import DynamicOverlay

__all__ = ["Backups", "Cover", "Method", "check_coverage"]

Method = Literal["primal-dual", "greedy"]
MAX_COVERAGE = 1000
NOBODY = np.empty(0, dtype=np.int32)


def check_coverage(coverage: int) -> None:
    """Say what is wrong with a coverage factor."""
    if not 0 <= coverage <= MAX_COVERAGE:
        raise ParameterError(f"coverage is {coverage}; expected 0 to {MAX_COVERAGE}")


class Cover:
    """Chooses nodes that cover topics, and counts how many each one backs up.

    Parameters
    ----------
    method
        ``greedy`` takes who covers most of what is lacking (Chvátal), ``primal-dual`` a random
        lacking topic and of its subscribers the one that backs up the fewest. The paper leaves
        open what weighs: with the number of primaries, primaries come out as even as it shows.
    seed
        Settles random choices.
    """

    def __init__(self, method: Method, *, seed: int) -> None:
        self.method = method
        key = np.random.default_rng(seed).integers(0, 2**64, dtype=np.uint64)
        self._sequence = np.array([key, 0], dtype=np.uint64)
        self.primaries = np.empty(0, dtype=np.int64)
        """How many nodes each one backs up."""

    def choose(
        self,
        overlay: DynamicOverlay,
        node: int,
        known: NDArray[np.bool_],
        factor: int,
        old: NDArray[np.int32] = NOBODY,
    ) -> NDArray[np.int32]:
        """Return backups for a node, out of those who are known, in the order of choosing.

        Each of its topics is covered ``factor`` times, or by all known who want it. Those of the
        old ones who are known stay. O(topics · factor · subscribers).
        """
        count, topics = overlay.interests.node_count, overlay.interests.topics_of(node)
        if len(self.primaries) != count:
            self._make_room(np.zeros(count, dtype=np.int64))
        room = np.empty(len(old) + min(len(topics) * factor, count), dtype=np.int32)
        cover = np.empty(len(topics), dtype=np.int32)
        relation = overlay.relation
        self.primaries[old[~known[old]]] -= 1
        kept = count_cover(topics, old, relation, known, self._chosen, cover, room)
        if self.method == "greedy":
            found = add_by_greed(
                node, topics, factor, relation, known, self.primaries,
                self._chosen, cover, self._counts, room, kept,
            )  # fmt: skip
        else:
            found = add_by_primal_dual(
                node, topics, factor, relation, known, self.primaries, self._sequence,
                self._chosen, cover, room, kept,
            )  # fmt: skip
        backups = room[:found].copy()
        self._chosen[backups] = False
        return backups

    def release(self, backups: NDArray[np.int32]) -> None:
        """Let some nodes back up one fewer each."""
        self.primaries[backups] -= 1

    def renumber(self, places: NDArray[np.int64], count: int) -> None:
        """Go by new ids: node v is ``places[v]`` of ``count`` from now on."""
        primaries = np.zeros(count, dtype=np.int64)
        if len(self.primaries):
            primaries[places] = self.primaries
        self._make_room(primaries)

    def state(self) -> dict[str, NDArray[Any]]:
        """Return what later choices depend on: arrays, to be kept."""
        return {"sequence": self._sequence.copy(), "primaries": self.primaries.copy()}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go on from a :meth:`state`."""
        self._sequence = np.array(state["sequence"])
        self._make_room(np.array(state["primaries"]))

    def _make_room(self, primaries: NDArray[np.int64]) -> None:
        self.primaries = primaries
        self._chosen = np.zeros(len(primaries), dtype=np.bool_)
        self._counts = np.zeros(len(primaries), dtype=np.int32)


class Backups:
    """Everybody's backups, with full knowledge.

    Each topic of a node is covered ``coverage`` times by its backups, or by all who want it. A set
    is built when it is first asked for; whoever has gone is replaced when it is asked for again.

    Parameters
    ----------
    method, seed
        See :class:`Cover`.
    coverage
        The paper's λ.
    """

    def __init__(self, method: Method, coverage: int, *, seed: int) -> None:
        check_coverage(coverage)
        self.coverage = coverage
        self.cover = Cover(method, seed=seed)
        self._sets: dict[int, NDArray[np.int32]] = {}

    @property
    def primaries(self) -> NDArray[np.int64]:
        """How many nodes each one backs up, of those whose backups have been asked for."""
        return self.cover.primaries

    def of(self, overlay: DynamicOverlay, node: int, *, least: int = 0) -> NDArray[np.int32]:
        """Return a node's backups, all of whom are there.

        ``least`` is how often a topic is covered where the coverage factor is less.
        """
        old = self._sets.get(node, NOBODY)
        factor = max(self.coverage, least)
        found = self._sets[node] = self.cover.choose(overlay, node, overlay.present, factor, old)
        return np.sort(found)

    def forget(self, node: int) -> None:
        """Let a node that has gone have no backups.

        Others whose backup it was find that out when theirs are asked for.
        """
        if node in self._sets:
            self.cover.release(self._sets.pop(node))

    def state(self) -> dict[str, NDArray[Any]]:
        """Return what later choices depend on, besides the overlay: arrays, to be kept."""
        owners = sorted(self._sets)
        return {
            **self.cover.state(),
            "owners": np.array(owners, dtype=np.int32),
            "sizes": np.array([len(self._sets[node]) for node in owners], dtype=np.int64),
            "backups": np.concatenate([NOBODY, *(self._sets[node] for node in owners)]),
        }

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go on from a :meth:`state`."""
        self.cover.restore(state)
        ends = np.cumsum(state["sizes"])
        pieces = np.split(state["backups"].astype(np.int32), ends[:-1])
        self._sets = dict(zip(state["owners"].tolist(), pieces, strict=False))

    def renumber(self, places: NDArray[np.int64], count: int) -> None:
        """Go by new ids: node v is ``places[v]`` of ``count`` from now on."""
        self.cover.renumber(places, count)
        self._sets = {
            int(places[node]): places[backups].astype(np.int32)
            for node, backups in self._sets.items()
        }
