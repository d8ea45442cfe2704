"""Checks of the names of nodes and topics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from gossamer.errors import InputError
from gossamer.wording import quoted


def check_distinct(what: str, names: Any) -> None:
    """Raise if two nodes or topics have the same name; O(n) for names in order."""
    found = np.asarray(names)
    if not (found[1:] > found[:-1]).all() and len(set(found.tolist())) < len(found):
        name = Counter(found.tolist()).most_common(1)[0][0]
        raise InputError(f"two {what}s are named {quoted(name)}; expected different names")


def topic_list(node: Any, topics: Any) -> list[Any]:
    """Return the topics of a node as a list; a string of several characters is rejected."""
    if not isinstance(topics, Iterable) or (isinstance(topics, str) and len(topics) > 1):
        raise InputError(
            f"the topics of {quoted(node)} are {quoted(topics)}; expected a list of topics"
        )
    return list(topics)
