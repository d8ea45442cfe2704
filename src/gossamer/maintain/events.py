"""Which events: those given, those of a table, or rounds that are drawn, as in ``rounds:1000``."""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import ParameterError
from gossamer.model import ChurnEvents, Interests
from gossamer.tables import read_churn_or_sessions
from gossamer.workloads import churn_rounds

__all__ = ["find_events"]

ENDINGS = (".parquet", ".csv", ".tsv", ".txt", ".gz")
Found = tuple[NDArray[np.bool_], ChurnEvents]


def find_events(
    events: ChurnEvents | str | os.PathLike[str], interests: Interests, *, seed: int = 0
) -> Found:
    """Return who is there at the start, and what happens then.

    Parameters
    ----------
    events
        Events themselves, of which whoever does not join first is there; or a table of churn or
        sessions; or ``rounds:COUNT``, one drawn join or leave a round, with all there at first.
    interests
        Whose nodes join and leave.
    seed
        Of what is drawn.

    Examples
    --------
    >>> people = Interests.from_lists({name: ["tea"] for name in "abcd"})
    >>> len(find_events("rounds:12", people)[1])
    12
    """
    if isinstance(events, ChurnEvents):
        return events.present_at_first(interests.node_count), events
    word = os.fspath(events)
    if Path(word).exists() or word.lower().endswith(ENDINGS):
        return read_churn_or_sessions(word, interests)
    drawn = re.fullmatch(r"rounds:(\d{1,9})", word.strip().lower(), flags=re.ASCII)
    if drawn is None:
        raise ParameterError(
            f"events are {word!r}; expected a table of churn or of sessions, or rounds:COUNT, as "
            "in rounds:1000"
        )
    return churn_rounds(interests.node_count, int(drawn[1]), seed=seed)
