"""Options of the links, printed tables and output files of ``gossamer disseminate``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from gossamer.cli.display import add_json, is_json, show_facts, show_table
from gossamer.cli.options import option, output_table
from gossamer.cli.output_files import check_outputs
from gossamer.errors import ParameterError
from gossamer.measures import label_of, shown

if TYPE_CHECKING:
    from gossamer.model import Interests, Overlay
    from gossamer.quality import Dissemination, TopicGraphs


COUNTED = ("copies", "bytes", "duplicates_per_receipt", "hops", "delay_ms")
"""Endings of the measures of which crosspost saves a share."""


@dataclass(frozen=True)
class LinkOptions:
    """Links: those of a table, or those of a design algorithm."""

    PANEL: ClassVar = "Links"

    overlay: Annotated[
        Path | None,
        option(
            "Table of links source,target, as gossamer design writes it. With a column topic, a "
            "link serves that topic alone, as in the table of gossamer simulate --views."
        ),
    ] = None
    algorithm: Annotated[
        str | None,
        option(
            "Algorithm that designs the links without --overlay, as in low-oda:rho=5; see: "
            "gossamer algorithms (default: greedy-merge)."
        ),
    ] = None

    def __post_init__(self) -> None:
        if self.overlay is not None and self.algorithm is not None:
            raise ParameterError("expected either --overlay or --algorithm, and not both")


@dataclass(frozen=True)
class DisseminationOutput:
    """Output files."""

    PANEL: ClassVar = "Output"

    picture: Annotated[
        Path | None,
        option("Picture of the hops and of the load of the nodes: .png, .svg, .pdf or .html."),
    ] = None
    out: Annotated[
        Path | None,
        output_table("Table of the copies and bytes that each node sends, and of its deliveries"),
    ] = None
    hops: Annotated[Path | None, output_table("Table of the deliveries by number of hops")] = None

    def check(self, inputs: Sequence[Path | None]) -> list[Path]:
        """Return the files to write; raise if one cannot be written."""
        return check_outputs((self.out, self.hops), self.picture, inputs)

    def write(self, found: Sequence[Dissemination], interests: Interests, title: str) -> None:
        """Write the files."""
        from gossamer.tables import hops_table, traffic_table, write_table

        if self.out is not None:
            by_node = {str(one.flood): (one.sent, one.bytes, one.deliveries) for one in found}
            write_table(self.out, traffic_table(interests, by_node))
        if self.hops is not None:
            by_hops = {str(one.flood): (one.hops.values, one.hops.counts) for one in found}
            write_table(self.hops, hops_table(by_hops))
        if self.picture is not None:
            from gossamer.viz.dissemination import dissemination_picture

            dissemination_picture(found, title, self.picture)


def read_overlay(path: Path, interests: Interests) -> Overlay | TopicGraphs:
    """Read links, or neighbours on each topic."""
    from gossamer.quality import TopicGraphs
    from gossamer.tables import has_views, read_links, read_views

    if has_views(path):
        return TopicGraphs.from_arcs(interests, *read_views(path, interests).T)
    return read_links(path, interests)


def show_disseminations(
    title: str, found: Sequence[Dissemination], *, key: str | None = None
) -> None:
    """Show the measures of one forwarding mode, or of *simple* and *crosspost* and the savings.

    ``key`` is that of the JSON object of a single one.
    """
    if len(found) == 1:
        show_facts(f"{title}, {found[0].flood} flood", found[0].summary(), key=key)
        return
    from gossamer.quality import savings

    by_node = savings(*found)
    share = float((by_node > 10).mean()) if len(by_node) else 0.0
    if is_json():
        add_json(modes=[one.summary() for one in found], senders_saving=share)
        return
    simple, crosspost = (one.summary() for one in found)
    rows: list[tuple[Any, ...]] = []
    for name, before in simple.items():
        after = crosspost[name]
        counted = name.endswith(COUNTED)
        saved = counted and before and after is not None
        cells = (label_of(name), shown(before, name, simple), shown(after, name, crosspost))
        rows.append((*cells, 1 - after / before if saved else None))
    rows.append((label_of("senders_saving"), None, None, share))
    show_table(title, ("measure", found[0].flood, found[1].flood, "saving"), rows, numbers=True)
