"""Options of publications, and their tables, for every command that publishes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from gossamer.cli.display import is_json, show_facts, show_line
from gossamer.cli.options import option

if TYPE_CHECKING:
    from gossamer.model import Interests, Publications
    from gossamer.tables import GivenPublications

PER_SECOND = 10.0
"""Publications per second of drawn publications."""


@dataclass(frozen=True)
class PublicationOptions:
    """Publications: drawn, or of a table."""

    PANEL: ClassVar = "Publications"

    publications: Annotated[
        Path | None,
        option(
            "Table of publications with columns time (microseconds), publication and topics, or "
            "time_ms, post_id and tags. Topics are separated by spaces. Without a column "
            "publisher, each publisher is drawn from the subscribers of the topics."
        ),
    ] = None
    publish: Annotated[
        int | None,
        option("Number of publications to draw, or to pick at even intervals from --publications."),
    ] = None
    crosspost: Annotated[
        int | None,
        option(
            "Number of topics per drawn publication: a random one and the topics most correlated "
            "with it (default: 1)."
        ),
    ] = None
    triplets: Annotated[
        int | None,
        option(
            "Number of publications for each topic, on it and the two topics most correlated with "
            "it (StaN, A.1)."
        ),
    ] = None
    only_subscribers: Annotated[
        bool,
        option(
            "Leave out topics that the publisher does not subscribe to. By default, in a simulated "
            "network, such a publisher hands its publication to a subscriber."
        ),
    ] = False
    non_subscribers: Annotated[
        float | None,
        option("Share of drawn publications whose publisher subscribes to none of their topics."),
    ] = None
    payload: Annotated[int, option("Size of each publication in bytes.")] = 200

    def __post_init__(self) -> None:
        from gossamer.errors import ParameterError

        if self.triplets is not None:
            for flag in ("publications", "publish", "crosspost"):
                if getattr(self, flag) is not None:
                    raise ParameterError(f"expected either --triplets or --{flag}, and not both")
        if self.publish is not None and self.publish < 1:
            raise ParameterError(f"--publish is {self.publish}; expected 1 or more")
        if self.publications is not None and self.crosspost is not None:
            raise ParameterError("--crosspost is for drawn publications; a file has topics")
        if self.only_subscribers and self.publications is None:
            raise ParameterError("--only-subscribers is for publications of a table")
        if self.non_subscribers is not None and (self.publications or self.triplets is not None):
            raise ParameterError("--non-subscribers is for publications drawn with --publish")

    @property
    def given(self) -> bool:
        """Whether there are publications to read or to draw."""
        return any(one is not None for one in (self.publications, self.publish, self.triplets))

    def read(
        self, interests: Interests, seed: int, *, count: int = 0
    ) -> tuple[Publications, GivenPublications | None]:
        """Read or draw publications; ``count`` of them if no number is given."""
        from gossamer.errors import ParameterError
        from gossamer.workloads import crosspost_triplets, draw_publications

        if self.publications is not None:
            given = _load(self.publications, interests, seed, self.only_subscribers)
            found = given.publications
            return found if self.publish is None else found.thin(self.publish), given
        if self.triplets is None:
            return draw_publications(
                interests, self.publish or count,
                crosspost=1 if self.crosspost is None else self.crosspost, per_second=PER_SECOND,
                non_subscribers=self.non_subscribers or 0.0, seed=seed,
            ), None  # fmt: skip
        drawn = crosspost_triplets(interests, each=self.triplets, per_second=PER_SECOND, seed=seed)
        if not len(drawn):
            raise ParameterError("no topic has two subscribers, so there is nothing to publish")
        return drawn, None


def _load(path: Path, interests: Interests, seed: int, only_subscribers: bool) -> GivenPublications:
    """Read publications, of which at least one can be published."""
    from gossamer.errors import TableError
    from gossamer.tables import read_publications

    found = read_publications(path, interests, only_subscribers=only_subscribers, seed=seed)
    if not found.rows:
        raise TableError(f"{path}: has no rows; expected publications below its header")
    if not len(found.publications):
        raise TableError(
            f"{path}: none of {found.rows:,} publications is on a topic that "
            + (
                "its publisher subscribes to; expected publishers among the subscribers"
                if found.dropped_tags
                else "has subscribers; expected topics of the subscriptions"
            )
        )
    return found


def show_given(found: GivenPublications | None) -> None:
    """Show the number of publications read from a table, and of those left out."""
    if found is None:
        return
    facts: dict[str, Any] = {name: value for name, value in found.facts().items() if value}
    if found.publishers_drawn:
        facts["publishers"] = "drawn among the subscribers of the topics"
    show_facts("Table of publications", facts, key="publications_table")
    if not is_json():
        show_line("")
