"""What the program computes is what it computed: digests of results equal the stored ones."""

from __future__ import annotations

import pytest

from tests.golden import cases, program, spark

STORED = cases.load()


@pytest.mark.compiled
@pytest.mark.parametrize("name", cases.CASES)
def test_results_equal_the_stored_digests(name: str) -> None:
    assert cases.digests_of(name) == cases.of_case(name, STORED)


def test_every_digest_belongs_to_a_case() -> None:
    known = cases.CASES.keys() | spark.CASES.keys()
    assert {name.partition(": ")[0] for name in STORED} == known


@pytest.mark.parametrize("subject", cases.NAMES)
def test_every_registered_name_has_cases(subject: str) -> None:
    assert program.registered()[subject] == cases.NAMES[subject]
