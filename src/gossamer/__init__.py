"""Gossamer: interest-aware overlays for topic-based publish/subscribe.

N nodes each subscribe to some of T topics. Which links should exist, so that the subscribers of
every topic are connected among themselves, and each node keeps few links?

>>> import gossamer
>>> interests = gossamer.Interests.from_lists({"ann": ["tea", "jazz"], "bob": ["jazz", "tea"]})
>>> design = gossamer.design(interests, "greedy-merge")
>>> gossamer.assess(interests, design.overlay).topic_connected
True

The public names are listed, with their types, in ``__init__.pyi``. Each is imported when it is
first used, so that importing the package is cheap and needs none of the optional parts.
"""

from __future__ import annotations

import ast
import importlib
from pathlib import Path
from typing import Any

from gossamer.extras import explain_import_error


def _read_homes() -> dict[str, str]:
    """Return the module of each public name, as the stub beside this file lists them."""
    stub = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    return {
        alias.name: node.module
        for node in stub.body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }


_HOMES = _read_homes()

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'gossamer' has no attribute {name!r}")
    try:
        return getattr(importlib.import_module(_HOMES[name]), name)
    except ImportError as fault:
        raise explain_import_error(fault, f"gossamer.{name}") or fault from None


def __dir__() -> list[str]:
    return __all__
