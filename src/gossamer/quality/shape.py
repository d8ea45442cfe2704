"""Comparison of the degree distributions of a sample and of its whole graph."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.quality.distributions import Histogram, kolmogorov_smirnov
from gossamer.quality.power_law import PowerLaw, fit_power_law, rank_exponent

MAX_DISTANCE, MAX_ROUGH_DISTANCE = 0.1, 0.25
MAX_SLOPE_DIFFERENCE = 0.25
MAX_ZEROS_DIFFERENCE = 0.05


@dataclass(frozen=True)
class FittedHistogram:
    """A distribution and the power laws fitted to it.

    Attributes
    ----------
    histogram
        The observations.
    fit
        Fit of the tail, whose start minimises the distance; None with fewer than two values.
    plain
        Fit of all values from 1 on.
    ranks
        Exponent of the ranks: the alpha of a Zipf popularity.
    """

    histogram: Histogram
    fit: PowerLaw | None
    plain: PowerLaw | None
    ranks: float | None


@dataclass(frozen=True)
class ShapeCheck:
    """Comparison of one kind of degree in the whole graph and in the sample.

    Attributes
    ----------
    full, sample
        Both distributions with their fits.
    distance
        Kolmogorov–Smirnov distance, over the nodes with a degree of 1 or more.
    rescaled_distance
        The same distance for degrees divided by their mean, because a sample lacks the relations to
        nodes outside it.
    """

    full: FittedHistogram
    sample: FittedHistogram
    distance: float
    rescaled_distance: float

    @property
    def verdict(self) -> str:
        """Verdict of the comparison in words.

        With this many nodes, any test of significance finds a difference, so the verdict depends on
        the size of the distance: up to 0.1 the shape is kept, up to 0.25 roughly kept. The smaller
        of the two distances counts: a sample has fewer relations per node, or more if the search
        found the core, but division by the mean moves many nodes of small degrees at once. The
        compared exponents are those of the fits from 1 on.
        """
        if not self.full.histogram.maximum or not self.sample.histogram.maximum:
            return "there are no relations to compare"
        gap = min(self.distance, self.rescaled_distance)
        how = "not kept"
        if gap <= MAX_ROUGH_DISTANCE:
            how = "kept" if gap <= MAX_DISTANCE else "roughly kept"
        as_are = self.distance <= self.rescaled_distance
        degrees = "degrees" if as_are else "degrees divided by their means"
        said = [f"the shape is {how}: {degrees} are at most {gap:.0%} apart"]
        if self.full.plain is not None and self.sample.plain is not None:
            whole, part = self.full.plain.exponent, self.sample.plain.exponent
            slope = (
                "alike"
                if abs(part - whole) <= MAX_SLOPE_DIFFERENCE
                else ("faster in the sample" if part > whole else "more slowly in the sample")
            )
            said.append(f"the distribution falls {slope} (exponents {whole:.2f} and {part:.2f})")
        whole, part = self.full.histogram.share_of_zero, self.sample.histogram.share_of_zero
        if abs(whole - part) > MAX_ZEROS_DIFFERENCE:
            said.append(
                f"nodes with none are {whole:.0%} of the whole and {part:.0%} of the sample"
            )
        return "; ".join(said)


def fit_histogram(histogram: Histogram) -> FittedHistogram:
    """Fit power laws to a distribution: to the tail, to all of it, and to its ranks."""
    return FittedHistogram(
        histogram,
        fit_power_law(histogram),
        fit_power_law(histogram, smallest=1),
        rank_exponent(histogram),
    )


def shape_check(full: Histogram, sample: Histogram) -> ShapeCheck:
    """Compare the degrees of a sample with those of the whole (Vitis §IV-E, ElastO §7.1).

    Examples
    --------
    >>> full, sample = Histogram.of([2, 4, 8, 8]), Histogram.of([1, 2, 4, 4])
    >>> shape_check(full, sample).rescaled_distance
    0.0
    """
    whole, part = full.above_zero(), sample.above_zero()
    return ShapeCheck(
        fit_histogram(full),
        fit_histogram(sample),
        kolmogorov_smirnov(whole, part),
        kolmogorov_smirnov(whole, part, rescaled=True),
    )
