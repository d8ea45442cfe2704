"""Incremental counts of a task against the figures of the paper."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gossamer.protocols.spidercast.maintenance_task import CoverageAim, LinkQuota, Task
from gossamer.protocols.spidercast.policy import (
    disconnect_candidates,
    more_random_coverage,
    redirect_candidates,
)

TOPICS = st.sets(st.integers(0, 5)).map(lambda found: tuple(sorted(found)))


def calc_k_uncovered(interest: tuple[int, ...], neighbors: list[tuple[int, ...]], k: int) -> int:
    """Figure 3, lines 1-7, literally."""
    u = 0
    for topic in interest:
        cover = [node for node in neighbors if topic in node]
        if len(cover) < k:
            u = u + 1
    return u


@given(
    TOPICS,
    st.integers(0, 3),
    st.lists(st.tuples(st.sampled_from("+-~wk"), st.integers(0, 5), TOPICS), max_size=20),
)
def test_coverage_counts_follow_the_paper(
    own: tuple[int, ...], k: int, steps: list[tuple[str, int, tuple[int, ...]]]
) -> None:
    aim = CoverageAim(k, greedy=True)
    task = Task(0, aim, margin=5)
    task.set_topics(own)
    theirs: dict[int, tuple[int, ...]] = {}
    for what, peer, topics in steps:
        if what == "+":
            task.add(peer, 1, 1, topics)
            theirs[peer] = topics
        elif what == "-":
            assert task.remove(peer) == (theirs.pop(peer, None) is not None)
        elif what == "~" and peer in theirs:
            task.update_topics(peer, topics)
            theirs[peer] = topics
        elif what == "w":
            own = topics
            task.set_topics(own)
        elif what == "k":
            k = peer % 4
            aim.set_k(k)
        assert aim.most == k * len(own)
        assert aim.missing == calc_k_uncovered(own, list(theirs.values()), k)
        for one in theirs:
            rest = [topics for other, topics in theirs.items() if other != one]
            lost = aim.lost_without(task.neighbours[one].shared)
            assert aim.missing + lost == calc_k_uncovered(own, rest, k)


@given(st.integers(0, 4), st.lists(st.integers(0, 5), max_size=12))
def test_link_quota_counts_neighbours(quota: int, peers: list[int]) -> None:
    aim = LinkQuota(quota, alike=False)
    task = Task(0, aim, margin=5)
    task.set_topics((1, 2))
    for peer in peers:
        if peer in task.neighbours:
            task.remove(peer)
        else:
            task.add(peer, 1, 1, (2,))
        degree = len(task.neighbours)
        assert aim.missing == max(0, quota - degree)
        if degree:
            assert aim.missing + aim.lost_without(()) == max(0, quota - (degree - 1))


NEIGHBOURS = st.lists(
    st.tuples(st.integers(), st.integers(0, 9), st.integers(0, 9), st.integers(0, 4)), max_size=8
)


@given(NEIGHBOURS)
def test_disconnect_candidates(neighbours: list[tuple[int, int, int, int]]) -> None:
    high = [one for one in neighbours if one[1] >= one[2]]
    found, least = disconnect_candidates(neighbours)
    assert found == [one[0] for one in high if one[3] == min(other[3] for other in high)]
    assert least == min((one[3] for one in high), default=0)


@given(NEIGHBOURS, st.integers(0, 5))
def test_redirect_candidates(neighbours: list[tuple[int, int, int, int]], margin: int) -> None:
    free = [one for one in neighbours if one[1] < one[2] + margin]
    most = max((one[3] for one in free), default=0)
    assert redirect_candidates(neighbours, margin) == [one[0] for one in free if one[3] == most]


def test_random_coverage_grows_by_degree() -> None:
    """§3.3.1 as a table: (K_r, degree, subscriptions) and whether K_r grows."""
    cases = {
        (0, 3, 10): True, (0, 2, 10): False, (0, 4, 10): False,
        (1, 9, 10): True, (1, 10, 10): False, (3, 5, 10): True, (4, 5, 10): False,
    }  # fmt: skip
    for (kr, degree, interest), grows in cases.items():
        assert more_random_coverage(3, kr, degree, interest) is grows
