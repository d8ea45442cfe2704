"""One HTML file of sections, which needs no network and no other file.

Styles, scripts and data are in the page itself, and its content security policy forbids it to
load anything. All text is escaped here.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from gossamer.measures import shown
from gossamer.tables import check_output, replacing
from gossamer.version import __version__
from gossamer.viz.blocks import Advice, Cell, Chart, Section, Table, Value
from gossamer.viz.output import PAGE_ENDINGS, require_drawing
from gossamer.viz.styles import MAX_COLOURED, Style, styles_of

POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; "
    "img-src data:; base-uri 'none'; form-action 'none'"
)
CREDIT = (
    "Charts are drawn by Vega, Vega-Lite and Vega-Embed, copyright University of Washington "
    "Interactive Data Lab, BSD 3-Clause License; they are part of this file."
)
LONG_TEXT = 24
"""Characters of a text from which on its column is wide enough for several words a line."""
MARKS = {
    "circle": '<circle cx="14" cy="6" r="4"/>',
    "square": '<rect x="10.5" y="2.5" width="7" height="7"/>',
    "triangle-up": '<path d="M14 1.5 18.5 10h-9z"/>',
    "diamond": '<path d="M14 1 19 6 14 11 9 6z"/>',
}


def render_page(title: str, sections: Sequence[Section], path: str | os.PathLike[str]) -> None:
    """Write sections as one HTML page that opens from disk.

    The same sections give the same bytes.

    Parameters
    ----------
    title
        Heading, in plain text.
    sections
        Sections in order.
    path
        Output file: .html or .htm. It is written whole or not at all.

    Raises
    ------
    ParameterError
        If the file cannot be written.
    MissingPackageError
        If there are charts, and the drawing library is not installed.
    """
    place = check_output(path, PAGE_ENDINGS)
    if any(section.charts for section in sections):
        require_drawing()
    text = "\n".join(_page(title, sections)) + "\n"
    with replacing(place) as partial:
        partial.write_text(text, encoding="utf-8", errors="backslashreplace")


def _page(title: str, sections: Sequence[Section]) -> Iterator[str]:
    charted = any(section.charts for section in sections)
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield '<meta name="color-scheme" content="light dark">'
    yield f'<meta name="generator" content="gossamer {escape(__version__)}">'
    yield '<link rel="icon" href="data:,">'
    yield f"<title>{escape(title)}</title>"
    yield f"<style>\n{_part('page.css')}</style>\n</head>\n<body>"
    yield f"<header>\n<h1>{escape(title)}</h1>"
    if len(sections) > 1:
        yield '<nav aria-label="On this page">\n<ul>'
        for place, section in enumerate(sections):
            yield f'<li><a href="#section-{place}">{escape(section.title)}</a></li>'
        yield "</ul>\n</nav>"
    yield "</header>\n<main>"
    for place, section in enumerate(sections):
        yield from _section(place, section)
    yield "</main>\n<footer>"
    yield f"<p>Made by gossamer {escape(__version__)}.{' ' + CREDIT if charted else ''}</p>"
    yield "</footer>"
    if charted:
        yield f"<script>\n{_drawing_library()}\n</script>"
    yield f"<script>\n{_part('page.js')}</script>\n</body>\n</html>"


def _section(place: int, section: Section) -> Iterator[str]:
    yield f'<section id="section-{place}">'
    if section.title:
        yield f'<h2 id="heading-{place}">{escape(section.title)}</h2>'
    for paragraph in section.paragraphs:
        yield f"<p>{escape(paragraph)}</p>"
    if section.advice:
        yield '<div class="advice">'
        for one in section.advice:
            yield from _advice(one)
        yield "</div>"
    for command in section.commands:
        yield _command(command)
    # Charts with the same series share a legend.
    explained = [chart.series for chart in section.charts if _needs_legend(chart)]
    shared = len(set(explained)) == 1
    if shared:
        yield from _legend(explained[0])
    if section.charts:
        yield '<div class="charts">'
        for at, chart in enumerate(section.charts):
            yield from _chart(f"chart-{place}-{at}", chart, explain=not shared)
        yield "</div>"
    for table in section.tables:
        yield from _table(table)
    yield "</section>"


def _advice(one: Advice) -> Iterator[str]:
    remark = f'<p class="remark">{escape(one.remark)}</p>' if one.remark else ""
    yield f"<article>\n<h3>{escape(one.need)}</h3>{remark}<p>{escape(one.choice)}</p>"
    yield f"{_command(one.command) if one.command else ''}</article>"


def _command(text: str) -> str:
    return f'<pre tabindex="0"><code>{escape(text)}</code></pre>'


def _needs_legend(chart: Chart) -> bool:
    return len(chart.series) > 1 and not chart.named


def _legend(names: Sequence[str]) -> Iterator[str]:
    """Return the legend of some series."""
    buttons = [
        f'<button type="button" aria-pressed="false" data-series="{escape(name)}">'
        f"{_swatch(style)}{escape(name)}</button>"
        for name, style in styles_of(names).items()
    ]
    yield '<div class="legend" role="group" aria-label="Highlight in the charts">'
    yield from buttons[:MAX_COLOURED]
    if others := buttons[MAX_COLOURED:]:
        yield f"<details><summary>{len(others)} more, in grey</summary>"
        yield from others
        yield "</details>"
    yield "</div>"


def _swatch(style: Style) -> str:
    dash = f' stroke-dasharray="{" ".join(map(str, style.dash))}"' if style.dash else ""
    return (
        f'<svg width="28" height="12" aria-hidden="true" fill="{style.color}" '
        f'stroke="{style.color}"><path d="M0 6h28" stroke-width="2"{dash}/>'
        f"{MARKS[style.shape]}</svg>"
    )


def _chart(name: str, chart: Chart, *, explain: bool) -> Iterator[str]:
    """Return a chart, with its own legend on request."""
    spec = {**chart.spec, "description": chart.summary}
    yield f'<figure id="{name}">'
    note = f"<p>{escape(chart.note)}</p>" if chart.note else ""
    title = f"<h3>{escape(chart.title)}</h3>" if chart.title else ""
    yield f"<figcaption>{title}{note}</figcaption>"
    if explain and _needs_legend(chart):
        yield from _legend(chart.series)
    yield f'<div class="chart" role="img" aria-label="{escape(chart.summary)}">'
    yield "<noscript>The chart needs JavaScript; the numbers are in the tables.</noscript></div>"
    yield f'<script type="application/json">{_inert(spec)}</script>'
    if chart.table is not None:
        yield "<details>\n<summary>Show the numbers</summary>"
        yield from _table(chart.table)
        yield "</details>"
    yield "</figure>"


def _table(table: Table) -> Iterator[str]:
    kinds = [_kind([row[place] for row in table.rows]) for place in range(len(table.header))]
    yield f'<div class="wide" role="region" tabindex="0" aria-label="{escape(table.caption)}">'
    yield f"<table>\n<caption>{escape(table.caption)}</caption>\n<thead>\n<tr>"
    for name, kind in zip(table.header, kinds, strict=True):
        yield f'<th scope="col"{kind}>{escape(name)}</th>'
    yield "</tr>\n</thead>\n<tbody>"
    for row in table.rows:
        cells = []
        for place, (cell, kind) in enumerate(zip(row, kinds, strict=True)):
            tag = "th" if place == 0 else "td"
            scope = ' scope="row"' if place == 0 else ""
            number = _number(cell)
            raw = "" if number is None else f' data-value="{number!r}"'
            text = cell.text if isinstance(cell, Value) else shown(cell)
            cells.append(f"<{tag}{scope}{kind}{raw}>{escape(text)}</{tag}>")
        yield f"<tr>{''.join(cells)}</tr>"
    yield "</tbody>\n</table>\n</div>"


def _kind(column: Sequence[Cell]) -> str:
    """Return the class of a column: of numbers, of long texts, or of others."""
    if all(cell is None or _number(cell) is not None for cell in column):
        return ' class="number"'
    long = any(isinstance(cell, str) and len(cell) > LONG_TEXT for cell in column)
    return ' class="text"' if long else ""


def _number(cell: Cell) -> float | None:
    """Return the number that a cell sorts by."""
    if isinstance(cell, Value):
        return cell.number
    return cell if isinstance(cell, int | float) and not isinstance(cell, bool) else None


def _inert(value: Any) -> str:
    """Return JSON that no HTML parser takes for markup."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _part(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


@cache
def _drawing_library() -> str:
    """Return Vega, Vega-Lite and Vega-Embed as one script, from the installed package."""
    import vl_convert

    snippet = "window.vegaEmbed = vegaEmbed;"
    return vl_convert.javascript_bundle(snippet).replace("</script", "<\\/script")
