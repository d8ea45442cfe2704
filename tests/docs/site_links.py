"""What the pages of the built site refer to: anchors, links, images, scripts, styles and fonts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

OUTSIDE = re.compile(r"(?:https?:)?//")
LOADED = {"img": "src", "script": "src", "iframe": "src", "link": "href", "source": "srcset"}
LOADING_LINKS = {"stylesheet", "icon", "preload", "prefetch", "modulepreload", "preconnect"}
IN_STYLES = re.compile(r"""(?:url\(|@import\s+)\s*['"]?([^'")\s]+)""")


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        self.anchors.add(given.get("id", ""))
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        loads = tag != "link" or LOADING_LINKS & set(given.get("rel", "").split())
        if loads and given.get(LOADED.get(tag, "")):
            self.loaded.append(given[LOADED[tag]])


@cache
def read_html(path: Path) -> _Parser:
    """Return the anchors, links and loaded files of a page."""
    parser = _Parser()
    parser.feed(path.read_text(encoding="utf-8"))
    return parser


def html_pages(site: Path) -> list[Path]:
    """Return the pages of the site, without templates of its theme."""
    return [path for path in sorted(site.rglob("*.html")) if "_static" not in path.parts]


def broken_links(site: Path) -> Iterator[str]:
    """Yield each link to a page, an anchor or a file that is not there."""
    for page in html_pages(site):
        parsed = read_html(page)
        for target in (*parsed.links, *parsed.loaded):
            if re.match(r"[a-z]+:|//", target):
                continue
            name, _, anchor = target.partition("#")
            file = page.parent / unquote(name.partition("?")[0]) if name else page
            if file.is_dir():
                file /= "index.html"
            found = file.is_file() and (not anchor or unquote(anchor) in read_html(file).anchors)
            if not found:
                yield f"{page.relative_to(site)}: {target}"


def loaded_from_outside(site: Path) -> Iterator[str]:
    """Yield each file that a page or a style sheet loads from another host."""
    for page in html_pages(site):
        for target in read_html(page).loaded:
            if OUTSIDE.match(target):
                yield f"{page.relative_to(site)}: {target}"
    for style in sorted(site.rglob("*.css")):
        for target in IN_STYLES.findall(style.read_text(encoding="utf-8")):
            if OUTSIDE.match(target):
                yield f"{style.relative_to(site)}: {target}"
