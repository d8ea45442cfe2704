"""StaN's decisions against exhaustive searches; its hashes and sketches."""

from __future__ import annotations

import math
import statistics
import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st

from gossamer.protocols.components.hashes import HASHES, hash_of, hash_of_pair, token_of
from gossamer.protocols.components.kmv_sketch import KEPT, KmvSketch, merge_hashes
from gossamer.protocols.stan.policy import best_swap, heaviest, lightest, view_size, weight

PEERS = st.one_of(st.integers(0, 50), st.text(min_size=1, max_size=8))


@given(PEERS, PEERS)
def test_link_weights_are_symmetric(one: int | str, other: int | str) -> None:
    assert weight(one, other) == weight(other, one)
    assert 0 <= weight(one, other) <= HASHES


def test_link_weights_are_uniform() -> None:
    weights = [weight(a, b) / HASHES for a in range(60) for b in range(a)]
    assert abs(statistics.fmean(weights) - 0.5) < 0.02
    tenths = [sum(k / 10 <= w < (k + 1) / 10 for w in weights) for k in range(10)]
    assert min(tenths) > 0.8 * len(weights) / 10
    # Near names are not near in weight: of one node's links, the order is another for each node.
    first = sorted(range(10, 40), key=lambda peer: weight(0, peer))
    assert first != sorted(range(10, 40), key=lambda peer: weight(1, peer))


def test_hashes_are_equal_in_every_process() -> None:
    code = (
        "from gossamer.protocols.components.hashes import *;"
        "print(hash_of(7), hash_of('host:1'), hash_of_pair('a', 3), token_of('news'), token_of(5))"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    here = (hash_of(7), hash_of("host:1"), hash_of_pair("a", 3), token_of("news"), token_of(5))
    assert said == {" ".join(map(str, here)) + "\n"}


def test_tokens_of_numbers_and_strings_differ() -> None:
    assert token_of(5) != token_of("5")


@given(st.integers(0, 100_000), st.integers(0, 10))
def test_view_size_is_logarithmic(subscribers: int, slack: int) -> None:
    size = view_size(subscribers, slack)
    if subscribers < 2:
        assert size == 0
    else:
        assert 1 <= size < subscribers
        assert size in (math.ceil(math.log(subscribers)) + slack, subscribers - 1)


@given(
    st.integers(0, 30),
    st.lists(st.integers(0, 30), unique=True, max_size=10),
    st.integers(0, 30),
    st.integers(0, 30),
)
def test_best_swap_equals_exhaustive_search(
    me: int, view: list[int], offering: int, given_up: int
) -> None:
    view = [peer for peer in view if peer != me]

    def gain(y: int) -> int:
        before = weight(offering, given_up) + weight(me, y)
        return before - weight(offering, me) - weight(given_up, y)

    gains = {y: gain(y) for y in view if y not in (offering, given_up) and gain(y) > 0}
    found = best_swap(me, view, offering, given_up, lambda peer: weight(me, peer))
    if not gains:
        assert found is None
    else:
        assert found is not None
        assert gains[int(found)] == max(gains.values())


@given(
    st.lists(st.integers(0, 20), min_size=1),
    st.lists(st.integers(0, 20), unique=True, max_size=6),
)
def test_lightest_peer_is_outside_the_view(seen: list[int], view: list[int]) -> None:
    def weigh(peer: int | str) -> int:
        return weight(99, peer)

    found = lightest([*seen, 99], view, 99, weigh)
    new = [peer for peer in seen if peer not in view]
    assert found == (min(new, key=weigh) if new else None)
    assert heaviest(seen, weigh) == max(seen, key=weigh)


@given(st.sets(st.integers(0, HASHES)), st.sets(st.integers(0, HASHES)))
def test_sketches_merge_in_any_order(some: set[int], others: set[int]) -> None:
    both = merge_hashes(some, others)
    assert both == merge_hashes(others, some) == tuple(sorted(some | others)[:KEPT])
    assert merge_hashes(both, some) == both


def test_sketch_estimates_are_exact_when_small() -> None:
    for count in (0, 1, 5, KEPT - 1):
        sketch = KmvSketch()
        sketch.add(hash_of(f"node {n}") for n in range(count))
        assert sketch.estimate() == count
    errors = []
    for trial in range(50):
        sketch = KmvSketch()
        sketch.add(hash_of(f"{trial}/{n}") for n in range(2000))
        errors.append(math.log(sketch.estimate() / 2000))
    assert abs(statistics.fmean(errors)) < 0.15
    assert statistics.pstdev(errors) < 0.4


def test_sketches_forget_after_two_periods() -> None:
    sketch = KmvSketch()
    sketch.add([1, 2, 3])
    sketch.start_period()
    sketch.add([1])
    assert sketch.estimate() == 3
    sketch.start_period()
    assert sketch.estimate() == 1
