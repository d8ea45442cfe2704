"""Views of StaN against literal versions."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gossamer.protocols.contract import Peer
from gossamer.protocols.stan.policy import MAX_WEIGHED, Offer, weight, weights_of
from gossamer.protocols.stan.views import MAX_CANDIDATES, MAX_HEARD, TopicView

ME = 0
Walk = tuple[tuple[Peer, tuple[Peer, ...], tuple[Peer, ...]], ...]
WALKS = st.lists(
    st.lists(st.integers(0, 14), max_size=6).map(
        lambda nodes: tuple((node, (node + 1,), (place,)) for place, node in enumerate(nodes))
    ),
    max_size=3 * MAX_HEARD,
)


def latest_met(walks: list[Walk]) -> list[tuple[Peer, Offer]]:
    """Return the candidates if each node that a walk collected is noted at once."""
    candidates: dict[Peer, Offer] = {}
    for walk in walks:
        for node, owned, held in walk:
            if node != ME:
                candidates.pop(node, None)
                if len(candidates) >= MAX_CANDIDATES:
                    del candidates[next(iter(candidates))]
                candidates[node] = Offer(node, owned, held)
    return list(candidates.items())


@given(WALKS, st.integers(1, 9))
def test_candidates_are_the_nodes_met_last(walks: list[Walk], every: int) -> None:
    view = TopicView("t", 1, 0)
    for number, walk in enumerate(walks, start=1):
        view.hear(walk, ME)
        assert len(view.heard) <= MAX_HEARD
        if number % every == 0:
            view.update_candidates(ME)
            assert list(view.candidates.items()) == latest_met(walks[:number])
    view.update_candidates(ME)
    assert list(view.candidates.items()) == latest_met(walks)
    assert not view.heard


def test_weights_are_bounded() -> None:
    weights = weights_of("here")
    assert weights is weights_of("here")
    for peer in range(MAX_WEIGHED + 5):
        assert weights[peer] == weight("here", peer)
        assert len(weights) <= MAX_WEIGHED
