"""Which strategy keeps an overlay: one of the list, ElastO with local views, or one's own."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import ParameterError
from gossamer.maintain.backups import Method
from gossamer.maintain.dynamic_overlay import DynamicOverlay
from gossamer.maintain.strategies.elasto_l import ElastoL
from gossamer.maintain.strategies.registry import (
    LinkChanges,
    Strategy,
    StrategyEntry,
    find_strategy,
    strategies,
)
from gossamer.registry import options_of, summary_of

__all__ = ["Chosen", "GossipingElastoL", "choose_strategy", "maintain_strategies", "words_of"]


class GossipingElastoL(ElastoL):
    """ElastO with local views: who is next on the circle mends, with what its view tells it.

    After each event some nodes exchange views, which is in the event's time. An interrupted run
    begins again: what everybody knows is not kept.

    Parameters
    ----------
    coverage
        How many of a node's backups want each of its topics, where so many do: λ.
    backups
        How they are chosen: ``primal-dual``, for a random topic who backs up the fewest, or
        ``greedy``, who covers most of what is lacking.
    concurrent
        How many successors and predecessors on the circle a node knows: L, 1 to 16.
    rho
        LowODA's ρ, 1 or more: the higher, the lower the maximum degree, with more links.
    share
        The share of nodes that exchange views after an event, 0 to 1.
    """

    def __init__(
        self,
        *,
        coverage: int = 5,
        backups: Method = "primal-dual",
        concurrent: int = 1,
        rho: float = 3.0,
        share: float = 0.05,
        seed: int = 0,
    ) -> None:
        if not 0 <= share <= 1:
            raise ParameterError(f"share is {share}; expected 0 to 1")
        super().__init__(
            coverage=coverage, backups=backups, concurrent=concurrent, rho=rho, seed=seed
        )
        self.share = share

    def joined(self, overlay: DynamicOverlay, node: int) -> LinkChanges:
        """RepairRule, and let some exchange views."""
        done = super().joined(overlay, node)
        self.gossip(self.share)
        return done

    def left(
        self, overlay: DynamicOverlay, node: int, neighbours: NDArray[np.int32]
    ) -> LinkChanges:
        """RepairRule, and let some exchange views."""
        done = super().left(overlay, node, neighbours)
        self.gossip(self.share)
        return done


def maintain_strategies() -> dict[str, StrategyEntry]:
    """Return every strategy that has a name here: those of the list, and elasto-l.

    Examples
    --------
    >>> list(maintain_strategies())
    ['elasto-g', 'elasto-l', 'low-oda-inc', 'low-oda-re']
    """
    local = StrategyEntry(
        name="elasto-l",
        build=GossipingElastoL,
        summary=summary_of(GossipingElastoL),
        reference=find_strategy("elasto-g").reference,
        options=options_of("elasto-l", GossipingElastoL, exclude=("seed",)),
    )
    return dict(sorted({**strategies(), local.name: local}.items()))


@dataclass(frozen=True)
class Chosen:
    """A strategy for a run.

    Attributes
    ----------
    name
        What it is called.
    build
        Returns one to begin with. Of an object of one's own, that object.
    words
        What tells it from others.
    resumes
        Whether an interrupted run can go on: it remembers nothing, or gives what it remembers.
    own
        Whether it is an object of one's own.
    """

    name: str
    build: Callable[[], Strategy]
    words: str
    resumes: bool
    own: bool


def choose_strategy(
    strategy: str | Strategy, options: Mapping[str, Any] | None, seed: int
) -> Chosen:
    """Return the strategy of that name with these options, or an object that is one."""
    given = dict(options or {})
    if isinstance(strategy, str):
        known = maintain_strategies()
        if strategy not in known:
            raise ParameterError(f"no strategy is named {strategy!r}; there are {', '.join(known)}")
        entry = known[strategy]
        entry.options.check(given)
        resumes = strategy in strategies()
        return Chosen(
            strategy, lambda: entry(seed=seed, **given), words_of(strategy, given), resumes, False
        )
    kind = type(strategy)
    if isinstance(strategy, type) or not all(
        callable(getattr(strategy, name, None)) for name in ("begin", "joined", "left")
    ):
        raise ParameterError(
            f"strategy is {strategy!r}; expected the name of a strategy, or an object that has "
            "the methods begin, joined and left"
        )
    if given:
        raise ParameterError(
            f"the strategy is an object, and has no options; got {', '.join(given)}"
        )
    remembers = [callable(getattr(strategy, name, None)) for name in ("state", "restore")]
    plain = {
        name: value
        for name, value in getattr(strategy, "__dict__", {}).items()
        if isinstance(value, str | int | float)
    }
    words = words_of(f"{kind.__module__}.{kind.__qualname__}", plain)
    return Chosen(kind.__name__, lambda: strategy, words, all(remembers), True)


def words_of(name: str, options: Mapping[str, Any] | None, **more: Any) -> str:
    """Write a name and its options as one text, the same for the same."""
    return json.dumps([name, dict(sorted({**(options or {}), **more}.items()))])
