"""Text notation of durations, delays, churn, partitions and rates.

The command line, scenarios and Python share it. Durations: ``500ms``, ``60s``, ``2h``. Delays:
``uniform:5-15ms``. Churn: ``exponential:300``, ``weibull:0.6:300``, ``pareto:1.5:100``,
``superpeer``, ``rounds:1000`` or a file, with flash crowds after it: ``,flash:600:1000``.
Partitions: ``10s-20s:0.5``. Rates: ``power-law:1.2`` or a file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from gossamer.atomic_files import is_standard
from gossamer.errors import ParameterError
from gossamer.time import DURATION, SECOND, UNITS
from gossamer.workloads.sessions import (
    CROWD_STAY,
    CROWD_WINDOW,
    ChurnLaw,
    ExponentialLifetimes,
    FlashCrowd,
    Lifetimes,
    ParetoLifetimes,
    WeibullLifetimes,
)

NUMBER = r"(\d+(?:\.\d+)?)"
DELAY = rf"uniform:{NUMBER}(?:-{NUMBER})? ?(us|ms|s)"
ENDINGS = (".parquet", ".csv", ".tsv", ".txt", ".gz")
PARAMETERS = {"exponential": 1, "weibull": 2, "pareto": 2}
"""Number of parameters of each law of session lengths."""


@dataclass(frozen=True)
class Partition:
    """An interval in which a random share of the nodes is separated from the others.

    Attributes
    ----------
    start, end
        Start and end (excluded) in microseconds.
    share
        Share of the nodes on the smaller side.
    """

    start: int
    end: int
    share: float


def is_path(text: str) -> bool:
    """Whether a text names a file or folder rather than a law."""
    return is_standard(text) or Path(text).exists() or "/" in text or text.lower().endswith(ENDINGS)


def parse_delay(text: str) -> tuple[int, int] | None:
    """Return the smallest and largest delay of a range in microseconds; None for other texts.

    Examples
    --------
    >>> parse_delay("uniform:5-15ms"), parse_delay("sites.txt")
    ((5000, 15000), None)
    """
    found = re.fullmatch(DELAY, text.strip().lower(), flags=re.ASCII)
    if not found:
        return None
    unit = {"us": 1, "ms": 1000, "s": SECOND}[found[3]]
    return round(float(found[1]) * unit), round(float(found[2] or found[1]) * unit)


def parse_partitions(text: str) -> tuple[Partition, ...]:
    """Return partitions separated by commas, each START-END:SHARE.

    Examples
    --------
    >>> parse_partitions("10s-20s:0.5")
    (Partition(start=10000000, end=20000000, share=0.5),)
    """
    partitions = []
    for part in text.split(",") if text.strip() else ():
        found = re.fullmatch(
            rf"{DURATION}-{DURATION}:{NUMBER}", part.strip().lower(), flags=re.ASCII
        )
        if not found or not 0 < float(found[5]) < 1:
            raise ParameterError(
                f"partition is {text!r}; expected START-END:SHARE, as in 10s-20s:0.5, with a "
                "share of the nodes between 0 and 1"
            )
        start, end = (round(float(found[at]) * UNITS[found[at + 1]] * SECOND) for at in (1, 3))
        if start >= end:
            raise ParameterError(f"partition is {text!r}; expected an end after its start")
        partitions.append(Partition(start, end, float(found[5])))
    return tuple(partitions)


def parse_power_law(text: str) -> float | None:
    """Return the exponent of ``power-law:ALPHA``; None for other texts."""
    law, colon, alpha = text.partition(":")
    if law != "power-law" or not colon:
        return None
    try:
        return float(alpha)
    except ValueError:
        raise ParameterError(f"rates is {text!r}; expected a number, as in power-law:1.2") from None


def parse_rounds(text: str) -> int | None:
    """Return the number of events of ``rounds:COUNT``; None for other texts."""
    found = re.fullmatch(r"rounds:(\d{1,9})", text.strip().lower(), flags=re.ASCII)
    return int(found[1]) if found else None


def split_crowds(text: str) -> tuple[str, tuple[FlashCrowd, ...]]:
    """Split flash crowds off the end of a text: ``,flash:AT:JOINING[:WINDOW[:STAY]]``, in seconds.

    Examples
    --------
    >>> split_crowds("sessions.parquet,flash:600:1000")
    ('sessions.parquet', (FlashCrowd(at=600.0, joining=1000, window=10.0, stay=600.0),))
    """
    base, *parts = re.split(r",\s*flash(?=[:,]|\s*$)", text, flags=re.IGNORECASE)
    crowds = []
    for part in parts:
        found = re.fullmatch(
            rf":{NUMBER}:(\d+)(?::{NUMBER})?(?::{NUMBER})?\s*", part, flags=re.ASCII
        )
        if found is None or not int(found[2]) or not float(found[4] or CROWD_STAY):
            raise ParameterError(
                f"churn is {text!r}: a flash crowd is {'flash' + part!r}; expected "
                "flash:AT:JOINING, as in flash:600:1000, optionally with :WINDOW and :STAY, in "
                "seconds"
            )
        window = CROWD_WINDOW if found[3] is None else float(found[3])
        stay = CROWD_STAY if found[4] is None else float(found[4])
        crowds.append(FlashCrowd(float(found[1]), int(found[2]), window, stay))
    return base, tuple(crowds)


def parse_churn(text: str) -> ChurnLaw:
    """Return the law of a text: mean seconds present, and absent (a quarter if not given).

    ``exponential:300`` or ``exponential:300:75``; ``weibull:SHAPE:SCALE[:ABSENT]``;
    ``pareto:ALPHA:MINIMUM[:ABSENT]``; each optionally with flash crowds, as :func:`split_crowds`
    reads them: ``exponential:300,flash:600:1000``.

    Examples
    --------
    >>> parse_churn("exponential:300")
    ChurnLaw(present=ExponentialLifetimes(mean=300.0), absent=75.0, crowds=())
    """
    law, crowds = split_crowds(text)
    name, *parts = law.strip().lower().split(":")
    numbers = [float(part) for part in parts if re.fullmatch(NUMBER, part)]
    count = PARAMETERS.get(name, 0)
    valid = len(numbers) == len(parts) and count <= len(numbers) <= count + 1
    if not count or not valid or min(numbers, default=0) <= 0:
        raise ParameterError(
            f"churn is {text!r}; expected exponential:SECONDS, weibull:SHAPE:SECONDS or "
            "pareto:ALPHA:SECONDS, each optionally with :SECONDS absent, superpeer, rounds:COUNT, "
            "or a table of sessions or of joins and leaves; optionally with ,flash:AT:JOINING"
        )
    present: Lifetimes
    if name == "exponential":
        present = ExponentialLifetimes(numbers[0])
    elif name == "weibull":
        present = WeibullLifetimes(numbers[0], numbers[1])
    else:
        if numbers[0] <= 1:
            raise ParameterError(f"churn is {text!r}: alpha is {numbers[0]}; expected above 1")
        present = ParetoLifetimes(numbers[0], numbers[1])
    absent = numbers[count] if len(numbers) > count else present.mean / 4
    return ChurnLaw(present, absent, crowds)
