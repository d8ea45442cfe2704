"""Backups: nodes that cover the topics of a node, to repair the overlay when it leaves (ElastO §6).

The *primaries* of a node are the nodes that it backs up.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import ParameterError
from gossamer.kernels.repair.backups import add_by_greed, add_by_primal_dual, count_cover
from gossamer.maintain.dynamic_overlay import DynamicOverlay

Method = Literal["primal-dual", "greedy"]
MAX_COVERAGE = 1000
NO_NODES = np.empty(0, dtype=np.int32)


def check_coverage(coverage: int) -> None:
    """Raise if a coverage factor is out of range."""
    if not 0 <= coverage <= MAX_COVERAGE:
        raise ParameterError(f"coverage is {coverage}; expected 0 to {MAX_COVERAGE}")


class BackupSelection:
    """Selection of nodes that cover topics, with the number of primaries of each node.

    Parameters
    ----------
    method
        ``greedy`` chooses the node that covers most of the lacking topics (Chvátal),
        ``primal-dual`` for a random lacking topic the subscriber with the fewest primaries. The
        paper leaves the weights open; by the number of primaries, these come out as even as it
        shows.
    seed
        Seed of the random number generator.
    count
        Number of nodes, if it is known already.
    """

    def __init__(self, method: Method, *, seed: int, count: int = 0) -> None:
        self.method = method
        key = np.random.default_rng(seed).integers(0, 2**64, dtype=np.uint64)
        self.sequence = np.array([key, 0], dtype=np.uint64)
        """Random sequence of the choices, for kernels."""
        self._resize(np.zeros(count, dtype=np.int64))

    def choose(
        self,
        overlay: DynamicOverlay,
        node: int,
        known: NDArray[np.bool_],
        factor: int,
        old: NDArray[np.int32] = NO_NODES,
        *,
        topics: NDArray[np.int32] | None = None,
    ) -> NDArray[np.int32]:
        """Return backups of a node among the known nodes, in the order of choosing.

        Each topic of the node, or each of ``topics``, is covered ``factor`` times, or by all its
        known subscribers. Known ``old`` backups that cover any stay. O(topics · factor ·
        subscribers).
        """
        count = overlay.node_count
        topics = overlay.topics_of(node) if topics is None else topics
        if len(self.primaries) != count:
            self._resize(np.zeros(count, dtype=np.int64))
        backups = np.empty(len(old) + min(len(topics) * factor, count), dtype=np.int32)
        cover = np.empty(len(topics), dtype=np.int32)
        subscriptions = overlay.subscriptions
        kept = count_cover(topics, old, subscriptions, known, self._chosen, cover, backups)
        self.primaries[old[~self._chosen[old]]] -= 1
        if self.method == "greedy":
            found = add_by_greed(
                node, topics, factor, subscriptions, known, self.primaries,
                self._chosen, cover, self._counts, backups, kept,
            )  # fmt: skip
        else:
            found = add_by_primal_dual(
                node, topics, factor, subscriptions, known, self.primaries, self.sequence,
                self._chosen, cover, backups, kept,
            )  # fmt: skip
        backups = backups[:found].copy()
        self._chosen[backups] = False
        return backups

    def release(self, backups: NDArray[np.int32]) -> None:
        """Reduce the number of primaries of nodes by one."""
        self.primaries[backups] -= 1

    def renumber(self, places: NDArray[np.int64], count: int) -> None:
        """Replace each id by the new one, ``places[id]`` of ``count``."""
        primaries = np.zeros(count, dtype=np.int64)
        if len(self.primaries):
            primaries[places] = self.primaries
        self._resize(primaries)

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the memory that later choices depend on, as arrays."""
        return {"sequence": self.sequence.copy(), "primaries": self.primaries.copy()}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Restore a :meth:`state`."""
        self.sequence = np.array(state["sequence"])
        self._resize(np.array(state["primaries"]))

    def _resize(self, primaries: NDArray[np.int64]) -> None:
        self.primaries = primaries
        """Number of primaries of each node."""
        self._chosen = np.zeros(len(primaries), dtype=np.bool_)
        self._counts = np.zeros(len(primaries), dtype=np.int32)


class Backups:
    """Backups of all nodes, with full knowledge.

    Each topic of a node is covered ``coverage`` times by its backups, or by all its subscribers.
    A set is chosen when it is first needed; absent backups are replaced when it is needed again.

    Parameters
    ----------
    method, seed
        See :class:`BackupSelection`.
    coverage
        Number of backups per topic: the paper's λ.
    """

    def __init__(self, method: Method, coverage: int, *, seed: int) -> None:
        check_coverage(coverage)
        self.coverage = coverage
        self.selection = BackupSelection(method, seed=seed)
        self._sets: dict[int, NDArray[np.int32]] = {}

    @property
    def primaries(self) -> NDArray[np.int64]:
        """Number of primaries of each node, among the nodes whose backups were needed."""
        return self.selection.primaries

    def of(self, overlay: DynamicOverlay, node: int, *, at_least: int = 0) -> NDArray[np.int32]:
        """Return the backups of a node, all present.

        ``at_least`` replaces a lower coverage factor.
        """
        old = self._sets.get(node, NO_NODES)
        factor = max(self.coverage, at_least)
        found = self.selection.choose(overlay, node, overlay.present, factor, old)
        self._sets[node] = found
        return np.sort(found)

    def on_topic(
        self, overlay: DynamicOverlay, node: int, topic: int, *, at_least: int = 0
    ) -> NDArray[np.int32]:
        """Return the backups of a node that subscribe to a topic; the node itself need not.

        Further ones are chosen until they are as many as the coverage factor demands.
        """
        old = self._sets.get(node, NO_NODES)
        serving = overlay.subscribers_among(old[overlay.present[old]], topic)
        found = self.selection.choose(
            overlay, node, overlay.present, max(self.coverage, at_least), serving,
            topics=np.array([topic], dtype=np.int32),
        )  # fmt: skip
        self._sets[node] = np.concatenate((old, found[len(serving) :]))
        return np.sort(found)

    def forget(self, node: int) -> None:
        """Drop the backups of a node that has left.

        It stays a backup of others until their sets are needed again.
        """
        if node in self._sets:
            self.selection.release(self._sets.pop(node))

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the memory that later choices depend on, besides the overlay, as arrays."""
        owners = sorted(self._sets)
        return {
            **self.selection.state(),
            "owners": np.array(owners, dtype=np.int32),
            "sizes": np.array([len(self._sets[node]) for node in owners], dtype=np.int64),
            "backups": np.concatenate([NO_NODES, *(self._sets[node] for node in owners)]),
        }

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Restore a :meth:`state`."""
        self.selection.restore(state)
        ends = np.cumsum(state["sizes"])
        lists = np.split(state["backups"].astype(np.int32), ends[:-1])
        self._sets = dict(zip(state["owners"].tolist(), lists, strict=False))

    def renumber(self, places: NDArray[np.int64], count: int) -> None:
        """Replace each id by the new one, ``places[id]`` of ``count``."""
        self.selection.renumber(places, count)
        self._sets = {
            int(places[node]): places[backups].astype(np.int32)
            for node, backups in self._sets.items()
        }
