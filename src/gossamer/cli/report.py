"""``gossamer report``: the page of a comparison that was kept, made again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gossamer.cli.display import show_line

__all__ = ["EXAMPLES", "report"]

EXAMPLES = (
    "gossamer report comparison --out page.html",
    "gossamer report comparison --title 'Our feeds, in May' --out page.html",
)


def report(
    folder: Annotated[
        Path,
        typer.Argument(help="Where gossamer compare --save kept it.", show_default=False),
    ],
    out: Annotated[Path, typer.Option(help="Where to write the page: .html.", show_default=False)],
    title: Annotated[
        str | None,
        typer.Option(help="The page's heading (default: the comparison's).", show_default=False),
    ] = None,
) -> None:
    """Write the page of a comparison that was kept: tables, charts, and how to run it again.

    The page is one file, opens from disk and needs no network. Nothing is run anew.
    """
    from gossamer.experiments.comparison_folder import load_comparison
    from gossamer.viz.comparison import comparison_page
    from gossamer.viz.html import check_page

    check_page(out)
    comparison_page(load_comparison(folder), out, title=title)
    show_line(f"wrote {out}")
