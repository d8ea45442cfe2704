"""Sessions like those of superpeers, drawn: a stand-in for a trace of a real network.

Vitis §IV-F plays a month of 4,000 Skype superpeers. Where no trace is at hand, these have what
its description tells: a rhythm of the day, sessions of some hours, and less than half of the
nodes there at a time. The numbers are ours; nothing was fitted to that trace.
"""

from __future__ import annotations

import math

from gossamer.errors import ParameterError
from gossamer.model import Sessions
from gossamer.random_stream import Stream, stream_of
from gossamer.time import SECOND
from gossamer.workloads.sessions import WeibullLifetimes

__all__ = ["superpeer_sessions"]

HOUR, DAY = 3_600.0, 86_400.0
MEDIAN, SHAPE = 5.5 * HOUR, 0.7
PRESENT = 0.4
DEPTH, BUSIEST = 0.8, 10 * HOUR
BEFORE = 4 * DAY
LONGEST = 1e9


def superpeer_sessions(
    nodes: int = 4000, *, seconds: float = 30 * DAY, seed: int = 0, time_scale: float = 1.0
) -> Sessions:
    """Draw when superpeers are there, from a midnight on.

    Sessions are Weibull of shape 0.7, so whoever has stayed long stays longer, with a median
    of 5.5 hours. A node that is away joins at a rate that goes up and down with the hour, by
    0.8 of its mean, with the most joins at ten in the morning, and that has two fifths of the
    nodes there on average: between a third and a half over the day. Each node is followed from
    four days before on, so the rhythm is there from the start.

    Parameters
    ----------
    nodes
        How many.
    seconds
        For how long, before time is compressed; a session may end later.
    seed
        What a node draws depends on it and the node alone.
    time_scale
        Factor by which time is compressed: with 720, a month lasts an hour.

    Raises
    ------
    ParameterError
        If a number is out of range.

    Notes
    -----
    O(nodes + sessions). Sessions that become shorter than a microsecond last one.

    Examples
    --------
    >>> month = superpeer_sessions(10, seed=1)
    >>> hour = superpeer_sessions(10, seed=1, time_scale=720)
    >>> len(month) == len(hour), round(month.starts[-1] / hour.starts[-1])
    (True, 720)
    """
    if nodes < 0:
        raise ParameterError(f"nodes is {nodes}; expected 0 or more")
    if not 0 < seconds <= LONGEST:
        raise ParameterError(f"seconds is {seconds}; expected more than 0, at most {LONGEST:g}")
    if not 0 < time_scale <= 1e9:
        raise ParameterError(f"time_scale is {time_scale}; expected above 0, and at most 10^9")
    there = WeibullLifetimes(SHAPE, MEDIAN / math.log(2) ** (1 / SHAPE))
    away = there.mean * (1 - PRESENT) / PRESENT
    who: list[int] = []
    starts: list[int] = []
    ends: list[int] = []
    for node in range(nodes):
        random = stream_of(seed, "superpeer", node)
        time = -BEFORE
        if random.random() < PRESENT:
            time += there.draw(1.0 - random.random())
        free = 0
        while True:
            time = _next_join(time, away, random)
            if time >= seconds:
                break
            end = time + there.draw(1.0 - random.random())
            start = max(free, round(max(time, 0.0) / time_scale * SECOND))
            free = max(start + 1, round(end / time_scale * SECOND))
            if end > 0:
                who.append(node)
                starts.append(start)
                ends.append(free)
            else:
                free = 0
            time = end
    return Sessions.from_columns(who, starts, ends)


def _next_join(time: float, away: float, random: Stream) -> float:
    """Return when a node joins that left at a time: by thinning of a steady stream of joins."""
    while True:
        time -= away / (1 + DEPTH) * math.log(1.0 - random.random())
        rhythm = 1 + DEPTH * math.cos(2 * math.pi * (time - BUSIEST) / DAY)
        if random.random() * (1 + DEPTH) < rhythm:
            return time
