"""Profile of a workload: statistics of interests, correlation, publications and sessions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gossamer.quality.shape import FittedHistogram
from gossamer.results import Result, Table, key_of
from gossamer.time import HOUR

Counted = tuple[tuple[str, int], ...]
PERCENTILES = (5, 25, 50, 75, 95)


@dataclass(frozen=True)
class InterestProfile:
    """Statistics of interests.

    Attributes
    ----------
    nodes, topics, subscriptions
        Numbers of each; repeated subscriptions count once.
    per_node
        Subscriptions of a node.
    per_topic
        Subscribers of a topic: its popularity.
    top_topics
        The most popular topics with their subscribers.
    """

    nodes: int
    topics: int
    subscriptions: int
    per_node: FittedHistogram
    per_topic: FittedHistogram
    top_topics: Counted

    @property
    def unsubscribed(self) -> int:
        """Number of topics without subscribers, such as users whom no other follows."""
        found = self.per_topic.histogram
        return int(found.counts[found.values == 0].sum())

    def facts(self) -> dict[str, int | float | None]:
        """Return the statistics by label."""
        none = {"topics without subscribers": self.unsubscribed} if self.unsubscribed else {}
        return {
            "nodes": self.nodes,
            "topics": self.topics,
            **none,
            "subscriptions": self.subscriptions,
            **_facts_of(self.per_node, "topics per node"),
            **_facts_of(self.per_topic, "subscribers per topic", ranked=True),
        }


@dataclass(frozen=True)
class CorrelationProfile:
    """Similarity of interests.

    Attributes
    ----------
    compared
        Number of nodes compared with all others; all nodes if there are few.
    top_intersections
        d and tdi(d) in per cent (SpiderCast §3.4), over the compared nodes.
    sharing_pairs
        Share of the pairs of nodes that share a topic.
    mean_shared, mean_jaccard
        Shared topics, and their share of the topics of either node, over random pairs.
    mean_shared_if_any, mean_jaccard_if_any
        The same over the pairs that share a topic; None without such pairs.
    """

    compared: int
    top_intersections: tuple[tuple[int, float], ...]
    sharing_pairs: float
    mean_shared: float
    mean_jaccard: float
    mean_shared_if_any: float | None
    mean_jaccard_if_any: float | None

    def facts(self) -> dict[str, int | float | None]:
        """Return the statistics by label."""
        return {
            "nodes compared with all others": self.compared,
            **{
                f"interest overlap with the {depth} most similar nodes, tdi({depth}), %": value
                for depth, value in self.top_intersections
            },
            "pairs with a topic in common, share of all pairs": self.sharing_pairs,
            "topics in common, mean of all pairs": self.mean_shared,
            "topics in common, mean of pairs with any": self.mean_shared_if_any,
            "Jaccard index, mean of all pairs": self.mean_jaccard,
            "Jaccard index, mean of pairs with any": self.mean_jaccard_if_any,
        }


@dataclass(frozen=True)
class PublicationProfile:
    """Statistics of publications.

    Attributes
    ----------
    publications
        Number of publications; None if only the rates of topics are known.
    seconds
        Seconds from the first to the last; None likewise.
    per_second
        Publications a second; of rates their sum, in which a publication on two topics counts
        twice.
    per_topic
        Publications on a topic.
    per_publication
        Topics of a publication; None likewise.
    top_topics
        The topics with the most publications.
    pairs
        The pairs of topics with the most common publications.
    """

    publications: int | None
    seconds: float | None
    per_second: float | None
    per_topic: FittedHistogram
    per_publication: FittedHistogram | None
    top_topics: Counted
    pairs: tuple[tuple[str, str, int], ...]

    def facts(self) -> dict[str, int | float | None]:
        """Return the statistics by label."""
        found: dict[str, int | float | None] = {
            "publications": self.publications,
            "days from first to last": None if self.seconds is None else self.seconds / 86_400,
            "publications a second": self.per_second,
            "topics published on": self.per_topic.histogram.total,
        }
        if self.seconds:
            found["busiest topic, publications a second"] = (
                self.per_topic.histogram.maximum / self.seconds
            )
            found["mean topic, publications a second"] = (
                self.per_topic.histogram.mean / self.seconds
            )
        found |= _facts_of(self.per_topic, "publications per topic", ranked=True)
        if self.per_publication is not None:
            topics = self.per_publication.histogram
            several = int(topics.counts[topics.values > 1].sum())
            found |= {
                "topics per publication, mean": topics.mean,
                "topics per publication, maximum": topics.maximum,
                "publications on several topics, share": several / max(topics.total, 1),
            }
        return {name: value for name, value in found.items() if value is not None}


@dataclass(frozen=True)
class SessionProfile:
    """Statistics of sessions. Sessions of a node that overlap or touch are one.

    Attributes
    ----------
    sessions, nodes
        Numbers of each.
    hours
        Hours from the first start to the last end: the window.
    lengths
        Sessions by length in microseconds, to four significant digits.
    joins, leaves
        Sessions that start after the start of the window, and that end before its end.
    node_hours
        Hours present, summed over nodes.
    times, present, came, went
        Instants (microseconds), nodes present at each, and joins and leaves since the one before.
    """

    sessions: int
    nodes: int
    hours: float
    lengths: FittedHistogram
    joins: int
    leaves: int
    node_hours: float
    times: NDArray[np.int64]
    present: NDArray[np.int64]
    came: NDArray[np.int64]
    went: NDArray[np.int64]

    @property
    def churn_per_hour(self) -> float:
        """Joins and leaves per hour of a node's presence."""
        return (self.joins + self.leaves) / self.node_hours

    def facts(self) -> dict[str, int | float | None]:
        """Return the statistics by label."""
        found = self.lengths.histogram.percentiles(PERCENTILES)
        hours = [length / HOUR for length in found]
        return {
            "nodes": self.nodes,
            "sessions": self.sessions,
            "hours from first start to last end": self.hours,
            **{
                f"session length, {'median' if p == 50 else f'{p}th percentile'}, hours": length
                for p, length in zip(PERCENTILES, hours, strict=True)
            },
            "nodes present, mean": self.node_hours / self.hours,
            "nodes present, minimum": int(self.present[:-1].min()),
            "nodes present, maximum": int(self.present[:-1].max()),
            "joins": self.joins,
            "leaves": self.leaves,
            "joins and leaves per hour and node present": self.churn_per_hour,
        }


@dataclass(frozen=True, repr=False)
class WorkloadProfile(Result):
    """Statistics of all tables of a folder; None for those without a table."""

    BRIEF: ClassVar = ("folder",)

    folder: str
    interests: InterestProfile | None = None
    correlation: CorrelationProfile | None = None
    publications: PublicationProfile | None = None
    sessions: SessionProfile | None = None

    def facts(self) -> Mapping[str, Mapping[str, int | float | None]]:
        """Return the statistics by part and label, without empty parts."""
        parts = {
            "interests": self.interests,
            "correlation": self.correlation,
            "publications": self.publications,
            "sessions": self.sessions,
        }
        return {name: part.facts() for name, part in parts.items() if part is not None}

    def summary(self) -> dict[str, Any]:
        """Return the folder, and each statistic by part and label in snake case."""
        facts: dict[str, Any] = {"folder": self.folder}
        for part, named in self.facts().items():
            facts |= {f"{part}_{key_of(label)}": value for label, value in named.items()}
        return facts

    def _tables(self) -> Mapping[str, Table]:
        def profile_facts() -> dict[str, Any]:
            rows = [(part, label, None if value is None else float(value))
                    for part, named in self.facts().items()
                    for label, value in named.items()]  # fmt: skip
            columns = [[row[place] for row in rows] for place in range(3)]
            return dict(zip(("part", "fact", "value"), columns, strict=True))

        return {"profile_facts": profile_facts}

    def distributions(self) -> Iterator[tuple[str, FittedHistogram]]:
        """Yield each distribution with its label."""
        if self.interests is not None:
            yield "topics per node", self.interests.per_node
            yield "subscribers per topic", self.interests.per_topic
        if self.publications is not None:
            yield "publications per topic", self.publications.per_topic
            if self.publications.per_publication is not None:
                yield "topics per publication", self.publications.per_publication
        if self.sessions is not None:
            yield "microseconds of a session", self.sessions.lengths


def _facts_of(
    one: FittedHistogram, what: str, *, ranked: bool = False
) -> dict[str, int | float | None]:
    shape = one.histogram
    return {
        f"{what}, mean": shape.mean,
        f"{what}, median": shape.percentiles([50])[0],
        f"{what}, maximum": shape.maximum,
        f"{what}, power-law exponent of the tail": one.fit.exponent if one.fit else None,
        f"{what}, power-law exponent of all": one.plain.exponent if one.plain else None,
    } | ({f"{what}, exponent by rank": one.ranks} if ranked else {})
