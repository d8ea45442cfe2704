"""Retired words, and the word that the glossary has in place of each.

``python -m tests.architecture.vocabulary`` counts what is left of each, and with words as
arguments prints the lines: ``python -m tests.architecture.vocabulary told "so many"``.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["CONSTANT", "RETIRED", "Use", "uses"]

ROOT = Path(__file__).parents[2]
RETIRED = {
    r"t(old|ells?|elling)": "report, notify, show, distinguish",
    r"(no|some|every|any)(body|one)": "no node, a peer, every subscriber, any user",
    r"anew": "again",
    r"who(so)?ever": "a node that, a subscriber that",
    r"so many": "n, a number of, up to",
    r"(hangs?|hung) together": "is connected",
    r"in pieces": "disconnected, in several components",
    r"re ?h[au]ng\w*|second thoughts": "reparent, improvement phase",
    r"hangings?|hook(s|ed)?|unhook(s|ed)?": "forest, attach, detach",
    r"firsts|befores|ups": "parent, first_child, next_sibling, prev_sibling",
    r"wound(s|ed)?|mend(s|ed|ing)?": "repair request, repair",
    r"bystanders?": "read-only nodes",
    r"(?<!\")upkeep": "dynamic overlay, maintenance",
    r"shun(s|ned|ning)?": "ban, avoid",
    r"outdone": "dominated",
    r"contenders?": "candidate",
    r"wish(es|ed)?": "constraint",
    r"(?<!distributions )(un)?settl(e|es|ed|ing|ement|ements)": "converge, accept, determine",
    r"resting|rested": "converged, idle",
    r"(?<!\")parted": "partitioned",
    r"who is (there|present)|who are there": "present nodes",
    r"(?<!ascii )letters?": "characters",
    r"without a word": "crash, without notice",
    r"(?<!\")goodbyes?": "graceful leave, disconnect message",
    r"greet(s|ed|ing|ings)?": "handshake, join",
    r"(?<!ship)mates?": "peer, partner",
    r"(?<![\"e])enlist(s|ed|ing)?": "backup request",
    r"seldom": "rarely",
    r"lives again|lived before": "restart, previous incarnation",
    r"what came of|what is said": "the result of, the reported value",
    r"artefacts?": "figure or table",
    r"own options": "algorithm options",
    r"catalogues?": "registry",
    r"needless(ly)?": "redundant",
}
"""Pattern of a retired word, in lower case and without underscores: what to write in its place.

A word straight after a quotation mark may be a tag of the wire or a name of a table, which stay.
"""

CONSTANTS = re.compile(r"\b_?(?:MOST|LEAST|FEW|MANY|LONGEST|SHORTEST)_[A-Z]\w*")
CONSTANT = "MOST_X"
PATTERNS = {name: re.compile(rf"\b(?:{name})\b") for name in RETIRED}
ANY_PATTERN = re.compile(rf"\b(?:{'|'.join(RETIRED)})\b")
TEST = re.compile(r"^ *(?:async )?def (test_\w+)", re.MULTILINE)
HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True)
class Use:
    """One use of a retired word: its pattern, the file, and the words around it."""

    pattern: str
    place: str
    text: str


def documents() -> Iterator[Path]:
    """Yield the files whose whole text must be free of retired words."""
    yield ROOT / "README.md"
    yield from (
        path for path in sorted((ROOT / "docs").rglob("*.md")) if "generated" not in path.parts
    )
    yield from sorted((ROOT / "src").rglob("*.py"))


def names_of_tests() -> Iterator[tuple[str, str]]:
    """Yield place and name of each test function and test file."""
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        place = str(path.relative_to(ROOT))
        yield place, path.stem
        text = path.read_text(encoding="utf-8")
        for found in TEST.finditer(text):
            yield f"{place}:{text.count(chr(10), 0, found.start()) + 1}", found[1]


def words_of(text: str) -> str:
    """Return a text with its identifiers as words, in lower case, one space for a line break."""
    spaced = HUMP.sub(" ", text).replace("_", " ").lower()
    return re.sub(r"\n[ #>]*", "\n", spaced).replace("\n", " ")


def found_in(words: str) -> Iterator[tuple[str, re.Match[str]]]:
    """Yield each use of a retired word in words, with its pattern."""
    if ANY_PATTERN.search(words):  # rarely: one search is much faster than one for each pattern
        for name, pattern in PATTERNS.items():
            yield from ((name, found) for found in pattern.finditer(words))


def uses() -> Iterator[Use]:
    """Yield every use of a retired word in src, docs, README.md and the names of tests."""
    for path in documents():
        text = path.read_text(encoding="utf-8")
        place = str(path.relative_to(ROOT))
        for constant in CONSTANTS.findall(text):
            yield Use(CONSTANT, place, constant)
        words = words_of(text)
        for name, found in found_in(words):
            yield Use(name, place, words[max(found.start() - 40, 0) : found.end() + 40])
    for place, test in names_of_tests():
        yield from (Use(name, place, test) for name, _ in found_in(words_of(test)))


def main(words: list[str]) -> None:
    """Print the number of uses of each retired word, or the lines that use the given words."""
    found = list(uses())
    for pattern, instead in [*RETIRED.items(), (CONSTANT, "MAX_X, MIN_X")]:
        mine = [use for use in found if use.pattern == pattern]
        if not words:
            print(f"{len(mine):5}  {pattern}  ->  {instead}")
        elif any(re.search(rf"\b(?:{pattern})\b", word.lower()) for word in words):
            print(*(f"{use.place}: {use.text}" for use in mine), sep="\n")
    if not words:
        print(f"{len(found):5}")


if __name__ == "__main__":
    main(sys.argv[1:])
