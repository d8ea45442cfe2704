"""Checks of output files, before long work."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def check_outputs(
    tables: Sequence[Path | None],
    picture: Path | None,
    inputs: Sequence[str | Path | None],
    *,
    links: Path | None = None,
    parquet: Path | None = None,
    toml: Path | None = None,
) -> list[Path]:
    """Return the files to write, without ``toml``.

    Raise if one cannot be written, or two are the same.
    """
    from gossamer.atomic_files import LINK_ENDINGS, TABLE_ENDINGS, check_output
    from gossamer.errors import ParameterError
    from gossamer.viz.output import check_picture

    for path, endings in (
        *((table, TABLE_ENDINGS) for table in tables),
        (links, LINK_ENDINGS), (parquet, (".parquet",)), (toml, (".toml",)),
    ):  # fmt: skip
        if path is not None:
            check_output(path, endings, inputs=inputs)
    if picture is not None:
        check_picture(picture, inputs=inputs)
    written = [path for path in (*tables, links, parquet, picture) if path is not None]
    places = [path.resolve() for path in (*written, *([] if toml is None else [toml]))]
    if len(set(places)) < len(places):
        raise ParameterError("two outputs have the same file; name different ones")
    return written
