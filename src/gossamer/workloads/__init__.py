"""Synthetic workloads of the papers, from a seed: interests, publications, rates, sessions, churn.

The subscriptions of a node depend only on the seed, the node and the parameters, so any division
of the nodes gives the same table.
"""

from gossamer.workloads.churn import churn_rounds, machine_events
from gossamer.workloads.follower_graph import FollowerPattern, follower_graph
from gossamer.workloads.follower_sample import sample_followers
from gossamer.workloads.notation import parse_churn
from gossamer.workloads.pattern import Columns, Pattern
from gossamer.workloads.popularity import (
    ExponentialDecay,
    Popularity,
    TopShare,
    Uniform,
    Zipf,
    topic_probabilities,
)
from gossamer.workloads.presence import (
    match_sessions,
    resolve_events,
    resolve_sessions,
    with_events,
)
from gossamer.workloads.publications import crosspost_triplets, draw_publications
from gossamer.workloads.rates import power_law_rates, uniform_rates
from gossamer.workloads.registry import WorkloadKind, find_kind, kinds, resolve_kind
from gossamer.workloads.resolution import resolve_duration, resolve_latency, resolve_rates
from gossamer.workloads.sessions import FlashCrowd, draw_sessions, with_flash_crowd
from gossamer.workloads.sizes import (
    FixedSize,
    PowerLawSizes,
    Sizes,
    UniformSizes,
    parse_sizes,
    power_law_of_mean,
)
from gossamer.workloads.superpeers import superpeer_sessions
from gossamer.workloads.synthetic import generate_interests, generate_workload

__all__ = [
    "Columns",
    "ExponentialDecay",
    "FixedSize",
    "FlashCrowd",
    "FollowerPattern",
    "Pattern",
    "Popularity",
    "PowerLawSizes",
    "Sizes",
    "TopShare",
    "Uniform",
    "UniformSizes",
    "WorkloadKind",
    "Zipf",
    "churn_rounds",
    "crosspost_triplets",
    "draw_publications",
    "draw_sessions",
    "find_kind",
    "follower_graph",
    "generate_interests",
    "generate_workload",
    "kinds",
    "machine_events",
    "match_sessions",
    "parse_churn",
    "parse_sizes",
    "power_law_of_mean",
    "power_law_rates",
    "resolve_duration",
    "resolve_events",
    "resolve_kind",
    "resolve_latency",
    "resolve_rates",
    "resolve_sessions",
    "sample_followers",
    "superpeer_sessions",
    "topic_probabilities",
    "uniform_rates",
    "with_events",
    "with_flash_crowd",
]
