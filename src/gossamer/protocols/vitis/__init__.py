"""Vitis: friends by interest on a ring with small-world links, and relay paths between clusters."""

from __future__ import annotations

from typing import Literal

from gossamer.errors import ParameterError
from gossamer.protocols.components.neighbour_table import make_pace
from gossamer.protocols.components.newscast import make_newscast
from gossamer.protocols.components.profiles import MAX_HOPS
from gossamer.protocols.components.small_world import MAX_POPULATION
from gossamer.protocols.contract import NodeContext
from gossamer.protocols.registry import protocol
from gossamer.protocols.vitis.machine import Settings, Vitis
from gossamer.protocols.vitis.messages import BACKGROUND_MESSAGES, MESSAGES

__all__ = ["MAX_TABLE", "REFERENCE", "Vitis", "build", "vitis"]

REFERENCE = "Rahimian, Girdzijauskas, Payberah, Haridi: Vitis, IPDPS 2011"
MAX_TABLE = 128


@protocol(
    "vitis",
    reference=REFERENCE,
    messages=MESSAGES,
    background=BACKGROUND_MESSAGES,
    topic_connected=False,
    delivers=True,
)
def vitis(
    context: NodeContext,
    *,
    table: int = 15,
    sw: int = 1,
    d: int = 5,
    most: int = 0,
    population: int = 10_000,
    weights: Literal["uniform", "measured"] = "uniform",
    every: float = 1.0,
    missed: int = 5,
    view_size: int = 20,
    shuffle: float = 1.0,
    flood: Literal["notify", "crosspost"] = "notify",
) -> Vitis:
    """Link to friends with like interests, and join clusters of a topic by relay paths.

    Parameters
    ----------
    context
        Who and where the node is.
    table
        How many neighbours a node chooses: two on the ring, small-world links, and friends.
    sw
        How many small-world links there are.
    d
        A gateway represents those who are fewer hops away from it than this.
    most
        How many others may have chosen a node, besides on the ring; 0 for three times the table.
    population
        How many nodes there are, about: no small-world link is shorter than the ring by this.
    weights
        Whether all topics count alike among friends, or by what is published on them.
    every, missed
        Seconds in a round, and for how many of them a neighbour may be silent.
    view_size, shuffle
        Of the peer sampling without an oracle: descriptors in a view, seconds between exchanges.
    flood
        Whether neighbours are told that there is something and pull it, or get it at once.
    """
    if not 1 <= d <= MAX_HOPS:
        raise ParameterError(f"d is {d} hops; expected 1 to {MAX_HOPS}")
    check_table(table, sw)
    return build(
        context,
        Settings(sw, table - 2 - sw, d, population, weights == "measured"),
        most=most or 3 * table,
        every=every,
        missed=missed,
        view_size=view_size,
        shuffle=shuffle,
        flood=flood,
    )


def check_table(table: int, sw: int) -> None:
    """Say what is wrong with a table's size."""
    if not 3 <= table <= MAX_TABLE:
        raise ParameterError(f"table is {table} links; expected 3 to {MAX_TABLE}")
    if not 0 <= sw <= table - 2:
        raise ParameterError(
            f"sw is {sw} links of a table of {table}; expected 0 to {table - 2}, two are the ring's"
        )


def build(
    context: NodeContext,
    settings: Settings,
    *,
    most: int,
    every: float,
    missed: int,
    view_size: int,
    shuffle: float,
    flood: Literal["notify", "crosspost"],
) -> Vitis:
    """Build a machine, after checking what Vitis and RVR have in common."""
    if not 1 <= most <= 100_000:
        raise ParameterError(f"most is {most} links; expected 1 to 100000, or 0 for what is usual")
    if not 2 <= settings.population <= MAX_POPULATION:
        raise ParameterError(f"population is {settings.population}; expected 2 to {MAX_POPULATION}")
    return Vitis(
        context,
        settings,
        make_pace(every, missed),
        make_newscast(context, view_size=view_size, shuffle=shuffle),
        most=most,
        flood=flood,
    )
