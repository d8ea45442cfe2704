"""Publications: their times, publishers and topics.

Invariants:

- times are microseconds from the start, 0 or more, ascending;
- a publication has 1 to 64 different topics, in a given order;
- nodes and topics are ids; :meth:`Publications.check` compares them with interests;
- arrays are read-only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gossamer.errors import InputError
from gossamer.model.csr import offsets_of
from gossamer.model.interests import Interests, freeze
from gossamer.results import Ids, Result, Table
from gossamer.time import SECOND

MAX_TAGS = 64
"""Maximum number of topics of a publication."""


@dataclass(frozen=True, eq=False, repr=False)
class Publications(Result):
    """Publications in the order of time.

    Attributes
    ----------
    times
        Times in microseconds.
    publishers
        Publisher of each publication, by id.
    offsets, topics
        ``topics[offsets[k] : offsets[k + 1]]`` are the topics of publication k.

    Examples
    --------
    >>> Publications.from_lists([0, 1], [[0], [0, 2]])
    Publications(2 publications on 3 topics together)
    """

    times: NDArray[np.int64]
    publishers: NDArray[np.int32]
    offsets: NDArray[np.int64]
    topics: NDArray[np.int32]

    def __post_init__(self) -> None:
        columns = (
            ("times", np.int64), ("publishers", np.int32), ("offsets", np.int64),
            ("topics", np.int32),
        )  # fmt: skip
        for name, kind in columns:
            given = np.asarray(getattr(self, name))
            if given.size and given.dtype.kind not in "iu":
                raise InputError(f"{name} are of type {given.dtype}; expected whole numbers")
            object.__setattr__(self, name, freeze(given.ravel().astype(kind)))
        self._check_shape()
        self._check_values()

    def summary(self) -> dict[str, Any]:
        """Return the number of publications by name."""
        return {
            "publications": len(self.times),
            "mentions": len(self.topics),
            "last_second": int(self.times[-1]) / SECOND if len(self.times) else 0.0,
        }

    def _tables(self) -> Mapping[str, Table]:
        def publications() -> dict[str, Any]:
            topics = Ids("topic", self.topics, self.offsets)
            return {"time": self.times, "publisher": Ids("node", self.publishers), "topics": topics}

        return {"publications": publications}

    def _check_shape(self) -> None:
        count = len(self.times)
        if len(self.publishers) != count or len(self.offsets) != count + 1:
            raise InputError(
                f"{count} times, {len(self.publishers)} publishers and {len(self.offsets)} "
                "offsets; expected as many times as publishers, and one offset more"
            )
        sizes = np.diff(self.offsets)
        if self.offsets[0] != 0 or self.offsets[-1] != len(self.topics) or (sizes < 0).any():
            raise InputError(
                f"offsets run from {self.offsets[0]} to {self.offsets[-1]}; expected them to "
                f"ascend from 0 to {len(self.topics)}, the number of topics listed"
            )
        wrong = np.flatnonzero((sizes < 1) | (sizes > MAX_TAGS))
        if len(wrong):
            row = int(wrong[0])
            raise InputError(f"publication {row} has {sizes[row]} topics; expected 1 to {MAX_TAGS}")

    def _check_values(self) -> None:
        for what, column in (
            ("time", self.times), ("publisher", self.publishers), ("topic", self.topics),
        ):  # fmt: skip
            if len(column) and column.min() < 0:
                raise InputError(f"a {what} is {column.min()}; expected 0 or more")
        if (np.diff(self.times) < 0).any():
            row = int(np.flatnonzero(np.diff(self.times) < 0)[0]) + 1
            raise InputError(
                f"publication {row} is at {self.times[row]} µs, before the one that precedes it "
                f"({self.times[row - 1]}); expected ascending times"
            )
        width = int(self.topics.max(initial=0)) + 1
        keys = np.sort(self.rows * width + self.topics)
        twice = np.flatnonzero(keys[1:] == keys[:-1])
        if len(twice):
            row, topic = divmod(int(keys[twice[0]]), width)
            raise InputError(f"publication {row} names topic {topic} twice; expected each once")

    @classmethod
    def from_lists(
        cls,
        publishers: ArrayLike,
        topics: Sequence[Sequence[int]],
        *,
        times: ArrayLike | None = None,
    ) -> Publications:
        """Build from the topics of each publication; default times are a millisecond apart."""
        sizes = [len(listed) for listed in topics]
        return cls(
            times=np.arange(len(sizes)) * 1000 if times is None else np.asarray(times),
            publishers=np.asarray(publishers),
            offsets=offsets_of(sizes),
            topics=np.array([topic for listed in topics for topic in listed], dtype=np.int64),
        )

    def __len__(self) -> int:
        return len(self.times)

    @property
    def rows(self) -> NDArray[np.int64]:
        """Publication of each entry of ``topics``."""
        return np.repeat(np.arange(len(self.times)), np.diff(self.offsets))

    def topics_of(self, publication: int) -> NDArray[np.int32]:
        """Return the topics of a publication (a view, not a copy)."""
        return self.topics[self.offsets[publication] : self.offsets[publication + 1]]

    def check(self, interests: Interests) -> None:
        """Raise :class:`InputError` unless all publishers and topics are in the interests."""
        for what, column, count in (
            ("publisher", self.publishers, interests.node_count),
            ("topic", self.topics, interests.topic_count),
        ):
            if len(column) and column.max() >= count:
                raise InputError(f"a {what} is {column.max()}; expected 0 to {count - 1}")

    def are_by_subscribers(self, interests: Interests) -> NDArray[np.bool_]:
        """Return, for each entry of ``topics``, whether the publisher subscribes to it.

        O(n log S) for n topics listed and S subscriptions.
        """
        return interests.are_subscribed(self.publishers[self.rows], self.topics)

    def thin(self, count: int) -> Publications:
        """Return ``count`` of the publications, evenly spaced; all if there are fewer.

        Examples
        --------
        >>> Publications.from_lists([0, 1, 2], [[0], [1], [2, 3]]).thin(2).publishers.tolist()
        [0, 2]
        """
        if count >= len(self):
            return self
        chosen = np.unique(np.linspace(0, len(self) - 1, max(count, 0)).round().astype(np.int64))
        sizes = np.diff(self.offsets)
        kept = np.zeros(len(self), dtype=np.bool_)
        kept[chosen] = True
        return Publications(
            self.times[chosen],
            self.publishers[chosen],
            offsets_of(sizes[chosen]),
            self.topics[kept[self.rows]],
        )

    def between(self, start: int, end: int) -> Publications:
        """Return the publications with times scaled to lie from ``start`` to ``end``.

        Publications that are all at one time are spread evenly.

        Examples
        --------
        >>> Publications.from_lists([0, 0], [[1], [1]], times=[5, 9]).between(100, 200).times
        array([100, 200])
        """
        if not len(self):
            return self
        first, last = int(self.times[0]), int(self.times[-1])
        shares = (
            (self.times - first) / (last - first)
            if last > first
            else np.linspace(0.0, 1.0, len(self))
        )
        times = np.round(start + shares * (end - start)).astype(np.int64)
        return Publications(times, self.publishers, self.offsets, self.topics)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Publications):
            return NotImplemented
        names = ("times", "publishers", "offsets", "topics")
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in names)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Publications({len(self)} publications on {len(self.topics)} topics together)"
