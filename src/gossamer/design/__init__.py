"""Interests → Overlay with full knowledge: a file is an algorithm, or a family of them."""

from gossamer.design.registry import Algorithm, algorithms, find_algorithm

__all__ = ["Algorithm", "algorithms", "find_algorithm"]
