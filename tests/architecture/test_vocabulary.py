"""The field's words in sources, documents and names of tests, as the glossary has them."""

from __future__ import annotations

from tests.architecture.vocabulary import CONSTANT, RETIRED, uses

PENDING = {
    r"t(old|ells?|elling)",
    r"(no|some|every|any)(body|one)",
    r"anew",
    r"who(so)?ever",
    r"so many",
    r"(hangs?|hung) together",
    r"in pieces",
    r"hangings?|hook(s|ed)?|unhook(s|ed)?",
    r"firsts|nexts|befores|ups",
    r"wound(s|ed)?|mend(s|ed|ing)?",
    r"upkeep",
    r"contenders?",
    r"wish(es|ed)?",
    r"(un)?settl(e|es|ed|ing|ement|ements)",
    r"parted",
    r"who is (there|present)|who are there",
    r"(?<!ascii )letters?",
    r"goodbyes?",
    r"(?<!re)enlist(s|ed|ing)?",
    r"seldom",
    r"what came of|what is said",
    r"artefacts?",
    r"own options",
    r"catalogues?",
    r"needless(ly)?",
}
"""Words that are not yet replaced everywhere."""


def test_retired_words_are_not_used() -> None:
    found = [use for use in uses() if use.pattern not in PENDING]
    lines = "\n".join(
        f"{use.place}: …{use.text.strip()}… -> {RETIRED.get(use.pattern, 'MAX_X, MIN_X')}"
        for use in found
    )
    assert not found, f"words of the glossary in place of retired ones:\n{lines}"


def test_pending_words_are_on_the_list() -> None:
    assert {*RETIRED, CONSTANT} >= PENDING
