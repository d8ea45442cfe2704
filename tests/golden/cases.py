"""All cases, their digests, and the file that keeps them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tests.golden import design, maintenance, quality, simulation, tables, wire, workloads
from tests.golden.digest import digest
from tests.golden.inputs import Case

__all__ = ["CASES", "NAMES", "PATH", "digests_of", "load", "of_case", "parts_of", "regenerate"]

PATH = Path(__file__).with_name("digests.json")
SPARK = "spark/"
"""What the names of digests begin with that need a Spark session."""

CASES: dict[str, Case] = {}
for _module in (design, quality, simulation, maintenance, workloads, tables, wire):
    CASES |= _module.CASES

NAMES: dict[str, set[str]] = {
    "design": design.NAMES,
    "workloads": workloads.NAMES,
    "simulation": simulation.NAMES,
    "cycles": simulation.CYCLE_NAMES,
    "maintenance": maintenance.NAMES,
}
"""The names of each registry that have cases."""


def parts_of(name: str, value: Any) -> dict[str, str]:
    """Return the digest of a value by its name; of a dict, those of its parts."""
    if not isinstance(value, dict):
        return {name: digest(value)}
    return {f"{name}: {part}": digest(one) for part, one in value.items()}


def digests_of(name: str) -> dict[str, str]:
    """Compute the digests of one case."""
    return parts_of(name, CASES[name]())


def of_case(name: str, digests: Mapping[str, str]) -> dict[str, str]:
    """Return those digests that belong to a case."""
    return {key: one for key, one in digests.items() if key.partition(": ")[0] == name}


def load() -> dict[str, str]:
    """Return the stored digests."""
    return dict(json.loads(PATH.read_text(encoding="utf-8"))["digests"]) if PATH.exists() else {}


def regenerate(found: Mapping[str, str], reason: str) -> list[str]:
    """Store digests in place of the stored ones, with the reason; return the names that changed."""
    stored = json.loads(PATH.read_text(encoding="utf-8")) if PATH.exists() else {"history": []}
    changed = differing(stored.get("digests", {}), found)
    entry: dict[str, Any] = {"reason": reason, "changed": changed}
    if not stored["history"]:
        entry["changed"] = "all"
    whole = {
        "history": [*stored["history"], entry],
        "digests": dict(sorted(found.items())),
    }
    PATH.write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return changed


def differing(stored: Mapping[str, str], found: Mapping[str, str]) -> list[str]:
    """Return the names whose digests differ, or that one side alone has."""
    names: Iterable[str] = stored.keys() | found.keys()
    return sorted(name for name in names if stored.get(name) != found.get(name))
