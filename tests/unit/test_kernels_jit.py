"""The cache key of compiled kernels."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from gossamer import source_digest as source_digest_module
from gossamer.kernels import jit
from gossamer.source_digest import source_digest

CALLEE = '''"""A module."""
STEP = 1
def shift(x):
    """Add."""
    return x + STEP
'''
CALLER = """from gossamer.kernels.deep.middle import twice
def use(x):
    return twice(x)
"""
MIDDLE = """from gossamer.kernels.callee import (
    shift,
)
def twice(x):
    return shift(shift(x))
"""


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    (tmp_path / "deep").mkdir()
    (tmp_path / "callee.py").write_text(CALLEE)
    (tmp_path / "deep" / "middle.py").write_text(MIDDLE)
    (tmp_path / "caller.py").write_text(CALLER)
    (tmp_path / "other.py").write_text("def other(x):\n    return x\n")
    return tmp_path


def stamp(sources: Path) -> str:
    for cached in (source_digest, source_digest_module._imports, source_digest_module._code_digest):
        cached.cache_clear()
    return source_digest(sources / "caller.py", sources, "gossamer.kernels")


@pytest.mark.parametrize(
    ("old", "new"), [("x + STEP", "x - STEP"), ("STEP = 1", "STEP = 2"), ("x + STEP", "STEP + x")]
)
def test_changed_callee_changes_stamp_of_caller(sources: Path, old: str, new: str) -> None:
    before = stamp(sources)
    (sources / "callee.py").write_text(CALLEE.replace(old, new))
    assert stamp(sources) != before


def test_prose_and_unrelated_kernels_do_not_change_stamp(sources: Path) -> None:
    before = stamp(sources)
    (sources / "callee.py").write_text(
        CALLEE.replace("A module.", "Longer\n\nprose.")
        .replace("Add.", "Shift.")
        .replace("    return", "    # a comment\n\n    return")
    )
    (sources / "other.py").write_text("def other(x):\n    return -x\n")
    assert stamp(sources) == before


def test_cache_files_are_named_without_line_numbers() -> None:
    from gossamer.kernels.random import mix64

    cache = getattr(mix64, "_cache", None)
    if cache is not None:  # kernels are compiled
        assert "random.mix64.cpython" in cache._cache_file._index_name
        digest = source_digest(jit.KERNELS / "random.py", jit.KERNELS, "gossamer.kernels")
        assert cache._cache_file._source_stamp == digest


@pytest.mark.parametrize("content", [b"cgossamer.kernels.random\nNoSuchType\n.", b"", b"\x80"])
def test_cache_index_that_cannot_be_read_counts_as_empty(tmp_path: Path, content: bytes) -> None:
    cached = jit._CacheFile(str(tmp_path), "kernel", "stamp")
    Path(cached._index_path).write_bytes(pickle.dumps(cached._version) + content)
    assert cached._load_index() == {}
