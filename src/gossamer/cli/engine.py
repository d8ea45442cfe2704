"""The options that say where the work is done, the same for every command that can use Spark."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["Conf", "Engine", "EngineOption", "Master", "check_engine", "engine_session"]

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


@contextmanager
def engine_session(master: str | None, conf: list[str] | None) -> Iterator[SparkSession]:
    """Give the Spark session that the options describe."""
    from gossamer.model import ParameterError
    from gossamer.pipeline import spark_session

    settings = {}
    for setting in conf or []:
        name, equals, value = setting.partition("=")
        if not equals or not name.startswith("spark."):
            raise ParameterError(
                f"--conf is {setting!r}; expected a name that begins with 'spark.', '=' and a value"
            )
        settings[name] = value
    with spark_session(master=master, settings=settings) as session:
        yield session


def check_engine(engine: Engine, master: str | None, conf: list[str] | None) -> None:
    """Refuse Spark's options where Spark is not used."""
    from gossamer.model import ParameterError

    if engine is Engine.memory and (master is not None or conf):
        given = "--master" if master is not None else "--conf"
        raise ParameterError(f"{given} is about Spark; give --engine spark too")
