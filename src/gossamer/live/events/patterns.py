"""Patterns: topics with wildcards.

The levels of a topic are separated by dots. In a pattern, ``*`` stands for one level, and ``>``, as
the last one, for one or more: ``orders.*`` matches ``orders.new``, ``orders.>`` also
``orders.new.paid``. Within a longer level, neither character is a wildcard.

To the overlay a pattern is a topic like any other: a publisher that knows the pattern publishes on
it as well (:mod:`~gossamer.live.messaging.pattern_lists`).
"""

from __future__ import annotations

from collections.abc import Iterable

ONE, REST = "*", ">"


def is_pattern(topic: str) -> bool:
    """Whether a topic has a wildcard.

    Examples
    --------
    >>> is_pattern("orders.*"), is_pattern("orders.>"), is_pattern("2*3 > 5")
    (True, True, False)
    """
    if ONE not in topic and REST not in topic:
        return False
    levels = topic.split(".")
    return ONE in levels or REST in levels


def misplaced_wildcard(topic: str) -> bool:
    """Whether ``>`` is a level other than the last one.

    Examples
    --------
    >>> misplaced_wildcard("orders.>.paid"), misplaced_wildcard("orders.>")
    (True, False)
    """
    return REST in topic.split(".")[:-1]


def stray_wildcard(topic: str) -> str | None:
    """Return a level that looks like a wildcard and is none; None if there is none.

    Examples
    --------
    >>> stray_wildcard("orders.new*"), stray_wildcard("**"), stray_wildcard("orders.#")
    ('new*', '**', '#')
    >>> [stray_wildcard(topic) for topic in ("orders.*", "orders.>", "2*3 > 5", "c#")]
    [None, None, None, None]
    """
    if ONE not in topic and REST not in topic and "#" not in topic:
        return None
    for level in topic.split("."):
        ends = level[:1] + level[-1:]
        if level == "#" or (level not in (ONE, REST) and (ONE in ends or REST in ends)):
            return level
    return None


class PatternIndex:
    """A set of patterns that finds those that match a topic.

    Examples
    --------
    >>> index = PatternIndex(["orders.*", "orders.>", "*.new", "stock.*"])
    >>> index.matching("orders.new")
    ['*.new', 'orders.*', 'orders.>']
    """

    def __init__(self, patterns: Iterable[str] = ()) -> None:
        self._root = _Level()
        for pattern in patterns:
            level = self._root
            for name in pattern.split("."):
                level = level.below.setdefault(name, _Level())
            level.pattern = pattern

    def matching(self, topic: str) -> list[str]:
        """Return the patterns that match a topic, in ascending order.

        It visits the levels of patterns that match the first levels of the topic.
        """
        found, here = [], [self._root]
        for name in topic.split("."):
            found += [level.below[REST].pattern for level in here if REST in level.below]
            here = [
                level.below[step]
                for level in here
                for step in dict.fromkeys((name, ONE))
                if step != REST and step in level.below
            ]
        found += [level.pattern for level in here]
        return sorted(pattern for pattern in found if pattern is not None)


class _Level:
    """The patterns that begin with some levels."""

    __slots__ = ("below", "pattern")

    def __init__(self) -> None:
        self.below: dict[str, _Level] = {}
        self.pattern: str | None = None
