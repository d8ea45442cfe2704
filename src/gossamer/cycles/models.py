"""The protocols that can be run in rounds, each with its options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.cycles.events import EventWorld
from gossamer.cycles.opt import OverlayPerTopic
from gossamer.cycles.population import Numbered
from gossamer.cycles.rendezvous import Lookup, Rendezvous
from gossamer.errors import ParameterError
from gossamer.registry import Options, options_of, summary_of

__all__ = ["MODELS", "RoundModel", "find_model"]

Rates = NDArray[np.float64] | None


@dataclass(frozen=True)
class RoundModel:
    """A protocol in rounds: how its world is built, with which options.

    ``ringed``: whether nodes form a ring, with a rendezvous node on it for each topic.
    """

    name: str
    build: Callable[..., EventWorld]
    options: Options
    summary: str
    ringed: bool


def vitis(
    numbered: Numbered,
    rates: Rates,
    seed: int,
    *,
    table_size: int = 15,
    small_world_links: int = 1,
    max_gateway_hops: int = 5,
    at_most: bool = False,
    lookup: Lookup = "links",
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
        max_gateway_hops=max_gateway_hops, at_most=at_most, lookup=lookup, through=through,
        one_way=one_way, refresh=refresh, view_size=view_size,
        missed_heartbeats=missed_heartbeats, ring_share=ring_share, rates=rates, seed=seed,
    )  # fmt: skip


def rvr(
    numbered: Numbered,
    rates: Rates,
    seed: int,
    *,
    table_size: int = 15,
    lookup: Lookup = "links",
    refresh: int = 3,
    view_size: int = 20,
    missed_heartbeats: int = 5,
    ring_share: float = 1 / 3,
) -> Rendezvous:
    """Link by a ring and the small world alone; every subscriber looks up the rendezvous node."""
    return Rendezvous(
        numbered, everybody=True, table_size=table_size,
        small_world_links=max(table_size - 2, 0), lookup=lookup, refresh=refresh,
        view_size=view_size, missed_heartbeats=missed_heartbeats, ring_share=ring_share, seed=seed,
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
        numbered,
        cover=cover,
        bound=bound,
        view_size=view_size,
        missed_heartbeats=missed_heartbeats,
        seed=seed,
    )


MODELS = {
    build.__name__: RoundModel(
        name=build.__name__,
        build=build,
        options=options_of(build.__name__, build),
        summary=summary_of(build),
        ringed=build is not opt,
    )
    for build in (opt, rvr, vitis)
}


def find_model(name: str) -> RoundModel:
    """Return the protocol of that name in rounds, or say which there are."""
    if name not in MODELS:
        raise ParameterError(f"{name} cannot be run in rounds; {', '.join(MODELS)} can")
    return MODELS[name]
