"""Kernels for drawings of overlays: positions of nodes, and groups of similar interests."""
