"""Checks of output files, before long work."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def check_outputs(
    tables: Sequence[Path | None],
    picture: Path | None,
    inputs: Sequence[str | Path | None],
    *,
    parquet: Path | None = None,
    toml: Path | None = None,
) -> list[Path]:
    """Return the files to write, without ``toml``.

    Raise if one cannot be written, or two are the same.
    """
    from gossamer.errors import ParameterError
    from gossamer.tables import check_output
    from gossamer.viz.picture import check_picture

    for path in tables:
        if path is not None:
            check_output(path, inputs=inputs)
    for path, ending in ((parquet, ".parquet"), (toml, ".toml")):
        if path is not None:
            check_output(path, (ending,), inputs=inputs)
    if picture is not None:
        check_picture(picture, inputs=inputs)
    written = [path for path in (*tables, parquet, picture) if path is not None]
    places = [path.resolve() for path in (*written, *([] if toml is None else [toml]))]
    if len(set(places)) < len(places):
        raise ParameterError("two outputs have the same file; name different ones")
    return written
