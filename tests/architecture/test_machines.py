"""Machines of protocols have their methods in one order, under the same headings."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PROTOCOLS = Path(__file__).parents[2] / "src/gossamer/protocols"
ORDER = ("dispatch", "queries", "events", "messages", "timers", "decisions", "helpers")
MACHINES = sorted(
    [*PROTOCOLS.glob("*/machine.py"), PROTOCOLS / "components/composed_machine.py",
     PROTOCOLS / "components/neighbour_table.py"]
)  # fmt: skip
HEADING = re.compile(r"^    # -- (\w+) -+$", re.MULTILINE)
METHOD = re.compile(r"^    def (\w+)\(", re.MULTILINE)
PLACES = {"on_started": "events", "on_leave": "events", "on_timer": "timers", "linked": "queries"}


@pytest.mark.parametrize("path", MACHINES, ids=lambda path: path.parent.name + "/" + path.stem)
def test_methods_of_machines_have_one_order(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    headings = HEADING.findall(text)
    assert headings
    assert headings == [one for one in ORDER if one in headings]
    at = [(found.start(), found[1]) for found in HEADING.finditer(text)]
    for found in METHOD.finditer(text):
        name = found[1]
        group = next((title for start, title in reversed(at) if start < found.start()), "")
        expected = PLACES.get(name, group)
        assert group == expected, f"{name} is under {group!r}; expected {expected!r}"
