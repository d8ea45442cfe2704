"""Other interpretations of CD-ODA-II and 2D-ODA: as printed, they are the algorithms themselves."""

from __future__ import annotations

import pytest

from gossamer.design.constant_diameter import cd_oda_2, two_d_oda
from gossamer.studies.td_cd_oda.checks import opposite_trends, slight_trend
from gossamer.studies.td_cd_oda.interpretations import (
    cd_oda_2_degrees,
    interest_matrix,
    two_d_oda_degrees,
)
from gossamer.workloads import generate_interests


@pytest.mark.parametrize("seed", range(4))
def test_printed_formulas_give_the_degrees_of_the_algorithms(seed: int) -> None:
    interests = generate_interests("uniform", nodes=40, topics=15, subscriptions=4, seed=seed)
    matrix = interest_matrix(interests)
    printed = cd_oda_2_degrees(matrix, once=False, whole_reach=False)
    assert printed.mean() == pytest.approx(cd_oda_2(interests).degrees.mean())
    assert printed.tolist() == cd_oda_2(interests).degrees.tolist()
    stars = two_d_oda_degrees(matrix, all_topics=False, count_linked=False)
    assert stars.mean() == pytest.approx(two_d_oda(interests).degrees.mean(), rel=0.15)


def test_other_interpretations_have_other_links() -> None:
    interests = generate_interests("uniform", nodes=40, topics=15, subscriptions=4, seed=1)
    matrix = interest_matrix(interests)
    printed = cd_oda_2_degrees(matrix, once=False, whole_reach=False).sum()
    assert cd_oda_2_degrees(matrix, once=False, whole_reach=True).sum() > printed
    others = {
        two_d_oda_degrees(matrix, all_topics=all_topics, count_linked=linked).sum()
        for all_topics in (False, True)
        for linked in (False, True)
    }
    assert len(others) > 1


def test_checks_of_trends() -> None:
    rows = [f"{n}" for n in range(4)]
    seen = {
        "slow": dict(zip(rows, [10.0, 10.2, 10.3, 10.4], strict=True)),
        "fast": dict(zip(rows, [10.0, 12.0, 14.0, 16.0], strict=True)),
        "down": dict(zip(rows, [9.0, 8.0, 6.0, 5.0], strict=True)),
    }
    assert slight_trend(seen, "up", "slow", 10)
    assert not slight_trend(seen, "up", "fast", 10)
    assert not slight_trend(seen, "down", "slow", 10)
    assert opposite_trends(seen, "fast", "down", "*")
    assert not opposite_trends(seen, "fast", "slow", "*")
    assert not opposite_trends(seen, "down", "fast", "*")
