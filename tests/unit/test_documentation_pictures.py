"""The pictures of the documentation are what their scripts draw."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
SCRIPTS = sorted(
    path.stem for path in FOLDER.glob("*.py") if path.stem not in ("drawing", "services")
)
NUMBER = re.compile(r"(?<=[\" ,(])-?\d+\.\d(?=[\" ,)])")
"""A coordinate: a number with one decimal in an attribute."""


@pytest.mark.compiled
@pytest.mark.parametrize("name", SCRIPTS)
def test_picture_is_what_its_script_draws(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    drawn = importlib.import_module(name).draw().svg()
    kept = (FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    assert NUMBER.sub("", drawn) == NUMBER.sub("", kept), f"run: python docs/pictures/{name}.py"
    for one, other in zip(NUMBER.findall(drawn), NUMBER.findall(kept), strict=True):
        assert abs(float(one) - float(other)) < 2, "a machine may round otherwise, not so far"
