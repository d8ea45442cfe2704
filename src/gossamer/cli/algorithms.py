"""``gossamer algorithms``: the registered design algorithms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from gossamer.cli.display import format_options, is_json, show_meanings, show_registry
from gossamer.cli.options import expand, option
from gossamer.errors import ParameterError

if TYPE_CHECKING:
    from gossamer.design import Algorithm

EXAMPLES = ("gossamer algorithms", "gossamer algorithms --markdown")


@expand
def algorithms(
    markdown: Annotated[bool, option("Print a Markdown page instead of a table.")] = False,
) -> None:
    """List the design algorithms with their guarantees and options."""
    from gossamer.design import algorithms as registered

    if markdown and is_json():
        raise ParameterError("expected either --markdown or --json, and not both")
    if markdown:
        typer.echo(algorithms_page(list(registered().values())), nl=False)
        return
    show_registry(
        "Design algorithms", registered().values(), key="algorithms",
        column="guarantee", value=lambda algorithm: algorithm.guarantee,
    )  # fmt: skip
    show_meanings(registered().values())


def algorithms_page(listed: list[Algorithm]) -> str:
    """Return the algorithms as a Markdown page."""
    lines = [
        "# Design algorithms",
        "",
        "Written by `gossamer algorithms --markdown`. In Python each algorithm is a function of",
        "`gossamer`; its docstring has the guarantee, cost and reference. With `--resilient`,",
        "`make_resilient` then adds links until no single link failure disconnects a topic.",
        "",
        "| name | in Python | summary | guarantee | options | reference |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for algorithm in listed:
        options = format_options(algorithm.options.listed).splitlines()
        cells = (
            f"`{algorithm.name}`",
            f"`{algorithm.design.__name__}`",
            algorithm.summary.replace("|", "\\|"),
            algorithm.guarantee,
            "<br>".join(f"`{option}`" for option in options),
            algorithm.reference,
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"
