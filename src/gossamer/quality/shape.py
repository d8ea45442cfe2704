"""Whether a sample's degrees are distributed like those of the whole it was taken from."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.quality.distributions import Histogram, kolmogorov_smirnov
from gossamer.quality.power_law import PowerLaw, fit_power_law, rank_exponent

__all__ = ["FittedHistogram", "ShapeCheck", "fitted", "shape_check"]

KEPT, ROUGHLY_KEPT = 0.1, 0.25
SLOPES_AGREE = 0.25
ZEROS_AGREE = 0.05


@dataclass(frozen=True)
class FittedHistogram:
    """A distribution and the power laws fitted to it.

    Attributes
    ----------
    histogram
        The counts.
    fit
        With the start of the tail chosen by the distance; None with fewer than two values.
    plain
        Over everything from 1 on.
    ranks
        The exponent of the ranks: the alpha of a Zipf popularity.
    """

    histogram: Histogram
    fit: PowerLaw | None
    plain: PowerLaw | None
    ranks: float | None


@dataclass(frozen=True)
class ShapeCheck:
    """One kind of degree in the whole graph and in the sample.

    Attributes
    ----------
    full, sample
        Both distributions with their fits.
    distance
        Kolmogorov–Smirnov, over the nodes with a degree of 1 or more.
    rescaled_distance
        The same on degrees divided by their mean: a sample's degrees are smaller, because
        relations that leave it are gone.
    """

    full: FittedHistogram
    sample: FittedHistogram
    distance: float
    rescaled_distance: float

    @property
    def verdict(self) -> str:
        """What the numbers say, in words.

        At these sizes any test of significance sees a difference, so the verdict goes by
        how large it is: up to 0.1 the shape is kept, up to 0.25 roughly. Degrees as they are
        or divided by their means, whichever are nearer: a sample has fewer relations a node,
        or more where the search found the core, and dividing small whole numbers moves many
        nodes at once. The exponents compared are the plain ones, both fitted from 1 on.
        """
        if not self.full.histogram.maximum or not self.sample.histogram.maximum:
            return "there are no relations to compare"
        gap = min(self.distance, self.rescaled_distance)
        how = "kept" if gap <= KEPT else "roughly kept" if gap <= ROUGHLY_KEPT else "not kept"
        as_are = self.distance <= self.rescaled_distance
        degrees = "degrees" if as_are else "degrees divided by their means"
        said = [f"the shape is {how}: {degrees} are at most {gap:.0%} apart"]
        if self.full.plain is not None and self.sample.plain is not None:
            whole, part = self.full.plain.exponent, self.sample.plain.exponent
            slope = (
                "alike"
                if abs(part - whole) <= SLOPES_AGREE
                else ("faster in the sample" if part > whole else "more slowly in the sample")
            )
            said.append(f"the distribution falls {slope} (exponents {whole:.2f} and {part:.2f})")
        whole, part = self.full.histogram.share_of_zero, self.sample.histogram.share_of_zero
        if abs(whole - part) > ZEROS_AGREE:
            said.append(
                f"nodes with none are {whole:.0%} of the whole and {part:.0%} of the sample"
            )
        return "; ".join(said)


def fitted(histogram: Histogram) -> FittedHistogram:
    """Fit power laws to a distribution: the tail, all of it, and its ranks."""
    return FittedHistogram(
        histogram,
        fit_power_law(histogram),
        fit_power_law(histogram, smallest=1),
        rank_exponent(histogram),
    )


def shape_check(full: Histogram, sample: Histogram) -> ShapeCheck:
    """Compare a sample's degrees with those of the whole (Vitis §IV-E, ElastO §7.1).

    Examples
    --------
    >>> full, sample = Histogram.of([2, 4, 8, 8]), Histogram.of([1, 2, 4, 4])
    >>> shape_check(full, sample).rescaled_distance
    0.0
    """
    whole, part = full.above_zero(), sample.above_zero()
    return ShapeCheck(
        fitted(full),
        fitted(sample),
        kolmogorov_smirnov(whole, part),
        kolmogorov_smirnov(whole, part, rescaled=True),
    )
