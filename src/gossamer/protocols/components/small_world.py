"""Small-world links and their lengths on the ring (Symphony, Manku et al., USITS 2003).

If the length of links has a harmonic distribution, greedy lookups take O(log² n / k) hops for k
such links. In Vitis (§III-A1) a node links to the known node that is closest to the link's target.

The length of each link is drawn once, in either direction. If it were drawn at each selection,
links and the paths over them would never converge.
"""

from __future__ import annotations

import math

from gossamer.protocols.components.identifiers import SPACE, identifier_of_node
from gossamer.protocols.contract import Peer
from gossamer.random_stream import Stream

MAX_POPULATION = 1 << 48


def harmonic_share(unit: float, population: int) -> float:
    """Return the length of a link as a share of the ring: from 1/n to a half.

    Parameters
    ----------
    unit
        Uniform random number from 0 to 1.
    population
        Approximate number of nodes.

    Examples
    --------
    >>> harmonic_share(0.0, 1000), harmonic_share(1.0, 1000)
    (0.5, 0.001)
    """
    return 0.5 * math.pow(max(population, 2) / 2, -unit)


def draw_targets(me: Peer, count: int, population: int, random: Stream) -> tuple[int, ...]:
    """Draw the targets of a node's small-world links."""
    here = identifier_of_node(me)
    targets = []
    for _ in range(count):
        distance = int(harmonic_share(random.next_u64() / SPACE, population) * SPACE)
        targets.append((here + (distance if random.randbelow(2) else -distance)) % SPACE)
    return tuple(targets)
