"""Page of a reproduction report: counts, the paper's statements with verdicts, pictures, values.

Variants of a figure, which differ in what stands in brackets at the end of their titles, share a
section. A table shows the published values beside ours; all other values are in the data file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from gossamer.studies.comparison import Cell, FigureResult, StudyResult, Verdict

MAX_CELLS = 24
"""Largest number of values of a table that has neither published values nor a picture."""
MAX_PICTURES = 2
"""Number of variants whose pictures a section shows; it links those of the others."""

SHORT = 8
"""Number of words of a statement that is repeated."""

LEGEND = """\
✓: the statement holds for our values, or our mean agrees with the published value, in brackets. \
✗: it does not."""


def report_page(result: StudyResult, *, pictures: Iterable[str] = (), data: str = "") -> str:
    """Return the report of a study as Markdown.

    Parameters
    ----------
    result
        Result of :func:`gossamer.studies.reproduce`.
    pictures
        Names of the figures that have a picture beside the page, ``<study>-<figure>.png``.
    data
        Name of the file beside the page that has every value.
    """
    study = result.study
    quick = " --quick" if result.quick else ""
    lines = [f"# {study.short_title}: the paper's results and ours", ""]
    lines += [f"*{study.title}*, {study.reference}.", "", f"**{result.agreement}.**"]
    runs = f"Each value is the mean of {_plural(result.instances, 'instance')}. Reproduce with "
    lines += [f"{runs}`gossamer reproduce {study.name}{quick}`."]
    lines += [f"[All values as a table]({data}).", ""] if data else [""]
    lines += [line for note in study.notes for line in (note, "")]
    lines += [LEGEND, ""]
    reasons = list(
        dict.fromkeys(
            cell.reason or "Unexplained."
            for cell in result.cells
            if cell.verdict is Verdict.DIFFERS
        )
    )
    for title, group in _groups(result.figures).items():
        for line in _section(study.name, title, group, set(pictures), reasons):
            if line.startswith("- "):
                line = _once(line, lines)
            if not line or line.startswith(("|", "#", "!", "- ")) or line not in lines:
                lines.append(line)  # a note of several figures stands once
    if reasons:
        lines += ["## Why values differ", ""]
        lines += [f"{number}. {reason}" for number, reason in enumerate(reasons, start=1)]
    return "\n".join(lines).rstrip() + "\n"


def number_text(value: float) -> str:
    """Write a number with three or four significant digits, and a whole one as such."""
    if value == int(value):
        return str(int(value))
    if abs(value) < 1:
        return f"{value:.3f}"
    return f"{value:.2f}" if abs(value) < 100 else f"{value:.1f}"


def difference_text(cell: Cell) -> str:
    """Write the relative difference to the published value."""
    if cell.difference is None:
        return ""
    return f"{round(cell.difference * 100, 1) + 0.0:+.1f} %"  # Adding 0 turns -0.0 into 0.0.


def _groups(figures: Sequence[FigureResult]) -> dict[str, dict[str, FigureResult]]:
    """Return the variants of each figure by title without the last brackets, and by these."""
    groups: dict[str, dict[str, FigureResult]] = {}
    for one in figures:
        found = re.fullmatch(r"(.*\S) \(([^()]*)\)", one.figure.title)
        title, variant = found.groups() if found else (one.figure.title, "")
        groups.setdefault(title, {})[variant] = one
    return groups


def _once(line: str, before: Sequence[str]) -> str:
    """Return the line of a statement; its first words, if it stands on the page already."""
    verdict, _, text = line.removeprefix("- ").partition(" ")
    words = text.split()
    if len(words) <= SHORT or not any(text in one for one in before):
        return line
    return f"- {verdict} {' '.join(words[:SHORT])} … (as above)"


def _section(
    study: str,
    title: str,
    group: dict[str, FigureResult],
    pictures: set[str],
    reasons: Sequence[str],
) -> Iterator[str]:
    """Yield the lines of a figure and its variants."""
    heading, named = _shortened(title, group)
    yield from (f"## {heading}", "")
    yield from _statements(named)
    yield from _table(next(iter(group.values())))
    yield from _agreement(named, reasons)
    for note in dict.fromkeys(note for one in group.values() for note in one.figure.notes):
        yield from (note, "")
    yield from _pictures(study, named, pictures)


def _pictures(study: str, group: dict[str, FigureResult], pictures: set[str]) -> Iterator[str]:
    """Yield the pictures of the first variants, and links to the others."""
    drawn = {
        variant: (one.figure.title, f"{study}-{one.figure.name}.png")
        for variant, one in group.items()
        if one.figure.name in pictures
    }
    for variant, (title, file) in list(drawn.items())[:MAX_PICTURES]:
        yield f"![{_alternative_text(title, variant)}]({file})"
    others = [f"[{variant}]({file})" for variant, (_, file) in list(drawn.items())[MAX_PICTURES:]]
    if others:
        yield from ("", f"Pictures of the others: {', '.join(others)}.")
    if drawn:
        yield ""


def _alternative_text(title: str, variant: str) -> str:
    """Return the number of a figure, which stands below its title, and the variant."""
    number = title.partition(": ")[0]
    if not any(character.isdigit() for character in number):
        return title
    return f"{number}, {variant}" if variant else number


def _shortened(title: str, group: dict[str, FigureResult]) -> tuple[str, dict[str, FigureResult]]:
    """Return the heading with what all variants have in common, and the variants without it."""
    parts = [variant.split(", ") for variant in group]
    if len(group) > 1:
        common = list(
            takewhile(lambda ends: len(set(ends)) == 1, zip(*map(reversed, parts), strict=False))
        )
        shared = [ends[0] for ends in reversed(common)]
        keys = [", ".join(one[: len(one) - len(shared)]) for one in parts]
    else:
        shared, keys = [variant for variant in group if variant], [""]
    heading = f"{title} ({', '.join(shared)})" if shared else title
    return heading, dict(zip(keys, group.values(), strict=True))


def _statements(group: dict[str, FigureResult]) -> Iterator[str]:
    """Yield each statement with its verdict, by variant where they differ."""
    outcomes: dict[str, dict[bool, list[str]]] = {}
    why: dict[str, str] = {}
    for variant, one in group.items():
        for statement, held in one.statements:
            outcomes.setdefault(statement.text, {}).setdefault(held, []).append(variant)
            if not held and statement.reason:
                why[statement.text] = f" {statement.reason}"
    for text, by_outcome in outcomes.items():
        if len(by_outcome) == 1:
            mark = "✓" if True in by_outcome else "✗"
        else:
            mark = f"✓ {', '.join(by_outcome[True])}; ✗ {', '.join(by_outcome[False])}:"
        yield f"- {mark} {text}{why.get(text, '')}"
    if outcomes:
        yield ""


def _table(result: FigureResult) -> Iterator[str]:
    """Yield the table of published values; without any, the values of a small table of ours."""
    compared = [cell for cell in result.cells if cell.paper is not None]
    has_other = result.figure.plot is not None or result.statements
    if not compared and (has_other or len(result.cells) > MAX_CELLS):
        return
    cells = compared or result.cells
    columns = [
        one.title for one in result.figure.columns if any(one.title == c.column for c in cells)
    ]
    texts = {(cell.row, cell.column): _cell_text(cell) for cell in cells}
    yield _line([result.figure.row_title, *columns])
    yield _line(["---", *["---:"] * len(columns)])
    for row in dict.fromkeys(cell.row for cell in cells):
        yield _line([row, *(texts.get((row, column), "") for column in columns)])
    yield ""


def _cell_text(cell: Cell) -> str:
    if cell.paper is None:
        return number_text(cell.mean)
    mark = " ✗" if cell.verdict is Verdict.DIFFERS else ""
    return f"{number_text(cell.mean)} ({number_text(cell.paper)}){mark}"


def _agreement(group: dict[str, FigureResult], reasons: Sequence[str]) -> Iterator[str]:
    """Yield how many published values of each variant agree, and the numbers of the reasons."""
    counts, numbers = [], set()
    for variant, one in group.items():
        agreeing, differing = one.count(Verdict.AGREES), one.count(Verdict.DIFFERS)
        if agreeing + differing:
            counts.append(f"{variant} {agreeing} of {agreeing + differing}".strip())
        numbers |= {
            reasons.index(cell.reason or "Unexplained.") + 1
            for cell in one.cells
            if cell.verdict is Verdict.DIFFERS
        }
    if numbers:
        why = ", ".join(map(str, sorted(numbers)))
        yield from (f"Published values that agree: {', '.join(counts)}; why: {why}.", "")


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
