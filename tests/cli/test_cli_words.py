"""The options of a command are the parameters of the function that it calls, in the same words."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest
import typer

import gossamer
from gossamer import pipeline
from gossamer.cli.main import app

FORMAT = {
    "layout", "follows", "undirected", "no_header", "first_node", "node_column", "topic_column",
    "delimiter", "subscriptions", "max_bad",
}  # fmt: skip
"""Table of subscriptions and its format: read_interests and read_follows."""
GENERATED = {"workload", "nodes", "topics", "exponent", "subscriptions"}
"""Generated interests: generate_interests."""
FILES = {"out", "picture", "report", "topic", "save", "list"}
"""What a command writes or lists; functions return it."""
SPARK = {"engine", "master", "conf"}
COMMON = {"plugin", "json", "quiet", "help", "seed"}

CASES: dict[str, tuple[tuple[Callable[..., Any], ...], set[str]]] = {
    "assess": ((gossamer.assess, pipeline.assess), {"per_topic", "failures"}),
    "compare": ((gossamer.compare,), {"with_profile"}),
    "compare-protocols": (
        (gossamer.compare_protocols, gossamer.Scenario, gossamer.draw_publications),
        {"publish", "triplets", "only_subscribers"},
    ),
    "design": ((gossamer.design, pipeline.design), {"compare_exact"}),
    "disseminate": (
        (gossamer.disseminate, gossamer.Scenario, gossamer.draw_publications, gossamer.design),
        {"publish", "triplets", "hops", "only_subscribers"},
    ),
    "front": ((gossamer.front, gossamer.recommend), {"no_protocols"}),
    "ingest": ((pipeline.ingest,), set()),
    "maintain": (
        (gossamer.maintain, gossamer.Scenario),
        {"links", "events", "summary", "rebuild_check", "rebuild_gain"},
    ),
    "profile": ((pipeline.profile, pipeline.profile_in_memory), set()),
    "reinforce": ((gossamer.reinforce,), {"links"}),
    "reproduce": ((gossamer.reproduce,), {"table"}),
    "sample": ((pipeline.sample,), set()),
    "simulate": (
        (gossamer.simulate, gossamer.Scenario, gossamer.Recording, gossamer.draw_publications),
        {"publish", "triplets", "only_subscribers", "save_scenario", "overlay", "views"},
    ),
    "workload": ((gossamer.generate_interests, pipeline.generate), set()),
}
"""Functions that a command calls, and its options that are words of the command line alone."""


@pytest.mark.parametrize("name", CASES)
def test_options_are_named_as_parameters(name: str) -> None:
    functions, own = CASES[name]
    command = typer.main.get_command(app).commands[name]  # type: ignore[attr-defined]
    options = set()
    for parameter in command.params:
        flags = [flag for flag in parameter.opts if flag.startswith("--")]
        options.add(flags[0][2:].replace("-", "_") if flags else parameter.name)
    parameters = {one for function in functions for one in inspect.signature(function).parameters}
    unknown = options - parameters - own - FORMAT - GENERATED - FILES - SPARK - COMMON
    assert not unknown
    assert own <= options - parameters, "an exception that is none"


def test_options_of_a_table_are_parameters_of_its_reader() -> None:
    read = inspect.signature(gossamer.read_interests).parameters
    follows = inspect.signature(gossamer.read_follows).parameters
    shared = {
        "layout",
        "first_node",
        "node_column",
        "topic_column",
        "delimiter",
        "header",
        "max_bad",
    }
    assert shared <= read.keys() & follows.keys()
    assert "undirected" in follows
    for job in (pipeline.design, pipeline.assess, pipeline.sample, pipeline.profile):
        assert {"node_column", "topic_column"} <= inspect.signature(job).parameters.keys()
