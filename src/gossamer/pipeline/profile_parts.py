"""Parts of a profile: each takes the frame of a table and returns its numbers.

Each result is stored when it is computed, in small tables and facts, so a killed run resumes with
the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from gossamer.errors import TableError
from gossamer.pipeline import profile_schema as schemas
from gossamer.pipeline.jobs import Job
from gossamer.pipeline.stages.correlation import ChosenNodes, Overlaps, overlaps_with_all
from gossamer.pipeline.stages.degrees import count_values
from gossamer.pipeline.stages.interests import node_interests, topic_popularity
from gossamer.pipeline.stages.presence import arrivals, session_lengths, whole_sessions
from gossamer.pipeline.stages.publications import co_topics, each_topic_once, topic_publications
from gossamer.progress import Progress
from gossamer.quality.distributions import Histogram
from gossamer.quality.profiles import (
    CorrelationProfile,
    InterestProfile,
    PublicationProfile,
    SessionProfile,
    WorkloadProfile,
)
from gossamer.quality.shape import FittedHistogram, fit_histogram
from gossamer.tables import TableSchema
from gossamer.time import HOUR, SECOND

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

DEPTHS = (5, 10, 20)
TOP_TOPICS = 20
TOP_PAIRS = 50
INSTANTS = 400


class Results:
    """Results of a profile, stored in the folder of a job or in this process.

    Parameters
    ----------
    job
        Job that stores the results; None to store them in this process.
    progress
        Callback that receives the current step and the fraction done.
    """

    def __init__(self, job: Job | None, progress: Progress) -> None:
        self.job = job
        self.progress = progress
        self._held: list[DataFrame] = []

    def frame(self, schema: TableSchema, make: Callable[[], DataFrame]) -> DataFrame:
        """Store a large frame that is read more than once, until the profile is finished."""
        self.progress(f"gathering {schema.name}", 0.0)
        if self.job is not None:
            return self.job.table(schema, make, name=f"work/{schema.name}")
        self._held.append(make().persist())
        return self._held[-1]

    def table(self, schema: TableSchema, make: Callable[[], Any], *, name: str = "") -> Any:
        """Store a small Arrow table under its name, and return it."""
        if self.job is None:
            self.progress(f"counting {name or schema.name}", 0.0)
            return make()
        return self.job.small_table(schema, make, name=name or schema.name)

    def histogram(self, name: str, counted: Callable[[], DataFrame], zeros: int = 0) -> Histogram:
        """Store the distribution of a frame of values and counts under its name."""

        def make() -> Any:
            values, counts = (column.to_numpy() for column in counted().toArrow().columns)
            found = Histogram.of(np.append(values, 0), np.append(counts, zeros))
            return schemas.DISTRIBUTION.table(found.values, found.counts, found.ccdf())

        table = self.table(schemas.DISTRIBUTION, make, name=name)
        return Histogram.of(table["value"].to_numpy(), table["count"].to_numpy())

    def fact(self, name: str, make: Callable[[], Any]) -> Any:
        """Store a small value under its name."""
        return make() if self.job is None else self.job.fact(name, make)

    def release(self) -> None:
        """Release the frames in this process."""
        for frame in self._held:
            frame.unpersist()


def interest_parts(
    results: Results,
    subscriptions: DataFrame,
    *,
    what: str,
    topics_are_nodes: bool,
    choose: Callable[[DataFrame, DataFrame], ChosenNodes],
) -> tuple[InterestProfile, CorrelationProfile]:
    """Profile interests and their correlation; ``choose`` chooses the nodes to compare."""
    from pyspark.sql import functions as f

    @cache
    def interests() -> DataFrame:
        numbers = dict(subscriptions.dtypes)["topic"] == "bigint"
        schema = schemas.INTERESTS_OF_NUMBERS if numbers else schemas.INTERESTS_OF_TEXT
        return results.frame(
            schema, lambda: node_interests(subscriptions, topics_are_nodes=topics_are_nodes)
        )

    @cache
    def popularity() -> DataFrame:
        return results.frame(schemas.POPULARITY, lambda: topic_popularity(interests()))

    _check_names(results, subscriptions, ("node", "topic"), what)
    per_node = results.histogram(
        "profile_topics_per_node",
        lambda: count_values(interests().select(f.size("topics").alias("size")), "size"),
    )
    nodes = per_node.total
    subscribed = results.fact("topics", lambda: popularity().count())
    per_topic = results.histogram(
        "profile_subscribers_per_topic",
        lambda: count_values(popularity(), "subscribers"),
        nodes - subscribed if topics_are_nodes else 0,
    )
    top = _top_topics(
        results,
        "profile_top_topics",
        lambda: popularity().withColumnRenamed("subscribers", "count"),
        nodes,
    )
    found = InterestProfile(
        nodes=nodes,
        topics=per_topic.total,
        subscriptions=int(np.dot(per_node.values, per_node.counts)),
        per_node=fit_histogram(per_node),
        per_topic=fit_histogram(per_topic),
        top_topics=top,
    )
    alike = results.fact(
        "correlation",
        lambda: _correlation(results, interests(), choose(interests(), popularity()), nodes),
    )
    tops = tuple((int(depth), float(value)) for depth, value in alike["top_intersections"])
    results.table(schemas.CORRELATION, lambda: schemas.CORRELATION.table(*zip(*tops, strict=True)))
    return found, CorrelationProfile(**(alike | {"top_intersections": tops}))


def _correlation(
    results: Results, interests: DataFrame, chosen: ChosenNodes, nodes: int
) -> dict[str, Any]:
    count = len(chosen.sizes)
    results.progress(f"comparing {count:,} nodes with {nodes:,}", 0.0)
    return correlation_of(overlaps_with_all(interests, chosen, max(DEPTHS)), nodes)


def correlation_of(overlaps: Overlaps, nodes: int) -> dict[str, Any]:
    """Return the fields of a correlation profile, from the overlaps with all of the nodes."""
    count = len(overlaps.partners)
    pairs = count * (nodes - 1)
    partners, shared = int(overlaps.partners.sum()), int(overlaps.shared.sum())
    jaccard = float(overlaps.jaccard.sum())
    tops = []
    for depth in DEPTHS:
        # As in gossamer.quality.top_intersection: over all others if they are fewer.
        deep = min(depth, nodes - 1)
        highest = float(overlaps.highest[:, :deep].sum())
        tops.append((depth, 100 * highest / (deep * count) if deep else 0.0))
    return {
        "compared": count,
        "top_intersections": tops,
        "sharing_pairs": partners / max(pairs, 1),
        "mean_shared": shared / max(pairs, 1),
        "mean_jaccard": jaccard / max(pairs, 1),
        "mean_shared_if_any": shared / partners if partners else None,
        "mean_jaccard_if_any": jaccard / partners if partners else None,
    }


def publication_part(results: Results, publications: DataFrame, *, what: str) -> PublicationProfile:
    """Profile publications: their rate, and their distribution over topics and pairs of topics."""
    from pyspark.sql import functions as f

    def totals() -> dict[str, int]:
        (row,) = publications.agg(
            f.count(f.lit(1)).alias("count"),
            f.min("time").alias("first"),
            f.max("time").alias("last"),
        ).collect()
        if not row["count"]:
            raise TableError(f"{what}: the table is empty; expected publications")
        return {"count": row["count"], "microseconds": row["last"] - row["first"]}

    total = results.fact("publications", totals)
    seconds = total["microseconds"] / SECOND
    by_topic = cache(lambda: topic_publications(publications))
    per_topic = results.histogram(
        "profile_publications_per_topic",
        lambda: count_values(by_topic(), "publications"),
    )
    per_publication = results.histogram(
        "profile_topics_per_publication",
        lambda: count_values(
            each_topic_once(publications).select(f.size("topics").alias("size")), "size"
        ),
    )
    top = _top_topics(
        results,
        "profile_top_publications",
        lambda: by_topic().withColumnRenamed("publications", "count"),
        total["count"],
    )
    pairs = results.table(
        schemas.CO_TOPICS, lambda: _as(schemas.CO_TOPICS, co_topics(publications, TOP_PAIRS))
    )
    return PublicationProfile(
        publications=total["count"],
        seconds=seconds,
        per_second=total["count"] / seconds if seconds else None,
        per_topic=fit_histogram(per_topic),
        per_publication=fit_histogram(per_publication),
        top_topics=top,
        pairs=tuple(tuple(row.values()) for row in pairs.to_pylist()),
    )


def rate_part(results: Results, rates: DataFrame, *, what: str) -> PublicationProfile:
    """Profile publication rates, in place of publications."""
    from pyspark.sql import functions as f

    def totals() -> float:
        (row,) = rates.agg(
            f.count(f.lit(1)).alias("count"),
            f.sum("per_second").alias("per_second"),
            f.min(f.least("publications", "per_second")).alias("least"),
        ).collect()
        if not row["count"]:
            raise TableError(f"{what}: the table is empty; expected topics with their rates")
        if row["least"] is None or row["least"] < 0:
            raise TableError(f"{what}: a rate is {row['least']}; expected 0 or more")
        return float(row["per_second"])

    per_second = results.fact("rates", totals)
    per_topic = results.histogram(
        "profile_publications_per_topic",
        lambda: count_values(rates, "publications"),
    )
    volume = int(np.dot(per_topic.values, per_topic.counts))
    top = _top_topics(
        results,
        "profile_top_publications",
        lambda: rates.withColumnRenamed("publications", "count"),
        volume,
    )
    return PublicationProfile(None, None, per_second, fit_histogram(per_topic), None, top, ())


def session_part(results: Results, sessions: DataFrame, *, what: str) -> SessionProfile:
    """Profile sessions: their lengths, the present nodes over time, and churn."""
    from pyspark.sql import functions as f

    _check_names(results, sessions, ("node", "start", "end"), what)

    @cache
    def whole() -> DataFrame:
        return results.frame(schemas.WHOLE_SESSIONS, lambda: whole_sessions(sessions))

    def totals() -> dict[str, int]:
        backwards = sessions.where(f.col("end") < f.col("start")).count()
        if backwards:
            raise TableError(f"{what}: {backwards:,} sessions end before they start")
        (row,) = (
            whole()
            .agg(
                f.count(f.lit(1)).alias("sessions"),
                f.count_distinct("node").alias("nodes"),
                f.min("start").alias("start"),
                f.max("end").alias("end"),
                f.sum(f.col("end") - f.col("start")).alias("present"),
            )
            .collect()
        )
        if not row["sessions"]:
            raise TableError(f"{what}: no session has a length; expected starts before ends")
        (moves,) = (
            whole()
            .agg(
                f.count_if(f.col("start") > row["start"]).alias("joins"),
                f.count_if(f.col("end") < row["end"]).alias("leaves"),
            )
            .collect()
        )
        return row.asDict() | moves.asDict()

    total = results.fact("sessions", totals)
    window = total["end"] - total["start"]
    step = -(-window // INSTANTS)

    def presence() -> Any:
        found = arrivals(whole(), start=total["start"], step=step).toArrow()
        intervals = -(-window // step) + 1
        came, went = np.zeros((2, intervals), dtype=np.int64)
        for column, name in ((came, "joins"), (went, "leaves")):
            np.add.at(column, found["interval"].to_numpy(), found[name].to_numpy())
        times = total["start"] + step * np.arange(intervals, dtype=np.int64)
        return schemas.PRESENCE.table(times, np.cumsum(came - went), came, went)

    lengths = results.histogram("profile_session_lengths", lambda: session_lengths(whole()))
    return session_profile(total, lengths, results.table(schemas.PRESENCE, presence))


def session_profile(total: dict[str, int], lengths: Histogram, presence: Any) -> SessionProfile:
    """Return the profile of some totals, the lengths of sessions, and the table of presence."""
    window = total["end"] - total["start"]
    times, present, came, went = (column.to_numpy() for column in presence.columns)
    order = np.argsort(times)
    return SessionProfile(
        sessions=total["sessions"],
        nodes=total["nodes"],
        hours=window / HOUR,
        lengths=FittedHistogram(lengths, None, None, None),
        joins=total["joins"],
        leaves=total["leaves"],
        node_hours=total["present"] / HOUR,
        times=times[order],
        present=present[order],
        came=came[order],
        went=went[order],
    )


def _check_names(results: Results, frame: DataFrame, columns: Sequence[str], what: str) -> None:
    """Reject a table without rows, or with nulls in some columns."""
    from pyspark.sql import functions as f

    def check() -> int:
        (row,) = frame.agg(
            f.count(f.lit(1)).alias("all"), *(f.count(name).alias(name) for name in columns)
        ).collect()
        if not row["all"]:
            raise TableError(f"{what}: the table is empty")
        for name in columns:
            if row[name] < row["all"]:
                raise TableError(f"{what}: {row['all'] - row[name]:,} rows have no {name}")
        return int(row["all"])

    results.fact(f"rows of {'-'.join(columns)}", check)


def _top_topics(
    results: Results, name: str, counted: Callable[[], DataFrame], whole: int
) -> tuple[tuple[str, int], ...]:
    """Return the topics of the highest counts, equal ones ordered by name."""
    from pyspark.sql import functions as f

    def make() -> Any:
        top = counted().orderBy(f.desc("count"), "topic").limit(TOP_TOPICS)
        return _as(
            schemas.TOP_TOPICS,
            top.select(
                f.col("topic").cast("string"),
                "count",
                (f.col("count") / f.lit(max(whole, 1))).alias("share"),
            ),
        )

    table = results.table(schemas.TOP_TOPICS, make, name=name)
    return tuple((row["topic"], row["count"]) for row in table.to_pylist())


def _as(schema: TableSchema, frame: DataFrame) -> Any:
    table = frame.toArrow()
    return schema.table(*(pa.array(table[name].to_pylist(), kind) for name, kind in schema.columns))


def write_numbers(whole: WorkloadProfile, table: Callable[..., Any]) -> None:
    """Write the facts and the fits of a profile; ``table(schema, make)`` writes a table."""
    facts = [
        (part, name, None if value is None else float(value))
        for part, named in whole.facts().items()
        for name, value in named.items()
    ]
    table(schemas.FACTS, lambda: schemas.FACTS.table(*zip(*facts, strict=True)))
    fits = []
    for name, one in whole.distributions():
        shape, fit, plain = one.histogram, one.fit, one.plain
        median, high = shape.percentiles([50, 95])
        fits.append(
            (
                name,
                shape.total,
                shape.mean,
                shape.deviation,
                median,
                high,
                shape.maximum,
                fit.exponent if fit else None,
                fit.smallest if fit else None,
                fit.tail if fit else None,
                fit.distance if fit else None,
                plain.exponent if plain else None,
                one.ranks,
            )
        )
    table(schemas.FITS, lambda: schemas.FITS.table(*zip(*fits, strict=True)))
