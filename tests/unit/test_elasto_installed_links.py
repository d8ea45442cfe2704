"""ElastO: links of a design replace those from before it, also at nodes that receive it later."""

from __future__ import annotations

from gossamer.protocols.contract import InstallLinks, Link, Send, TimerExpired, Unlink
from gossamer.protocols.elasto.machine import HEARTBEAT
from gossamer.protocols.elasto.messages import LinkDisconnect, NodeProfile, VersionHeartbeat
from tests.unit.test_elasto_upgrader import RING, Driver, P, Q, described, sent


def named_epochs(driver: Driver) -> dict[object, int]:
    """Return the epoch that the next heartbeat to each peer names."""
    driver.timers.pop(HEARTBEAT)
    out = driver.do(TimerExpired(HEARTBEAT), after=10)
    return {
        effect.peer: effect.message.epoch
        for effect in out
        if isinstance(effect, Send)
        and isinstance(effect.message, NodeProfile | VersionHeartbeat)
        and effect.message.linked
    }


def test_links_from_before_a_design_do_not_count_as_its_links() -> None:
    """A node that has heard of a design, and not received it, still has its earlier links."""
    early = Driver(("a",))
    assert Link(P) in early.receive(P, NodeProfile(described(P), True, 0))
    early.receive(RING[0], NodeProfile(described(RING[0], topics=()), False, 1))
    assert early.machine.epoch == 1
    assert named_epochs(early) == {P: 0}

    installed = Driver(("a",))
    installed.do(InstallLinks(((Q, ("a",)),), 1))
    out = installed.receive(P, NodeProfile(described(P), True, 0))
    assert sent(out, LinkDisconnect) == [(P, LinkDisconnect(1))]
    assert list(installed.machine.linked()) == [Q]
    assert early.receive(P, LinkDisconnect(1)) == [Unlink(P)]


def test_links_of_a_design_are_adopted_at_both_ends() -> None:
    driver = Driver(("a",))
    driver.receive(P, NodeProfile(described(P), True, 0))
    driver.do(InstallLinks(((P, ("a",)),), 3))
    assert named_epochs(driver) == {P: 3}
    assert Link(Q) in driver.receive(Q, NodeProfile(described(Q), True, 4))
    assert named_epochs(driver) == {P: 3, Q: 4}
    assert driver.machine.epoch == 4
