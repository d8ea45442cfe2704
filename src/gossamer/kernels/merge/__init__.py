"""Kernels that merge topic components: scan for pairs, link them, span what is left."""
