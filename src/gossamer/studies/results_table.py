"""Table of stored runs: sorted, with rounded values, small enough for a repository.

Each line is a JSON object. A line with ``names`` lists measurements under a key; a line with
``point`` is a run, with the key of its names and their values. Lines are sorted, so that a new run
is a new line and nothing else changes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from gossamer.atomic_files import replacing
from gossamer.errors import StudyError

DIGITS = 7
"""Significant digits of a stored value."""


class StoredRun(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Measurements of one instance of one point.

    Attributes
    ----------
    point, instance
        Name of the point, and number of the instance.
    digest
        Digest of the parameters and of the code that measured.
    measurements
        Values by name.
    seconds
        Processor time.
    """

    point: str
    instance: int
    digest: str
    measurements: dict[str, float]
    seconds: float = 0.0


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    """A line of the table: names, or a run."""

    measures: str
    names: list[str] = []
    point: str = ""
    instance: int = 0
    digest: str = ""
    seconds: float = 0.0
    values: list[float] = []


def rounded(value: float) -> float:
    """Return a value with seven significant digits; a fraction never becomes a whole number."""
    short = float(f"{value:.{DIGITS}g}")
    return value if short.is_integer() and not float(value).is_integer() else short


def read_table(path: Path) -> Iterator[StoredRun]:
    """Yield the runs of a table; none if there is no such file.

    Raises
    ------
    StudyError
        If a line is malformed.
    """
    if not path.is_file():
        return
    names: dict[str, list[str]] = {}
    decoder = msgspec.json.Decoder(_Line)
    for number, text in enumerate(path.read_bytes().splitlines(), start=1):
        try:
            line = decoder.decode(text)
            if not line.point:
                names[line.measures] = line.names
                continue
            measurements = dict(zip(names[line.measures], line.values, strict=True))
        except (msgspec.DecodeError, UnicodeDecodeError, LookupError, ValueError) as fault:
            raise StudyError(
                f"{path}, line {number}, is not a stored result ({fault}); "
                "expected one JSON object a line. Remove the line, or choose another folder"
            ) from None
        yield StoredRun(line.point, line.instance, line.digest, measurements, line.seconds)


def write_table(path: Path, runs: Iterable[StoredRun]) -> None:
    """Write the runs as a table, whole or not at all."""
    names: dict[str, list[str]] = {}
    lines: list[dict[str, object]] = []
    for run in sorted(runs, key=lambda run: (run.point, run.instance)):
        ordered = sorted(run.measurements)
        key = hashlib.sha256("\n".join(ordered).encode()).hexdigest()[:6]
        names[key] = ordered
        values = (run.measurements[name] for name in ordered)
        lines.append(
            {
                "point": run.point,
                "instance": run.instance,
                "digest": run.digest,
                "seconds": round(run.seconds, 2),
                "measures": key,
                "values": [int(one) if float(one).is_integer() else one for one in values],
            }
        )
    head = [{"measures": key, "names": listed} for key, listed in sorted(names.items())]
    with replacing(path) as partial:
        encoded = (msgspec.json.encode(line) + b"\n" for line in [*head, *lines])
        partial.write_bytes(b"".join(encoded))
