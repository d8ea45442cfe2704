"""Files that are written and read: text tables in and out, byte for byte."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.golden import program
from tests.golden.inputs import Case, designed, heavy, rss, tiny

CASES: dict[str, Case] = {}


def _in_folder(work: Callable[[Path], Any]) -> Case:
    def values() -> Any:
        with tempfile.TemporaryDirectory() as folder:
            return work(Path(folder))

    return values


def _text(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def _interests(folder: Path) -> Any:
    found = []
    for table in (tiny(), rss()):
        for ending in ("csv", "tsv", "parquet"):
            path = folder / f"subscriptions.{ending}"
            program.write_interests(path, table)
            written = b"" if ending == "parquet" else path.read_bytes()
            found.append((written, program.interest_values(program.read_interests(path))))
    return found


def _links(folder: Path) -> Any:
    found = []
    for name, table in (("tiny", tiny()), ("heavy", heavy())):
        for ending in ("csv", "parquet"):
            path = folder / f"links.{ending}"
            program.write_links(path, table, designed(name))
            written = b"" if ending == "parquet" else path.read_bytes()
            found.append((written, program.overlay_values(program.read_links(path, table))))
    return found


def _churn(folder: Path) -> Any:
    present, events = program.draw_rounds(200, 120, seed=4, present=0.7)
    path = folder / "churn.csv"
    program.write_churn(path, rss(), present, events)
    again, back = program.read_churn(path, rss())
    return path.read_bytes(), again, program.event_values(back)


def _sessions(folder: Path) -> Any:
    named = _text(folder, "sessions.csv", "node,start_s,end_s\nb,0,2.5\na,1,3\nb,4,5\n")
    numbered = _text(folder, "more.csv", "node,start,end\n7,5,900\n10,0,12\n7,1000,1001\n")
    return program.read_sessions(named), program.read_sessions(numbered)


def _publications(folder: Path) -> Any:
    by_whom = (
        "publication,time,publisher,topics\na,0,ann,tea\nb,1500,eve,jazz go\n"
        "c,2000,gus,go chess tea\n"
    )
    drawn = "time_ms,post_id,tags\n0.5,a,tea\n10,b,jazz go nothing\n20,c,silence tea\n30,d,x\n"
    return [
        program.read_publications(_text(folder, f"{at}.csv", text), tiny(), seed=2)
        for at, text in enumerate((by_whom, drawn))
    ]


def _rates(folder: Path) -> Any:
    path = _text(folder, "rates.csv", "topic,per_second\ntea,0.5\nchess,2\nunknown,1\n")
    return program.read_rates(path, tiny())


def _follows(folder: Path) -> Any:
    path = _text(folder, "follows.txt", "# comment\n0 1\n0 2\n2 1\n10\t2\n0 1\n")
    return [
        program.interest_values(program.read_follows(path, undirected=both))
        for both in (False, True)
    ]


def _latency(folder: Path) -> Any:
    return program.read_latency(_text(folder, "rtt.txt", "0 10.5 nan\n12 0 -1\n30 40 0\n"))


def _sites(folder: Path) -> Any:
    """A simulation whose delays come from a matrix, and whose sessions come from a table."""
    delays = _text(folder, "rtt.txt", "0 10.5 nan\n12 0 -1\n30 40 0\n")
    names = program.interest_values(tiny())[0].tolist()
    rows = [f"{name},{at % 3},{at + 6}" for at, name in enumerate(names)]
    sessions = _text(folder, "sessions.csv", "\n".join(["node,start_s,end_s", *rows]) + "\n")
    done = program.simulate(
        "spidercast", tiny(), latency=delays, churn=sessions, duration=8.0, seed=5
    )
    return program.simulation_parts("spidercast", done)


CASES["tables/interests"] = _in_folder(_interests)
CASES["tables/links"] = _in_folder(_links)
CASES["tables/churn"] = _in_folder(_churn)
CASES["tables/sessions"] = _in_folder(_sessions)
CASES["tables/publications"] = _in_folder(_publications)
CASES["tables/rates"] = _in_folder(_rates)
CASES["tables/follows"] = _in_folder(_follows)
CASES["tables/latency"] = _in_folder(_latency)
CASES["tables/simulation of files"] = _in_folder(_sites)
