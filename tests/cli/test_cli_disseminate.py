"""``gossamer disseminate``: output, files and rejected options."""

from __future__ import annotations

from pathlib import Path

import pyarrow.csv
import pyarrow.parquet
import pytest

from gossamer.tables import HOPS, TRAFFIC
from tests.cli.conftest import Invoke

SMALL = ("--workload", "rss", "--nodes", "60", "--topics", "10", "--subscriptions", "3")


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, subscriptions: Path) -> Path:
    """A folder with the files that commands speak of."""
    assert subscriptions.parent == tmp_path
    (tmp_path / "links.csv").write_text("source,target\nann,bob\nann,cy\ncy,dee\nbob,cy\n")
    (tmp_path / "posts.csv").write_text(
        "time_ms,post_id,tags\n0,1,tea jazz\n9000000,2,chess golf\n"
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


HIT_RATIO = "hit ratio, of expected deliveries"


def facts(text: str) -> dict[str, str]:
    """Return labels and the last value of each line."""
    lines = [
        line.removesuffix(" %").rsplit(maxsplit=1)
        for line in text.splitlines()
        if len(line.split()) > 1
    ]
    return {label.strip(): value for label, value in lines}


def test_links_of_a_file(invoke: Invoke, desk: Path) -> None:
    words = ("disseminate", "subscriptions.csv", "--overlay", "links.csv", "--publications")
    shown = facts(invoke(*words, "posts.csv").works().out)
    assert shown["publications read"] == "2"
    assert shown["mentions of topics without subscribers"] == "1"
    assert shown["deliveries made"] == shown["deliveries expected"] == "4"
    assert shown[HIT_RATIO] == "100"
    one = invoke(*words, "posts.csv", "--publish", "1").works().out
    assert facts(one)["publications published"] == "1"


def test_output_files(invoke: Invoke, desk: Path) -> None:
    shown = invoke(
        "disseminate", *SMALL, "--triplets", "3", "--flood", "both", "--picture", "p.svg",
        "--out", "n.parquet", "--hops", "h.csv",
    ).works()  # fmt: skip
    header = shown.out.splitlines()[1].split()
    assert header == ["measure", "simple", "crosspost", "saving"]
    assert shown.out.splitlines()[-1] == "wrote n.parquet, h.csv, p.svg"
    by_node = pyarrow.parquet.read_table("n.parquet")
    assert tuple(by_node.column_names) == TRAFFIC.column_names
    assert by_node.num_rows == 120
    sent = {
        flood: sum(row["sent"] for row in by_node.to_pylist() if row["flood"] == flood)
        for flood in ("simple", "crosspost")
    }
    copies = next(line.split() for line in shown.out.splitlines() if "copies sent" in line)
    assert copies[2:4] == [f"{sent['simple']:,}", f"{sent['crosspost']:,}"]
    hops = pyarrow.csv.read_csv("h.csv")
    assert tuple(hops.column_names) == HOPS.column_names
    assert sum(hops.column("deliveries").to_pylist()) == sum(
        by_node.column("deliveries").to_pylist()
    )
    assert Path("p.svg").read_text().startswith("<svg")


def test_loss_churn_and_repair(invoke: Invoke, desk: Path) -> None:
    words = ("disseminate", *SMALL, "--publish", "40", "--crosspost", "2", "--seed", "3")

    def run(*more: str) -> str:
        return invoke(*words, *more).works().out

    calm, lossy, bare = run(), run("--loss", "0.1"), run("--loss", "0.1", "--no-repair")
    ratios = [float(facts(text)[HIT_RATIO]) for text in (bare, lossy, calm)]
    assert ratios[0] < ratios[1] <= ratios[2] == 100
    assert "milliseconds per delivery, mean" in lossy
    assert "milliseconds" not in calm
    assert run("--loss", "0.1") == lossy, "the same command twice"
    gone = run("--churn", "exponential:5", "--latency", "uniform:1-2ms", "--picture", "a.png")
    assert int(facts(gone)["publications not published"]) > 0
    assert Path("a.png").stat().st_size > 10_000


def test_logical_links_of_a_protocol(invoke: Invoke, desk: Path) -> None:
    for protocol in ("spidercast", "ring-per-topic"):
        words = ("simulate", protocol, *SMALL, "--duration", "15s", "--publish", "20")
        shown = invoke(*words, "--views", "v.csv", "--picture", "s.png").works().out
        assert "Publications" in shown
        assert facts(shown)[HIT_RATIO] == "100"
        assert Path("v.csv").read_text().startswith("topic,source,target\n")
        onward = invoke("disseminate", *SMALL, "--overlay", "v.csv", "--publish", "30").works()
        assert facts(onward.out)[HIT_RATIO] == "100"


def test_simulate_with_a_file_of_publications(invoke: Invoke, desk: Path) -> None:
    words = ("simulate", "spidercast", "subscriptions.csv", "--publications", "posts.csv")
    shown = invoke(*words, "--duration", "20s").works().out
    assert facts(shown)["deliveries made"] == "4"
    invoke("simulate", "spidercast", *SMALL, "--publish", "0").fails("--publish is 0")
    invoke("simulate", "spidercast", *SMALL, "--payload", "9").fails("give --publish too")
    invoke(*words, "--views", "posts.csv").fails("is also an input")
    invoke(*words, "--payload", "999999").fails("payload is 999999 bytes")


def test_overlay_without_links(invoke: Invoke, desk: Path) -> None:
    (desk / "none.csv").write_text("source,target\n")
    for flood in ("simple", "both"):
        shown = invoke(
            "disseminate", "subscriptions.csv", "--overlay", "none.csv", "--flood", flood,
            "--picture", f"{flood}.png", "--out", "n.csv", "--hops", "h.csv",
        ).works()  # fmt: skip
        assert "deliveries missing" in shown.out
        assert Path("h.csv").read_text() == "flood,hops,deliveries\n"
    assert Path("both.png").stat().st_size > 10_000


def test_algorithm_with_options(invoke: Invoke, desk: Path) -> None:
    shown = invoke("disseminate", *SMALL, "--algorithm", "low-oda", "--rho", "4").works().out
    assert "1,000 publications on low-oda, 60 nodes, 10 topics, crosspost flood" in shown


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "no subscriptions are given"),
        (("none.csv",), "there is no such file"),
        (("subscriptions.csv", *SMALL), "either a file of subscriptions or --workload"),
        (("subscriptions.csv", "--overlay", "none.csv"), "there is no such file"),
        (("subscriptions.csv", "--publications", "none.csv"), "there is no such file"),
        (("subscriptions.csv", "--overlay", "posts.csv"), "there is no column 'source'"),
        (("subscriptions.csv", "--publications", "links.csv"), "is not a table of publications"),
        (("subscriptions.csv", "--overlay", "far.csv"), "'zed' is not one of the 4 nodes"),
        (("subscriptions.csv", "--overlay", "odd.csv"), "'bob' does not subscribe to"),
        (("subscriptions.csv", "--publications", "golf.csv"), "none of 1 publications is on"),
        (
            ("subscriptions.csv", "--publications", "header.csv"),
            "has no rows; expected publications",
        ),
        (("subscriptions.csv", "--publications", "past.csv"), "the time is '-5'"),
        (("empty.csv",), "the file is empty"),
        (("header.csv",), "there is no column 'node'"),
        (("rowless.csv",), "no rows"),
        (("lonely.csv",), "no topic can be published on"),
        (("lonely.csv", "--triplets", "3"), "no topic has two subscribers"),
        (("subscriptions.csv", "--overlay", "links.csv", "--algorithm", "low-oda"), "not both"),
        (("subscriptions.csv", "--overlay", "links.csv", "--rho", "3"), "no option --rho"),
        (("subscriptions.csv", "--rho", "3"), "greedy-merge has no option --rho"),
        (("subscriptions.csv", "--algorithm", "tarot"), "tarot"),
        (("subscriptions.csv", "--triplets", "3", "--publish", "3"), "--triplets or --publish"),
        (("subscriptions.csv", "--triplets", "0"), "0 publications a topic"),
        (("subscriptions.csv", "--publish", "0"), "--publish is 0"),
        (("subscriptions.csv", "--publish", "-3"), "--publish is -3"),
        (("subscriptions.csv", "--crosspost", "65"), "expected 1 to 64"),
        (
            ("subscriptions.csv", "--publications", "posts.csv", "--crosspost", "2"),
            "a file has topics",
        ),
        (("subscriptions.csv", "--payload", "-1"), "payload is -1 bytes"),
        (("subscriptions.csv", "--payload", "99999999"), "expected 0 to 524288"),
        (("subscriptions.csv", "--loss", "nan"), "loss is nan"),
        (("subscriptions.csv", "--loss", "-0.1"), "loss is -0.1"),
        (("subscriptions.csv", "--latency", "soon"), "latency is 'soon'"),
        (("subscriptions.csv", "--churn", "often"), "churn is 'often'"),
        (("subscriptions.csv", "--no-repair"), "--no-repair is for simulations"),
        (("subscriptions.csv", "--out", "subscriptions.csv"), "is also an input"),
        (
            ("subscriptions.csv", "--overlay", "links.csv", "--hops", "links.csv"),
            "is also an input",
        ),
        (("subscriptions.csv", "--out", "a.csv", "--hops", "a.csv"), "the same file"),
        (("subscriptions.csv", "--out", "a.txt"), "the ending is of no known format"),
        (("subscriptions.csv", "--picture", "a.csv"), "the ending is of no known format"),
        (("subscriptions.csv", "--out", "no/a.csv"), "there is no folder"),
        (("subscriptions.csv", "--nodes", "5"), "--nodes applies to --workload"),
    ],
)
def test_invalid_options_are_rejected(
    invoke: Invoke, desk: Path, words: tuple[str, ...], says: str
) -> None:
    (desk / "far.csv").write_text("source,target\nann,zed\n")
    (desk / "odd.csv").write_text("topic,source,target\nchess,cy,bob\n")
    (desk / "golf.csv").write_text("time_ms,post_id,tags\n0,1,golf\n")
    (desk / "past.csv").write_text("time_ms,post_id,tags\n-5,1,tea\n")
    (desk / "header.csv").write_text("time_ms,post_id,tags\n")
    (desk / "rowless.csv").write_text("node,topic\n")
    (desk / "lonely.csv").write_text("node,topic\nann,tea\nbob,jazz\n")
    (desk / "empty.csv").write_text("")
    before = {path: path.read_bytes() for path in desk.iterdir()}
    invoke("disseminate", *words).fails(says)
    assert {path: path.read_bytes() for path in desk.iterdir()} == before


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ("", "has no rows; expected publications below its header"),
        ("0,p,chess,ann\n", "on a topic that its publisher subscribes to"),
        ("0,p,nonsense words,ann\n", "on a topic that has subscribers"),
    ],
)
def test_unusable_publications_are_rejected(
    invoke: Invoke, subscriptions: Path, tmp_path: Path, rows: str, says: str
) -> None:
    table = tmp_path / "posts.csv"
    table.write_text("time_ms,post_id,tags,publisher\n" + rows)
    words = ("--algorithm", "greedy-merge", "--publications", table, "--only-subscribers")
    invoke("disseminate", subscriptions, *words).fails(says)


def test_mentions_of_unknown_topics_are_all_counted(
    invoke: Invoke, subscriptions: Path, tmp_path: Path
) -> None:
    table = tmp_path / "posts.csv"
    table.write_text("time_ms,post_id,tags\n0,p,qq ww ee\n5,q,tea aa bb cc\n")
    shown = invoke(
        "disseminate", subscriptions, "--algorithm", "greedy-merge", "--publications", table
    ).works()
    assert "mentions of topics without subscribers 6" in " ".join(shown.out.split())


def test_shares_without_deliveries(invoke: Invoke, subscriptions: Path) -> None:
    shown = invoke(
        "disseminate", subscriptions, "--algorithm", "greedy-merge", "--publish", "3", "--loss", "1"
    ).works()
    assert "hops per delivery, mean –" in " ".join(shown.out.split())
    assert f"{HIT_RATIO} 0 %" in " ".join(shown.out.split())
