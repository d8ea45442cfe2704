"""Sphinx extension: groups of pages that may be empty, documents of the root, and drawings."""

from __future__ import annotations

from pathlib import Path

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.directives.other import TocTree
from sphinx.util.matching import patfilter

ROOT_DOCUMENTS = {
    "ARCHITECTURE.md": "explanation/project/architecture",
    "CONTRIBUTING.md": "explanation/project/contributing",
    "CHANGELOG.md": "explanation/project/changelog",
}
"""Page that includes each document of the repository's root."""

CHART, HEAD = 'class="marks"', 400
"""What the first characters of a chart have; charts have a white background."""


class PageGroup(TocTree):
    """A toctree whose patterns may match no page yet: such a group is not shown."""

    def run(self) -> list[nodes.Node]:
        """Leave out patterns without pages that are not listed themselves."""
        if "glob" in self.options:
            folder = self.env.docname.rpartition("/")[0]
            listed = {f"{folder}/{entry}" for entry in self.content}
            pages = self.env.found_docs - {self.env.docname} - listed
            for place, entry in reversed(list(enumerate(self.content))):
                if "*" in entry and not patfilter(pages, f"{folder}/{entry}"):
                    del self.content[place]
        return super().run()


def link_root_documents(_app: Sphinx, doctree: nodes.document) -> None:
    """Turn links between documents of the root into links between the pages that include them."""
    for link in doctree.findall(pending_xref):
        page = ROOT_DOCUMENTS.get(link.get("reftarget", ""))
        if link.get("reftype") == "myst" and page:
            link.attributes.update(refdomain="doc", reftarget=page, reftargetid=None)


def show_drawings_on_dark_pages(app: Sphinx, doctree: nodes.document) -> None:
    """Mark pictures without a background: the theme puts no white box behind them."""
    for image in doctree.findall(nodes.image):
        path = Path(app.srcdir, image["uri"])
        if path.suffix == ".svg" and CHART not in path.read_text(encoding="utf-8")[:HEAD]:
            image["classes"].append("dark-light")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive and the links."""
    app.add_directive("toctree", PageGroup, override=True)
    app.connect("doctree-read", link_root_documents)
    app.connect("doctree-read", show_drawings_on_dark_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
