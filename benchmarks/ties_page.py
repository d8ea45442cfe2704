"""The page on tie-breaks: degrees side by side, and a verdict by a stated rule."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import fmean, variance
from typing import TYPE_CHECKING

from benchmarks.harness import Excerpt
from benchmarks.harness.markdown import markdown_table
from gossamer.design import find_algorithm

if TYPE_CHECKING:
    from benchmarks.ties import Degrees, TieResults

__all__ = ["EXCERPTS", "Excess", "Verdict", "judge", "ties_page"]

EQUAL = 0.001
"""Relative difference up to which two degrees count as equal, whatever the noise."""

TITLE = "How tie-breaking changes degrees"

EXCERPTS = {
    TITLE: Excerpt(
        ("greedy-merge", "low-oda", "minmax-oda"),
        (
            "algorithm",
            "mean, fewest-degree",
            "mean, random",
            "mean, lexicographic",
            "max, fewest-degree",
            "max, random",
            "max, lexicographic",
        ),
    )
}
"""What the page shows of the first table: the algorithms on which the tie-break has an effect."""

INTRODUCTION = """# {title}

Written by `script/bench ties`.

If several links (or hubs) are equally good, the *tie-break* of an algorithm selects one: the link
whose end of higher degree has the lowest degree (`fewest-degree`), a random one (`random`), or
the first by node identifiers (`lexicographic`).

The table has the excess over the lowest of the three, ± two standard errors. The tie-break with the
lowest mean degree is *best*; among equals, that with the lowest maximum. Two are equal if they
differ by less than two standard errors, or by less than {equal:.1%}.
"""


@dataclass(frozen=True)
class Excess:
    """Relative difference of the degrees of two tie-breaks, and its uncertainty."""

    share: float
    noise: float

    @property
    def equal(self) -> bool:
        """Whether the two count as equal."""
        return abs(self.share) <= max(self.noise, EQUAL)

    def __str__(self) -> str:
        return f"{100 * self.share:+.2f} ± {100 * self.noise:.2f} %"


@dataclass(frozen=True)
class Verdict:
    """Best tie-break of an algorithm, and the excess of each."""

    algorithm: str
    default: str
    best: str
    mean: dict[str, Excess]
    maximum: dict[str, Excess]

    @property
    def all_equal(self) -> bool:
        """Whether the tie-break makes no difference."""
        return all(found.equal for found in (*self.mean.values(), *self.maximum.values()))

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        if self.best != self.default:
            return (
                f"`{self.best}` is best; the default is `{self.default}`, whose excess is "
                f"{self.mean[self.default]} in the mean and "
                f"{self.maximum[self.default]} in the maximum."
            )
        if self.all_equal:
            return f"The tie-break makes no difference; the default is `{self.default}`."
        return f"The default, `{self.default}`, is best."


def judge(algorithm: str, results: TieResults) -> Verdict:
    """Apply the rule to one algorithm."""
    options = find_algorithm(algorithm).options.listed
    default = str(next(option.default for option in options if option.keyword == "ties"))
    offered = list(dict.fromkeys(ties for name, _, ties in results.found if name == algorithm))

    def excesses(measure: Callable[[Degrees], float], among: list[str]) -> dict[str, Excess]:
        """Return the excess of each tie-break over the lowest."""
        against = {
            ties: {other: _excess(algorithm, other, ties, measure, results) for other in among}
            for ties in among
        }
        least = min(among, key=lambda ties: -sum(e.share for e in against[ties].values()))
        return against[least]

    mean = excesses(lambda one: one.mean, offered)
    close = [ties for ties in offered if mean[ties].equal]
    among_close = excesses(lambda one: one.maximum, close)
    closest = [ties for ties in close if among_close[ties].equal]
    best = default if default in closest else min(closest, key=lambda ties: mean[ties].share)
    maximum = excesses(lambda one: one.maximum, offered)
    return Verdict(algorithm, default, best, mean, maximum)


def _excess(
    algorithm: str,
    ties: str,
    least: str,
    measure: Callable[[Degrees], float],
    results: TieResults,
) -> Excess:
    """Compare two tie-breaks on the same instances."""
    averages, variances = [], []
    for table in results.tables:
        ones, others = (results.found[algorithm, table.label, name] for name in (ties, least))
        logs = [
            math.log(max(measure(one), 1e-12) / max(measure(other), 1e-12))
            for one, other in zip(ones, others, strict=True)
        ]
        averages.append(fmean(logs))
        variances.append(variance(logs) / len(logs) if len(logs) > 1 else 0.0)
    return Excess(math.expm1(fmean(averages)), 2 * math.sqrt(sum(variances)) / len(averages))


def _averages(
    algorithm: str, table: str, offered: list[str], results: TieResults
) -> tuple[dict[str, float], dict[str, float]]:
    found = {ties: results.found[algorithm, table, ties] for ties in offered}
    return (
        {ties: fmean(one.mean for one in every) for ties, every in found.items()},
        {ties: fmean(one.maximum for one in every) for ties, every in found.items()},
    )


def ties_page(results: TieResults) -> str:
    """Return the page: verdicts, then the degrees of each algorithm."""
    names = list(dict.fromkeys(name for name, _, _ in results.found))
    verdicts = [judge(name, results) for name in names]
    offered = list(dict.fromkeys(ties for _, _, ties in results.found))
    summary = markdown_table(
        [
            "algorithm",
            "default",
            "best",
            *(f"{what}, {ties}" for what in ("mean", "max") for ties in offered),
        ],
        [
            [
                verdict.algorithm,
                verdict.default,
                verdict.best,
                *(
                    str(found[ties])
                    for found in (verdict.mean, verdict.maximum)
                    for ties in offered
                ),
            ]
            for verdict in verdicts
        ],
        left=3,
    )
    parts = [INTRODUCTION.format(title=TITLE, equal=EQUAL)]
    parts += [
        f"- `{verdict.algorithm}`: {verdict.sentence}"
        for verdict in verdicts
        if not verdict.all_equal
    ]
    parts += ["", summary, "", "## Degrees on each workload", ""]
    parts += [_degrees_table(names, offered, results), ""]
    return "\n".join(parts)


def _degrees_table(names: list[str], offered: list[str], results: TieResults) -> str:
    """Return a table of the degrees of each tie-break on each workload, lowest in bold."""
    rows = []
    for name in names:
        for table in results.tables:
            means, maxima = _averages(name, table.label, offered, results)
            least, lowest = f"{min(means.values()):.3f}", f"{min(maxima.values()):,.1f}"
            cells = [_bold(f"{means[ties]:.3f}", least) for ties in offered]
            cells += [_bold(f"{maxima[ties]:,.1f}", lowest) for ties in offered]
            rows.append([name, table.label, str(table.seeds), *cells])
    header = ["algorithm", "workload", "seeds", *(f"mean, {ties}" for ties in offered)]
    return markdown_table(header + [f"max, {ties}" for ties in offered], rows, left=2)


def _bold(text: str, least: str) -> str:
    return f"**{text}**" if text == least else text
