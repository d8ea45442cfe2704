"""A deterministic world: virtual time, a network with faults, nodes that come and go.

The machines are those that run live; this package gives them a clock and a wire.
"""

from gossamer.sim.churn import FlashCrowd, draw_sessions, parse_churn, with_flash_crowd
from gossamer.sim.disseminating import disseminate
from gossamer.sim.rounds.running import RoundSimulation, simulate_rounds
from gossamer.sim.running import Simulation, simulate
from gossamer.sim.superpeers import superpeer_sessions
from gossamer.sim.world import World

__all__ = [
    "FlashCrowd",
    "RoundSimulation",
    "Simulation",
    "World",
    "disseminate",
    "draw_sessions",
    "parse_churn",
    "simulate",
    "simulate_rounds",
    "superpeer_sessions",
    "with_flash_crowd",
]
