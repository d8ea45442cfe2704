"""Option groups on the command line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from gossamer.cli.common_options import CommonOptions, show_note
from gossamer.cli.options import EngineOptions, TableOptions, expand
from gossamer.cli.progress import show_progress
from gossamer.kernels import jit
from tests.cli.conftest import Invoke
from tests.cli.test_cli_help import MODULES


@dataclass(frozen=True)
class PairOptions:
    left: Annotated[int, typer.Option(help="Left number.")] = 1
    right: Annotated[int, typer.Option(help="Right number.")] = 2


def test_option_group_is_expanded() -> None:
    app = typer.Typer()

    @app.command()
    @expand
    def add(name: str, pair: PairOptions, *, loud: bool = False) -> None:
        typer.echo(f"{name} {pair.left + pair.right} {loud}")

    assert CliRunner().invoke(app, ["sum", "--left", "5", "--loud"]).output == "sum 7 True\n"
    assert "Right number." in CliRunner().invoke(app, ["--help"]).output


def test_option_groups_check_their_values() -> None:
    from gossamer.errors import ParameterError

    with pytest.raises(ParameterError, match="give --engine spark too"):
        EngineOptions(master="local[2]")
    with pytest.raises(ParameterError, match="give --follows too"):
        TableOptions(undirected=True)


def test_every_command_takes_the_common_options(invoke: Invoke) -> None:
    for name in MODULES:
        shown = invoke(name, "--help").works().out
        assert "--plugin" in shown, name
        assert "--quiet" in shown, name


def test_quiet_shows_no_progress(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    announced: list[object] = []
    monkeypatch.setattr(jit, "on_compile", announced.append)
    with CommonOptions(quiet=True).applied(), show_progress() as progress:
        progress("linking", 0.5)
        show_note("a note")
    assert announced == []
    assert capsys.readouterr().err == ""


def test_quiet_commands_still_show_errors(invoke: Invoke, subscriptions: Path) -> None:
    invoke("design", "absent.csv", "--quiet", "--out", "links.csv").fails("absent.csv")
    sessions = subscriptions.with_name("sessions.csv")
    sessions.write_text("node,start_s,end_s\n1,0,9\n2,0,9\n3,0,9\n4,0,9\n")
    words = ("churn", "--kind", "sessions", "--sessions", sessions, subscriptions)
    out = ("--out", subscriptions.with_name("churn.csv"))
    assert "sessions were assigned" in invoke(*words, *out).works().err
    assert invoke(*words, *out, "--quiet").works().err == ""


def test_plugin_of_a_command(invoke: Invoke, subscriptions: Path, tmp_path: Path) -> None:
    plugin = tmp_path / "shouting_idea.py"
    plugin.write_text("import warnings\nfrom gossamer.errors import PluginWarning\n"
                      "warnings.warn('loaded', PluginWarning)\n")  # fmt: skip
    words = ("assess", subscriptions, subscriptions, "--plugin", plugin)
    notes = f"note: loaded\nnote: {plugin}: registers nothing; expected a definition under @"
    assert invoke(*words).err.startswith(notes)
    assert invoke(*words, "--quiet").err.startswith("error: ")
    plugin.write_text("def broken(:\n")
    invoke(*words).fails(f"{plugin}, line 1: invalid syntax")
    plugin.write_text("\n\nknown = 1 / 0\n")
    invoke(*words).fails(f"{plugin}, line 3: ZeroDivisionError: division by zero")
    plugin.write_text("import json\nimport nowhere_at_all\n")
    invoke(*words).fails(f"{plugin}, line 2: ModuleNotFoundError: No module named 'nowhere_at_all'")
    invoke("algorithms", "--plugin", "absent.py").fails("absent.py: there is no such file")
    invoke("algorithms", "--plugin", subscriptions).fails("expected a name that ends in .py")
    invoke("algorithms", "--plugin", ".").fails(".: is a folder; expected a Python file")
    invoke("algorithms", "--plugin", "absent").fails("no module is named 'absent'")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("simulate random t.csv --duraton 3s", "no option --duraton; did you mean --duration?"),
        ("simulate spidercast t.csv --kgg 3", "spidercast has no option --kgg; did you mean --kg?"),
    ],
)  # fmt: skip
def test_misspelled_option_suggests_one_of_the_command_or_of_the_protocol(
    invoke: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("node,topic\nann,tea\nbob,tea\n")
    invoke(*words.split()).fails(says)
