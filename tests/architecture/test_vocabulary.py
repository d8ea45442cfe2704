"""The field's words in sources, documents and names of tests, as the glossary has them."""

from __future__ import annotations

from tests.architecture.vocabulary import RETIRED, uses


def test_retired_words_are_not_used() -> None:
    found = list(uses())
    lines = "\n".join(
        f"{use.place}: …{use.text.strip()}… -> {RETIRED.get(use.pattern, 'MAX_X, MIN_X')}"
        for use in found
    )
    assert not found, f"words of the glossary in place of retired ones:\n{lines}"
