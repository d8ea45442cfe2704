"""Numba kernels: arrays in, arrays out. Imports nothing else of gossamer."""
