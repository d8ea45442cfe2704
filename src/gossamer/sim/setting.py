"""What a world is like, in words: delays, and who is there when.

``uniform:5-15ms`` or a file of delays between sites; ``exponential:300``, ``superpeer`` or a table
of sessions, with flash crowds after it. The command line and Python say it alike.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np

from gossamer.errors import ParameterError
from gossamer.model import ChurnEvents, Interests, Sessions
from gossamer.sim.rules import Delay, Rule, SiteDelay, scattered
from gossamer.tables import (
    NamedSessions,
    is_churn,
    read_churn_or_sessions,
    read_latency,
    read_sessions,
)
from gossamer.workloads.sessions import draw_sessions, parse_churn, split_crowds
from gossamer.workloads.superpeers import superpeer_sessions

__all__ = ["find_delay", "find_sessions", "match_sessions"]

UNITS = {"us": 1, "ms": 1000, "s": 1_000_000}
RANGE = re.compile(r"uniform:(\d+(?:\.\d+)?)(?:-(\d+(?:\.\d+)?))? ?(us|ms|s)")
ENDINGS = (".parquet", ".csv", ".tsv", ".txt", ".gz")


def find_delay(text: str | os.PathLike[str], interests: Interests, seed: int) -> Rule:
    """Return the delay of messages: a range, or a matrix with nodes at random sites."""
    word = os.fspath(text)
    found = RANGE.fullmatch(word.strip().lower())
    if found:
        unit = UNITS[found.group(3)]
        least = float(found.group(1))
        most = float(found.group(2) or least)
        return Delay(round(least * unit), round(most * unit))
    if not _is_path(word):
        raise ParameterError(
            f"latency is {word!r}; expected a range as in uniform:5-15ms, or a file of round-trip "
            "times in milliseconds, a row a site"
        )
    return SiteDelay(scattered(read_latency(word), interests.node_count, seed))


def find_sessions(
    text: str | os.PathLike[str],
    interests: Interests,
    *,
    until: float,
    seed: int,
    faster: float = 1.0,
    by_name: bool = True,
) -> tuple[Sessions, str]:
    """Return who is there when, and a word on how sessions were given to nodes.

    Parameters
    ----------
    text
        A law, as in ``exponential:300``; ``superpeer``, for
        :func:`gossamer.workloads.superpeers.superpeer_sessions`; or a table of sessions, or of
        joins
        and leaves, whose nodes are those of the interests. Each with
        flash crowds after it if wanted, as in ``exponential:300,flash:600:1000``.
    interests
        Whose nodes are there or not.
    until
        Seconds that sessions are drawn for.
    seed
        Of what is drawn.
    faster
        How much faster the time of a table, or of superpeers, passes; not that of crowds.
    by_name
        Whether a table's nodes may be those of the interests; else they are given in order.
    """
    word = os.fspath(text)
    if not 0 < faster <= 1e9:
        raise ParameterError(f"speed-up is {faster}; expected more than 0, and at most 10^9")
    whole = Path(word).exists()  # a name may have a comma in it
    base, crowds = (word, ()) if whole else split_crowds(word)
    for crowd in crowds:
        if crowd.at >= until:
            raise ParameterError(
                f"churn is {word!r}: the flash crowd is at {crowd.at:g} s, and the run ends at "
                f"{until:g} s; expected an earlier one, or a longer run"
            )
    if not whole and base.strip().lower() == "superpeer":
        count = interests.node_count
        found = superpeer_sessions(count, seconds=until * faster, seed=seed, faster=faster)
        how = "superpeers, drawn for each node"
    elif _is_path(base) and is_churn(base):
        present, events = read_churn_or_sessions(base, interests)
        scaled = ChurnEvents.from_columns(
            np.floor(events.times / faster).astype(np.int64), events.nodes, events.joins
        )
        after = round((until + 1) * 1_000_000)  # who stays does not leave with the run's end
        found, how = scaled.sessions(present, until=after), "joins and leaves"
    elif _is_path(base):
        named = read_sessions(base)
        found, how = match_sessions(base, named, interests, faster=faster, by_name=by_name)
    else:
        horizon = round(until * 1_000_000)
        found = draw_sessions(
            parse_churn(base), nodes=interests.node_count, until=horizon, seed=seed
        )
        how = "drawn for each node"
    for crowd in crowds:
        found = crowd.added_to(found, nodes=interests.node_count, seed=seed)
    return found, how


def match_sessions(
    what: str, named: NamedSessions, interests: Interests, *, faster: float, by_name: bool
) -> tuple[Sessions, str]:
    """Give sessions to nodes: by name, or in order where no name is known.

    Raises
    ------
    ParameterError
        If some of the nodes have sessions and others have none, or there are too few.
    """
    wanted = interests.node_names.tolist()
    there = {name: place for place, name in enumerate(named.names.tolist())}
    known = [name for name in wanted if name in there] if by_name else []
    if known:
        missing = [name for name in wanted if name not in there]
        if missing:
            listed = ", ".join(repr(name) for name in missing[:3])
            raise ParameterError(
                f"{what}: {len(missing):,} of {len(wanted):,} nodes have no sessions, as "
                f"{listed}; expected some for each, or none of their names at all"
            )
        order = [there[name] for name in wanted]
        return named.of(order, faster=faster), "by name"
    if len(there) < len(wanted):
        raise ParameterError(
            f"{what}: has sessions of {len(there):,} nodes, and {len(wanted):,} nodes want "
            "something; expected sessions for each"
        )
    return named.of(list(range(len(wanted))), faster=faster), "in order, since names differ"


def _is_path(word: str) -> bool:
    return Path(word).exists() or "/" in word or word.endswith(ENDINGS)
