"""The table of rates: publications per second on each topic.

``gossamer ingest publications`` writes it beside the publications.
"""

from __future__ import annotations

import os
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute
from numpy.typing import NDArray

from gossamer.errors import TableError
from gossamer.model import Interests
from gossamer.tables.names import find_ids
from gossamer.tables.rows import read_rows
from gossamer.tables.schema import RATES


class TopicRates(NamedTuple):
    """Rate of each topic of interests, and the names of other topics in the table."""

    rates: NDArray[np.float64]
    unknown: tuple[str, ...]


def read_rates(path: str | os.PathLike[str], interests: Interests) -> TopicRates:
    """Read the publication rate of each topic of interests; 0 for topics not in the table.

    Names are compared as text. O(rows).

    Raises
    ------
    TableError
        If a column is missing, a rate is not a number of 0 or more, a topic occurs twice, or no
        topic of the table is one of the interests.
    """
    rows = read_rows(path, RATES.name, [("topic", "per_second")])
    topics, texts = rows.strings("topic"), rows.table.column("per_second")
    try:
        given = texts.cast(pa.float64()).to_numpy()
    except pa.ArrowException:
        row = next(k for k, text in enumerate(texts.to_pylist()) if not _is_number(text))
        raise TableError(
            f"{path}: the rate of {topics[row]} is {str(texts[row])!r}; expected a number"
        ) from None
    wrong = np.flatnonzero(~(np.isfinite(given) & (given >= 0)))
    if len(wrong):
        row = int(wrong[0])
        raise TableError(f"{path}: the rate of {topics[row]} is {given[row]:g}; expected 0 or more")
    ids = find_ids(topics, interests.topic_names)
    known = ids >= 0
    if interests.topic_count and not known.any():
        raise TableError(
            f"{path}: none of its {len(ids):,} topics has a subscriber; expected rates of the "
            "topics of the subscriptions"
        )
    counts = np.bincount(ids[known], minlength=interests.topic_count)
    if counts.max(initial=0) > 1:
        twice = interests.topic_names[int(counts.argmax())]
        raise TableError(f"{path}: has {counts.max()} rates of the topic {twice}; expected one")
    rates = np.zeros(interests.topic_count)
    rates[ids[known]] = given[known]
    return TopicRates(rates, tuple(topics.filter(pa.array(~known)).to_pylist()))


def _is_number(text: object) -> bool:
    try:
        float(str(text))
    except ValueError:
        return False
    return True
