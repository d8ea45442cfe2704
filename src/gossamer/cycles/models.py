"""Protocols of the cycle-driven engine, with their options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.cycles.events import EventWorld
from gossamer.cycles.opt import OverlayPerTopic
from gossamer.cycles.population import Numbered
from gossamer.cycles.rendezvous import Rendezvous
from gossamer.errors import ParameterError
from gossamer.options import Options, options_of, summary_of
from gossamer.protocols.components.rendezvous import Lookup

Rates = NDArray[np.float64] | None


@dataclass(frozen=True)
class CycleModel:
    """Protocol of the cycle-driven engine.

    Attributes
    ----------
    name, summary
        Name, and description in a line.
    build
        Builds a world from numbered interests, rates, a seed and options.
    options
        Options of the protocol.
    has_ring
        Whether nodes form a ring, with a rendezvous node on it for each topic.
    """

    name: str
    build: Callable[..., EventWorld]
    options: Options
    summary: str
    has_ring: bool


def vitis(
    numbered: Numbered,
    rates: Rates,
    seed: int,
    *,
    table_size: int = 15,
    small_world_links: int = 1,
    max_in_degree: int = 0,
    population: int = 0,
    max_gateway_hops: int = 5,
    inclusive_hops: bool = True,
    lookup: Lookup = "links",
    stop_at_subscribers: bool = False,
    through: bool = True,
    one_way: bool = False,
    refresh: int = 3,
    view_size: int = 20,
    missed_heartbeats: int = 5,
    ring_share: float = 1 / 3,
) -> Rendezvous:
    """Link to friends, along a ring and across it; gateways connect a topic's clusters."""
    return Rendezvous(
        numbered, table_size=table_size, small_world_links=small_world_links,
        max_in_degree=max_in_degree, population=population, max_gateway_hops=max_gateway_hops,
        inclusive_hops=inclusive_hops, lookup=lookup, stop_at_subscribers=stop_at_subscribers,
        through=through, one_way=one_way, refresh=refresh, view_size=view_size,
        missed_heartbeats=missed_heartbeats, ring_share=ring_share, rates=rates, seed=seed,
    )  # fmt: skip


def rvr(
    numbered: Numbered,
    rates: Rates,
    seed: int,
    *,
    table_size: int = 15,
    max_in_degree: int = 0,
    population: int = 0,
    lookup: Lookup = "links",
    refresh: int = 3,
    view_size: int = 20,
    missed_heartbeats: int = 5,
    ring_share: float = 1 / 3,
) -> Rendezvous:
    """Link by a ring and the small world alone; every subscriber looks up the rendezvous node."""
    return Rendezvous(
        numbered, by_subscribers=True, table_size=table_size,
        small_world_links=max(table_size - 2, 0), max_in_degree=max_in_degree,
        population=population, lookup=lookup, refresh=refresh, view_size=view_size,
        missed_heartbeats=missed_heartbeats, ring_share=ring_share, seed=seed,
    )  # fmt: skip


def opt(
    numbered: Numbered,
    rates: Rates,
    seed: int,
    *,
    cover: int = 3,
    bound: int = 0,
    view_size: int = 20,
    missed_heartbeats: int = 5,
) -> OverlayPerTopic:
    """Build an overlay per topic by interest coverage; events flood among subscribers."""
    return OverlayPerTopic(
        numbered, cover=cover, bound=bound, view_size=view_size,
        missed_heartbeats=missed_heartbeats, seed=seed,
    )  # fmt: skip


MODELS = {
    build.__name__: CycleModel(
        name=build.__name__,
        build=build,
        options=options_of(build.__name__, build, positional=("numbered", "rates", "seed")),
        summary=summary_of(build),
        has_ring=build is not opt,
    )
    for build in (opt, rvr, vitis)
}


def find_model(name: str) -> CycleModel:
    """Return the protocol of that name in the cycle-driven engine."""
    if name not in MODELS:
        raise ParameterError(
            f"{name} has no cycle-driven simulation; expected one of {', '.join(MODELS)}"
        )
    return MODELS[name]
