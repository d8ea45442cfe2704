"""A deterministic world: virtual time, a network with faults, nodes that come and go.

The machines are those that run live; this package gives them a clock and a wire.
"""

from gossamer.sim.churn import draw_sessions, parse_churn
from gossamer.sim.disseminating import disseminate
from gossamer.sim.running import Simulation, simulate
from gossamer.sim.world import World

__all__ = ["Simulation", "World", "disseminate", "draw_sessions", "parse_churn", "simulate"]
