"""Kernels for one gossip round of all nodes, and for queries of interest views."""
