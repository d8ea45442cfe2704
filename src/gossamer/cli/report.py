"""``gossamer report``: the page of a saved comparison."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from gossamer.cli.display import show_written
from gossamer.cli.options import argument, expand, option

EXAMPLES = (
    "gossamer report comparison --out page.html",
    "gossamer report comparison --title 'Our feeds, in May' --out page.html",
)


@expand
def report(
    folder: Annotated[Path, argument("Folder that gossamer compare or front wrote with --save.")],
    out: Annotated[Path, option("Output page: .html.")],
    title: Annotated[
        str | None, option("Heading of the page (default: that of the comparison).")
    ] = None,
) -> None:
    """Write an HTML page of a saved comparison: tables, charts, and the command that repeats it.

    The page is one file, opens from disk and needs no network. No algorithm runs.
    """
    from gossamer.experiments.comparison_folder import load_comparison
    from gossamer.viz.comparison import comparison_page
    from gossamer.viz.output import PAGE_ENDINGS, check_picture

    check_picture(out, endings=PAGE_ENDINGS)
    comparison_page(load_comparison(folder), out, title=title)
    show_written(out)
