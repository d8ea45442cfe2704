"""Tables in Markdown."""

from __future__ import annotations

__all__ = ["markdown_table"]


def markdown_table(header: list[str], rows: list[list[str]], *, left: int = 1) -> str:
    """Write a table in Markdown, all columns but the first ``left`` to the right."""
    rule = ["---" if place < left else "---:" for place in range(len(header))]
    return "\n".join("| " + " | ".join(line) + " |" for line in (header, rule, *rows))
