"""Help: quick, and with examples that work."""

from __future__ import annotations

import gzip
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from gossamer import __version__
from gossamer.cli import (
    algorithms,
    assess,
    churn,
    cluster,
    compare,
    compare_protocols,
    design,
    disseminate,
    front,
    ingest,
    maintain,
    node,
    profile,
    reinforce,
    replay,
    report,
    reproduce,
    sample,
    simulate,
    workload,
)
from gossamer.host.codec import Codec
from gossamer.host.journal import Journal, JournalHeader
from gossamer.protocols import find_protocol
from gossamer.tables import (
    read_interests,
    write_links,
)
from tests.cli.conftest import ROWS, Invoke
from tests.docs.page_blocks import pages

MODULES = {
    "algorithms": algorithms,
    "assess": assess,
    "churn": churn,
    "compare": compare,
    "compare-protocols": compare_protocols,
    "design": design,
    "disseminate": disseminate,
    "front": front,
    "ingest": ingest,
    "maintain": maintain,
    "node": node,
    "cluster": cluster,
    "profile": profile,
    "reinforce": reinforce,
    "replay": replay,
    "report": report,
    "reproduce": reproduce,
    "sample": sample,
    "simulate": simulate,
    "workload": workload,
}
EXAMPLES = [example for module in MODULES.values() for example in module.EXAMPLES]
ON_SPARK = [
    example
    for example in EXAMPLES
    if "--engine spark" in example
    or (example.split()[1] in ("ingest", "reproduce", "sample") and "--list" not in example)
]
"""Examples that use Spark: tests/spark/test_commands.py runs them."""

ON_PAGES = {
    " ".join(shlex.split(line, comments=True))
    for page in pages()
    if not page.uses_spark
    for block in page.executed
    for line in block.lines
}
"""Commands of the documentation: tests/docs/test_pages.py runs them."""

HEAVY = ("numpy", "numba", "pyarrow", "vl_convert", "gossamer.model", "gossamer.design")


def test_help_imports_nothing_heavy() -> None:
    code = "import sys, gossamer.cli.main; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(HEAVY) & set(run.stdout.split())


def test_help_lists_all_commands(invoke: Invoke) -> None:
    listed = invoke("--help").works().out
    assert all(name in listed for name in MODULES)
    assert invoke("--version").works().out == f"gossamer {__version__}\n"
    assert invoke("nonsense").code == 2
    assert "Usage" in invoke().out


@pytest.mark.parametrize("flag", ["--json", "--quiet", "--plugin", "--nonsense"])
def test_options_before_the_command_are_one_line(invoke: Invoke, flag: str) -> None:
    invoke(flag, "algorithms").fails(f"no such option: {flag}")
    invoke(flag, "algorithms").fails("options follow the command")


def test_completion_of_the_shell_can_be_shown(
    invoke: Invoke, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shellingham.detect_shell", lambda: ("bash", "/bin/bash"))
    assert "gossamer" in invoke("--show-completion", "bash").works().out


@pytest.mark.parametrize("name", MODULES)
def test_help_of_each_command_has_its_examples(invoke: Invoke, name: str) -> None:
    shown = " ".join(invoke(name, "--help").works().out.split())
    assert MODULES[name].EXAMPLES
    for example in MODULES[name].EXAMPLES:
        assert len(example) <= 78, "it would be broken in a terminal of 80 columns"
        assert " ".join(example.split()) in shown


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files that the examples speak of."""
    for name in ("subscriptions.csv", "subs.csv"):
        (tmp_path / name).write_text(ROWS)
    (tmp_path / "t.tsv").write_text("user\tpage\n1\ta\n2\ta\n2\tb\n")
    (tmp_path / "follows.txt.gz").write_bytes(
        gzip.compress(b"# who follows whom\n1 2\n3 2\n", mtime=0)
    )
    journal = Journal(Codec(find_protocol("spidercast").messages))
    journal.start(JournalHeader("spidercast", {"kg": 2}, 1, "127.0.0.1:7000", ("tea",), ()))
    (tmp_path / "a.journal").write_bytes(journal.content)
    interests = read_interests(tmp_path / "subscriptions.csv")
    from gossamer.design import find_algorithm

    overlay = find_algorithm("greedy-merge")(interests)
    write_links(tmp_path / "links.csv", interests, overlay)
    write_links(tmp_path / "links.parquet", interests, overlay)
    (tmp_path / "follows.txt").write_text("1\t2\n3\t2\n")
    (tmp_path / "posts.csv").write_text("time_ms,post_id,tags\n0,1,tea jazz\n2,2,chess\n")
    (tmp_path / "churn.csv").write_text("time_s,node,event\n1,bob,leave\n2,ann,leave\n3,bob,join\n")
    (tmp_path / "sessions.csv").write_text(
        "node,start_s,end_s\n" + "".join(f"{name},0,9\n" for name in ("ann", "bob", "cy", "dee"))
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("example", sorted(set(EXAMPLES) - set(ON_SPARK) - ON_PAGES))
def test_examples_work(invoke: Invoke, folder: Path, example: str) -> None:
    if "gossamer report" in example:
        invoke("compare", "subscriptions.csv", "--save", "comparison").works()
    check_example(invoke, example)


def check_example(invoke: Invoke, example: str) -> None:
    """Run an example, with few nodes and one instance: the last of repeated options counts."""
    command, *words = shlex.split(example)
    assert command == "gossamer"
    if words[0] == "reproduce" and "--list" not in words:
        words += ["--instances", "1"]
        words += [] if "--engine" in words else ["--engine", "memory"]  # no processes for ten runs
    if words[0] == "cluster":
        words += ["--nodes", "3"]
    if "--workload" in words:
        words += ["--nodes", "60", "--topics", "20", "--subscriptions", "4"]
    done = invoke(*words).works()
    if "--out" in words:
        out = words[words.index("--out") + 1]
        assert done.out if out == "-" else Path(out).exists()


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="no /dev/full here")
@pytest.mark.parametrize("words", [["--help"], ["algorithms"]], ids=" ".join)
def test_unwritable_output_is_one_error_line(words: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "gossamer", *words], stdout=full, stderr=-1, text=True
        )
    assert done.returncode == 1
    assert done.stderr == "error: cannot write to standard output (No space left on device)\n"
