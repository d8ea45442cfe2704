"""Comparison of a maintained overlay with a new design, which shows whether a rebuild pays.

Repairs choose links one event at a time, so in the long run the overlay has more links than a new
design for the same interests.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gossamer.design.registry import REGISTRY, resolve_algorithm
from gossamer.errors import ParameterError
from gossamer.maintain.initial_overlay import ConnectingDesign
from gossamer.model import Interests, Overlay
from gossamer.options import split_spec
from gossamer.progress import Progress
from gossamer.quality import links_lower_bound
from gossamer.results import Result

if TYPE_CHECKING:
    from gossamer.maintain.result import Maintenance

GAIN = 0.1
"""Share of the links that a rebuild must save to pay."""


@dataclass(frozen=True, eq=False, repr=False)
class RebuildCheck(Result):
    """A maintained overlay beside a new design for the nodes that are present.

    Attributes
    ----------
    algorithm, seed
        Design algorithm with options, as in ``low-oda:rho=5``, and its seed.
    events
        Number of events before the comparison.
    nodes
        Number of present nodes that subscribe to a topic.
    mean_degree, max_degree
        Mean and maximum degree of the maintained overlay.
    lower_bound
        Proven lower bound on the mean degree of any topic-connected overlay.
    new_mean_degree, new_max_degree
        Mean and maximum degree of the new design; None if the lower bound shows that it cannot
        pay.
    gain
        Share of the links that a rebuild must save to pay.
    links_changed
        Cost of the rebuild: number of links to remove and to add; None without a new design.
    """

    BRIEF: ClassVar = ("algorithm", "events", "mean_degree", "new_mean_degree", "rebuild_pays")

    algorithm: str
    seed: int
    events: int
    nodes: int
    mean_degree: float
    max_degree: int
    lower_bound: float
    new_mean_degree: float | None = None
    new_max_degree: int | None = None
    gain: float = GAIN
    links_changed: int | None = None

    @property
    def links_saved(self) -> float | None:
        """Share of the links that the new design saves, negative if it has more."""
        if self.new_mean_degree is None or not self.mean_degree:
            return None
        return 1 - self.new_mean_degree / self.mean_degree

    @property
    def pays(self) -> bool:
        """Whether the new design saves the share of links that makes a rebuild pay."""
        return self.links_saved is not None and self.links_saved >= self.gain

    def summary(self) -> dict[str, Any]:
        """Return the numbers by name."""
        return {
            "algorithm": self.algorithm,
            "events": self.events,
            "nodes": self.nodes,
            "mean_degree": self.mean_degree,
            "max_degree": self.max_degree,
            "lower_bound": self.lower_bound,
            "new_mean_degree": self.new_mean_degree,
            "new_max_degree": self.new_max_degree,
            "share_of_links_saved": self.links_saved,
            "links_changed": self.links_changed,
            "rebuild_pays": self.pays,
        }

    def sentence(self) -> str:
        """Return the comparison as a sentence, without a full stop; empty without a new design.

        Examples
        --------
        >>> RebuildCheck("low-oda", 0, 300, 80, 6.1, 14, 4.0, 4.9, 9).sentence()
        'a new design would have 4.90 instead of 6.10 links a node, and 9 instead of 14 at most'
        """
        if self.new_mean_degree is None:
            return ""
        return (
            f"a new{' resilient' * self._resilient} design would have "
            f"{self.new_mean_degree:.2f} instead of "
            f"{self.mean_degree:.2f} links a node{self._maximum()}{self._price()}"
        )

    def _price(self) -> str:
        return "" if self.links_changed is None else f", and change {self.links_changed:,} links"

    def _maximum(self) -> str:
        if self.new_max_degree == self.max_degree:
            return ""
        return f", and {self.new_max_degree} instead of {self.max_degree} at most"

    @property
    def _resilient(self) -> bool:
        found: bool = resolve_algorithm(self.algorithm)[1].get("resilient", False)
        return found

    def command(self, subscriptions: str | Path, out: str = "rebuilt.parquet") -> str:
        """Return the command that makes the new design.

        Parameters
        ----------
        subscriptions
            Table of the subscriptions of present nodes, as ``Maintenance.write`` writes it.
        out
            File for the new links.
        """
        name, options = split_spec(self.algorithm)
        words = ["gossamer", "design", str(subscriptions), "--algorithm", name]
        for option, value in options.items():
            words += [] if option == "resilient" else [f"--{option}", value]
        words += ["--resilient"] * self._resilient
        words += ["--seed", str(self.seed)] if self.seed else []
        words += REGISTRY.options_to_load(name) or []
        return shlex.join([*words, "--out", out])


def compare_with_design(
    done: Maintenance,
    after: int,
    algorithm: str,
    *,
    gain: float = GAIN,
    progress: Progress | None = None,
) -> RebuildCheck:
    """Compare the overlay of a run with a new design; see ``Maintenance.check_rebuild``."""
    if not 0 <= after <= len(done.events):
        raise ParameterError(f"after is {after}; expected 0 to {len(done.events)} events")
    if not 0 < gain < 1:
        raise ParameterError(f"gain is {gain}; expected a share of the links, above 0 and below 1")
    design = ConnectingDesign(algorithm)
    present = done.interests_after(after)
    interests = subscribed_interests(present)
    overlay = done.overlay_after(after)
    nodes = max(interests.node_count, 1)
    bound = links_lower_bound(interests, iterations=0)
    new = changed = None
    if bound.links <= (1 - gain) * overlay.link_count:
        new = design.algorithm(interests, seed=done.seed, progress=progress, **design.options)
        ids = np.unique(present.node_column)
        kept = np.intersect1d(_keys(overlay.links, overlay), _keys(ids[new.links], overlay))
        changed = overlay.link_count + new.link_count - 2 * len(kept)
    return RebuildCheck(
        algorithm=algorithm,
        seed=done.seed,
        events=after,
        nodes=interests.node_count,
        mean_degree=2 * overlay.link_count / nodes,
        max_degree=int(overlay.degrees.max(initial=0)),
        lower_bound=2 * bound.links / nodes,
        new_mean_degree=None if new is None else 2 * new.link_count / nodes,
        new_max_degree=None if new is None else int(new.degrees.max(initial=0)),
        gain=gain,
        links_changed=changed,
    )


def _keys(links: NDArray[Any], overlay: Overlay) -> NDArray[np.int64]:
    """Return a number for each link, the same for the same two nodes."""
    low, high = links.min(axis=1).astype(np.int64), links.max(axis=1)
    keys: NDArray[np.int64] = low * overlay.node_count + high
    return keys


def subscribed_interests(interests: Interests) -> Interests:
    """Return the interests without nodes and topics that have no subscription."""
    node_ids, nodes = np.unique(interests.node_column, return_inverse=True)
    topic_ids, topics = np.unique(interests.node_topics, return_inverse=True)
    return Interests.from_ids(
        nodes,
        topics,
        node_names=interests.node_names[node_ids],
        topic_names=interests.topic_names[topic_ids],
    )
