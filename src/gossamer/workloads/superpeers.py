"""Synthetic sessions of superpeers: a substitute for a trace of a real network.

Vitis §IV-F replays a trace of 4,000 Skype superpeers over a month. These generated sessions have
the properties that the paper describes: a daily rhythm, sessions of some hours, and less than half
of the nodes present at a time. Gossamer chose the parameters without the trace.
"""

from __future__ import annotations

import math

from gossamer.errors import ParameterError
from gossamer.model import Sessions
from gossamer.random_stream import Stream, stream_of
from gossamer.time import SECOND
from gossamer.workloads.sessions import WeibullLifetimes

HOUR, DAY = 3_600.0, 86_400.0

MEDIAN_SESSION, WEIBULL_SHAPE = 5.5 * HOUR, 0.7
"""Median length of a session in seconds, and shape of the Weibull distribution of lengths."""

PRESENT_SHARE = 0.4
"""Mean share of the nodes that are present."""

RHYTHM, BUSIEST_TIME = 0.8, 10 * HOUR
"""Relative amplitude of the rate of joins over a day, and the time of day with most joins."""

WARM_UP = 4 * DAY
"""Seconds that each node is simulated before the first midnight."""

MAX_SECONDS = 1e9


def superpeer_sessions(
    nodes: int = 4000, *, seconds: float = 30 * DAY, seed: int = 0, time_scale: float = 1.0
) -> Sessions:
    """Draw sessions of superpeers, from a midnight on.

    Lengths of sessions have a Weibull distribution of shape 0.7 with a median of 5.5 hours, so a
    session that has lasted long is likely to continue. The rate at which absent nodes join varies
    over the day by 0.8 of its mean, with most joins at ten in the morning. Two fifths of the nodes
    are present on average, between a third and a half at any time of day. Each node is simulated
    from four days before the first midnight, so that the rhythm holds from the start.

    Parameters
    ----------
    nodes
        Number of nodes.
    seconds
        Duration in seconds, before time is compressed; a session may end later.
    seed
        Seed of the random number generator; draws of a node depend on it and the node only.
    time_scale
        Factor by which time is compressed: with 720, a month takes an hour.

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
    if not 0 < seconds <= MAX_SECONDS:
        raise ParameterError(f"seconds is {seconds}; expected more than 0, at most {MAX_SECONDS:g}")
    if not 0 < time_scale <= 1e9:
        raise ParameterError(f"time_scale is {time_scale}; expected above 0, and at most 10^9")
    online = WeibullLifetimes(WEIBULL_SHAPE, MEDIAN_SESSION / math.log(2) ** (1 / WEIBULL_SHAPE))
    offline = online.mean * (1 - PRESENT_SHARE) / PRESENT_SHARE
    owners: list[int] = []
    starts: list[int] = []
    ends: list[int] = []
    for node in range(nodes):
        random = stream_of(seed, "superpeer", node)
        time = -WARM_UP
        if random.random() < PRESENT_SHARE:
            time += online.draw(1.0 - random.random())
        free = 0
        while True:
            time = _next_join(time, offline, random)
            if time >= seconds:
                break
            end = time + online.draw(1.0 - random.random())
            start = max(free, round(max(time, 0.0) / time_scale * SECOND))
            free = max(start + 1, round(end / time_scale * SECOND))
            if end > 0:
                owners.append(node)
                starts.append(start)
                ends.append(free)
            else:
                free = 0
            time = end
    return Sessions.from_columns(owners, starts, ends)


def _next_join(time: float, offline: float, random: Stream) -> float:
    """Return the time of the next join after a leave, by thinning of a steady stream of joins."""
    while True:
        time -= offline / (1 + RHYTHM) * math.log(1.0 - random.random())
        rhythm = 1 + RHYTHM * math.cos(2 * math.pi * (time - BUSIEST_TIME) / DAY)
        if random.random() * (1 + RHYTHM) < rhythm:
            return time
