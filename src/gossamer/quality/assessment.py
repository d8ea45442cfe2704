"""All quality metrics of an overlay as one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gossamer.model import Interests, Overlay
from gossamer.model.overlay import check_fit
from gossamer.progress import Progress, silent
from gossamer.quality.clustering import mean_clustering
from gossamer.quality.degrees import degree_statistics
from gossamer.quality.diameters import shapes_of_topics
from gossamer.quality.lower_bound import LowerBound, links_lower_bound
from gossamer.quality.resilience import TopicResilience, resilience_of_topics
from gossamer.quality.sharing import sharing_histogram
from gossamer.quality.topic_graphs import TopicGraphs
from gossamer.results import Ids, Result, Table

SUMMARY = (
    "nodes", "links", "mean_degree", "median_degree", "p95_degree", "p99_degree", "max_degree",
    "topics", "topics_connected", "max_diameter", "mean_diameter", "bridges", "bridged_share",
    "articulation_points", "clustering", "mean_topics_per_link", "links_without_topic",
)  # fmt: skip
"""Measures of the summary, in reading order."""


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Assessment(Result):
    """Quality metrics of an overlay for some interests.

    Attributes
    ----------
    nodes, topics, links
        Numbers of nodes, topics and links; topics without subscribers are included.
    mean_degree, max_degree, median_degree, p95_degree, p99_degree
        Over all nodes; percentiles are degrees that some node has.
    topics_connected
        Topics whose subscribers are connected; one with a single subscriber or none counts.
    max_diameter, mean_diameter
        Over the topics with two or more subscribers, 0 without any. A disconnected topic counts
        with the largest diameter of its components.
    bridges, articulation_points
        Links and subscribers whose failure alone disconnects a topic, summed over topics.
    bridged_share
        Share of the topics with two or more subscribers that one link failure disconnects.
    clustering
        Mean local clustering coefficient over all nodes.
    mean_topics_per_link
        Mean number of topics that the ends of a link share; 0 without links.
    links_without_topic
        Links whose ends share no topic.
    lower_bound
        Lower bound on the links of any topic-connected overlay, if it was computed.
    topic_subscribers, topic_components, topic_diameters
        Subscribers and components of each topic, and the largest diameter among the components.
    topic_resilience
        Bridges and articulation points of each topic.
    sharing
        Number of links that serve k topics, at entry k.
    """

    BRIEF: ClassVar = ("nodes", "links", "mean_degree", "max_degree", "topics_connected")
    MAIN: ClassVar = "summary"

    nodes: int
    topics: int
    links: int
    mean_degree: float
    max_degree: int
    median_degree: int
    p95_degree: int
    p99_degree: int
    topics_connected: int
    max_diameter: int
    mean_diameter: float
    bridges: int
    bridged_share: float
    articulation_points: int
    clustering: float
    mean_topics_per_link: float
    links_without_topic: int
    lower_bound: LowerBound | None
    topic_subscribers: NDArray[np.int64]
    topic_components: NDArray[np.int64]
    topic_diameters: NDArray[np.int64]
    topic_resilience: TopicResilience
    sharing: NDArray[np.int64]

    @classmethod
    def of_measures(
        cls,
        overlay: Overlay,
        *,
        popularity: NDArray[np.integer],
        components: NDArray[np.int64],
        diameters: NDArray[np.int64],
        resilience: TopicResilience,
        sharing: NDArray[np.int64],
        lower_bound: LowerBound | None = None,
    ) -> Assessment:
        """Combine metrics that were computed by topic and by link, in memory or on Spark."""
        degrees = degree_statistics(overlay)
        measured = diameters[popularity >= 2]
        bridged = int((resilience.bridges > 0).sum())
        served = int(sharing @ np.arange(len(sharing)))
        return cls(
            nodes=overlay.node_count,
            topics=len(popularity),
            links=overlay.link_count,
            mean_degree=degrees.mean,
            max_degree=degrees.maximum,
            median_degree=degrees.median,
            p95_degree=degrees.percentile_95,
            p99_degree=degrees.percentile_99,
            topics_connected=int((components <= 1).sum()),
            max_diameter=int(measured.max(initial=0)),
            mean_diameter=float(measured.mean()) if len(measured) else 0.0,
            bridges=int(resilience.bridges.sum()),
            bridged_share=bridged / max(len(measured), 1),
            articulation_points=int(resilience.articulation_points.sum()),
            clustering=mean_clustering(overlay),
            mean_topics_per_link=served / max(overlay.link_count, 1),
            links_without_topic=int(sharing[0]),
            lower_bound=lower_bound,
            topic_subscribers=popularity.astype(np.int64, copy=False),
            topic_components=components,
            topic_diameters=diameters,
            topic_resilience=resilience,
            sharing=sharing,
        )

    @property
    def topic_connected(self) -> bool:
        """Whether every topic is connected: the overlay is a TCO."""
        return self.topics_connected == self.topics

    @property
    def ratio(self) -> float | None:
        """Mean degree over the proven lower bound.

        None without a bound, if it is 0, or if the overlay is not topic-connected: the bound holds
        for topic-connected overlays only.
        """
        if self.lower_bound is None or self.lower_bound.links == 0 or not self.topic_connected:
            return None
        return self.links / self.lower_bound.links

    def summary(self) -> dict[str, Any]:
        """Return the measures of the overlay in reading order, by name.

        The last two exist only with a lower bound. The ratio is None if a topic is disconnected.
        """
        rows: dict[str, Any] = {name: getattr(self, name) for name in SUMMARY}
        if self.lower_bound is not None:
            rows["lower_bound"] = self.lower_bound.mean_degree
            rows["ratio_to_lower_bound"] = self.ratio
        return rows

    def _tables(self) -> Mapping[str, Table]:
        def topics() -> dict[str, Any]:
            return {
                "topic": Ids("topic", np.arange(self.topics)),
                "subscribers": self.topic_subscribers,
                "components": self.topic_components,
                "diameter": self.topic_diameters,
                **self.topic_resilience._asdict(),
            }

        def sharing() -> dict[str, Any]:
            return {"topics_served": np.arange(len(self.sharing)), "links": self.sharing}

        return {"topics": topics, "sharing": sharing}


def assess(
    interests: Interests,
    overlay: Overlay,
    *,
    lower_bound: bool | LowerBound = True,
    progress: Progress | None = None,
) -> Assessment:
    """Compute every quality metric of an overlay.

    Parameters
    ----------
    interests, overlay
        Topics of each node, and links over the same nodes; else an :class:`OverlayError` is raised.
    lower_bound
        Whether to compute the bound on links, or a bound computed before: it depends on the
        interests alone, so overlays can be compared with one computation.
    progress
        Callback that receives the current step and the fraction done.

    Notes
    -----
    Costs O(subscriptions + Σ over links of both ends' subscriptions), the topic diameters
    (:func:`shape_of_topic`), clustering in O(links^1.5), and the bound (:func:`links_lower_bound`,
    seconds for 10,000 nodes).

    Examples
    --------
    >>> interests = Interests.from_lists({"ann": ["tea", "jazz"], "bob": ["jazz"], "cy": ["tea"]})
    >>> assessment = assess(interests, Overlay.from_links(3, [(0, 1), (0, 2)]))
    >>> assessment.topic_connected, assessment.max_diameter, assessment.ratio
    (True, 1, 1.0)
    """
    check_fit(interests, overlay)
    progress = progress or silent
    graphs = TopicGraphs.of(interests, overlay)
    shapes = shapes_of_topics(graphs, progress=progress)
    bound: LowerBound | None
    if isinstance(lower_bound, LowerBound):
        bound = lower_bound
    else:
        bound = links_lower_bound(interests, progress=progress) if lower_bound else None
    return Assessment.of_measures(
        overlay,
        popularity=interests.popularity,
        components=shapes.components,
        diameters=shapes.diameters,
        resilience=resilience_of_topics(graphs),
        sharing=sharing_histogram(interests, overlay),
        lower_bound=bound,
    )
