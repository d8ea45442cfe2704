"""Scenario: everything on which a run depends besides the protocol.

One value holds the interests of the nodes, their presence over time, the network, the publications,
the duration and the seed. Simulations, disseminations and maintenance take it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from numbers import Real
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gossamer.errors import InputError, ParameterError
from gossamer.model.churn import ChurnEvents
from gossamer.model.interests import Interests, check_interests, freeze
from gossamer.model.latency import Latency
from gossamer.model.publications import Publications
from gossamer.model.sessions import Sessions
from gossamer.random_stream import Stream, check_seed
from gossamer.results import Result

Departure = Literal["leave", "crash"]
"""End of a session: with a message to the neighbours, or without one."""
Delays = tuple[int, ...]
"""Delays of the copies of a message in microseconds; empty if the message is lost."""
NewInterests = Callable[[int, int], Sequence[int]]
MAX_SECONDS = 1e9
NUMBERS = {
    "duration": "a number of seconds, as in 20",
    "warm_up": "a number of seconds, as in 10",
    "time_scale": "a number, as in 2",
    **dict.fromkeys(("loss", "duplicate", "reorder"), "a probability, as in 0.05"),
    "payload": "a number of bytes, as in 50",
}
"""Fields that are numbers, with the expected value of each."""


class Rule(Protocol):
    """Network rule: changes, drops or adds copies of each message."""

    def judge(self, now: int, source: int, target: int, delays: Delays, random: Stream) -> Delays:
        """Return the delays of the resulting copies, in microseconds."""
        ...


@dataclass(frozen=True)
class WorkloadSpec:
    """Description of generated interests, from which they can be generated again.

    Attributes
    ----------
    kind
        Kind of workload; see :func:`gossamer.workloads.kinds`.
    nodes, topics
        Number of nodes and of topics.
    subscriptions
        Topics per node: ``10``, or a number drawn from ``10-30``.
    exponent
        Exponent of the power law of the sizes in a range; uniform if not given.
    seed
        Seed of the random number generator.
    options
        Options of the kind, by keyword.
    """

    kind: str
    nodes: int = 1000
    topics: int = 100
    subscriptions: str = "10"
    exponent: float | None = None
    seed: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False, repr=False)
class Scenario(Result):
    """Interests, presence, network, publications, duration and seed of a run.

    Texts and paths are resolved when the scenario is run: :mod:`gossamer.workloads.notation`
    describes them. Durations are in seconds.

    Attributes
    ----------
    interests
        Topics of each node.
    churn
        Presence of the nodes over time: sessions; events; or a text that names a law such as
        ``exponential:300``, ``superpeer`` or ``rounds:1000``, or a table of sessions or of joins
        and leaves, optionally with flash crowds. Events, and a table of them, may change interests
        too. By default every node is always present.
    present
        Presence of each node at the start, for ``churn`` given as events; by default, a node is
        absent if its first event is a join.
    time_scale
        Factor by which the times of a table of sessions, or of ``superpeer``, are divided.
    departure
        End of a session: ``leave`` (graceful) or ``crash``.
    new_interests
        Interests of a returning node: False for the same, True to draw new ones from
        ``workload``, or a function of (node, incarnation), where incarnations count from 0.
    latency
        Delay of messages: a range such as ``uniform:5-15ms``, a file of round-trip times between
        sites, to which nodes are assigned at random, a :class:`Latency`, or a rule. If not given,
        5 to 15 ms in a simulation, and equal on all links in a dissemination.
    loss, duplicate, reorder
        Probability that a message is lost, delivered twice, or delayed so that others overtake it.
    compound
        Whether the messages that a node sends to a peer in one step form a compound, which is lost,
        duplicated or delayed as a whole (SpiderCast §1).
    partition
        Intervals in which a random share of the nodes is separated from the others, as in
        ``10s-20s:0.5``, separated by commas.
    faults
        Further network rules, applied in order after the others.
    view
        Peers that each node knows: ``full`` (all), a share such as ``5%``, a number, or ``gossip``.
    publications
        Publications, with times in microseconds from the start.
    payload
        Size of each publication in bytes.
    rates
        Publication rate of each topic: an array, ``power-law:1.2``, or a table of rates.
    warm_up
        Seconds after joining before a node is expected to receive publications (Vitis §IV-E:
        10). If not given, 10 in the cycle-driven engine, and 0 elsewhere.
    duration
        Simulated seconds; by default chosen by the engine.
    seed
        Seed of the random number generator.
    workload
        Description of the workload from which the interests were generated.

    Examples
    --------
    >>> interests = Interests.from_lists({"ann": ["tea"], "bob": ["tea"]})
    >>> Scenario(interests, churn="exponential:300", loss=0.01, duration=60, seed=1).loss
    0.01
    """

    BRIEF: ClassVar = ("nodes", "topics", "subscriptions", "churn", "latency", "loss", "seed")

    interests: Interests
    churn: Sessions | ChurnEvents | str | os.PathLike[str] | None = None
    present: NDArray[np.bool_] | None = None
    time_scale: float = 1.0
    departure: Departure = "leave"
    new_interests: bool | NewInterests = False
    latency: str | os.PathLike[str] | Latency | Rule | None = None
    loss: float = 0.0
    duplicate: float = 0.0
    reorder: float = 0.0
    compound: bool = False
    partition: str | None = None
    faults: Sequence[Rule] = ()
    view: str = "full"
    publications: Publications | None = None
    payload: int = 0
    rates: ArrayLike | str | os.PathLike[str] | None = None
    warm_up: float | None = None
    duration: float | None = None
    seed: int = 0
    workload: WorkloadSpec | None = None

    def __post_init__(self) -> None:
        check_interests(self.interests)
        for name, expected in NUMBERS.items():
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, Real)):
                raise ParameterError(f"{name} is {value!r}; expected {expected}")
        for name in ("loss", "duplicate", "reorder"):
            if not 0 <= getattr(self, name) <= 1:
                raise ParameterError(
                    f"{name} is {getattr(self, name)}; expected a probability from 0 to 1"
                )
        for name, low, low_text in (("duration", 1e-6, "0.000001"), ("warm_up", 0.0, "0")):
            value = getattr(self, name)
            if value is not None and not low <= value <= MAX_SECONDS:
                raise ParameterError(
                    f"{name} is {value} seconds; expected {low_text} to {MAX_SECONDS:.0f}"
                )
        if not 0 < self.time_scale <= MAX_SECONDS:
            raise ParameterError(
                f"time_scale is {self.time_scale}; expected above 0, and at most 10^9"
            )
        check_seed(self.seed)
        if self.departure not in ("leave", "crash"):
            raise ParameterError(f"departure is {self.departure!r}; expected leave or crash")
        changes = isinstance(self.churn, ChurnEvents) and len(self.churn.interest_changes) > 0
        if changes and self.new_interests:
            raise ParameterError(
                "the churn changes interests, and new_interests draws others when a node returns; "
                "expected new_interests False (--same-interests), or joins and leaves alone"
            )
        if self.new_interests is True and self.workload is None:
            raise ParameterError("new_interests draws topics of a workload; a file has none")
        for name, given in (
            ("time_scale", self.time_scale != 1), ("new_interests", self.new_interests),
        ):  # fmt: skip
            if self.churn is None and given:
                raise ParameterError(f"{name} is for nodes that leave and return; give churn too")
        self._check_fit()

    def summary(self) -> dict[str, Any]:
        """Return sizes of the interests, and the fields that are not at their defaults."""
        facts: dict[str, Any] = {
            "nodes": self.interests.node_count,
            "topics": self.interests.topic_count,
            "subscriptions": self.interests.subscription_count,
        }
        for field_ in fields(self):
            value = getattr(self, field_.name)
            if field_.name in ("interests", "seed", "present", "faults", "workload"):
                continue
            if isinstance(value, np.ndarray):
                facts[field_.name] = f"{value.size} values"
            elif value is not None and value != field_.default:
                plain = isinstance(value, str | int | float)
                facts[field_.name] = value if plain else repr(value)
        return {**facts, "seed": self.seed}

    def _check_fit(self) -> None:
        """Raise unless sessions, latency, rates and publications fit the interests."""
        nodes, topics = self.interests.node_count, self.interests.topic_count
        if isinstance(self.churn, Sessions):
            self.churn.check(nodes)
        if self.present is not None:
            present = np.array(self.present, dtype=np.bool_)
            if present.shape != (nodes,):
                raise ParameterError(
                    f"present has {present.size} values; expected one for each of the {nodes} nodes"
                )
            object.__setattr__(self, "present", freeze(present))
        if isinstance(self.latency, Latency) and len(self.latency.sites) != nodes:
            raise InputError(f"latency places {len(self.latency.sites)} nodes; there are {nodes}")
        if self.publications is not None:
            self.publications.check(self.interests)
        if self.rates is None or isinstance(self.rates, str | os.PathLike):
            return
        rates = np.array(self.rates, dtype=np.float64)
        if rates.shape != (topics,):
            raise ParameterError(
                f"{rates.size} publication rates; expected one for each of {topics} topics"
            )
        wrong = rates[~(np.isfinite(rates) & (rates >= 0))]
        if len(wrong):
            raise ParameterError(
                f"a publication rate is {wrong[0]:g}; expected a finite number of 0 or more"
            )
        object.__setattr__(self, "rates", freeze(rates))


def check_scenario(value: Any) -> None:
    """Raise if an argument is not a :class:`Scenario`, and say how to make one."""
    if not isinstance(value, Scenario):
        raise ParameterError(
            f"scenario is of type {type(value).__name__}; expected a Scenario, as in "
            "gossamer.Scenario(interests, seed=1)"
        )
