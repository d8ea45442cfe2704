"""Option groups on the command line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer
from typer.testing import CliRunner

from gossamer.cli.options import EngineOptions, TableOptions, expand


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
    import pytest

    from gossamer.errors import ParameterError

    with pytest.raises(ParameterError, match="give --engine spark too"):
        EngineOptions(master="local[2]")
    with pytest.raises(ParameterError, match="give --follows too"):
        TableOptions(undirected=True)
