"""Design or reinforce an overlay, and verify that it keeps what its algorithm promises."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from gossamer.definitions import describe, is_own
from gossamer.design.completion import complete_overlay
from gossamer.design.registry import Algorithm, resolve_algorithm
from gossamer.design.resilience import make_resilient, resilience_lower_bound
from gossamer.errors import GossamerError, ParameterError
from gossamer.model import Interests, Overlay
from gossamer.model.interests import check_interests
from gossamer.progress import Progress, silent
from gossamer.quality.components import topic_components
from gossamer.quality.diameters import shapes_of_topics
from gossamer.quality.resilience import failures_before_and_after
from gossamer.quality.topic_graphs import TopicGraphs
from gossamer.random_stream import check_seed
from gossamer.results import Result, Table


@dataclass(frozen=True, eq=False, repr=False)
class Design(Result):
    """A designed overlay, and what was verified of it.

    Attributes
    ----------
    interests, overlay
        The interests, and the overlay designed for them.
    algorithm
        Name of the algorithm.
    options
        Options of the algorithm, with defaults filled in.
    seed
        Seed of the random number generator.
    resilient
        Whether links were added against single link failures.
    topic_connected
        Whether the subscribers of every topic are connected.
    promised_diameter
        Largest topic diameter that the algorithm allows, if it promises one.
    failures
        For resilient designs: links added, and the single failures that would disconnect a
        topic, by name.
    degree_cap
        Cap on the degree of an average node, if the algorithm aims at one.
    over_cap
        Number of nodes over their cap, and the largest excess.
    same_cap
        Whether all nodes have the same cap.
    seconds
        Time of the design, without verification. The first design of a process includes the time in
        which kernels are loaded, or compiled once for this machine.
    """

    BRIEF: ClassVar = ("algorithm", "nodes", "links", "mean_degree", "max_degree")

    interests: Interests
    overlay: Overlay
    algorithm: str
    options: dict[str, Any]
    seed: int
    resilient: bool
    topic_connected: bool
    promised_diameter: int | None = None
    failures: dict[str, Any] = field(default_factory=dict)
    degree_cap: int | None = None
    over_cap: tuple[int, int] = (0, 0)
    same_cap: bool = True
    seconds: float = 0.0

    def summary(self) -> dict[str, Any]:
        """Return the numbers of the design by name."""
        degrees = self.overlay.degrees
        facts: dict[str, Any] = {
            "algorithm": self.algorithm,
            "nodes": self.interests.node_count,
            "topics": self.interests.topic_count,
            "subscriptions": self.interests.subscription_count,
            "duplicates": self.interests.duplicates,
            "links": self.overlay.link_count,
            "mean_degree": float(degrees.mean()) if len(degrees) else 0.0,
            "max_degree": int(degrees.max(initial=0)),
            "topic_connected": self.topic_connected,
        }
        if self.promised_diameter is not None:
            facts["promised_diameter"] = self.promised_diameter
        if self.degree_cap is not None:
            facts["degree_cap"] = self.degree_cap
            facts["nodes_over_cap"], facts["max_over_cap"] = self.over_cap
        return {**facts, **self.failures, "seconds": self.seconds}

    def _tables(self) -> Mapping[str, Table]:
        return self.overlay._tables()

    def _interests(self) -> Interests:
        return self.interests


def design(
    interests: Interests,
    algorithm: str | Algorithm | Callable[..., Overlay] = "greedy-merge",
    *,
    seed: int = 0,
    resilient: bool = False,
    start: Overlay | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Design:
    """Design an overlay by an algorithm, and verify it.

    Parameters
    ----------
    interests
        The topics of each node.
    algorithm
        Name of the algorithm, with options or without, as in ``low-oda:rho=5``;
        :func:`gossamer.algorithms` lists them. Or a function
        ``my_idea(interests, *, seed) -> Overlay``.
    seed
        Seed of the random number generator.
    resilient
        Whether to add links until no single link failure disconnects a topic.
    start
        Links to keep, which greedy merge completes until every topic is connected.
    progress
        Callback that receives the current step and the fraction done.
    **options
        Options of the algorithm, as in ``rho=3``.

    Returns
    -------
    Design
        The overlay and what was verified of it.

    Raises
    ------
    ParameterError
        If the algorithm or one of its options is unknown or out of range, or ``start`` is given
        to another algorithm than greedy merge.
    PluginError
        If a function of the caller does not fit, or returns no overlay of the nodes.
    GossamerError
        If the overlay breaks the algorithm's promise: a bug in the algorithm.

    Notes
    -----
    Verification takes O(S + L · s) for S subscriptions, L links and s topics per node, and a few
    searches of each topic if a diameter is promised.

    Examples
    --------
    >>> import gossamer
    >>> interests = gossamer.Interests.from_lists({"ann": ["tea", "jazz"], "bob": ["jazz"]})
    >>> gossamer.design(interests, "low-oda", rho=3).topic_connected
    True
    """
    check_interests(interests)
    given = {**options, "resilient": True} if resilient else options
    chosen, options = resolve_algorithm(algorithm, given)
    resilient = options.pop("resilient", False)
    report = silent if progress is None else progress
    if start is not None and chosen.name != "greedy-merge":
        raise ParameterError(
            f"the algorithm is {chosen.name}, and start has links to keep; expected greedy-merge"
        )
    began = time.perf_counter()
    if start is None:
        plain = chosen(interests, seed=seed, progress=progress, **options)
    else:
        plain = complete_overlay(interests, start, seed=seed, progress=progress, **options)
    overlay = plain
    if resilient:
        overlay = make_resilient(interests, plain, seed=seed, progress=progress)
    seconds = time.perf_counter() - began
    report("verifying", 1.0)
    diameter = None
    if chosen.diameter is None:
        components = topic_components(interests, overlay)
    else:
        components, diameters = shapes_of_topics(TopicGraphs.of(interests, overlay))
        diameter = int(diameters.max(initial=0))
    disconnected = int((components > 1).sum())
    check_promises(chosen, options, disconnected=disconnected, diameter=diameter)
    caps = None
    completed = chosen.options.with_defaults(options)
    if chosen.caps is not None:
        caps = chosen.caps(interests, **completed)
    return Design(
        interests=interests,
        overlay=overlay,
        algorithm=chosen.name,
        options=completed,
        seed=seed,
        resilient=resilient,
        topic_connected=not disconnected,
        promised_diameter=chosen.promised_diameter(**options),
        failures=failures_before_and_after(interests, plain, overlay) if resilient else {},
        degree_cap=None if caps is None else caps.average,
        over_cap=(0, 0) if caps is None else caps.over(overlay),
        same_cap=caps is None or caps.same,
        seconds=seconds,
    )


def broken_promise(
    algorithm: Algorithm,
    options: Mapping[str, Any],
    *,
    disconnected: int,
    diameter: int | None = None,
    resilient: bool = False,
    bridged: int = 0,
) -> str:
    """Return what a measured overlay breaks of its algorithm's promises; empty if nothing.

    The text is what the algorithm did, without its name.

    Parameters
    ----------
    algorithm, options
        The algorithm that designed the overlay, and its options.
    disconnected
        Number of topics whose subscribers are not connected.
    diameter
        Largest topic diameter, if it was measured.
    resilient, bridged
        Whether the overlay was reinforced, and the number of topics of three subscribers or
        more that a single link failure disconnects.
    """
    promised = algorithm.promised_diameter(**options)
    broken = ""
    if algorithm.topic_connected and disconnected:
        broken = f"left topics disconnected ({int(disconnected):,})"
    elif resilient and bridged:
        broken = f"left topics with a bridge ({bridged:,})"
    elif promised is not None and diameter is not None and diameter > promised:
        broken = f"left a topic diameter of {diameter}, and the limit is {promised},"
    return f"{broken} although it promises not to" if broken else ""


def check_promises(algorithm: Algorithm, options: Mapping[str, Any], **measured: Any) -> None:
    """Raise if a measured overlay breaks what its algorithm promises: a bug in the algorithm.

    Parameters
    ----------
    algorithm, options
        The algorithm that designed the overlay, and its options.
    **measured
        Measures, as :func:`broken_promise` takes them.

    Raises
    ------
    GossamerError
        If a topic is disconnected, too large in diameter, or has a bridge, against the promise.
    """
    broken = broken_promise(algorithm, options, **measured)
    if broken:
        owner = algorithm.name if is_own(algorithm.design) else describe(algorithm.design)
        raise GossamerError(f"{owner} {broken}: that is a bug in the algorithm")


@dataclass(frozen=True, eq=False, repr=False)
class Reinforcement(Result):
    """An overlay with links added against single link failures, and what was verified of it.

    Attributes
    ----------
    interests, given, overlay
        The interests, the overlay before, and the overlay with the added links.
    disconnected
        Number of topics whose subscribers are not connected, before as after.
    failures
        Links added, and the single failures that would disconnect a topic, by name.
    needed
        Proven lower bound on the number of added links, if it was asked for.
    seconds
        Time of the computation, without verification.
    """

    BRIEF: ClassVar = ("nodes", "links", "links_added", "bridges_after")

    interests: Interests
    given: Overlay
    overlay: Overlay
    disconnected: int
    failures: dict[str, int]
    needed: int | None
    seconds: float

    def summary(self) -> dict[str, Any]:
        """Return the numbers of the reinforcement by name."""
        topics = self.interests.topic_count
        facts: dict[str, Any] = {
            "nodes": self.interests.node_count,
            "topics": topics,
            "topics_connected": topics - self.disconnected,
            "links": self.overlay.link_count,
            "mean_degree": 2 * self.overlay.link_count / max(self.interests.node_count, 1),
            "max_degree": int(self.overlay.degrees.max(initial=0)),
            "max_degree_before": int(self.given.degrees.max(initial=0)),
            **self.failures,
        }
        if self.needed is not None:
            facts["links_to_add"] = self.needed
        return {**facts, "seconds": self.seconds}

    def _tables(self) -> Mapping[str, Table]:
        return self.overlay._tables()

    def _interests(self) -> Interests:
        return self.interests


def reinforce(
    interests: Interests,
    overlay: Overlay,
    *,
    seed: int = 0,
    lower_bound: bool = False,
    progress: Progress | None = None,
) -> Reinforcement:
    """Add links to an overlay until no single link failure disconnects a topic, and verify it.

    Parameters
    ----------
    interests, overlay
        The topics of each node, and the links to keep.
    seed
        Seed of the random number generator.
    lower_bound
        Whether to prove how many links must be added at least.
    progress
        Callback that receives the current step and the fraction done.

    See Also
    --------
    gossamer.make_resilient : The algorithm alone.
    """
    check_interests(interests)
    check_seed(seed)
    report = silent if progress is None else progress
    start = time.perf_counter()
    reinforced = make_resilient(interests, overlay, seed=seed, progress=progress)
    seconds = time.perf_counter() - start
    report("verifying", 1.0)
    components = TopicGraphs.of(interests, reinforced).components()
    failures = failures_before_and_after(interests, overlay, reinforced)
    needed = None
    if lower_bound:
        report("proving a lower bound", 1.0)
        needed = resilience_lower_bound(interests, overlay)
    return Reinforcement(
        interests=interests,
        given=overlay,
        overlay=reinforced,
        disconnected=int((components > 1).sum()),
        failures=failures,
        needed=needed,
        seconds=seconds,
    )
