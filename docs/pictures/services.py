"""Twenty services and the events that they subscribe to: the table of several pictures."""

from __future__ import annotations

import numpy as np

from drawing import Point
from gossamer import Interests, low_oda
from gossamer.viz.layout import positions

SEED = 538
"""Seed of the layout: of 600, the fewest crossings, and the most room between nodes and links."""
SERVICES = {
    "web shop": "orders prices stock reviews",
    "app": "orders prices stock reviews",
    "checkout": "orders payments prices",
    "warehouse": "orders stock shipping",
    "purchasing": "stock suppliers",
    "billing": "orders payments invoices",
    "accounting": "payments invoices suppliers",
    "fraud": "orders payments logins",
    "shipping": "orders shipping",
    "tracking": "shipping reviews",
    "returns": "orders shipping stock payments",
    "search": "prices stock reviews",
    "pricing": "prices stock suppliers",
    "e-mail": "orders shipping invoices",
    "profiles": "logins reviews",
    "support": "orders shipping logins",
    "analytics": "orders prices reviews logins",
    "forecast": "orders stock suppliers",
    "ads": "prices reviews logins",
    "audit": "payments invoices logins",
}


def interests() -> Interests:
    """Return the table as interests."""
    return Interests.from_lists({name: topics.split() for name, topics in SERVICES.items()})


def layout(left: float, top: float, width: float, height: float) -> list[Point]:
    """Return the place of each service, the same in all pictures, inside a rectangle."""
    table = interests()
    one_group = np.zeros(table.node_count, dtype=np.int64)
    found = positions(table, low_oda(table), one_group, seed=SEED)
    found = (found - found.min(axis=0)) / (found.max(axis=0) - found.min(axis=0))
    return [(left + x * width, top + y * height) for x, y in found.tolist()]
