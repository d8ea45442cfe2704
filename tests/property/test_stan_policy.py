"""StaN's decisions against exhaustive searches; its hashes and sketches."""

from __future__ import annotations

import math
import statistics
import subprocess
import sys
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from gossamer.protocols.components.hashes import HASHES, hash_of, hash_of_pair, token_of
from gossamer.protocols.components.kmv_sketch import KEPT, KmvSketch, merge_hashes
from gossamer.protocols.contract import Peer
from gossamer.protocols.stan.policy import (
    DOUBLE,
    Offer,
    best_swap,
    heaviest,
    lightest,
    view_size,
    weight,
)

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


@st.composite
def offers(draw: st.DrawFn, node: int) -> Offer:
    """Return links of a node, some of them double."""
    peers = st.lists(st.integers(0, 12).filter(lambda peer: peer != node), unique=True, max_size=5)
    return Offer(node, draw(peers), draw(peers))


def total_weight(offer: Offer, links: set[Peer]) -> int:
    return sum(DOUBLE if peer in offer.others else weight(offer.node, peer) for peer in links)


def swapped_weight(one: Offer, other: Offer, taken: set[Peer], given: set[Peer]) -> int | None:
    """Return the weight after a swap; None if it is not allowed."""
    for giver, taker, moved in ((one, other, taken), (other, one, given)):
        if taker.node in moved or moved & {*taker.owned, *taker.others}:
            return None
        assert moved <= {*giver.owned}
    new = sum(weight(other.node, x) for x in taken) + sum(weight(one.node, y) for y in given)
    kept = (total_weight(one, {*one.owned} - taken), total_weight(other, {*other.owned} - given))
    return new + sum(kept)


@given(offers(0), offers(1))
def test_best_swap_equals_exhaustive_search(one: Offer, other: Offer) -> None:
    before = total_weight(one, {*one.owned}) + total_weight(other, {*other.owned})
    pairs, gain = best_swap(one, other, lambda peer: weight(one.node, peer))
    taken, given = {x for x, _ in pairs}, {y for _, y in pairs}
    assert len(taken) == len(given) == len(pairs)
    assert swapped_weight(one, other, taken, given) == before - gain
    sizes = range(min(len(one.owned), len(other.owned)) + 1)
    weights = [
        swapped_weight(one, other, set(some), set(others))
        for size in sizes
        for some in combinations(one.owned, size)
        for others in combinations(other.owned, size)
    ]
    assert before - gain == min(found for found in weights if found is not None)


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
