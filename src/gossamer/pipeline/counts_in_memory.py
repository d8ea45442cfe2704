"""Parts of a profile, computed in this process from interests or from the columns of a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
from numpy.typing import NDArray

from gossamer.errors import TableError
from gossamer.model import Interests
from gossamer.model.csr import offsets_of
from gossamer.pipeline import profile_schema as schemas
from gossamer.pipeline.profile_parts import (
    DEPTHS,
    INSTANTS,
    TOP_PAIRS,
    TOP_TOPICS,
    correlation_of,
    session_profile,
)
from gossamer.pipeline.stages.correlation import MAX_INDEXED, Overlaps
from gossamer.pipeline.stages.presence import DIGITS
from gossamer.pipeline.stages.publications import MAX_TOPICS_PAIRED
from gossamer.pipeline.xxhash import hash_names
from gossamer.quality.distributions import Histogram
from gossamer.quality.profiles import (
    CorrelationProfile,
    InterestProfile,
    PublicationProfile,
    SessionProfile,
)
from gossamer.quality.shape import fit_histogram
from gossamer.time import SECOND

Int64s = NDArray[np.int64]
Store = Callable[..., Any]
"""``store(schema, make, name=…)`` stores the small table that ``make`` returns, and returns it."""
MAX_PAIRS_AT_ONCE = 10_000_000


@dataclass(frozen=True)
class Columns:
    """Columns of a table by name, with the name of its file for messages."""

    what: str
    table: Any

    def numbers(self, name: str) -> Int64s:
        """Return a column of whole numbers."""
        return np.asarray(self.table[name].to_numpy(), dtype=np.int64)

    def check(self, *names: str) -> None:
        """Reject a table without rows, or with nulls in some columns."""
        if not len(self.table):
            raise TableError(f"{self.what}: the table is empty")
        for name in names:
            if self.table[name].null_count:
                count = self.table[name].null_count
                raise TableError(f"{self.what}: {count:,} rows have no {name}")


@dataclass(frozen=True)
class Nodes:
    """Interests to profile: topics of each node, and number of subscribers of each topic."""

    names: NDArray[Any]
    offsets: Int64s
    topics: NDArray[np.int32]
    topic_names: NDArray[Any]
    popularity: Int64s
    unfollowed: int
    """Number of topics without subscribers: the unfollowed nodes of a follower graph."""

    @classmethod
    def of(cls, interests: Interests, *, topics_are_nodes: bool) -> Nodes:
        """Return the nodes of interests; with ``topics_are_nodes``, each topic is also a node."""
        names, offsets, unfollowed = interests.node_names, interests.node_offsets, 0
        if topics_are_nodes:
            known = set(names.tolist())
            more = [name for name in interests.topic_names.tolist() if name not in known]
            unfollowed = len(names) + len(more) - interests.topic_count
            if more:
                names = np.append(names, np.array(more, dtype=names.dtype))
                offsets = np.append(offsets, np.full(len(more), offsets[-1]))
        return cls(
            names, offsets, interests.node_topics, interests.topic_names, interests.popularity,
            unfollowed,
        )  # fmt: skip


def histogram_in(store: Store, name: str, values: Int64s) -> Histogram:
    """Return the histogram of values, and store their distribution under a name."""
    found = Histogram.of(values)
    store(
        schemas.DISTRIBUTION,
        lambda: schemas.DISTRIBUTION.table(found.values, found.counts, found.ccdf()),
        name=name,
    )
    return found


def interest_profile(nodes: Nodes, store: Store) -> InterestProfile:
    """Profile interests."""
    sizes = np.diff(nodes.offsets)
    popularity = np.append(nodes.popularity, np.zeros(nodes.unfollowed, dtype=np.int64))
    per_node = histogram_in(store, "profile_topics_per_node", sizes)
    per_topic = histogram_in(store, "profile_subscribers_per_topic", popularity)
    top = _top(store, "profile_top_topics", nodes.topic_names, nodes.popularity, len(nodes.names))
    return InterestProfile(
        nodes=len(nodes.names),
        topics=per_topic.total,
        subscriptions=int(sizes.sum()),
        per_node=fit_histogram(per_node),
        per_topic=fit_histogram(per_topic),
        top_topics=top,
    )


def correlation_profile(
    nodes: Nodes, store: Store, *, seed: int, compared: int, comparisons: int
) -> CorrelationProfile:
    """Compare a sample of the nodes, the first in an order by seeded hash, with all nodes."""
    from gossamer.kernels.measure.interest_overlap import JACCARD_UNIT, add_overlaps

    count, depth = len(nodes.names), max(DEPTHS)
    sizes = np.diff(nodes.offsets)
    ranks = np.argsort(np.argsort(nodes.names, kind="stable"), kind="stable")
    order = np.lexsort((ranks, hash_names(seed, nodes.names.tolist())))[:compared]
    sums = np.append(0, np.cumsum(nodes.popularity[nodes.topics]))
    work = sums[nodes.offsets[order + 1]] - sums[nodes.offsets[order]]
    fits = (np.cumsum(work) <= comparisons) & (np.cumsum(sizes[order]) <= MAX_INDEXED)
    chosen = order[: max(1, int(fits.sum()))]
    chosen_as = np.full(count, -1, dtype=np.int32)
    chosen_as[chosen] = np.arange(len(chosen), dtype=np.int32)
    owners = np.repeat(chosen_as, sizes)
    inside = owners >= 0
    owners, topics = owners[inside], nodes.topics[inside]
    by_topic = np.lexsort((owners, topics))
    partners, shared, jaccard = (np.zeros(len(chosen), dtype=np.int64) for _ in range(3))
    highest = np.zeros((len(chosen), depth))
    add_overlaps(
        nodes.offsets,
        nodes.topics,
        chosen_as,
        offsets_of(np.bincount(topics, minlength=len(nodes.topic_names))),
        owners[by_topic],
        sizes[chosen],
        np.zeros(len(chosen), dtype=np.int64),
        np.empty(len(chosen), dtype=np.int32),
        highest,
        partners,
        shared,
        jaccard,
    )
    overlaps = Overlaps(partners, shared, jaccard / JACCARD_UNIT, -np.sort(-highest, axis=1))
    alike = correlation_of(overlaps, count)
    tops = tuple((int(depth), float(value)) for depth, value in alike["top_intersections"])
    store(schemas.CORRELATION, lambda: schemas.CORRELATION.table(*zip(*tops, strict=True)))
    return CorrelationProfile(**(alike | {"top_intersections": tops}))


def publication_profile(columns: Columns, store: Store) -> PublicationProfile:
    """Profile publications: their rate, and their distribution over topics and pairs of topics."""
    if not len(columns.table):
        raise TableError(f"{columns.what}: the table is empty; expected publications")
    times, count = columns.numbers("time"), len(columns.table)
    seconds = int(times.max() - times.min()) / SECOND
    lists = columns.table["topics"].combine_chunks()
    rows = pa.compute.list_parent_indices(lists).to_numpy(zero_copy_only=False)
    coded = pa.compute.list_flatten(lists).cast(pa.string()).dictionary_encode()
    known = ~np.asarray(coded.is_null())
    names = np.array(coded.dictionary.to_pylist(), dtype=object)
    order = np.argsort(names, kind="stable")
    place = np.empty(len(names), dtype=np.int64)
    place[order] = np.arange(len(names))
    codes = place[coded.indices.to_numpy(zero_copy_only=False)[known].astype(np.int64)]
    keys = np.unique(rows[known].astype(np.int64) * max(len(names), 1) + codes)
    rows, codes = keys // max(len(names), 1), keys % max(len(names), 1)
    by_topic = np.bincount(codes, minlength=len(names))
    sizes = np.bincount(rows, minlength=count)
    per_topic = histogram_in(store, "profile_publications_per_topic", by_topic)
    per_publication = histogram_in(store, "profile_topics_per_publication", sizes)
    top = _top(store, "profile_top_publications", names[order], by_topic, count)
    pairs = _top_pairs(codes, sizes, names[order].tolist())
    store(
        schemas.CO_TOPICS,
        lambda: schemas.CO_TOPICS.table(*([pair[at] for pair in pairs] for at in range(3))),
    )
    return PublicationProfile(
        publications=count,
        seconds=seconds,
        per_second=count / seconds if seconds else None,
        per_topic=fit_histogram(per_topic),
        per_publication=fit_histogram(per_publication),
        top_topics=top,
        pairs=tuple(pairs),
    )


def rate_profile(columns: Columns, store: Store) -> PublicationProfile:
    """Profile publication rates, in place of publications."""
    if not len(columns.table):
        raise TableError(f"{columns.what}: the table is empty; expected topics with their rates")
    columns.check("topic", "publications", "per_second")
    rates = columns.table["per_second"].to_numpy()
    counts = columns.numbers("publications")
    least = min(float(rates.min()), float(counts.min()))
    if not least >= 0:
        raise TableError(f"{columns.what}: a rate is {least}; expected 0 or more")
    names = np.array(columns.table["topic"].to_pylist(), dtype=object)
    order = np.argsort(names, kind="stable")
    per_topic = histogram_in(store, "profile_publications_per_topic", counts)
    top = _top(
        store, "profile_top_publications", names[order], counts[order], int(counts.sum()), least=0
    )
    return PublicationProfile(
        None, None, float(rates.sum()), fit_histogram(per_topic), None, top, ()
    )


def session_profile_of(columns: Columns, store: Store) -> SessionProfile:
    """Profile sessions: their lengths, the present nodes over time, and churn."""
    columns.check("node", "start", "end")
    starts, ends = columns.numbers("start"), columns.numbers("end")
    backwards = int((ends < starts).sum())
    if backwards:
        raise TableError(f"{columns.what}: {backwards:,} sessions end before they start")
    coded = columns.table["node"].combine_chunks().dictionary_encode()
    owners = coded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    kept = starts < ends
    if not kept.any():
        raise TableError(f"{columns.what}: no session has a length; expected starts before ends")
    owners, starts, ends = _merged(owners[kept], starts[kept], ends[kept])
    first, last = int(starts.min()), int(ends.max())
    total = {
        "sessions": len(starts),
        "nodes": len(np.unique(owners)),
        "start": first,
        "end": last,
        "present": int((ends - starts).sum()),
        "joins": int((starts > first).sum()),
        "leaves": int((ends < last).sum()),
    }
    step = -(-(last - first) // INSTANTS)
    intervals = -(-(last - first) // step) + 1
    came, went = (
        np.bincount((times - first + step - 1) // step, minlength=intervals)
        for times in (starts, ends)
    )
    lasting = ends - starts
    digits = np.searchsorted(10 ** np.arange(19, dtype=np.int64), lasting, side="right")
    unit = 10 ** np.maximum(digits - DIGITS, 0)
    lengths = histogram_in(store, "profile_session_lengths", lasting // unit * unit)
    presence = store(
        schemas.PRESENCE,
        lambda: schemas.PRESENCE.table(
            first + step * np.arange(intervals, dtype=np.int64), np.cumsum(came - went), came, went
        ),
    )
    return session_profile(total, lengths, presence)


def _merged(owners: Int64s, starts: Int64s, ends: Int64s) -> tuple[Int64s, Int64s, Int64s]:
    """Merge sessions of a node that overlap or touch."""
    order = np.lexsort((ends, starts, owners))
    owners, starts, ends = owners[order], starts[order], ends[order]
    times = np.unique(ends)
    reached = np.maximum.accumulate(owners * len(times) + np.searchsorted(times, ends))
    before = times[reached[:-1] % len(times)]
    begins = np.ones(len(owners), dtype=np.bool_)
    begins[1:] = (owners[1:] != owners[:-1]) | (starts[1:] > before)
    leading = np.flatnonzero(begins)
    trailing = np.append(leading[1:], len(owners)) - 1
    return owners[leading], starts[leading], times[reached[trailing] % len(times)]


def _top(
    store: Store, name: str, names: NDArray[Any], counts: Int64s, whole: int, *, least: int = 1
) -> tuple[tuple[str, int], ...]:
    """Return the topics of the highest counts; ties are in the order of the names."""
    places = np.lexsort((np.arange(len(counts)), -counts))[:TOP_TOPICS].tolist()
    top = [(str(names[at]), int(counts[at])) for at in places if counts[at] >= least]
    columns = [one for one, _ in top], [one for _, one in top]
    shares = [count / max(whole, 1) for _, count in top]
    store(schemas.TOP_TOPICS, lambda: schemas.TOP_TOPICS.table(*columns, shares), name=name)
    return tuple(top)


def _top_pairs(codes: Int64s, sizes: Int64s, names: list[str]) -> list[tuple[str, str, int]]:
    """Return the pairs of topics with the most publications; codes follow the order of names."""
    keys, counts = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    for found in _pairs(codes, sizes, len(names)):
        keys, places = np.unique(np.append(keys, found), return_inverse=True)
        counts = np.bincount(places, np.append(counts, np.ones(len(found)))).astype(np.int64)
    best = np.lexsort((keys, -counts))[:TOP_PAIRS].tolist()
    return [
        (names[keys[at] // len(names)], names[keys[at] % len(names)], int(counts[at]))
        for at in best
    ]


def _pairs(codes: Int64s, sizes: Int64s, topics: int) -> Iterator[Int64s]:
    """Yield the keys of topic pairs by size of the publications, some millions at a time."""
    starts = np.cumsum(sizes) - sizes
    for size in np.unique(sizes).tolist():
        if not 2 <= size <= MAX_TOPICS_PAIRED:
            continue
        first, second = np.triu_indices(size, 1)
        rows = starts[sizes == size]
        for part in np.array_split(rows, -(-len(rows) * len(first) // MAX_PAIRS_AT_ONCE)):
            listed = codes[part[:, None] + np.arange(size)]
            yield (listed[:, first] * topics + listed[:, second]).ravel()
