"""``python -m tests.golden``: print what differs from the stored digests, or store new ones."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tests.golden import cases


def main() -> int:
    """Compare or regenerate."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description=__doc__)
    parser.add_argument("--regenerate", action="store_true", help="store the digests of today")
    parser.add_argument("--reason", help="why results changed; goes into the file")
    parser.add_argument("--spark", action="store_true", help="also the digests of Spark jobs")
    parser.add_argument("--times", action="store_true", help="print the slowest cases")
    given = parser.parse_args()
    if given.regenerate and not given.reason:
        parser.error("--regenerate needs --reason")
    found: dict[str, str] = {}
    seconds: dict[str, float] = {}
    for name in cases.CASES:
        started = time.perf_counter()
        found |= cases.digests_of(name)
        seconds[name] = time.perf_counter() - started
    stored = cases.load()
    if given.spark:
        found |= _of_spark()
    else:
        found |= {name: one for name, one in stored.items() if name.startswith(cases.SPARK)}
    if given.times:
        for name, taken in sorted(seconds.items(), key=lambda item: -item[1])[:25]:
            print(f"{taken:6.2f} s  {name}")
        print(f"{sum(seconds.values()):6.2f} s  {len(seconds)} cases")
    if given.regenerate:
        changed = cases.regenerate(found, given.reason)
        print(f"{len(changed)} of {len(found)} digests changed")
        return 0
    changed = cases.differing(stored, found)
    for name in changed:
        print(f"{name}: {stored.get(name, 'no digest')}, now {found.get(name, 'no case')}")
    print(f"{len(changed)} of {len(found)} digests differ")
    return 1 if changed else 0


def _of_spark() -> dict[str, str]:
    from gossamer.pipeline import spark_session
    from tests.golden import spark
    from tests.quick_spark import QUICK_SPARK

    found: dict[str, str] = {}
    with (
        spark_session(master="local[2]", settings=QUICK_SPARK) as session,
        tempfile.TemporaryDirectory() as folder,
    ):
        for at, (name, case) in enumerate(spark.CASES.items()):
            place = Path(folder, str(at))
            (place / "tables").mkdir(parents=True)
            found |= cases.parts_of(name, case(session, place))
    return found


if __name__ == "__main__":
    sys.exit(main())
