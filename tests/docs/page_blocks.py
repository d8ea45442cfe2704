"""Pages of the documentation and their fenced blocks, with the marks that stand above a block.

A mark is a comment, ``<!-- name: text -->`` or, on pages of the site, ``% name: text``:

- ``not executed: REASON``: the block is shown only;
- ``file: NAME``: the block is the content of that file, which is written, not executed;
- ``output``: the block is what the block before it prints; ``…`` stands for any text, and on a
  line of its own for any lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
GENERATED = ROOT / "docs" / "reference" / "generated"
MARK = re.compile(r"\s*(?:%|<!--)\s*(not executed|file|output)(?::\s*(.*?))?\s*(?:-->)?\s*")
SPARK_COMMANDS = ("ingest", "sample")


@dataclass(frozen=True)
class Block:
    """A fenced block.

    Attributes
    ----------
    language
        First word after the fence, such as ``sh``.
    text
        The lines between the fences.
    marks
        Marks above the block: the text of each by name.
    place
        Page and line number of the fence.
    """

    language: str
    text: str
    marks: dict[str, str]
    place: str

    @property
    def is_executed(self) -> bool:
        """Whether the block is run, as commands or as Python."""
        return self.language in ("sh", "python") and not self.marks

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The commands of a ``sh`` block, with continued lines joined."""
        joined = re.sub(r"\\\n\s*", "", self.text).splitlines()
        return tuple(line.strip() for line in joined if line.strip(" #"))

    @property
    def uses_spark(self) -> bool:
        """Whether the block starts Spark when it is run."""
        if self.language == "python":
            return "spark" in self.text
        return any(
            "--engine spark" in line or line.split()[:2] == ["gossamer", name]
            for line in self.lines
            for name in SPARK_COMMANDS
            if "--list" not in line
        )


@dataclass(frozen=True)
class Page:
    """A page: its name relative to the root of the repository, and its blocks in order."""

    name: str
    blocks: tuple[Block, ...]
    is_notebook: bool

    @property
    def executed(self) -> tuple[Block, ...]:
        """The blocks that are run."""
        return tuple(block for block in self.blocks if block.is_executed)

    @property
    def uses_spark(self) -> bool:
        """Whether a block of the page uses Spark."""
        return any(block.uses_spark for block in self.executed)


@cache
def pages() -> tuple[Page, ...]:
    """Return every page that is written by hand or by a benchmark, in alphabetical order."""
    site = (path for path in ROOT.glob("docs/**/*.md") if not path.is_relative_to(GENERATED))
    return tuple(read_page(path) for path in sorted([*ROOT.glob("*.md"), *site]))


def page(name: str) -> Page:
    """Return the page of that name."""
    return next(one for one in pages() if one.name == name)


def read_page(path: Path) -> Page:
    """Read a page and its blocks."""
    text = path.read_text(encoding="utf-8")
    name = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name
    is_notebook = text.startswith("---\n") and "\nkernelspec:" in text.split("\n---\n")[0]
    return Page(name, tuple(_blocks(name, text, 0)), is_notebook)


def _blocks(name: str, text: str, offset: int) -> Iterator[Block]:
    """Yield the blocks of a text, and of the directives in it."""
    lines = text.splitlines()
    for token in MarkdownIt("commonmark").parse(text):
        if token.type != "fence" or token.map is None:
            continue
        start = token.map[0]
        language = (token.info.split() or [""])[0]
        if language.startswith("{"):
            if not language.startswith("{code"):
                yield from _blocks(name, token.content, offset + start + 1)
            continue
        place = f"{name}:{offset + start + 1}"
        yield Block(language, token.content, _marks_above(lines, start), place)


def _marks_above(lines: list[str], start: int) -> dict[str, str]:
    """Return the marks in the comment lines above a line, blank lines skipped."""
    marks: dict[str, str] = {}
    for line in reversed(lines[:start]):
        found = MARK.fullmatch(line)
        if found:
            marks[found[1]] = found[2] or ""
        elif line.strip():
            break
    return marks
