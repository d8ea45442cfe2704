"""Kernels of cycle-driven gossip protocols, and of interest views."""
