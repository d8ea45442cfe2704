"""Cycle-driven simulation of Vitis, RVR and OPT: kernels advance all nodes by one round."""

from gossamer.cycles.simulation import RoundSimulation, simulate_rounds

__all__ = ["RoundSimulation", "simulate_rounds"]
