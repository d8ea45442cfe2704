"""Kernels that merge topic components: scans for pairs, links, spans."""
