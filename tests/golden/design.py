"""The links of every design algorithm, plain and with options; then made resilient."""

from __future__ import annotations

from typing import Any

from tests.golden import program
from tests.golden.inputs import TABLES, Case

TIES: list[dict[str, Any]] = [
    {"ties": rule} for rule in ("fewest-degree", "random", "lexicographic")
]
VARIANTS: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "2d-oda": ("2d-oda", TIES),
    "bounded-radius": (
        "bounded-radius",
        [{"radius": 1}, {"radius": 3}, {"degree_cap": 5}, {"radius": 4, "degree_cap": 8}],
    ),
    "cd-oda": ("cd-oda", TIES),
    "cd-oda-1": ("cd-oda-1", TIES),
    "cd-oda-2": ("cd-oda-2", [*TIES, {"density": "others"}]),
    "cover-forest": ("cover-forest", [{"radius": 2}, {"degree_cap": 5}]),
    "greedy-merge": ("greedy-merge", TIES),
    "greedy-omniscient": ("greedy-omniscient", [{"slack": 0}, {"slack": 5}]),
    "low-oda": ("low-oda", [{"rho": 1.0}, {"rho": 10.0}, *TIES]),
    "minmax-oda": ("minmax-oda", TIES),
    "partitioned-merge": ("partitioned-merge", []),
    "partitioned-radius": (
        "partitioned-radius",
        [{"radius": 3}, {"block": 40}, {"radius": 4, "degree_cap": 6, "block": 25}],
    ),
    "random": ("random", [{"links": 3}]),
    "regular-per-topic": ("regular-per-topic", [{"degree": 2}, {"degree": 7}]),
    "ring-per-topic": ("ring-per-topic", []),
    "similarity": ("similarity", [{"similar": 4}, {"similar": 3, "random": 2}]),
    "subset-merge": ("subset-merge", [{"degree_cap": 4}]),
    "td-cd-oda": ("td-cd-oda", TIES),
}
"""Of each algorithm: its label here, its name in the registry, and options besides the defaults."""

NAMES = {name for name, _ in VARIANTS.values()}
CASES: dict[str, Case] = {}


def _add(label: str, name: str, table: str, seed: int, options: dict[str, Any]) -> None:
    def links() -> Any:
        overlay = program.design_links(name, TABLES[table](), seed=seed, **options)
        return program.overlay_values(overlay)

    CASES[f"design/{table}/{label}"] = links


def _add_resilient(label: str, name: str, table: str) -> None:
    def links() -> Any:
        interests = TABLES[table]()
        overlay = program.design_links(name, interests, seed=3)
        stronger = program.make_resilient(interests, overlay, seed=4)
        return (
            program.overlay_values(stronger),
            program.overlay_values(program.design_links(name, interests, seed=3, resilient=True)),
            program.resilience_bound(interests, overlay),
        )

    CASES[f"design/{table}/{label}/resilient"] = links


for _label, (_name, _options) in VARIANTS.items():
    for _table in TABLES:
        _add(_label, _name, _table, 3, {})
        _add(f"{_label}/seed", _name, _table, 8, {})
        for _at, _chosen in enumerate(_options, 1):
            _add(f"{_label}/{_at}", _name, _table, 3, _chosen)
        _add_resilient(_label, _name, _table)
