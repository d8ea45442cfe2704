"""Interests: the topics of each node, compressed by node and by topic.

Invariants:

- ids of nodes and topics are dense integers, ``0 .. count - 1``, in the order of the sorted names,
  so the same set of pairs gives the same ids;
- a (node, topic) pair occurs at most once; repeated pairs are merged and counted;
- nodes without topics and topics without subscribers are allowed;
- arrays are read-only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gossamer.errors import InputError, ParameterError
from gossamer.model.csr import offsets_of
from gossamer.model.names import check_distinct, topic_list
from gossamer.model.wording import quoted
from gossamer.results import Ids, Result, Table

Name = int | str
Names = NDArray[Any]
FRAME_METHODS = ("__arrow_c_stream__", "__dataframe__", "collect_schema")
"""Methods of which data frames have one."""
MAX_IDS = np.iinfo(np.int32).max


def freeze(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array as a contiguous, read-only one."""
    array = np.ascontiguousarray(array)
    array.setflags(write=False)
    return array


def encode_names(values: Sequence[Any] | NDArray[Any]) -> tuple[Names, NDArray[np.int64]]:
    """Return the distinct names, sorted, and the position of each value among them.

    Names are all integers (as int64) or all strings (as objects).
    """
    if isinstance(values, np.ndarray) and values.dtype.kind in "iu":
        if values.dtype.kind == "u" and values.size and values.max() > np.iinfo(np.int64).max:
            raise InputError(f"a name is {values.max()}; integer names must fit in 64 bits, signed")
        return np.unique(values.astype(np.int64), return_inverse=True)
    listed = values.to_pylist() if hasattr(values, "to_pylist") else list(values)
    listed = values.tolist() if isinstance(values, np.ndarray) else listed
    kinds = set(map(type, listed))
    if all(issubclass(kind, int | np.integer) and kind is not bool for kind in kinds):
        try:
            return encode_names(np.array(listed, dtype=np.int64))
        except OverflowError:
            raise InputError("integer names must fit in 64 bits, signed") from None
    if not all(issubclass(kind, str) for kind in kinds):
        found = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise InputError(f"names must be all integers or all strings; found {found}")
    distinct = sorted(set(listed))
    place = {name: code for code, name in enumerate(distinct)}
    codes = np.fromiter((place[name] for name in listed), dtype=np.int64, count=len(listed))
    return np.array(distinct, dtype=object), codes


@dataclass(frozen=True, eq=False, repr=False)
class Interests(Result):
    """Topics of each node. Build it with :meth:`from_pairs`, :meth:`from_lists`, :meth:`from_ids`.

    Attributes
    ----------
    node_names, topic_names
        The user's names, sorted; the position of a name is its id.
    node_offsets, node_topics
        ``node_topics[node_offsets[v] : node_offsets[v + 1]]`` are the topics of v, ascending.
    topic_offsets, topic_nodes
        ``topic_nodes[topic_offsets[t] : topic_offsets[t + 1]]`` are the subscribers of t, also
        ascending.
    places
        Position in ``node_topics`` of each subscription of ``topic_nodes``; :attr:`slots` is the
        inverse.
    duplicates
        Number of repeated pairs that were merged.

    Examples
    --------
    >>> interests = Interests.from_lists({"ann": ["tea", "jazz"], "bob": ["jazz"], "cy": []})
    >>> interests
    Interests(3 nodes, 2 topics, 3 subscriptions)
    >>> interests.subscribers_of(interests.topic_id("jazz")).tolist()
    [0, 1]
    """

    node_names: Names
    topic_names: Names
    node_offsets: NDArray[np.int64]
    node_topics: NDArray[np.int32]
    topic_offsets: NDArray[np.int64]
    topic_nodes: NDArray[np.int32]
    places: NDArray[np.int32]
    duplicates: int = 0

    # -- building -----------------------------------------------------------------

    def __new__(cls, *columns: Any, **more: Any) -> Interests:
        """Refuse a single argument: a frame, a mapping or a path that belongs to another call."""
        if len(columns) == 1 and not more:
            refuse_frame(columns[0], "the argument", "arrays of ids")
            raise ParameterError(
                f"the argument is a {type(columns[0]).__name__}; build interests with "
                "Interests.from_lists(mapping), Interests.from_pairs(nodes, topics) or "
                "gossamer.read_interests(path)"
            )
        return super().__new__(cls)

    @classmethod
    def from_ids(
        cls,
        nodes: ArrayLike,
        topics: ArrayLike,
        *,
        node_names: Names | int,
        topic_names: Names | int,
    ) -> Interests:
        """Build from two columns of dense ids.

        Names may be given as a count, and are then the ids. O(S log S) time and O(S) memory for S
        pairs.
        """
        node_names = np.arange(node_names) if isinstance(node_names, int) else node_names
        topic_names = np.arange(topic_names) if isinstance(topic_names, int) else topic_names
        node_column = np.asarray(nodes, dtype=np.int64).ravel()
        topic_column = np.asarray(topics, dtype=np.int64).ravel()
        node_count, topic_count = len(node_names), len(topic_names)
        if len(node_column) != len(topic_column):
            raise InputError(
                f"{len(node_column)} nodes but {len(topic_column)} topics: "
                "the two columns must be of the same length"
            )
        for what, column, names in (
            ("node", node_column, node_names),
            ("topic", topic_column, topic_names),
        ):
            count = len(names)
            check_distinct(what, names)
            if count > MAX_IDS:
                raise InputError(f"{count} {what}s: at most {MAX_IDS} are supported")
            if len(column) and (column.min() < 0 or column.max() >= count):
                bad = int(np.flatnonzero((column < 0) | (column >= count))[0])
                raise InputError(
                    f"pair {bad} has {what} id {column[bad]}; "
                    f"expected 0 to {count - 1} ({count} {what}s)"
                )
        if len(node_column) > MAX_IDS:
            raise InputError(f"{len(node_column)} pairs: at most {MAX_IDS} fit in one table")
        keys = node_column * max(topic_count, 1) + topic_column
        keys.sort()
        if len(keys):
            keys = keys[np.concatenate(([True], keys[1:] != keys[:-1]))]
        node_of = (keys // max(topic_count, 1)).astype(np.int32)
        node_topics = (keys % max(topic_count, 1)).astype(np.int32)
        by_topic = np.argsort(node_topics, kind="stable")
        return cls(
            node_names=freeze(node_names),
            topic_names=freeze(topic_names),
            node_offsets=_offsets(node_of, node_count),
            node_topics=freeze(node_topics),
            topic_offsets=_offsets(node_topics, topic_count),
            topic_nodes=freeze(node_of[by_topic]),
            places=freeze(by_topic.astype(np.int32)),
            duplicates=len(node_column) - len(keys),
        )

    @classmethod
    def from_pairs(cls, nodes: Sequence[Any], topics: Sequence[Any] = ()) -> Interests:
        """Build from two columns of names: one row per subscription.

        The columns may be lists, arrays or series; for a data frame there is :meth:`from_arrow`.

        Examples
        --------
        >>> Interests.from_pairs(["ann", "bob", "bob"], [7, 7, 8])
        Interests(2 nodes, 2 topics, 3 subscriptions)
        """
        for what, column in (("nodes", nodes), ("topics", topics)):
            refuse_frame(column, what, "a column of names")
        if not len(topics) and any(isinstance(one, tuple | list | np.ndarray) for one in nodes):
            raise ParameterError(
                "nodes is a list of pairs; expected two columns of names, as in "
                "Interests.from_pairs(*zip(*pairs))"
            )
        node_names, node_ids = encode_names(nodes)
        topic_names, topic_ids = encode_names(topics)
        return cls.from_ids(node_ids, topic_ids, node_names=node_names, topic_names=topic_names)

    @classmethod
    def from_lists(cls, topics_by_node: Mapping[Any, Iterable[Any]]) -> Interests:
        """Build from a mapping of each node to its topics; a node may have none."""
        refuse_frame(topics_by_node, "topics_by_node", "a mapping of each node to its topics")
        if not hasattr(topics_by_node, "items"):
            raise ParameterError(
                f"topics_by_node is a {type(topics_by_node).__name__}; expected a mapping of each "
                "node to its topics"
            )
        if set(topics_by_node) == {"node", "topic"}:
            raise ParameterError(
                "topics_by_node has the columns node and topic; expected the topics of each node, "
                "or of two columns Interests.from_pairs(nodes, topics)"
            )
        lists = {node: topic_list(node, topics) for node, topics in topics_by_node.items()}
        node_names, places = encode_names(list(lists))
        topic_names, topic_ids = encode_names([t for topics in lists.values() for t in topics])
        node_ids = np.repeat(places, [len(topics) for topics in lists.values()])
        return cls.from_ids(node_ids, topic_ids, node_names=node_names, topic_names=topic_names)

    @classmethod
    def from_arrow(
        cls, frame: Any, *, node_column: str = "node", topic_column: str = "topic"
    ) -> Interests:
        """Build from a table or data frame with a row per subscription, or a row per node.

        Parameters
        ----------
        frame
            Object with the Arrow PyCapsule interface (``__arrow_c_stream__``): a table of pyarrow,
            a data frame of pandas or polars, a relation of DuckDB, and others.
        node_column, topic_column
            Names of the two columns; others are ignored. Names are integers or strings, also as
            categories. The topics may be lists, one for each node; an empty list is a node
            without topics.

        Raises
        ------
        InputError
            If the object is no frame, a column is missing, or a name is null, empty, or neither an
            integer nor a string.

        Examples
        --------
        >>> import pyarrow
        >>> table = pyarrow.table({"node": ["ann", "bob", "bob"], "topic": ["tea", "tea", "jazz"]})
        >>> Interests.from_arrow(table)
        Interests(2 nodes, 2 topics, 3 subscriptions)
        """
        from gossamer.convert.frames import name_codes

        columns = {"node_column": node_column, "topic_column": topic_column}
        (nodes, at), (topics, of) = name_codes(frame, columns, lists=True)
        node_names, node_ids = encode_names(nodes)
        topic_names, topic_ids = encode_names(topics)
        return cls.from_ids(
            node_ids[at], topic_ids[of], node_names=node_names, topic_names=topic_names
        )

    @classmethod
    def from_pandas(
        cls, frame: Any, *, node_column: str = "node", topic_column: str = "topic"
    ) -> Interests:
        """Build from a data frame of pandas, of which a named index is a column too.

        As :meth:`from_arrow`.
        """
        return cls.from_arrow(frame, node_column=node_column, topic_column=topic_column)

    @classmethod
    def from_polars(
        cls, frame: Any, *, node_column: str = "node", topic_column: str = "topic"
    ) -> Interests:
        """Build from a data frame of polars; as :meth:`from_arrow`."""
        return cls.from_arrow(frame, node_column=node_column, topic_column=topic_column)

    @classmethod
    def from_duckdb(
        cls, relation: Any, *, node_column: str = "node", topic_column: str = "topic"
    ) -> Interests:
        """Build from a relation of DuckDB, as ``duckdb.sql("select …")`` returns it.

        As :meth:`from_arrow`.
        """
        return cls.from_arrow(relation, node_column=node_column, topic_column=topic_column)

    @classmethod
    def from_networkx(cls, graph: Any) -> Interests:
        """Build from a bipartite graph of nodes and topics, or a directed graph of followers.

        In a bipartite graph, as networkx has it, the attribute ``bipartite`` is 0 for nodes and 1
        for topics. In a directed graph without this attribute, an edge (u, v) means that u follows
        v: each vertex is a node and a topic.

        Raises
        ------
        InputError
            If the graph is neither, or names are neither all integers nor all strings.
        """
        from gossamer.convert.graphs import graph_pairs

        nodes, topics, pairs = graph_pairs(graph)
        (node_names, node_ids), (topic_names, topic_ids) = encode_names(nodes), encode_names(topics)
        at, of = dict(zip(nodes, node_ids, strict=True)), dict(zip(topics, topic_ids, strict=True))
        return cls.from_ids(
            [at[one] for one, _ in pairs],
            [of[other] for _, other in pairs],
            node_names=node_names,
            topic_names=topic_names,
        )

    def with_topics(self, names: Sequence[Any] | NDArray[Any]) -> Interests:
        """Return the same interests over further topics too; these have no subscribers.

        Examples
        --------
        >>> interests = Interests.from_lists({"ann": ["tea"]}).with_topics(["jazz"])
        >>> interests.topic_names.tolist(), interests.subscription_count
        (['jazz', 'tea'], 1)
        """
        further = names.tolist() if isinstance(names, np.ndarray) else list(names)
        topic_names, places = encode_names([*self.topic_names.tolist(), *further])
        if len(topic_names) == self.topic_count:
            return self
        return Interests.from_ids(
            self.node_column,
            places[self.node_topics],
            node_names=self.node_names,
            topic_names=topic_names,
        )

    # -- reading ------------------------------------------------------------------

    @property
    def node_count(self) -> int:
        """Number of nodes, those without topics included."""
        return len(self.node_names)

    @property
    def topic_count(self) -> int:
        """Number of topics, those without subscribers included."""
        return len(self.topic_names)

    @property
    def subscription_count(self) -> int:
        """Number of distinct (node, topic) pairs."""
        return len(self.node_topics)

    def topics_of(self, node: int) -> NDArray[np.int32]:
        """Return the topics of a node, ascending (a view, not a copy)."""
        return self.node_topics[self.node_offsets[node] : self.node_offsets[node + 1]]

    def subscribers_of(self, topic: int) -> NDArray[np.int32]:
        """Return the subscribers of a topic, ascending (a view, not a copy)."""
        return self.topic_nodes[self.topic_offsets[topic] : self.topic_offsets[topic + 1]]

    def are_subscribed(self, nodes: ArrayLike, topics: ArrayLike) -> NDArray[np.bool_]:
        """Return whether each node subscribes to the topic beside it. O(n log S) for n pairs.

        Examples
        --------
        >>> Interests.from_lists({0: [5], 1: [6]}).are_subscribed([0, 0], [0, 1]).tolist()
        [True, False]
        """
        width = max(self.topic_count, 1)
        known = self.node_column.astype(np.int64) * width + self.node_topics
        asked = np.asarray(nodes, dtype=np.int64) * width + np.asarray(topics, dtype=np.int64)
        if not len(known):
            return np.zeros(asked.shape, dtype=np.bool_)
        places = np.minimum(np.searchsorted(known, asked), len(known) - 1)
        same: NDArray[np.bool_] = known[places] == asked
        return same

    @cached_property
    def subscription_sizes(self) -> NDArray[np.int64]:
        """Number of topics of each node."""
        return freeze(np.diff(self.node_offsets))

    @cached_property
    def popularity(self) -> NDArray[np.int64]:
        """Number of subscribers of each topic."""
        return freeze(np.diff(self.topic_offsets))

    @cached_property
    def slots(self) -> NDArray[np.int32]:
        """Position in ``topic_nodes`` of each subscription of ``node_topics``."""
        slots = np.empty(len(self.places), dtype=np.int32)
        slots[self.places] = np.arange(len(self.places), dtype=np.int32)
        return freeze(slots)

    @cached_property
    def node_column(self) -> NDArray[np.int32]:
        """Node of each subscription of ``node_topics``."""
        nodes = np.arange(self.node_count, dtype=np.int32)
        return freeze(np.repeat(nodes, np.diff(self.node_offsets)))

    def node_id(self, name: Name) -> int:
        """Return the id of a node by its name."""
        return _find(self.node_names, name, "node")

    def topic_id(self, name: Name) -> int:
        """Return the id of a topic by its name."""
        return _find(self.topic_names, name, "topic")

    def summary(self) -> dict[str, Any]:
        """Return the sizes of the interests by name."""
        sizes, popularity = self.subscription_sizes, self.popularity
        return {
            "nodes": self.node_count,
            "topics": self.topic_count,
            "subscriptions": self.subscription_count,
            "duplicates": self.duplicates,
            "min_topics": int(sizes.min()) if len(sizes) else 0,
            "mean_topics": self.subscription_count / max(self.node_count, 1),
            "max_topics": int(sizes.max(initial=0)),
            "min_subscribers": int(popularity.min()) if len(popularity) else 0,
            "mean_subscribers": self.subscription_count / max(self.topic_count, 1),
            "max_subscribers": int(popularity.max(initial=0)),
        }

    def _tables(self) -> Mapping[str, Table]:
        def subscriptions() -> dict[str, Any]:
            return {"node": Ids("node", self.node_column), "topic": Ids("topic", self.node_topics)}

        return {"subscriptions": subscriptions}

    def _interests(self) -> Interests:
        return self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Interests):
            return NotImplemented
        return (
            np.array_equal(self.node_names, other.node_names)
            and np.array_equal(self.topic_names, other.topic_names)
            and np.array_equal(self.node_offsets, other.node_offsets)
            and np.array_equal(self.node_topics, other.node_topics)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        merged = f", {self.duplicates} duplicates merged" if self.duplicates else ""
        return (
            f"Interests({self.node_count} nodes, {self.topic_count} topics, "
            f"{self.subscription_count} subscriptions{merged})"
        )


def refuse_frame(value: Any, what: str, expected: str) -> None:
    """Raise if a data frame is given where something else is expected, and name the constructor.

    ``what`` is the parameter.
    """
    if any(hasattr(value, name) for name in FRAME_METHODS):
        from gossamer.convert.frames import describe, is_frame

        if is_frame(value):
            library = type(value).__module__.partition(".")[0].lstrip("_")
            kind = library if library in ("pandas", "polars", "duckdb") else "arrow"
            raise ParameterError(
                f"{what} is {describe(value)}; expected {expected}. Of a data frame, make "
                f"interests with Interests.from_{kind}(frame, node_column=…, topic_column=…)"
            )


def check_interests(value: Any) -> None:
    """Raise if an argument is not :class:`Interests`, and name the right constructor."""
    if isinstance(value, Interests):
        return
    refuse_frame(value, "interests", "Interests")
    way = f", as of Interests.from_{'lists' if isinstance(value, Mapping) else 'arrow'}(…)"
    if isinstance(value, str) or hasattr(value, "__fspath__"):
        way = ", as gossamer.read_interests(path) returns them"
    raise ParameterError(f"interests is a {type(value).__name__}; expected Interests{way}")


def _offsets(sorted_or_not: NDArray[Any], count: int) -> NDArray[np.int64]:
    sizes = np.bincount(sorted_or_not, minlength=count)
    return freeze(offsets_of(sizes))


def _find(names: Names, name: Name, what: str) -> int:
    textual = names.dtype == object
    comparable = isinstance(name, str if textual else int | np.integer)
    if comparable and len(names):
        place = int(np.searchsorted(names, name))
        if place < len(names) and names[place] == name:
            return place
    if not comparable:
        kind = "strings" if textual else "integers"
        raise InputError(f"no {what} is named {name!r}: the names of {what}s are {kind}")
    raise InputError(f"no {what} is named {quoted(name)} ({len(names)} {what}s)")
