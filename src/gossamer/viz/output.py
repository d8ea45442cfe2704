"""Checks of the files of pictures and pages, before long work."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from gossamer.extras import require
from gossamer.tables import check_output

PAGE_ENDINGS = (".html", ".htm")
PICTURE_ENDINGS = (".png", ".svg", ".pdf", *PAGE_ENDINGS)


def require_drawing() -> None:
    """Raise a MissingPackageError that names the extra, if charts cannot be drawn."""
    require("vl_convert", purpose="a picture or a page with charts")


def check_picture(
    path: str | os.PathLike[str],
    *,
    inputs: Iterable[str | os.PathLike[str] | None] = (),
    endings: tuple[str, ...] = PICTURE_ENDINGS,
) -> Path:
    """Check that a picture, or a page with charts, can be drawn and written to a file.

    Raises
    ------
    ParameterError
        If the ending is not one of ``endings``, or the file cannot be written or is one of the
        ``inputs``.
    MissingPackageError
        If the drawing library is not installed.
    """
    place = check_output(path, endings, inputs=inputs)
    require_drawing()
    return place
