"""``gossamer design``: right results, and one clear line for whatever is wrong."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from gossamer.design import find_algorithm
from gossamer.design.registry import Algorithm
from gossamer.errors import ParameterError
from gossamer.experiments import measurement
from gossamer.quality import is_topic_connected
from gossamer.tables import read_interests, read_links
from tests.cli.conftest import ROWS, Invoke


@pytest.mark.parametrize("ending", ["parquet", "csv", "csv.gz", "tsv", "tsv.gz"])
def test_design_writes_links_by_name(invoke: Invoke, subscriptions: Path, ending: str) -> None:
    out = subscriptions.with_name(f"links.{ending}")
    shown = invoke("design", subscriptions, "--out", out).works().out
    interests = read_interests(subscriptions)
    overlay = read_links(out, interests)
    assert is_topic_connected(interests, overlay)
    assert f"wrote {out}" in shown
    for label, value in (("nodes", "4"), ("topics", "3"), ("repeated subscriptions, merged", "1")):
        assert any(line.split() == [*label.split(), value] for line in shown.splitlines()), label


def test_columns_and_delimiter_of_subscriptions(invoke: Invoke, tmp_path: Path) -> None:
    table, out = tmp_path / "t.txt", tmp_path / "links.csv"
    table.write_text("who;what\n007;x\n8;x\n")
    words = ("--node-column", "who", "--topic-column", "what", "--delimiter", ";")
    invoke("design", table, *words, "--out", out).works()
    assert out.read_text() == "source,target\n007,8\n"


def test_edge_lists_of_follows(invoke: Invoke, tmp_path: Path) -> None:
    edges, out = tmp_path / "edges.txt.gz", tmp_path / "links.csv"
    edges.write_bytes(gzip.compress(b"# a b\n1 3\n2 3\n", mtime=0))
    invoke("design", edges, "--follows", "--out", out).works()
    assert out.read_text() == "source,target\n1,2\n"
    invoke("design", edges, "--follows", "--undirected", "--out", out).works()


@pytest.mark.parametrize("place", [1, 2, 4])
@pytest.mark.parametrize("words", [["--rho", "2"], ["--rho=2"]])
def test_algorithm_options(
    invoke: Invoke, subscriptions: Path, place: int, words: list[str]
) -> None:
    out = subscriptions.with_name("links.csv")
    line = ["design", str(subscriptions), "--algorithm", "low-oda", "--out", str(out)]
    invoke(*line[:place], *words, *line[place:]).works()
    expected = find_algorithm("low-oda")(read_interests(subscriptions), rho=2)
    assert read_links(out, read_interests(subscriptions)) == expected


def test_nodes_without_topics_and_topics_with_one_subscriber(
    invoke: Invoke, tmp_path: Path
) -> None:
    lonely, out = tmp_path / "lonely.csv", tmp_path / "links.csv"
    lonely.write_text("node,topic\na,x\nb,y\n")
    invoke("design", lonely, "--out", out).works()
    assert out.read_text() == "source,target\n"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--algorithm", "nonsense"], "no algorithm is named 'nonsense'; there are"),
        (["--rho", "3"], "greedy-merge has no option --rho; its options are: --ties"),
        (["--ties", "nonsense"], "--ties is 'nonsense'; expected one of"),
        (["--algorithm", "low-oda", "--rho", "x"], "--rho is 'x'; expected"),
        (["--undirected"], "give --follows too"),
        (["--first-node", "0"], "give --layout counts too"),
        (["--node-column", "user"], "no column 'user'; the columns are: 'node', 'topic'"),
        (["--delimiter", "::"], "the delimiter is '::'"),
    ],
)
def test_bad_arguments_are_rejected(
    invoke: Invoke, subscriptions: Path, words: list[str], says: str
) -> None:
    out = subscriptions.with_name("links.csv")
    invoke("design", subscriptions, "--out", out, *words).fails(says)
    assert os.listdir(subscriptions.parent) == [subscriptions.name]


@pytest.mark.parametrize("words", [["--rho"], ["--rho", "--seed", "1"], ["--rho=1", "--rho=2"]])
def test_algorithm_options_without_a_value_are_rejected(
    invoke: Invoke, subscriptions: Path, words: list[str]
) -> None:
    outcome = invoke("design", subscriptions, "--out", "x.csv", *words)
    assert outcome.code == 2
    assert "--rho" in outcome.err


@pytest.mark.parametrize(
    ("content", "says"),
    [
        pytest.param(b"", "the file is empty", id="empty"),
        pytest.param(b"node,topic\n", "no rows", id="header only"),
        pytest.param(b"a,b\n1,2\n", "the columns are: 'a', 'b'. Name yours", id="columns"),
        pytest.param(b"node,topic\n1,2\n3\n", "line 3: 1 field, expected 2", id="missing field"),
        pytest.param(
            b"node,topic\n1,2\n3,\n", "line 3: the field 'topic' is empty", id="empty field"
        ),
        pytest.param(b"node,topic\n1,\xff\n", "line 2: not UTF-8", id="not UTF-8"),
        pytest.param(gzip.compress(ROWS.encode(), mtime=0)[:-9], "truncated", id="gzip"),
        pytest.param(b"PAR1 and no more", "truncated or corrupt", id="Parquet"),
        pytest.param(b"node,topic\n1\0,2\n", "NUL", id="NUL"),
    ],
)
def test_bad_tables_are_rejected(invoke: Invoke, tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    invoke("design", path, "--out", tmp_path / "links.csv").fails(says)
    assert os.listdir(tmp_path) == ["bad.csv"]


def test_bad_parquet_is_rejected(invoke: Invoke, tmp_path: Path) -> None:
    path = tmp_path / "bad.parquet"
    pa.parquet.write_table(pa.table({"node": [1, None], "topic": [1, 2]}), path)
    invoke("design", path, "--out", tmp_path / "links.csv").fails("row 2: the field 'node' is null")


def test_missing_files_are_rejected(invoke: Invoke, tmp_path: Path) -> None:
    invoke("design", tmp_path / "gone", "--out", tmp_path / "x.csv").fails("there is no such file")
    invoke("design", tmp_path, "--out", tmp_path / "x.csv").fails("is a folder")


@pytest.mark.parametrize(
    ("out", "says"),
    [
        ("links.pdf", "expected one of .parquet, .csv"),
        ("gone/links.csv", "there is no folder"),
        ("folder.csv", "is a folder"),
    ],
)
def test_output_is_checked_before_the_input_is_read(
    invoke: Invoke, tmp_path: Path, out: str, says: str
) -> None:
    (tmp_path / "folder.csv").mkdir()
    invoke("design", tmp_path / "gone.csv", "--out", tmp_path / out).fails(says)


def test_rejected_input_keeps_the_existing_output(
    invoke: Invoke, subscriptions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = subscriptions.with_name("links.csv")
    out.write_text("before")

    def refuse(*_: object, **__: object) -> None:
        raise ParameterError("it will not")

    monkeypatch.setattr("gossamer.tables.write_links", refuse)
    invoke("design", subscriptions, "--out", out).fails("it will not")
    assert out.read_text() == "before"


def test_design_that_breaks_its_promise_is_not_written(
    invoke: Invoke, subscriptions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def two_components(*_: object) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        return np.array([1, 2, 1])

    monkeypatch.setattr("gossamer.design.verified_design.topic_components", two_components)
    out = subscriptions.with_name("links.csv")
    invoke("design", subscriptions, "--out", out).fails("that is a bug in the algorithm", code=1)
    assert not out.exists()


def test_out_of_memory_and_interruption_exit_codes(
    invoke: Invoke, subscriptions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for fault, code, says in ((MemoryError, 1, "not enough memory"), (KeyboardInterrupt, 130, "")):

        def fail(*_: object, fault: type[BaseException] = fault, **__: object) -> None:
            raise fault

        monkeypatch.setattr("gossamer.tables.write_links", fail)
        outcome = invoke("design", subscriptions, "--out", subscriptions.with_name("x.csv"))
        assert outcome.code == code
        assert says in outcome.err


def test_interrupted_design_leaves_no_file(tmp_path: Path) -> None:
    code = (
        "import signal, time, gossamer.tables as t, gossamer.cli.main as m\n"
        # In the background of a script it is ignored, and that is inherited.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "def slow(*a, **k):\n    print('reading', flush=True)\n    time.sleep(60)\n"
        "t.read_interests = slow\nm.run()"
    )
    words = ["design", "x.csv", "--out", str(tmp_path / "links.csv")]
    with subprocess.Popen(
        [sys.executable, "-c", code, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "reading\n"
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert err == "interrupted\n"
    assert os.listdir(tmp_path) == []


def test_output_to_closed_pipe_exits_quietly(subscriptions: Path) -> None:
    code = "import gossamer.cli.main as m; m.run()"
    with subprocess.Popen(
        [sys.executable, "-c", code, "algorithms"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""


def test_input_file_is_not_overwritten(invoke: Invoke, subscriptions: Path) -> None:
    same = subscriptions.parent / "." / subscriptions.name
    for command in ("design", "compare"):
        outcome = invoke(command, subscriptions, "--out", same)
        outcome.fails("is also an input; expected another file for the output")
    assert subscriptions.read_text() == ROWS


def test_given_links_are_kept_and_completed(invoke: Invoke, tmp_path: Path) -> None:
    table, start, out = (tmp_path / name for name in ("subs.csv", "start.csv", "links.csv"))
    table.write_text("node,topic\na,x\nb,x\nc,x\nd,x\n")
    start.write_text("source,target\na,b\nc,d\na,d\n")
    words = ("design", table, "--start", start, "--out", out)
    invoke(*words).works()
    assert len(out.read_text().splitlines()) == 4
    start.write_text("source,target\na,b\nc,d\n")
    invoke(*words).works()
    lines = out.read_text().splitlines()
    assert len(lines) == 4
    assert {"a,b", "c,d"} < set(lines)
    invoke(*words, "--algorithm", "low-oda").fails("low-oda, and start has links to keep; expected")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("design", "--max-degree", "5"), "--degree-cap is an option of bounded-radius, "),
        (("design", "--max-degree", "5"), "limit: gossamer front FILE --max-degree N"),
        (("design", "--hops=3"), "--radius is an option of bounded-radius, "),
        (("design", "--algorithm", "bounded-radius", "--degre-cap", "3"),
         "bounded-radius has no option --degre-cap; did you mean --degree-cap? its"),
        (("design", "--algorithm", "low-oda:rh=5"), "no option --rh; did you mean --rho? its"),
        (("design", "--algoritm", "low-oda"), "no option --algoritm; did you mean --algorithm? "),
        (("compare", "--seds", "4"), "compare has no option --seds; did you mean --seeds? an alg"),
        (("simulate", "--durtion", "5s"), "no option --durtion; did you mean --duration? its"),
    ],
)  # fmt: skip
def test_unknown_option_suggests_one_that_exists(
    invoke: Invoke, subscriptions: Path, words: tuple[str, ...], says: str
) -> None:
    command, *options = words
    files = {"simulate": ["spidercast", subscriptions]}.get(command, [subscriptions])
    out = ["--out", subscriptions.with_name("l.csv")] if command == "design" else []
    invoke(command, *files, *out, *options).fails(says)


def test_kernels_are_loaded_before_the_design_is_timed(
    invoke: Invoke, subscriptions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[tuple[str, object, bool]] = []

    def note(algorithm: Algorithm, options: object, *, start: object = None) -> None:
        loaded.append((algorithm.name, options, start is not None))

    monkeypatch.setattr(measurement, "load_kernels", note)
    out = subscriptions.with_name("links.csv")
    invoke("design", subscriptions, "--out", out, "--resilient").works()
    invoke("design", subscriptions, "--out", out.with_name("o.csv"), "--start", out).works()
    assert loaded == [("greedy-merge", {"resilient": True}, False), ("greedy-merge", {}, True)]


def test_file_in_place_of_a_name_and_a_file_too_many_say_what_is_expected(
    invoke: Invoke, subscriptions: Path
) -> None:
    invoke("simulate", subscriptions).fails("it is a file, and the name of a protocol is expected")
    invoke("disseminate", subscriptions, "links.csv").fails(
        "expected arguments as in: gossamer disseminate subscriptions.csv --overlay links.parquet"
    )
