"""``script/demo`` and the folder that it writes to."""

from __future__ import annotations

import runpy
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "script"
DEMO = runpy.run_path(str(SCRIPTS / "demo.py"))


def test_folder_of_an_earlier_demo_is_emptied_and_others_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    prepare, mark = DEMO["prepare_folder"], DEMO["MARK"]
    made = tmp_path / "a" / "demo"
    prepare(made)
    (made / "links.csv").touch()
    prepare(made)
    assert [one.name for one in made.iterdir()] == [mark]
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").touch()
    for folder, says in ((tmp_path / "mine", "did not write"), (made / mark, "is a file")):
        with pytest.raises(SystemExit):
            prepare(folder)
        assert says in capsys.readouterr().err
    assert (tmp_path / "mine" / "thesis.txt").exists()


@pytest.mark.parametrize(("word", "code", "says"), [
    ("mine", 2, "mine has files that this script did not write"),
    ("--fast", 2, "there is no option --fast"),
    ("--help", 0, "script/demo [FOLDER]"),
])  # fmt: skip
def test_arguments_are_checked_before_the_set_up(
    tmp_path: Path, word: str, code: int, says: str
) -> None:
    scripts = tmp_path / "copy" / "script"  # without a bootstrap
    scripts.mkdir(parents=True)
    for name in ("demo", "demo.py"):
        shutil.copy(SCRIPTS / name, scripts)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").touch()
    run = subprocess.run(
        [scripts / "demo", word], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert run.returncode == code
    assert says in run.stdout + run.stderr
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
