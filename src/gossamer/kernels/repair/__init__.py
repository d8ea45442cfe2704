"""Kernels that repair and reinforce overlays, and choose backup nodes."""
