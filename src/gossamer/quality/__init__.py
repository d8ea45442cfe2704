"""Overlay quality metrics, one module per metric.

``assess`` computes all of them. Metrics of a topic work on the graph of that topic alone, so that
memory and Spark share them. No overlay is built or changed here.
"""

from gossamer.quality.assessment import Assessment, assess
from gossamer.quality.clustering import clustering_coefficients, mean_clustering
from gossamer.quality.components import is_topic_connected, topic_components
from gossamer.quality.correlation import top_intersection
from gossamer.quality.degrees import DegreeStatistics, degree_statistics
from gossamer.quality.diameters import TopicShape, TopicShapes, shape_of_topic, shapes_of_topics
from gossamer.quality.dissemination import FLOODS, Dissemination, Flood, flood_publications, savings
from gossamer.quality.followers import FollowerDegrees, follower_degrees
from gossamer.quality.lower_bound import LowerBound, links_lower_bound
from gossamer.quality.relay_traffic import RelayTraffic
from gossamer.quality.resilience import (
    TopicResilience,
    articulation_points,
    resilience_of_topics,
)
from gossamer.quality.sharing import shared_topics, sharing_histogram
from gossamer.quality.topic_graphs import TopicGraph, TopicGraphs

__all__ = [
    "FLOODS",
    "Assessment",
    "DegreeStatistics",
    "Dissemination",
    "Flood",
    "FollowerDegrees",
    "LowerBound",
    "RelayTraffic",
    "TopicGraph",
    "TopicGraphs",
    "TopicResilience",
    "TopicShape",
    "TopicShapes",
    "articulation_points",
    "assess",
    "clustering_coefficients",
    "degree_statistics",
    "flood_publications",
    "follower_degrees",
    "is_topic_connected",
    "links_lower_bound",
    "mean_clustering",
    "resilience_of_topics",
    "savings",
    "shape_of_topic",
    "shapes_of_topics",
    "shared_topics",
    "sharing_histogram",
    "top_intersection",
    "topic_components",
]
