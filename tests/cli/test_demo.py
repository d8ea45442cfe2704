"""``script/demo`` and the folder that it writes to."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

DEMO = runpy.run_path(str(Path(__file__).parents[2] / "script" / "demo.py"))


def test_folder_of_an_earlier_demo_is_emptied_and_others_are_refused(tmp_path: Path) -> None:
    prepare, mark = DEMO["prepare_folder"], DEMO["MARK"]
    made = tmp_path / "a" / "demo"
    prepare(made)
    (made / "links.csv").touch()
    prepare(made)
    assert [one.name for one in made.iterdir()] == [mark]
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").touch()
    for folder, says in ((tmp_path / "mine", "did not write"), (made / mark, "is a file")):
        with pytest.raises(SystemExit, match=says):
            prepare(folder)
    assert (tmp_path / "mine" / "thesis.txt").exists()


def test_steps_are_commands_with_options_that_exist() -> None:
    from typer.main import get_command

    from gossamer.cli.main import app

    commands = get_command(app).commands  # type: ignore[attr-defined]
    for _, text in DEMO["STEPS"]:
        name, *words = text.split()
        known = {flag for one in commands[name].params for flag in one.opts}
        known |= {"--nodes", "--topics", "--subscriptions"}
        assert {word for word in words if word.startswith("--")} <= known
