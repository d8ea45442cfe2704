"""Profiles in memory equal plain counts, as those on Spark do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest

from gossamer.errors import TableError
from gossamer.pipeline import profile_in_memory
from gossamer.pipeline.xxhash import hash_names
from gossamer.tables.schema import FOLLOWS, RATES, SESSIONS
from tests.cli.conftest import Invoke, invoke
from tests.spark import test_profile as on_spark

__all__ = ["invoke", "tables"]
tables = on_spark.tables
OF_SEED_0 = [
    -5904888402568203703, 1336350072079630103, -5499243141673892978, -581908036408372598,
    -3285960819901245608, 8199124783661391857, -2457743572982771478, -5622199503611080241,
]  # fmt: skip
OF_SEED_2_62 = [8569656921761690570, -7226068933814922734]


def test_profile_of_all_tables_of_a_folder(tables: Path, tmp_path: Path) -> None:
    found = profile_in_memory(tables, tmp_path / "out", seed=4)
    on_spark._check_interests(found)
    on_spark._check_publications(found)
    on_spark._check_sessions(found)
    facts = pa.parquet.read_table(tmp_path / "out" / "profile_facts.parquet").to_pylist()
    assert {(row["part"], row["fact"]) for row in facts} == {
        (part, name) for part, named in found.facts().items() for name in named
    }


def test_hashes_are_those_of_spark() -> None:
    """Values of ``SELECT xxhash64(bigint(seed), name)`` on Spark 4."""
    names = ["", "a", "ann", 7, "é名", "twelve bytes", "x" * 32, "y" * 47]
    assert hash_names(0, names).tolist() == OF_SEED_0
    assert hash_names(2**62, names[2:4]).tolist() == OF_SEED_2_62


def test_users_without_follows_are_nodes(tmp_path: Path) -> None:
    on_spark.write(tmp_path / "follows.parquet", FOLLOWS, [(1, 2), (2, 3), (1, 3)])
    found: Any = profile_in_memory(tmp_path)
    assert (found.interests.nodes, found.interests.topics) == (3, 3)
    assert found.interests.top_topics == (("3", 2), ("2", 1))
    assert found.interests.facts()["topics without subscribers"] == 1


def test_rates_and_bad_tables(tmp_path: Path) -> None:
    on_spark.write(tmp_path / "rates.parquet", RATES, [("a", 3, 0.5), ("b", 9, 1.5)])
    found: Any = profile_in_memory(tmp_path)
    assert (found.publications.per_second, found.interests) == (2.0, None)
    assert found.publications.top_topics == (("b", 9), ("a", 3))
    on_spark.write(tmp_path / "rates.parquet", RATES, [("a", -3, 0.5)])
    with pytest.raises(TableError, match=r"a rate is -3.0; expected 0 or more"):
        profile_in_memory(tmp_path)
    for schema, rows, says in (
        (SESSIONS, [(1, 5, 3)], "1 sessions end before they start"),
        (SESSIONS, [(1, 5, 5)], "no session has a length"),
    ):
        folder = tmp_path / says.replace(" ", "-")
        on_spark.write(folder / f"{schema.name}.parquet", schema, rows)
        with pytest.raises(TableError, match=says):
            profile_in_memory(folder)


def test_profile_command_reads_what_other_commands_read(invoke: Invoke, tmp_path: Path) -> None:
    table = tmp_path / "lists.txt"
    table.write_text("2 tea jazz\n1 tea\n")
    shown = invoke("profile", table, "--layout", "counts", "--out", tmp_path / "out").works().out
    assert "Most popular topics" in shown
    assert (tmp_path / "out" / "profile_interests.png").exists()
    invoke("profile", tmp_path / "nowhere").fails("there is no such file or folder")
    invoke("profile", table, "--master", "local[1]").fails("give --engine spark too")
