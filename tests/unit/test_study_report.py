"""The report of a study: its page, the file with all values, and its rows for a terminal."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

from gossamer.studies import (
    REPORT_COLUMNS,
    Cause,
    Column,
    Figure,
    Row,
    report_page,
    report_remarks,
    report_rows,
    reproduce,
    write_report,
)
from gossamer.studies.report_page import number_text
from gossamer.studies.schema import Plot
from gossamer.studies.statement import Statement
from tests.unit.toy_study import SMALL, TOY


def test_report_has_published_values_ours_and_reasons() -> None:
    result = reproduce(TOY, instances=3)
    page = report_page(result, pictures=["table-1"], data="toy.csv")
    area = number_text(result.cells[0].mean)
    half = number_text(result.cells[0].half_width or 0.0)
    assert page.startswith(
        "# toy: the paper's results and ours\n\n*On Squares*, Euclid, Alexandria."
    )
    assert "**2 of 4 claims of the paper are reproduced; 2 differ.**" in page
    assert "the mean of 3 instances. Reproduce with `gossamer reproduce toy`." in page
    assert "Every claim of the paper is in the [inventory](toy-inventory.md)." in page
    assert "[All values as a table](toy.csv)" in page
    assert "| Square | Area |" in page  # and not the column that the paper lacks
    assert f"| 10 | {area} ± {half} (100) |" in page
    assert "(500) ✗ |" in page
    assert "Published values that are reproduced: 1 of 2; why: 1." in page
    assert "Published values that are reproduced: 1 of 2; why: 2." in page
    assert "\n1. A misprint.\n2. Unexplained.\n" in page
    assert page.count("Squares of whole sides.") == 1
    assert "![Table I: area](toy-table-1.png)" in page
    assert page.endswith("\n")


LARGE = (Cause("It is large.", shown_by=("one",)),)


def of_data(name: str, label: str, holds: bool) -> Figure:
    """A figure of one data set, with statements that hold or do not."""
    texts = ("All sides of a square are equal, as everyone can see with a ruler.", "It is small.")
    statements = (
        Statement(texts[0], lambda seen: seen["Edge"]["10"] == 40, (Cause("Never."),)),
        Statement(texts[1], lambda seen: (seen["Edge"]["10"] == 40) is holds, LARGE),
    )
    rows = (Row("10", {"": SMALL}),)
    notes = ("Drawn with a pencil.",)
    return Figure(
        name, f"Figure 1: edge ({label})", "Square", (Column("Edge", "edge"),), rows,
        notes=notes, statements=statements, plot=Plot("x", "y"),
    )  # fmt: skip


def test_variants_of_a_figure_share_a_section_of_the_report() -> None:
    figures = (
        of_data("one", "drawn, 10 users", True),
        of_data("two", "real, 10 users", False),
        replace(of_data("three", "real", True), title="Figure 2: edge (real)"),
    )
    result = reproduce(replace(TOY, figures=figures, short_title="Toy"), instances=3)
    page = report_page(result, pictures=["one", "two"])
    assert page.startswith("# Toy: ")
    assert [line for line in page.splitlines() if line.startswith("#")][1:] == [
        "## Figure 1: edge (10 users)",
        "## Figure 2: edge (real)",
    ]
    assert page.count("- ✓ All sides of a square are equal, as everyone can see") == 1
    assert (
        "- ✓ drawn; ✗ real: It is small. It is large. (See Figure 1: edge (drawn, 10 users).)"
        in page
    )
    assert "- ✓ All sides of a square are equal, as … (as above)" in page
    assert page.count("Drawn with a pencil.") == 1
    assert page.count("![") == 2
    assert "Pictures of the others" not in page
    named = tuple(of_data(name, name, True) for name in ("a", "b", "c"))
    three = reproduce(replace(TOY, figures=named), instances=3)
    page = report_page(three, pictures=["a", "b", "c"])
    assert page.count("![") == 2
    assert "Pictures of the others: [c](toy-c.png).\n" in page
    assert "|" not in page  # the picture has the values


def test_report_rows_and_remarks_for_a_terminal() -> None:
    (result,) = reproduce(TOY, ["table-2"], instances=3).figures
    rows = report_rows(result)
    assert all(len(row) == len(REPORT_COLUMNS) for row in rows)
    assert rows[0][-1] == "reproduced"
    assert rows[1] == ("20", "Edge", "81", "80", "0", "80", "80", "3", "-1.2 %", "differs (1)")
    assert report_remarks(result) == ["(1) Unexplained.\n"]


def test_report_is_named_for_the_study_and_the_figures_asked_for(tmp_path: Path) -> None:
    page, data = write_report(reproduce(TOY, ["II"], instances=1), tmp_path)
    assert (page, data) == (tmp_path / "toy-table-2.md", tmp_path / "toy-table-2.csv")
    assert "[All values as a table](toy-table-2.csv)" in page.read_text(encoding="utf-8")
    files = write_report(reproduce(TOY, instances=1), tmp_path)
    assert files == [tmp_path / name for name in ("toy.md", "toy.csv", "toy-inventory.md")]


def test_data_of_the_report_has_every_value(tmp_path: Path) -> None:
    result = reproduce(TOY, instances=2)
    _, data, _ = write_report(result, tmp_path)
    with data.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["mean"]) for row in rows] == [cell.mean for cell in result.cells]
    assert (rows[1]["column"], rows[1]["paper"], rows[1]["verdict"]) == (
        "Edge | ours", "", "not in the paper",
    )  # fmt: skip
    assert (rows[2]["paper"], rows[2]["is_current"]) == ("500.0", "True")
