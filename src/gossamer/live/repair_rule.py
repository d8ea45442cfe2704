"""The repair rule of live nodes.

Its import, and its compilation where no compiled code is cached, take seconds, in which a running
machine would seem to fail. Therefore a node does both in a thread before its machine starts.
"""

from __future__ import annotations

from gossamer.model.repair import RepairRequest

SMALL_REPAIR = RepairRequest(
    topics=((0,), (0,)), degrees=(0, 0), links=(), must_connect=(True, True),
    preconnected=(False, False),
)  # fmt: skip
"""A request that needs all kernels of the rule."""


def repair_links(request: RepairRequest) -> list[tuple[int, int]]:
    """Apply the repair rule."""
    from gossamer.maintain import repair

    return repair.repair_links(request)


def compile_repair_rule() -> None:
    """Import the repair rule, and compile what is not cached."""
    repair_links(SMALL_REPAIR)
