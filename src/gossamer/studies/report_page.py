"""Page of a reproduction report: counts, the paper's statements with verdicts, pictures, values.

Variants of a figure, which differ in what stands in brackets at the end of their titles, share a
section. A table shows the published values beside ours; all other values are in the data file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile

from gossamer.studies.comparison import Cell, FigureResult, StatementResult, Verdict
from gossamer.studies.statement import Cause
from gossamer.studies.study_result import StudyResult

MAX_CELLS = 24
"""Largest number of values of a table that has neither published values nor a picture."""
MAX_PICTURES = 2
"""Number of variants whose pictures a section shows; it links those of the others."""

SHORT = 8
"""Number of words of a statement that is repeated."""

LEGEND = """\
✓: the sentence holds for our values. ✗: it does not, or the 95 % confidence interval of our mean, \
after ±, does not reach the published value, in brackets, with the precision to which that is \
known. ○: not computed yet, with fewer than three instances, or with older code."""
UNEXPLAINED = "Unexplained."


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
    low, high = result.instances
    instances = _plural(low, "instance") if low == high else f"{low} to {high} instances"
    runs = f"Each value is the mean of {instances}. " if high else ""
    lines += [f"{runs}Reproduce with `gossamer reproduce {study.name}{quick}`."]
    if not result.selected and not result.quick:
        lines += [f"Every claim of the paper is in the [inventory]({study.name}-inventory.md)."]
    lines += [f"[All values as a table]({data}).", ""] if data else [""]
    older = sum(not cell.is_current for cell in result.cells)
    if older:
        lines += [f"{older:,} values come from older code, and no verdict rests on them.", ""]
    lines += [line for note in study.notes for line in (note, "")]
    lines += [LEGEND, ""]
    causes = list(
        dict.fromkeys(
            cause
            for cell in result.cells
            if cell.verdict is Verdict.DIFFERS
            for cause in _causes_of(cell, result)
        )
    )
    for title, group in _groups(result.figures).items():
        for line in _section(result, title, group, set(pictures), causes):
            if line.startswith("- "):
                line = _once(line, lines)
            if not line or line.startswith(("|", "#", "!", "- ")) or line not in lines:
                lines.append(line)  # a note of several figures stands once
    if causes:
        lines += ["## Why values differ", ""]
        lines += [f"{number}. {text}" for number, text in enumerate(causes, start=1)]
        lines.append("")
    lines += _costs(result)
    return "\n".join(lines).rstrip() + "\n"


def _costs(result: StudyResult) -> Iterator[str]:
    """Yield a table of what each figure costs, without those that take no second."""
    costly = [one for one in result.figures if one.seconds >= 1]
    if not costly:
        return
    yield from ("## Cost", "", "Figures that show the same runs share them.", "")
    yield table_line(["figure", "points", "instances", "processor time"])
    yield table_line(["---", "---:", "---:", "---:"])
    for one in costly:
        instances = [cell.instances for cell in one.cells] or [0]
        most, fewest = max(instances), min(instances)
        yield table_line(
            [
                one.figure.title,
                str(len(one.figure.points)),
                str(most) if most == fewest else f"{fewest} to {most}",
                duration_text(one.seconds),
            ]
        )
    yield from (table_line(["all", "", "", duration_text(result.seconds)]), "")


def duration_text(seconds: float) -> str:
    """Write a processor time in seconds, minutes or hours."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def cause_text(cause: Cause, titles: Mapping[str, str] | None = None) -> str:
    """Return a cause and the figures that show it, by name or by title."""
    shown = ", ".join((titles or {}).get(name, name) for name in cause.shown_by)
    return f"{cause.text.strip()} (See {shown}.)" if shown else cause.text.strip()


def _causes_of(cell: Cell, result: StudyResult) -> list[str]:
    titles = titles_of(result)
    return [cause_text(one, titles) for one in cell.causes] or [UNEXPLAINED]


def titles_of(result: StudyResult) -> dict[str, str]:
    """Return the titles of the figures of a study by name."""
    return {one.name: one.title for one in (result.whole or result.study).figures}


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
    result: StudyResult,
    title: str,
    group: dict[str, FigureResult],
    pictures: set[str],
    causes: Sequence[str],
) -> Iterator[str]:
    """Yield the lines of a figure and its variants."""
    heading, named = _shortened(title, group)
    yield from (f"## {heading}", "")
    yield from _statements(named, result)
    yield from _table(next(iter(group.values())))
    yield from _agreement(named, causes, result)
    for note in dict.fromkeys(note for one in group.values() for note in one.figure.notes):
        yield from (note, "")
    yield from _pictures(result.study.name, named, pictures)


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


def _statements(group: dict[str, FigureResult], result: StudyResult) -> Iterator[str]:
    """Yield each statement with its verdict, by variant where they differ."""
    outcomes: dict[str, dict[str, list[str]]] = {}
    why: dict[str, str] = {}
    for variant, one in group.items():
        for said in one.statements:
            mark = _mark(said, result.quick)
            text = said.statement.text
            outcomes.setdefault(text, {}).setdefault(mark, []).append(variant)
            if mark == "✗":
                causes = [cause_text(cause, titles_of(result)) for cause in said.statement.causes]
                why[text] = "".join(f" {cause}" for cause in causes)
    for text, by_mark in outcomes.items():
        marks = next(iter(by_mark))
        if len(by_mark) > 1:
            parts = (f"{mark} {', '.join(by_mark[mark])}" for mark in "✓✗○" if mark in by_mark)
            marks = "; ".join(parts) + ":"
        yield f"- {marks} {text}{why.get(text, '')}"
    if outcomes:
        yield ""


def _mark(one: StatementResult, quick: bool) -> str:
    if one.holds is None or (one.verdict is Verdict.PENDING and not quick):
        return "○"
    return "✓" if one.holds else "✗"


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
    yield table_line([result.figure.row_title, *columns])
    yield table_line(["---", *["---:"] * len(columns)])
    for row in dict.fromkeys(cell.row for cell in cells):
        yield table_line([row, *(texts.get((row, column), "") for column in columns)])
    yield ""


def _cell_text(cell: Cell) -> str:
    text = number_text(cell.mean)
    if cell.half_width:
        text += f" ± {number_text(cell.half_width)}"
    if not cell.is_current:
        text = f"{text}, older code"
    if cell.paper is None:
        return text
    mark = {Verdict.DIFFERS: " ✗", Verdict.PENDING: " ○"}.get(cell.verdict, "")
    return f"{text} ({number_text(cell.paper)}){mark}"


def _agreement(
    group: dict[str, FigureResult], causes: Sequence[str], result: StudyResult
) -> Iterator[str]:
    """Yield how many published values of each variant are reproduced, and numbers of causes."""
    found, numbers = [], set()
    for variant, one in group.items():
        reproduced, differing = one.count(Verdict.REPRODUCED), one.count(Verdict.DIFFERS)
        if reproduced + differing:
            found.append(f"{variant} {reproduced} of {reproduced + differing}".strip())
        numbers |= {
            causes.index(text) + 1
            for cell in one.cells
            if cell.verdict is Verdict.DIFFERS
            for text in _causes_of(cell, result)
        }
    if numbers:
        why = ", ".join(map(str, sorted(numbers)))
        yield from (f"Published values that are reproduced: {', '.join(found)}; why: {why}.", "")


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def table_line(cells: Iterable[str]) -> str:
    """Return a line of a table in Markdown."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
