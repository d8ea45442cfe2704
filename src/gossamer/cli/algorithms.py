"""``gossamer algorithms``: what there is to choose from."""

from __future__ import annotations

from gossamer.cli.display import show_table, typed_options

__all__ = ["EXAMPLES", "algorithms"]

EXAMPLES = ("gossamer algorithms",)


def algorithms() -> None:
    """List the design algorithms: what each does, promises and takes."""
    from gossamer.design import algorithms as registered

    rows = []
    for algorithm in registered().values():
        promise = "topic-connected" if algorithm.topic_connected else "no promise"
        if algorithm.diameter is not None:
            promise += f", diameter ≤ {algorithm.diameter}"
        rows.append(
            (
                algorithm.name,
                f"{algorithm.summary.replace('`', '')}\n{algorithm.reference}",
                f"{promise}\n{typed_options(algorithm.options.listed)}".rstrip(),
            )
        )
    show_table(
        "Design algorithms",
        ("name", "what it does, and where it was published", "promise, and options"),
        rows,
        apart=True,
    )
