"""Event-driven simulation: virtual time, a network with faults, nodes that join and leave."""

from gossamer.sim.dissemination import disseminate
from gossamer.sim.result import Engine, Recording, Simulation
from gossamer.sim.scenario_file import read_scenario, write_scenario
from gossamer.sim.simulation import simulate
from gossamer.sim.world import World

__all__ = [
    "Engine",
    "Recording",
    "Simulation",
    "World",
    "disseminate",
    "read_scenario",
    "simulate",
    "write_scenario",
]
