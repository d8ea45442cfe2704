"""Candidates of a comparison or a Pareto front: algorithms and protocols with their options.

By default, a front has every algorithm that guarantees topic connectivity, those with a parameter
that trades links for hops at several values, and SpiderCast. Candidates that would take too long
for the workload are left out, with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gossamer.design import Algorithm, algorithms, find_algorithm
from gossamer.design.distributed.merge_state import TableShape
from gossamer.design.partitioned_radius import Division
from gossamer.design.registry import resolve_algorithm
from gossamer.errors import ParameterError
from gossamer.model import Interests, Overlay
from gossamer.options import split_spec

RADII = (2, 3, 4, 5, 6, 8, 10, 12, 16)
RHO = (1.5, 2.0, 3.0, 5.0, 10.0)
SWEEPS: dict[str, tuple[str, tuple[float, ...]]] = {
    "bounded-radius": ("radius", RADII),
    "cover-forest": ("radius", (2, 3, 4, 6, 8)),
    "low-oda": ("rho", RHO),
    "regular-per-topic": ("degree", (3, 4)),
}
"""Algorithms that are run at several values of a parameter instead of its default."""

PROTOCOLS = ("spidercast", "spidercast:kr=1")
PROTOCOL_SUFFIX = " (protocol)"
"""Suffix of the label of a protocol that has the name of an algorithm."""

MAX_SIMULATED = 20_000
"""Nodes up to which protocols are simulated by default: half a minute each."""

BILLION = 1_000_000_000
MAX_STEPS = 10 * BILLION
"""Steps of one algorithm at all its values up to which it is run by default: a few minutes."""

STEPS_PER_PAIR = {
    "bounded-radius": 3,
    "cd-oda": 1,
    "cd-oda-2": 1,
    "cover-forest": 3,
    "greedy-merge": 1,
    "low-oda": 3,
    "minmax-oda": 3,
}
"""Measured steps of an algorithm per pair of subscribers of a topic."""

STEPS_PER_CELL = {"cd-oda-1": 0.1, "td-cd-oda": 0.1}
"""Measured steps of an algorithm per pair of a node and a topic, subscribed or not."""


@dataclass(frozen=True)
class Candidate:
    """An algorithm with its options, and its label: ``low-oda:rho=5``.

    A protocol is a candidate too: its overlay is the one it has converged to.
    """

    label: str
    algorithm: Algorithm
    options: Mapping[str, Any]
    protocol: bool = False


@dataclass(frozen=True)
class Selection:
    """Candidates of a front.

    Attributes
    ----------
    candidates
        Candidates in order.
    left_out
        Reason for each default candidate that is left out.
    """

    candidates: tuple[Candidate, ...]
    left_out: dict[str, str] = field(default_factory=dict)


def parse_candidates(
    given: Sequence[str | Callable[..., Overlay]] | None,
) -> list[Candidate]:
    """Return algorithms as candidates, each once; None stands for all.

    Parameters
    ----------
    given
        Texts ``name:option=value:option=value``, and functions. A function has the label of its
        name; of several functions of one name, later ones have a number too.

    Examples
    --------
    >>> [found.label for found in parse_candidates(["greedy-merge:ties=random"])]
    ['greedy-merge:ties=random']
    """
    if given is None:
        return [Candidate(name, found, {}) for name, found in algorithms().items()]
    if not given:
        raise ParameterError(f"no algorithms are named; there are {', '.join(algorithms())}")
    candidates: dict[str, Candidate] = {}
    for one in given:
        found, options = resolve_algorithm(one)
        label = name = one if isinstance(one, str) else found.name
        number = 1
        while label in candidates and candidates[label].algorithm.design is not found.design:
            number += 1
            label = f"{name} ({number})"
        candidates.setdefault(label, Candidate(label, found, options))
    return list(candidates.values())


def parse_protocols(texts: Sequence[str]) -> list[Candidate]:
    """Parse protocols, written ``name:option=value:option=value``.

    Examples
    --------
    >>> [found.label for found in parse_protocols(["spidercast:kr=1", "ring-per-topic"])]
    ['spidercast:kr=1', 'ring-per-topic (protocol)']
    """
    from gossamer.sim.converged_design import converged_algorithm

    candidates: dict[str, Candidate] = {}
    for text in texts:
        bare = text.removesuffix(PROTOCOL_SUFFIX)
        name, options = split_spec(bare)
        found = converged_algorithm(name)
        label = bare + PROTOCOL_SUFFIX * (name in algorithms())
        candidates[label] = Candidate(label, found, found.options.parse(options), protocol=True)
    return list(candidates.values())


def choose_candidates(
    interests: Interests,
    algorithms: Sequence[str | Callable[..., Overlay]] | None = None,
    *,
    radii: Sequence[int] | None = None,
    rho: Sequence[float] | None = None,
    protocols: Sequence[str] | None = None,
) -> Selection:
    """Choose the candidates of a front.

    Parameters
    ----------
    interests
        Subscriptions; their size decides which default candidates are left out.
    algorithms
        Names with options, as in ``low-oda:rho=5``, instead of the default algorithms.
    radii, rho
        Values for ``bounded-radius`` and ``cover-forest``, and for ``low-oda``, instead of the
        default ones. With ``algorithms``, they apply to those that are named without options; if
        there is none, ``bounded-radius`` or ``low-oda`` is added.
    protocols
        Names with options instead of SpiderCast; an empty list for none.

    Raises
    ------
    ParameterError
        If there is no such algorithm, protocol or option, or a value is out of range.

    Examples
    --------
    >>> interests = Interests.from_lists({"ann": ["tea"], "bob": ["tea"]})
    >>> chosen = choose_candidates(interests, ["greedy-merge"], rho=[2, 3], protocols=[])
    >>> [candidate.label for candidate in chosen.candidates]
    ['greedy-merge', 'low-oda:rho=2', 'low-oda:rho=3']
    """
    check_values(algorithms, radii=radii, rho=rho, protocols=protocols)
    given = {"bounded-radius": radii, "cover-forest": radii, "low-oda": rho}
    left_out: dict[str, str] = {}
    texts: Sequence[str | Callable[..., Overlay]]
    if algorithms is not None:
        texts = _with_values(algorithms, given)
    else:
        texts = _default_algorithms(interests, given, left_out)
    simulated = parse_protocols(PROTOCOLS if protocols is None else protocols)
    if protocols is None and interests.node_count > MAX_SIMULATED:
        for candidate in simulated:
            left_out[candidate.label] = (
                f"by default, protocols are simulated up to {MAX_SIMULATED:,} nodes"
            )
        simulated = []
    return Selection((*parse_candidates(texts), *simulated), left_out)


def check_values(
    algorithms: Sequence[str | Callable[..., Overlay]] | None = None,
    *,
    radii: Sequence[int] | None = None,
    rho: Sequence[float] | None = None,
    protocols: Sequence[str] | None = None,
) -> None:
    """Check the arguments of a front before its interests are read.

    Raises
    ------
    ParameterError
        As :func:`choose_candidates` does.
    """
    lists = {"algorithms": algorithms, "radii": radii, "rho": rho, "protocols": protocols}
    for name, values in lists.items():
        # A string is a sequence too, of characters.
        if isinstance(values, str) or not (values is None or isinstance(values, Sequence)):
            raise ParameterError(f"{name} is {values!r}; expected a list")
    if algorithms is not None:
        parse_candidates(algorithms)
    parse_protocols(protocols or ())
    for name, option, given in (("bounded-radius", "radius", radii), ("low-oda", "rho", rho)):
        for value in given or ():
            find_algorithm(name).options.check({option: value})


def steps_of(name: str, interests: Interests) -> float:
    """Return the approximate number of steps of an algorithm; 0 if it is never too high."""
    popularity = interests.popularity.astype("int64")
    pairs = int((popularity * (popularity - 1) // 2).sum())
    cells = interests.node_count * interests.topic_count
    return STEPS_PER_PAIR.get(name, 0) * pairs + STEPS_PER_CELL.get(name, 0) * cells


def sweep(name: str, parameter: str, values: Sequence[float]) -> list[str]:
    """Return an algorithm with each value of a parameter, as ``low-oda:rho=5``."""
    return [f"{name}:{parameter}={value:g}" for value in values]


def _with_values(
    algorithms: Sequence[str | Callable[..., Overlay]], given: dict[str, Sequence[float] | None]
) -> list[str | Callable[..., Overlay]]:
    """Apply values to the algorithms that are named without options."""
    found: list[str | Callable[..., Overlay]] = []
    named = {one.split(":")[0].strip() for one in algorithms if isinstance(one, str)}
    for one in algorithms:
        name = one.strip() if isinstance(one, str) else ""
        values = given.get(name)
        found += sweep(name, SWEEPS[name][0], values) if values else [one]
    for parameter, first in (("radius", "bounded-radius"), ("rho", "low-oda")):
        if not named & {name for name in given if SWEEPS[name][0] == parameter}:
            found += sweep(first, parameter, given[first] or ())
    return found


def _default_algorithms(
    interests: Interests,
    given: dict[str, Sequence[float] | None],
    left_out: dict[str, str],
) -> list[str]:
    """Return the default algorithms; add the reasons for what is left out."""
    texts: list[str] = []
    for name, found in algorithms().items():
        if not found.topic_connected or (name == "partitioned-radius" and _in_one_block(interests)):
            continue
        parameter, values = SWEEPS.get(name, ("", ()))
        asked = given.get(name)
        steps = 0.0 if asked is not None else steps_of(name, interests)
        runs = sweep(name, parameter, values if asked is None else asked) or [name]
        much = (
            f"it would take about {steps / BILLION:,.1f} billion steps{' each' * (len(runs) > 1)}, "
            f"and the limit is {MAX_STEPS / BILLION:,.0f}"
        )
        if steps > MAX_STEPS:
            left_out[name] = f"{much}; name it to include it"
            continue
        if steps * len(runs) > MAX_STEPS:
            left_out[f"{name} at other values than its default"] = (
                f"{much} for all; give values of {parameter} to include them"
            )
            runs = [name]
        texts += runs
    return texts


def _in_one_block(interests: Interests) -> bool:
    """Return whether partitioned-radius has one block only, and so equals bounded-radius."""
    shape = TableShape(interests.subscription_sizes, interests.popularity)
    return Division.of(shape, radius=6, degree_cap=0, block=0, seed=0).blocks == 1
