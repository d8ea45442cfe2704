"""Kernels that generate interests, follower graphs and publishers from random streams."""
