"""Checkpoint of a long comparison: rows written as they are measured.

The file has one JSON object a line. A line counts only if its digest (interests, seed and code)
is the requested one; the others stay in the file. A last line without its end was cut off by an
interruption: it is removed, and its row measured again.
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

CHECKPOINT = "rows.jsonl"
CODE = ("model", "kernels", "design", "quality", "host", "protocols", "sim", "pipeline")
"""Packages that a row depends on."""


class BoundRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A lower bound, without the multipliers that certify it."""

    links: int
    mean_degree: float
    method: str
    topics_used: int


class CheckpointLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A line of the file: a row, or the lower bound."""

    digest: str
    row: ComparisonRow | None = None
    bound: BoundRecord | None = None


class Checkpoint:
    """Rows and lower bound of one digest in a folder.

    Parameters
    ----------
    folder
        Folder, created with the first row; None to write nothing.
    digest
        Digest of the rows; see :func:`digest_of`.
    """

    def __init__(self, folder: str | os.PathLike[str] | None, digest: str) -> None:
        self.path = None if folder is None else check_folder(folder) / CHECKPOINT
        self.digest = digest
        self.rows: dict[str, ComparisonRow] = {}
        self.bound: LowerBound | None = None
        if self.path is None:
            return
        place = self.path.parent
        if self.path.exists():
            self._read(self.path)
        elif place.is_dir() and any(place.iterdir()):
            raise ParameterError(
                f"{place} has files but no {CHECKPOINT} of an interrupted front; expected a new "
                "or empty folder, or that of the same command"
            )

    def add(self, row: ComparisonRow) -> None:
        """Write a row to the file."""
        self.rows[row.algorithm] = row
        self._append(CheckpointLine(self.digest, row=row))

    def add_bound(self, bound: LowerBound) -> None:
        """Write the lower bound to the file."""
        self.bound = bound
        record = BoundRecord(bound.links, bound.mean_degree, bound.method, bound.topics_used)
        self._append(CheckpointLine(self.digest, bound=record))

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
                    f"{path}, line {number}, is no row of a checkpoint ({fault}); remove the "
                    "line, or choose another folder"
                ) from None
            if line.digest != self.digest:
                continue
            if line.row is not None:
                self.rows[line.row.algorithm] = line.row
            if line.bound is not None:
                one, none = line.bound, np.zeros(0)
                self.bound = LowerBound(
                    one.links, one.mean_degree, one.method, none, none, one.topics_used
                )


def digest_of(interests: Interests, seed: int) -> str:
    """Return the digest of the rows for these interests, this seed and the installed code."""
    digest = hashlib.sha256(f"{interests.node_count} {interests.topic_count} {seed} ".encode())
    digest.update(interests.node_offsets.tobytes())
    digest.update(interests.node_topics.tobytes())
    package = Path(gossamer.__file__).parent
    code = hashlib.sha256()
    for place in CODE:
        for file in sorted((package / place).rglob("*.py")):
            code.update(file.relative_to(package).as_posix().encode())
            code.update(file.read_bytes())
    digest.update(code.digest())
    return digest.hexdigest()[:16]
