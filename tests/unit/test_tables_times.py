"""Times in tables: numbers of a unit, and dates of ISO 8601."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest

from gossamer.errors import TableError
from gossamer.model import Interests
from gossamer.tables import read_churn, read_publications, read_sessions
from gossamer.tables.times import read_dates

HOUR = 3_600_000_000
DAY = 24 * HOUR
DATES = {
    "1970-01-02": DAY,
    "1970-01-01T01:00": HOUR,
    "1970-01-01 01:00:00": HOUR,
    "1970-01-01T00:00:00.5": 500_000,
    "1970-01-01T00:00:00,25Z": 250_000,
    "1970-01-01T00:00:01.123456789Z": 1_123_456,
    "1970-01-01t01:00:00z": HOUR,
    "1970-01-01T01:00:00+01:00": 0,
    "1970-01-01 01:00:00 +0100": 0,
    "1970-01-01T00:00-01:00": HOUR,
    " 1970-01-02 ": DAY,
    "2024-02-29T00:00:00Z": 1_709_164_800_000_000,
}
"""Dates, and microseconds since 1970."""
NO_DATES = (
    "2024-02-30", "2023-02-29", "2024-13-01", "1970-01-01T25:00", "1970-01-01T00:00:60Z",
    "1970-01-01T01", "01/02/2024", "yesterday", "1970", "",
)  # fmt: skip


@pytest.mark.parametrize("text", DATES)
def test_date_is_read_as_microseconds(text: str) -> None:
    assert read_dates(pa.chunked_array([[text]])).to_pylist() == [DATES[text]]


@pytest.mark.parametrize("text", NO_DATES)
def test_text_that_is_no_date_is_null(text: str) -> None:
    assert read_dates(pa.chunked_array([["1970-01-02", text]])).to_pylist() == [DAY, None]


def churn_times(path: Path) -> list[int]:
    times: list[int] = read_churn(path).events.times.tolist()
    return times


def test_dates_count_from_the_first_of_the_table(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_text("time,node,event\n2024-05-02,ann,join\n2024-05-01T23:00:00Z,ann,leave\n")
    assert churn_times(path) == [0, HOUR]
    path.write_text("node,start_s,end_s\nann,2024-05-01,2024-05-02\nbob,2024-04-30,2024-05-01\n")
    sessions = read_sessions(path).sessions
    assert (sessions.starts.tolist(), sessions.ends.tolist()) == ([DAY, 0], [2 * DAY, DAY])
    path.write_text("time,publication,topics\n2024-05-01,p,tea\n2024-05-01T01:00Z,q,tea\n")
    found = read_publications(path, Interests.from_lists({"ann": ["tea"], "bob": ["tea"]}))
    assert found.publications.times.tolist() == [0, HOUR]


@pytest.mark.parametrize(
    "column",
    [
        pa.array([0, HOUR], pa.timestamp("us")),
        pa.array([0, HOUR * 1000], pa.timestamp("ns", "UTC")),
        pa.array([HOUR // 1000, HOUR // 500], pa.timestamp("ms", "Europe/Berlin")),
        pa.array(["1970-01-01", "1970-01-01 01:00"]).dictionary_encode(),
        pa.array(["1970-01-01", "1970-01-01 01:00"], pa.large_string()),
    ],
    ids=lambda column: str(column.type),
)
def test_typed_dates_of_parquet_files(tmp_path: Path, column: Any) -> None:
    path = tmp_path / "c.parquet"
    table = pa.table({"time": column, "node": ["ann"] * 2, "event": ["leave", "join"]})
    pa.parquet.write_table(table, path)
    assert churn_times(path) == [0, HOUR]


def test_days_of_parquet_files(tmp_path: Path) -> None:
    days = [date(2024, 5, 1), date(2024, 5, 2)]
    table = pa.table({"time": days, "node": ["ann"] * 2, "event": ["leave", "join"]})
    pa.parquet.write_table(table, tmp_path / "c.parquet")
    assert churn_times(tmp_path / "c.parquet") == [0, DAY]


@pytest.mark.parametrize("time", ["2024-02-30", "5", "", "soon"])
def test_table_with_dates_has_a_date_in_each_row(tmp_path: Path, time: str) -> None:
    path = tmp_path / "c.csv"
    path.write_text(f"time,node,event\n2024-05-01,ann,leave\n{time},ann,join\n")
    says = f"line 3: the time is '{time}'; expected a number, 0 or more, or a date such as"
    with pytest.raises(TableError, match=says):
        read_churn(path)


def test_numbers_have_the_unit_of_their_column(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_text("time_s,node,event\n1.5,ann,leave\n2000,ann,join\n")
    assert churn_times(path) == [1_500_000, 2_000_000_000]
