"""Design with full knowledge: interests in, overlay out; one module per algorithm or family.

``gossamer.design(interests, "low-oda", rho=3)`` runs an algorithm by name and verifies its overlay.
"""

from gossamer.callable_package import call_as
from gossamer.design.registry import Algorithm, algorithms, find_algorithm
from gossamer.design.verified_design import Design, design

__all__ = ["Algorithm", "Design", "algorithms", "design", "find_algorithm"]

call_as(__name__, "design")
