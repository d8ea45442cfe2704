"""Gossamer: interest-aware overlays for topic-based publish/subscribe.

N nodes each care about some of T topics: which links should exist, so that every
topic's subscribers are connected among themselves, and each node keeps few links?

>>> import gossamer
>>> interests = gossamer.Interests.from_lists({"ann": ["tea", "jazz"], "bob": ["jazz", "tea"]})
>>> overlay = gossamer.greedy_merge(interests)
>>> gossamer.assess(interests, overlay).topic_connected
True

Everything below is imported when it is first used, so that importing the package is
cheap and needs none of the optional parts.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gossamer.cycles import RoundSimulation as RoundSimulation
    from gossamer.cycles import simulate_rounds as simulate_rounds
    from gossamer.design import algorithms as algorithms
    from gossamer.design import find_algorithm as find_algorithm
    from gossamer.design.bounded_radius import bounded_radius as bounded_radius
    from gossamer.design.constant_diameter import cd_oda as cd_oda
    from gossamer.design.constant_diameter import cd_oda_1 as cd_oda_1
    from gossamer.design.constant_diameter import cd_oda_2 as cd_oda_2
    from gossamer.design.constant_diameter import td_cd_oda as td_cd_oda
    from gossamer.design.constant_diameter import two_d_oda as two_d_oda
    from gossamer.design.cover_forest import cover_forest as cover_forest
    from gossamer.design.greedy_merge import greedy_merge as greedy_merge
    from gossamer.design.greedy_omniscient import greedy_omniscient as greedy_omniscient
    from gossamer.design.low_oda import low_oda as low_oda
    from gossamer.design.low_oda import minmax_oda as minmax_oda
    from gossamer.design.partitioned_merge import partitioned_merge as partitioned_merge
    from gossamer.design.partitioned_radius import partitioned_radius as partitioned_radius
    from gossamer.design.regular_per_topic import regular_per_topic as regular_per_topic
    from gossamer.design.resilience import make_resilient as make_resilient
    from gossamer.design.resilience import resilience_lower_bound as resilience_lower_bound
    from gossamer.design.ring_per_topic import ring_per_topic as ring_per_topic
    from gossamer.design.similarity import random_overlay as random_overlay
    from gossamer.design.similarity import similarity as similarity
    from gossamer.design.subset_merge import subset_merge as subset_merge
    from gossamer.experiments import compare as compare
    from gossamer.experiments import front as front
    from gossamer.experiments import load_comparison as load_comparison
    from gossamer.experiments import recommend as recommend
    from gossamer.live import Node as Node
    from gossamer.maintain import Maintenance as Maintenance
    from gossamer.maintain import maintain as maintain
    from gossamer.maintain.maintainer import Maintainer as Maintainer
    from gossamer.model import ChurnEvents as ChurnEvents
    from gossamer.model import GossamerError as GossamerError
    from gossamer.model import InputError as InputError
    from gossamer.model import Interests as Interests
    from gossamer.model import Overlay as Overlay
    from gossamer.model import Publications as Publications
    from gossamer.model import Workload as Workload
    from gossamer.quality import Dissemination as Dissemination
    from gossamer.quality import TopicGraphs as TopicGraphs
    from gossamer.quality import assess as assess
    from gossamer.quality import is_topic_connected as is_topic_connected
    from gossamer.quality import links_lower_bound as links_lower_bound
    from gossamer.quality import top_intersection as top_intersection
    from gossamer.sim import Simulation as Simulation
    from gossamer.sim import disseminate as disseminate
    from gossamer.sim import simulate as simulate
    from gossamer.studies import ledger_page as ledger_page
    from gossamer.studies import reproduce as reproduce
    from gossamer.tables import read_churn as read_churn
    from gossamer.tables import read_follows as read_follows
    from gossamer.tables import read_interests as read_interests
    from gossamer.tables import read_links as read_links
    from gossamer.tables import read_publications as read_publications
    from gossamer.tables import read_rates as read_rates
    from gossamer.tables import write_churn as write_churn
    from gossamer.tables import write_interests as write_interests
    from gossamer.tables import write_links as write_links
    from gossamer.viz.comparison_page import comparison_page as comparison_page
    from gossamer.viz.comparison_picture import comparison_picture as comparison_picture
    from gossamer.viz.front_page import front_page as front_page
    from gossamer.viz.front_picture import front_picture as front_picture
    from gossamer.workloads import churn_rounds as churn_rounds
    from gossamer.workloads import crosspost_triplets as crosspost_triplets
    from gossamer.workloads import draw_publications as draw_publications
    from gossamer.workloads import generate_interests as generate_interests
    from gossamer.workloads import machine_events as machine_events

__version__ = "0.1.0"

_HOMES = {
    "gossamer.design": ("algorithms", "find_algorithm"),
    "gossamer.design.bounded_radius": ("bounded_radius",),
    "gossamer.design.constant_diameter": (
        "cd_oda",
        "cd_oda_1",
        "cd_oda_2",
        "td_cd_oda",
        "two_d_oda",
    ),
    "gossamer.design.cover_forest": ("cover_forest",),
    "gossamer.design.greedy_merge": ("greedy_merge",),
    "gossamer.design.greedy_omniscient": ("greedy_omniscient",),
    "gossamer.design.low_oda": ("low_oda", "minmax_oda"),
    "gossamer.design.partitioned_merge": ("partitioned_merge",),
    "gossamer.design.partitioned_radius": ("partitioned_radius",),
    "gossamer.design.regular_per_topic": ("regular_per_topic",),
    "gossamer.design.resilience": ("make_resilient", "resilience_lower_bound"),
    "gossamer.design.ring_per_topic": ("ring_per_topic",),
    "gossamer.design.similarity": ("random_overlay", "similarity"),
    "gossamer.design.subset_merge": ("subset_merge",),
    "gossamer.maintain.maintainer": ("Maintainer",),
    "gossamer.live": ("Node",),
    "gossamer.maintain": ("Maintenance", "maintain"),
    "gossamer.model": (
        "ChurnEvents",
        "GossamerError",
        "InputError",
        "Interests",
        "Overlay",
        "Publications",
        "Workload",
    ),
    "gossamer.quality": (
        "Dissemination",
        "TopicGraphs",
        "assess",
        "is_topic_connected",
        "links_lower_bound",
        "top_intersection",
    ),
    "gossamer.viz.comparison_page": ("comparison_page",),
    "gossamer.viz.comparison_picture": ("comparison_picture",),
    "gossamer.experiments": ("recommend", "compare", "front", "load_comparison"),
    "gossamer.viz.front_page": ("front_page",),
    "gossamer.viz.front_picture": ("front_picture",),
    "gossamer.sim": ("Simulation", "disseminate", "simulate"),
    "gossamer.cycles": ("RoundSimulation", "simulate_rounds"),
    "gossamer.studies": ("ledger_page", "reproduce"),
    "gossamer.tables": (
        "read_churn",
        "read_follows",
        "read_interests",
        "read_links",
        "read_publications",
        "read_rates",
        "write_churn",
        "write_interests",
        "write_links",
    ),
    "gossamer.workloads": (
        "churn_rounds",
        "crosspost_triplets",
        "draw_publications",
        "generate_interests",
        "machine_events",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted(["__version__", *_HOME_OF])


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'gossamer' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return __all__
