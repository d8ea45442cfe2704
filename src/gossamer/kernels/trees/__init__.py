"""Kernels that grow, prune and reshape trees of bounded radius, and stars."""
