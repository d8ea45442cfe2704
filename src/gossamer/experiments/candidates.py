"""Which overlays a front is made of, where nobody says: a rule from the workload's size.

Every algorithm that promises to connect all topics, those with a parameter to trade links
for hops at several of its values, and SpiderCast beside them. What would take too long at
this size is left out, and it is said why.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from numbers import Real

from gossamer.design import algorithms, find_algorithm
from gossamer.design._trees.degree_caps import check_radius
from gossamer.design.distributed.merge_state import TableShape
from gossamer.design.partitioned_radius import Division
from gossamer.errors import ParameterError
from gossamer.experiments.comparison import Candidate, parse_candidates, parse_protocols
from gossamer.model import Interests

__all__ = [
    "PROTOCOLS",
    "RADII",
    "RHO",
    "SWEEPS",
    "Selection",
    "check_values",
    "choose_candidates",
    "sweep",
]

RADII = (2, 3, 4, 5, 6, 8, 10, 12, 16)
RHO = (1.5, 2.0, 3.0, 5.0, 10.0)
SWEEPS: dict[str, tuple[str, tuple[float, ...]]] = {
    "bounded-radius": ("radius", RADII),
    "cover-forest": ("radius", (2, 3, 4, 6, 8)),
    "low-oda": ("rho", RHO),
    "regular-per-topic": ("degree", (3, 4)),
}
"""Algorithms that are run at several values of a parameter, in the place of its default."""

PROTOCOLS = ("spidercast", "spidercast:kr=1")
MAX_SIMULATED = 20_000
"""Nodes up to which protocols are simulated without being asked for: half a minute each."""

BILLION = 1_000_000_000
MAX_STEPS = 10 * BILLION
"""Steps that one algorithm may take at all its values together without being asked for: a few
minutes on one core."""

VISITS = {
    "bounded-radius": 3,
    "cd-oda": 1,
    "cd-oda-2": 1,
    "cover-forest": 3,
    "greedy-merge": 1,
    "low-oda": 3,
    "minmax-oda": 3,
}
"""How many steps an algorithm takes for a pair of subscribers of a topic, as measured."""

CELLS = {"cd-oda-1": 0.1, "td-cd-oda": 0.1}
"""How many steps an algorithm takes for a node and a topic, wanted or not, as measured."""


@dataclass(frozen=True)
class Selection:
    """What a front is made of.

    Attributes
    ----------
    candidates
        What to run, in order.
    left_out
        What not, and why.
    """

    candidates: tuple[Candidate, ...]
    left_out: dict[str, str] = field(default_factory=dict)


def choose_candidates(
    interests: Interests,
    algorithms: Sequence[str] | None = None,
    *,
    radii: Sequence[int] | None = None,
    rho: Sequence[float] | None = None,
    protocols: Sequence[str] | None = None,
) -> Selection:
    """Choose what a front is made of.

    Parameters
    ----------
    interests
        Their size decides what is left out of what was not asked for.
    algorithms
        Names with options after a colon, as in ``low-oda:rho=5``, instead of the usual ones.
    radii, rho
        Of ``bounded-radius`` and ``cover-forest``, and of ``low-oda``, instead of the usual
        ones, or of those among ``algorithms`` that are named without options; if none is,
        ``bounded-radius`` or ``low-oda`` is one more.
    protocols
        Names with options after a colon, instead of SpiderCast; an empty list for none.

    Raises
    ------
    ParameterError
        If there is no such algorithm, protocol or option, or a radius is below 1.

    Examples
    --------
    >>> interests = Interests.from_lists({"ann": ["tea"], "bob": ["tea"]})
    >>> chosen = choose_candidates(interests, ["greedy-merge"], rho=[2, 3], protocols=[])
    >>> [candidate.label for candidate in chosen.candidates]
    ['greedy-merge', 'low-oda:rho=2', 'low-oda:rho=3']
    """
    check_lists(algorithms=algorithms, protocols=protocols)
    check_values(radii, rho)
    given = {"bounded-radius": radii, "cover-forest": radii, "low-oda": rho}
    left_out: dict[str, str] = {}
    if algorithms is not None:
        texts = _with_values([algorithms] if isinstance(algorithms, str) else algorithms, given)
    else:
        texts = _usual(interests, given, left_out)
    rested = parse_protocols(PROTOCOLS if protocols is None else protocols)
    if protocols is None and interests.node_count > MAX_SIMULATED:
        for candidate in rested:
            left_out[candidate.label] = (
                f"protocols are simulated up to {MAX_SIMULATED:,} nodes unless asked for"
            )
        rested = []
    found = [*parse_candidates(texts), *rested]
    return Selection(tuple(found), left_out)


def _with_values(algorithms: Sequence[str], given: dict[str, Sequence[float] | None]) -> list[str]:
    """Put algorithms that are named without options at the values given for them.

    Values that no algorithm named is for are those of one more.
    """
    texts: list[str] = []
    for text in algorithms:
        values = given.get(text.strip())
        texts += sweep(text.strip(), SWEEPS[text.strip()][0], values) if values else [text]
    named = {text.split(":")[0].strip() for text in algorithms}
    for parameter, first in (("radius", "bounded-radius"), ("rho", "low-oda")):
        if not named & {name for name in given if SWEEPS[name][0] == parameter}:
            texts += sweep(first, parameter, given[first] or ())
    return texts


def check_lists(**lists: object) -> None:
    """Refuse what is no list: a text would be taken for a list of letters."""
    for name, values in lists.items():
        if isinstance(values, str) or not (values is None or isinstance(values, Sequence)):
            raise ParameterError(f"{name} is {values!r}; expected a list")


def check_values(radii: Sequence[int] | None, rho: Sequence[float] | None) -> None:
    """Refuse radii that are none, and those of an algorithm that is not there."""
    check_lists(radii=radii, rho=rho)
    for radius in radii or ():
        check_radius(radius)
    ratios: Sequence[object] = rho or ()
    for ratio in ratios:
        if not isinstance(ratio, Real) or not float(ratio) >= 1:
            raise ParameterError(f"a rho is {ratio!r}; expected a number, 1 or more")
    if radii:
        find_algorithm("bounded-radius")


def steps_of(name: str, interests: Interests) -> float:
    """Return about how many steps a run of an algorithm takes; 0 where that is never too many."""
    popularity = interests.popularity.astype("int64")
    visits = int((popularity * (popularity - 1) // 2).sum())
    cells = interests.node_count * interests.topic_count
    return VISITS.get(name, 0) * visits + CELLS.get(name, 0) * cells


def _usual(
    interests: Interests,
    given: dict[str, Sequence[float] | None],
    left_out: dict[str, str],
) -> list[str]:
    """Return what is run where no algorithms are named; say what of it is not, and why."""
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
            left_out[name] = f"{much}; name it to have it"
            continue
        if steps * len(runs) > MAX_STEPS:
            left_out[f"{name} at other values than its default"] = (
                f"{much} for all; give values of {parameter} to have them"
            )
            runs = [name]
        texts += runs
    return texts


def _in_one_block(interests: Interests) -> bool:
    """Tell whether a table is not divided at all, so that partitioned-radius is bounded-radius."""
    shape = TableShape(interests.subscription_sizes, interests.popularity)
    return Division.of(shape, radius=6, degree_cap=0, block=0, seed=0).blocks == 1


def sweep(name: str, parameter: str, values: Sequence[float]) -> list[str]:
    """Write an algorithm with each value of a parameter, as ``low-oda:rho=5``."""
    return [f"{name}:{parameter}={value:g}" for value in values]
