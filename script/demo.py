"""The steps of ``script/demo``: commands that share one process and one Spark session."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path
from typing import NoReturn

MARK = ".made-by-script-demo"
STEPS = (
    (
        "a workload: 2,000 nodes, each with 10 of 100 topics, popular as RSS feeds are",
        "workload rss --nodes 2000 --topics 100 --subscriptions 10 --seed 1 --engine spark "
        "--out {out}/tables",
    ),
    ("a profile of the workload", "profile {out}/tables --out {out}/profile"),
    (
        "a broker overlay for it, as for your own table",
        "design {out}/tables --engine spark --out {out}/tables",
    ),
    ("the quality of that overlay", "assess {out}/tables {out}/tables --engine spark"),
    (
        "every design algorithm on the same table, and a page that shows them",
        "compare {out}/tables --engine spark --with-profile --out {out}/comparison.csv "
        "--picture {out}/comparison.png --save {out}/comparison --report {out}/report.html",
    ),
)


def check_folder(folder: Path) -> None:
    """Refuse a folder with files that no earlier demo wrote."""
    if folder.exists() and not folder.is_dir():
        refuse(f"{folder} is a file; expected a new or empty folder")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / MARK).exists():
        refuse(f"{folder} has files that this script did not write; expected a new or empty folder")


def refuse(why: str) -> NoReturn:
    """End with the exit code of a wrong argument."""
    print(f"error: {why}", file=sys.stderr)
    raise SystemExit(2)


def prepare_folder(folder: Path) -> None:
    """Make the output folder empty; refuse a folder that an earlier demo did not make."""
    check_folder(folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / MARK).touch()


def main(out: str) -> None:
    """Run the steps, and say where the page is."""
    prepare_folder(Path(out))
    if Path(out).is_relative_to(Path.cwd()):
        out = str(Path(out).relative_to(Path.cwd()))
    from typer.main import get_command

    from gossamer.cli.main import app
    from gossamer.pipeline import spark_session

    command = get_command(app)
    with spark_session():
        for title, text in STEPS:
            words = [word.format(out=out) for word in shlex.split(text)]
            print(f"\n· {title}\n$ gossamer {shlex.join(words)}", flush=True)
            code = command.main(words, prog_name="gossamer", standalone_mode=False)
            if code:
                raise SystemExit(code)
    print(
        f"\nOpen {out}/report.html in a browser, then try your own file:\n"
        "  .venv/bin/gossamer compare subscriptions.csv --report report.html"
    )


if __name__ == "__main__":
    if sys.argv[1] == "--check":
        check_folder(Path(sys.argv[2]))
    else:
        main(sys.argv[1])
