"""Options and tables of what is published, the same for every command that publishes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from gossamer.cli.display import show_facts, show_line, show_table
from gossamer.cli.option_groups import option

if TYPE_CHECKING:
    from gossamer.model import Interests
    from gossamer.quality import Dissemination
    from gossamer.tables import GivenPublications

__all__ = [
    "Payload",
    "PublicationsFile",
    "load_publications",
    "show_disseminations",
    "show_given",
]

PUBLISHING_PANEL = "Publications"

PublicationsFile = Annotated[
    Path | None,
    option(
        "Table of publications: time (microseconds), publication, topics; or time_ms, post_id, "
        "tags. Topics are separated by spaces. Without a column publisher, a random subscriber "
        "of the topics publishes.",
        "--publications",
        panel=PUBLISHING_PANEL,
    ),
]
Payload = Annotated[int, option("Size of each publication, bytes.", panel=PUBLISHING_PANEL)]


def load_publications(path: Path, interests: Interests, seed: int) -> GivenPublications:
    """Read publications; there must be some that can be published."""
    from gossamer.errors import TableError
    from gossamer.tables import read_publications

    found = read_publications(path, interests, seed=seed)
    if not found.rows:
        raise TableError(f"{path}: has no rows; expected publications below its header")
    if not len(found.publications):
        if found.dropped_tags:
            raise TableError(
                f"{path}: none of {found.rows:,} publications is on a topic that its publisher "
                "wants; expected publishers among the subscribers of their topics"
            )
        raise TableError(
            f"{path}: none of {found.rows:,} publications is on a topic that is wanted; expected "
            "topics of the subscriptions"
        )
    return found


def show_given(path: Path, found: GivenPublications) -> None:
    """Show what was read, and what was left out of the table."""
    facts: dict[str, Any] = {name: value for name, value in found.facts().items() if value}
    if found.publishers_drawn:
        facts["publishers"] = "drawn among those who want the topics"
    show_facts(path.name, facts)
    show_line("")


def show_disseminations(title: str, found: Sequence[Dissemination]) -> None:
    """Show one flood's measures, or those of *simple* and *crosspost* and what is saved."""
    if len(found) == 1:
        show_facts(f"{title}, {found[0].flood} flood", found[0].summary())
        return
    from gossamer.quality import savings

    before, after = found
    rows: list[tuple[Any, ...]] = []
    for label, was in before.summary().items():
        now = after.summary()[label]
        counted = label.startswith(("copies", "kB", "duplicates", "hops", "milli"))
        saved = counted and was and now is not None
        rows.append((label, was, now, 100 * (1 - now / was) if saved else None))
    most = savings(before, after)
    rows.append(
        ("senders that save more than 10%, %", None, None,
         100 * float((most > 10).mean()) if len(most) else 0.0)
    )  # fmt: skip
    show_table(title, ("", before.flood, after.flood, "saving, %"), rows, numbers=True)
