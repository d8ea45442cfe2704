"""Kernels that grow, prune and improve trees of bounded radius, and stars."""
