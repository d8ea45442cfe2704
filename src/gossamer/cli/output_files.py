"""Checks of output files, before long work."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

__all__ = ["check_outputs"]


def check_outputs(
    tables: Sequence[Path | None],
    picture: Path | None,
    inputs: Sequence[str | Path | None],
    *,
    parquet: Path | None = None,
    toml: Path | None = None,
) -> list[Path]:
    """Return the files to write; raise if one cannot be written, or two are the same."""
    from gossamer.errors import ParameterError
    from gossamer.tables import check_output
    from gossamer.viz.comparison_picture import PICTURE_ENDINGS, require_matplotlib

    for path in tables:
        if path is not None:
            check_output(path, inputs=inputs)
    endings = ((parquet, (".parquet",)), (toml, (".toml",)), (picture, PICTURE_ENDINGS))
    for path, known in endings:
        if path is not None:
            check_output(path, known, inputs=inputs)
    if picture is not None:
        require_matplotlib()
    written = [path for path in (*tables, parquet, picture) if path is not None]
    if len({path.resolve() for path in (*written, *([toml] if toml else []))}) < len(written):
        raise ParameterError("two outputs have the same file; name different ones")
    return written
