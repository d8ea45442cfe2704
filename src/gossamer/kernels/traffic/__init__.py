"""Kernels that forward publications: floods, rendezvous routing and relay paths."""
