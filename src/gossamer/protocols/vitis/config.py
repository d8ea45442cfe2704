"""Options of Vitis, and those that it shares with RVR."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gossamer.errors import ParameterError
from gossamer.options import setting
from gossamer.protocols.components.config import RoundConfig
from gossamer.protocols.components.profiles import MAX_HOPS
from gossamer.protocols.components.relays import MAX_RELAYED
from gossamer.protocols.components.rendezvous import Lookup
from gossamer.protocols.components.small_world import MAX_POPULATION

MAX_TABLE = 128


@dataclass(frozen=True, kw_only=True)
class RingConfig(RoundConfig):
    """A table of neighbours on a ring with small-world links."""

    table_size: int = setting(
        15, "Neighbours chosen by a node, two of them on the ring (paper).", 3, MAX_TABLE
    )
    max_in_degree: int = setting(
        0,
        "Maximum number of nodes that choose a node, besides ring neighbours; 0 for three times "
        "the table size (ours).",
        0,
        100_000,
    )
    population: int = setting(
        0,
        "Number of nodes, which bounds the length of small-world links from below; 0 for an "
        "estimate from the gaps between ring neighbours (ours).",
        0,
        MAX_POPULATION,
    )
    lookup: Lookup = setting(
        "links", "Next hops of lookups: links in both directions, or table entries (ours: links)."
    )
    max_paths: int = setting(
        8192, "Maximum number of relay paths from one neighbour (ours).", 1, MAX_RELAYED
    )
    flood: Literal["notify", "crosspost"] = setting(
        "notify", "Publications: pulled after a notification, or sent at once (paper: notify)."
    )

    @property
    def far_links(self) -> int:
        """Number of small-world links in a table."""
        raise NotImplementedError

    @property
    def friends(self) -> int:
        """Number of friends in a table."""
        return self.table_size - 2 - self.far_links

    @property
    def gateway_hops(self) -> int:
        """Hops from which a gateway no longer represents a node; 0 without gateways."""
        return 0

    @property
    def ends_at_subscribers(self) -> bool:
        """Whether a lookup ends at the first subscriber on its way."""
        return False

    @property
    def measures_rates(self) -> bool:
        """Whether publication rates are measured and reported in profiles."""
        return False

    @property
    def in_degree(self) -> int:
        """Maximum number of nodes that choose a node, besides ring neighbours."""
        return self.max_in_degree or 3 * self.table_size


@dataclass(frozen=True, kw_only=True)
class VitisConfig(RingConfig):
    """Link to friends with similar interests, and join the clusters of a topic by relay paths."""

    small_world_links: int = setting(1, "Small-world links in the table (paper).", 0, 126)
    max_gateway_hops: int = setting(
        5, "Maximum hops between a node and the gateway that represents it (paper).", 1, MAX_HOPS
    )
    inclusive_hops: bool = setting(
        True,
        "Whether that maximum itself is allowed, as in the text, or not, as in Algorithm 5 "
        "(ours: allowed).",
    )
    stop_at_subscribers: bool = setting(
        False, "Whether lookups end at the first subscriber on their way (ours: no, as the paper)."
    )
    weights: Literal["uniform", "measured"] = setting(
        "uniform", "Weights of topics: equal, or measured publication rates (paper)."
    )

    def check_together(self) -> None:
        """Require enough places for small-world links in the table."""
        if self.small_world_links > self.table_size - 2:
            raise ParameterError(
                f"small_world_links is {self.small_world_links} with table_size "
                f"{self.table_size}; expected 0 to {self.table_size - 2}, two are on the ring"
            )

    @property
    def far_links(self) -> int:
        """Number of small-world links in a table."""
        return self.small_world_links

    @property
    def gateway_hops(self) -> int:
        """Hops from which a gateway no longer represents a node."""
        return self.max_gateway_hops + self.inclusive_hops

    @property
    def ends_at_subscribers(self) -> bool:
        """Whether a lookup ends at the first subscriber on its way."""
        return self.stop_at_subscribers

    @property
    def measures_rates(self) -> bool:
        """Whether publication rates are measured and reported in profiles."""
        return self.weights == "measured"
