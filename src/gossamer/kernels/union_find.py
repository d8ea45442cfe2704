"""Union–find by path halving: O(log n) amortised a step, one array of parents."""

from __future__ import annotations

from gossamer.kernels.jit import Int32s, Int64s, kernel


@kernel
def root_of(parents: Int32s | Int64s, member: int) -> int:
    """Return the representative of a member's set, its lowest member; halve the path to it."""
    while parents[member] != member:
        parents[member] = parents[parents[member]]
        member = parents[member]
    return member


@kernel
def unite(parents: Int32s | Int64s, one: int, other: int) -> bool:
    """Merge the sets of two members; return whether they were different sets."""
    one, other = root_of(parents, one), root_of(parents, other)
    parents[max(one, other)] = min(one, other)
    return one != other
