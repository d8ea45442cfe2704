"""Cycle-driven engine for Vitis, RVR and OPT: kernels advance all nodes by one cycle."""

from gossamer.cycles.simulation import CycleRun, run_cycles

__all__ = ["CycleRun", "run_cycles"]
