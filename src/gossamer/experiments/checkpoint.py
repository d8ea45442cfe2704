"""Rows of a long comparison, kept as they come, so that an interrupted one goes on.

One file, one JSON object a line. A line counts again only if its digest (interests, seed and
code) is the one asked for; others are left where they are. A last line without its end was
cut off by an interruption: it is taken away, and its work done again.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import msgspec
import numpy as np

import gossamer
from gossamer.errors import ParameterError, TableError
from gossamer.experiments.comparison import ComparisonRow
from gossamer.experiments.comparison_folder import check_folder
from gossamer.model import Interests
from gossamer.quality import LowerBound

__all__ = ["CHECKPOINT", "Checkpoint", "digest_of"]

CHECKPOINT = "rows.jsonl"
CODE = ("model", "kernels", "design", "quality", "host", "protocols", "sim", "pipeline")
"""The packages that a row depends on."""


class BoundRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A lower bound, without the multipliers that certify it."""

    links: int
    mean_degree: float
    method: str
    topics_used: int


class CheckpointLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A line of the file: a row, or the bound."""

    digest: str
    row: ComparisonRow | None = None
    bound: BoundRecord | None = None


class Checkpoint:
    """The rows that a folder keeps for one digest; without a folder, none is kept.

    Parameters
    ----------
    folder
        Created when the first row is kept.
    digest
        What a row must match; see :func:`digest_of`.
    """

    def __init__(self, folder: str | os.PathLike[str] | None, digest: str) -> None:
        self.path = None if folder is None else check_folder(folder) / CHECKPOINT
        self.digest = digest
        self.rows: dict[str, ComparisonRow] = {}
        self.bound: LowerBound | None = None
        if self.path is not None and self.path.exists():
            self._read(self.path)
        elif (
            self.path is not None and self.path.parent.is_dir() and any(self.path.parent.iterdir())
        ):
            raise ParameterError(
                f"{self.path.parent} has files but no {CHECKPOINT} of an interrupted front; "
                "expected a new or empty folder, or that of the same command"
            )

    def keep(self, row: ComparisonRow) -> None:
        """Keep a row; it is in the file when this returns."""
        self.rows[row.algorithm] = row
        self._append(CheckpointLine(self.digest, row=row))

    def keep_bound(self, bound: LowerBound) -> None:
        """Keep the bound; it is in the file when this returns."""
        self.bound = bound
        kept = BoundRecord(bound.links, bound.mean_degree, bound.method, bound.topics_used)
        self._append(CheckpointLine(self.digest, bound=kept))

    def _append(self, line: CheckpointLine) -> None:
        if self.path is None:
            return
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab") as file:
                file.write(msgspec.json.encode(line) + b"\n")
        except OSError as fault:
            raise ParameterError(f"{self.path}: cannot be written ({fault.strerror})") from None

    def _read(self, path: Path) -> None:
        try:
            content = path.read_bytes()
            whole = content.rfind(b"\n") + 1
            if whole < len(content):
                os.truncate(path, whole)
        except OSError as fault:
            raise TableError(f"{path}: cannot be read ({fault.strerror})") from None
        decoder = msgspec.json.Decoder(CheckpointLine)
        for number, text in enumerate(content[:whole].splitlines(), start=1):
            try:
                line = decoder.decode(text)
            except (msgspec.DecodeError, UnicodeDecodeError) as fault:
                raise TableError(
                    f"{path}, line {number}, is not a kept row ({fault}); remove the line, or "
                    "choose another folder"
                ) from None
            if line.digest != self.digest:
                continue
            if line.row is not None:
                self.rows[line.row.algorithm] = line.row
            if line.bound is not None:
                kept, none = line.bound, np.zeros(0)
                self.bound = LowerBound(
                    kept.links, kept.mean_degree, kept.method, none, none, kept.topics_used
                )


def digest_of(interests: Interests, seed: int) -> str:
    """Return what rows are kept under: who wants what, the seed, and the code behind them."""
    digest = hashlib.sha256(f"{interests.node_count} {interests.topic_count} {seed} ".encode())
    digest.update(interests.node_offsets.tobytes())
    digest.update(interests.node_topics.tobytes())
    digest.update(_code())
    return digest.hexdigest()[:16]


def _code() -> bytes:
    package = Path(gossamer.__file__).parent
    digest = hashlib.sha256()
    for place in CODE:
        for file in sorted((package / place).rglob("*.py")):
            digest.update(file.relative_to(package).as_posix().encode())
            digest.update(file.read_bytes())
    return digest.digest()
