"""A deterministic world: virtual time, a network with faults, nodes that join and leave."""

from gossamer.sim.dissemination import disseminate
from gossamer.sim.simulation import Simulation, simulate
from gossamer.sim.world import World

__all__ = ["Simulation", "World", "disseminate", "simulate"]
