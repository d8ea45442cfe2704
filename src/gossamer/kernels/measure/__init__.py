"""Kernels that measure overlays and interests: components, diameters, bridges, bounds."""
