"""The options that say where the work is done, the same for every command that can use Spark."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

__all__ = ["Conf", "Engine", "EngineOption", "Master", "check_engine", "spark_settings"]

ENGINE_PANEL = "Where the work is done"


class Engine(StrEnum):
    """What does the work."""

    memory = "memory"
    spark = "spark"


EngineOption = Annotated[
    Engine,
    typer.Option(
        help="In this process's memory, or on Spark: embedded, or a cluster.",
        rich_help_panel=ENGINE_PANEL,
    ),
]
Master = Annotated[
    str | None,
    typer.Option(
        help="Where Spark runs: local[2], spark://host:7077, sc://host (default: local[*]).",
        show_default=False,
        rich_help_panel=ENGINE_PANEL,
    ),
]
Conf = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE",
        help="A Spark setting, as in spark.driver.memory=8g. May be given again.",
        show_default=False,
        rich_help_panel=ENGINE_PANEL,
    ),
]


def spark_settings(conf: list[str] | None) -> dict[str, str]:
    """Return the Spark settings that --conf gives, by name.

    They are handed on, not a session: so a command looks at everything else that it was
    given before Java is started.
    """
    from gossamer.errors import ParameterError

    settings = {}
    for setting in conf or []:
        name, equals, value = setting.partition("=")
        if not equals or not name.startswith("spark."):
            raise ParameterError(
                f"--conf is {setting!r}; expected a name that begins with 'spark.', '=' and a value"
            )
        settings[name] = value
    return settings


def check_engine(engine: Engine, master: str | None, conf: list[str] | None) -> None:
    """Refuse Spark's options where Spark is not used."""
    from gossamer.errors import ParameterError

    if engine is Engine.memory and (master is not None or conf):
        given = "--master" if master is not None else "--conf"
        raise ParameterError(f"{given} is about Spark; give --engine spark too")
