"""Registry of metrics of an overlay: one number for interests and their overlay.

A metric is a measure of :func:`~gossamer.quality.assess`, or a function of a plug-in, marked with
:func:`metric`. ``compare`` measures the metrics that are named, beside those that every comparison
has.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from gossamer.definitions import (
    blame,
    check_decorated,
    check_function,
    check_name,
    name_of,
    named_parameters,
)
from gossamer.errors import ParameterError
from gossamer.measures import MEASURES
from gossamer.model import Interests, Overlay
from gossamer.options import summary_of
from gossamer.quality.assessment import Assessment, assess
from gossamer.registry import Registry

MetricFunction = Callable[[Interests, Overlay], float]
MetricType = TypeVar("MetricType", bound=MetricFunction)


ASSESSED = (
    "median_degree", "p99_degree", "bridges", "bridged_share", "articulation_points", "clustering",
    "mean_topics_per_link", "links_without_topic",
)  # fmt: skip
"""Measures of an assessment that are metrics."""


@dataclass(frozen=True)
class Metric:
    """A metric of an overlay.

    Attributes
    ----------
    name
        Name: the key of the value in results.
    measure
        ``measure(interests, overlay) -> float``.
    summary
        Description in one line.
    assessed
        Whether it is a measure of an assessment.
    """

    name: str
    measure: MetricFunction
    summary: str
    assessed: bool = False

    def __call__(
        self, interests: Interests, overlay: Overlay, assessment: Assessment | None = None
    ) -> float:
        """Return the value, after checking that it is a finite number.

        An assessment of the same overlay, if there is one, saves computing it again.
        """
        if self.assessed and assessment is not None:
            value = getattr(assessment, self.name)
            return value if isinstance(value, int) else float(value)  # a count stays a whole number
        return checked_number(self.measure, self.measure(interests, overlay))


def checked_number(function: Callable[..., Any], value: Any) -> float:
    """Return what a function of a plug-in has returned, after checking that it is a number."""
    try:
        number = value if isinstance(value, int) else float(value)
    except (TypeError, ValueError):
        blame(function, f"returned {repr(value)[:40]}; expected a number")
    if not math.isfinite(number):
        blame(function, f"returned {number}; expected a finite number")
    return number


REGISTRY: Registry[Metric] = Registry("metric", "gossamer.quality", between="_")


def metric(name: str) -> Callable[[MetricType], MetricType]:
    """Register a function as the metric of that name.

    The function takes interests and an overlay, and returns a number:
    ``gini(interests, overlay) -> float``. ``compare(…, metrics=["gini"])`` and ``gossamer compare
    --metrics gini`` then measure it. A name can be registered again.

    Parameters
    ----------
    name
        Name, and key of the value in results: a to z, 0 to 9, and an underscore between
        words.

    Raises
    ------
    PluginError
        If the name or the function does not fit; the error names its file and line.

    Examples
    --------
    >>> import gossamer
    >>> @gossamer.metric("nodes_without_links")
    ... def nodes_without_links(interests, overlay):
    ...     return (overlay.degrees == 0).sum()
    """
    check_decorated(name, "metric", "_")

    def register(function: MetricType) -> MetricType:
        made = _made(name, function)
        REGISTRY.add(name, made, function)
        return function

    return register


def metrics() -> dict[str, Metric]:
    """Return every metric by name, in alphabetical order."""
    return REGISTRY.all()


def resolve_metrics(
    given: Mapping[str, str | MetricFunction] | Sequence[str | MetricFunction] | None,
) -> dict[str, Metric]:
    """Return metrics by their names in results.

    Parameters
    ----------
    given
        Names or functions; or names or functions by the names that they have in results.

    Raises
    ------
    ParameterError
        If a name is unknown, is that of a measure, or stands for two functions.
    PluginError
        If a function does not fit.
    """
    if isinstance(given, str) or callable(given):
        raise ParameterError(f"metrics is {given!r}; expected a list, as in [{given!r}]")
    found: dict[str, Metric] = {}
    pairs = given.items() if isinstance(given, Mapping) else ((None, one) for one in given or ())
    for key, one in pairs:
        known = REGISTRY.find(one) if isinstance(one, str) else REGISTRY.named(one)
        function = one if known is None else known.measure
        if known is None or (key is not None and key != known.name):
            known = _made(name_of(function) if key is None else key, function)
        if known.name in found and found[known.name].measure is not known.measure:
            raise ParameterError(
                f"two metrics are named {known.name}; expected a name for each, as in "
                f"{{'{known.name}': …}}"
            )
        found[known.name] = known
    return found


def _made(name: str, function: Any) -> Metric:
    """Return the metric of a function, after checking both."""
    if name == "<lambda>":
        raise ParameterError("a metric is a lambda without a name; expected metrics={'name': f}")
    check_name(name, function, "_")
    check_function(function, "a metric")
    for one in named_parameters(function, positional=("interests", "overlay")):
        if one.default is one.empty:
            blame(function, f"takes {one.name}; expected (interests, overlay)")
    if name in MEASURES:
        blame(function, f"the name {name} is that of a measure; expected another one")
    return Metric(name, function, summary_of(function))


def _assessed(name: str, interests: Interests, overlay: Overlay) -> float:
    return float(getattr(assess(interests, overlay, lower_bound=False), name))


for _name in ASSESSED:
    _measure = partial(_assessed, _name)
    _entry = Metric(_name, _measure, MEASURES[_name].meaning, assessed=True)
    REGISTRY.add(_name, _entry, _measure)
