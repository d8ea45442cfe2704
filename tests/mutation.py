"""Plant small faults in a module, one at a time, and see which the tests catch.

``script/mutate MODULE`` runs it. ``tests/mutants.toml`` names the tests of each module, and the
mutants that change nothing, each with a reason. The tree itself is never touched: a mutant is
written into a temporary copy of it.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import math
import multiprocessing
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Literal

ROOT = Path(__file__).parents[1]
TABLE = Path(__file__).with_name("mutants.toml")
NEEDED = ("src", "tests", "benchmarks", "script", "docs", "examples", "pyproject.toml", "README.md")

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult, ast.Mod: ast.FloorDiv, ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr,
}  # fmt: skip
WARM = multiprocessing.get_context("forkserver")
"""Starts a process for each mutant that has imported what takes long and never changes."""
IMPORTED_ONCE = ["pytest", "hypothesis", "numba", "networkx", "pyarrow.parquet"]
CALLS = {"min": "max", "max": "min", "any": "all", "all": "any", "ceil": "floor", "floor": "ceil"}


@dataclass(frozen=True)
class Mutant:
    """One fault: the source with it, and the lines that it removes and adds."""

    line: int
    source: str
    before: str
    after: str


def replacements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the faulty versions of a node."""
    match node:
        case ast.Compare(left=left, ops=[op], comparators=right) if type(op) in COMPARISONS:
            yield ast.Compare(left, [COMPARISONS[type(op)]()], right)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in ARITHMETIC:
            yield ast.BinOp(left, ARITHMETIC[type(op)](), right)
        case ast.AugAssign(target=target, op=op, value=value):
            if type(op) in ARITHMETIC:
                yield ast.AugAssign(target, ARITHMETIC[type(op)](), value)
            yield ast.Pass()
        case ast.BoolOp(op=op, values=values):
            yield ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant() as operand):
            yield operand
        case ast.Constant(value=bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(value=int() as value):
            yield ast.Constant(value + 1)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords) if name in CALLS:
            yield ast.Call(ast.Name(CALLS[name]), args, keywords)
        case ast.Call(func=ast.Attribute(value=value, attr=name)) if name in CALLS:
            yield ast.Call(ast.Attribute(value, CALLS[name]), node.args, node.keywords)
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            negated = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
            replaced = negated or isinstance(test, ast.Compare | ast.BoolOp)
            if not replaced and "TYPE_" not in ast.unparse(test):
                yield ast.UnaryOp(ast.Not(), test)
        case ast.Expr(value=ast.Call() | ast.Await() | ast.Yield()):
            yield ast.Pass()
        case ast.Raise() | ast.Continue() | ast.Break() | ast.Delete():
            yield ast.Pass()
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield ast.Pass()
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            yield ast.Return(ast.Constant(None))


def mutable_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that a fault may stand in: no annotations, texts, messages or exports."""
    for name, field in ast.iter_fields(tree):
        if name in ("annotation", "returns", "decorator_list", "type_params", "msg", "bases"):
            continue
        if isinstance(tree, ast.ClassDef) and name == "keywords":
            continue
        for node in field if isinstance(field, list) else [field]:
            if not isinstance(node, ast.AST) or isinstance(node, ast.JoinedStr):
                continue
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                continue
            yield node
            if not isinstance(node, ast.Raise):
                yield from mutable_nodes(node)


def mutants_of(source: str) -> list[Mutant]:
    """Return all mutants of a source text, each once, in the order of the lines."""
    lines = source.encode().splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    whole = source.encode()
    found: dict[str, Mutant] = {}
    for node in mutable_nodes(ast.parse(source)):
        for new in replacements(node):
            spot: Any = node.test if isinstance(node, ast.If | ast.While | ast.IfExp) else node
            text = ast.unparse(ast.fix_missing_locations(new))
            if isinstance(new, ast.expr):
                text = f"({text})"
            begin = starts[spot.lineno - 1] + spot.col_offset
            end = starts[spot.end_lineno - 1] + spot.end_col_offset
            changed = (whole[:begin] + text.encode() + whole[end:]).decode()
            try:
                compile(changed, "mutant", "exec")
            except SyntaxError:
                continue
            difference = list(
                difflib.unified_diff(source.splitlines(), changed.splitlines(), n=0, lineterm="")
            )[3:]
            removed, added = (
                " ".join(line[1:].strip() for line in difference if line[0] == sign)
                for sign in "-+"
            )
            found.setdefault(changed, Mutant(spot.lineno, changed, removed, added))
    return sorted(found.values(), key=lambda mutant: mutant.line)


@dataclass(frozen=True)
class Bench:
    """A temporary copy of the tree, in which the tests of one module are run."""

    place: Path
    module: Path
    tests: Sequence[str]
    compiled: bool

    def warm_up(self, source: str) -> None:
        """Run the tests without any fault, and store bytecode of all modules but this one."""
        if self.run(source, 3600, store_bytecode=True) != "passed":
            raise SystemExit(f"without any fault, these do not pass: {' '.join(self.tests)}")
        for stored in (self.place / self.module).parent.glob(
            f"__pycache__/{self.module.stem}.*.pyc"
        ):
            stored.unlink()

    def run(
        self, source: str, limit: float, *, store_bytecode: bool = False
    ) -> Literal["passed", "failed", "timed out"]:
        """Return how the tests end with this source of the module, within the limit (s)."""
        (self.place / self.module).write_text(source, encoding="utf-8")
        words = ["-q", "-x", "-p", "no:xdist", "--assert=plain", *self.tests]
        if not self.compiled:
            words += ["-m", "not compiled"]
        process = WARM.Process(target=run_tests, args=(self.place, words, limit, store_bytecode))
        process.start()
        process.join(limit)
        if process.exitcode is None:
            assert process.pid is not None
            os.killpg(process.pid, signal.SIGKILL)
            process.join()
            return "timed out"
        return "failed" if process.exitcode else "passed"


def run_tests(place: Path, words: list[str], limit: float, store_bytecode: bool) -> None:
    """Run tests of a copy of the tree, in a process that holds nothing of this tree."""
    os.setsid()  # so that it ends with the processes that it starts
    signal.alarm(math.ceil(limit) + 1)  # ends it if this program is interrupted
    silence = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(silence, stream)
    for name in [name for name in sys.modules if name.split(".")[0] in ("tests", "gossamer")]:
        del sys.modules[name]
    sys.path[:] = [str(place), str(place / "src"), *(p for p in sys.path if not inside_tree(p))]
    os.environ["PYTHONPATH"] = str(place / "src")
    sys.dont_write_bytecode = not store_bytecode
    os.chdir(place)
    import pytest

    os._exit(pytest.main(words))


def inside_tree(path: str) -> bool:
    """Return whether an entry of the module path leads to this tree's own modules."""
    return Path(path).resolve() in (ROOT, ROOT / "src")


def copy_tree(place: Path) -> None:
    """Copy what tests need, with compiled kernels."""
    for name in NEEDED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, place / name)
        elif source.exists():
            shutil.copy2(source, place / name)


def main(words: Sequence[str]) -> int:
    """Plant faults in a module; print those that no test or only a time-out catches."""
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    parser = argparse.ArgumentParser(prog="script/mutate", description=main.__doc__)
    parser.add_argument("module", help=f"one of {', '.join(table['tests'])}, or another module")
    parser.add_argument("--tests", nargs="+", help="test paths, in place of the table's")
    parser.add_argument("--sample", type=int, default=30, help="size of the sample (30)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the sample (0)")
    parser.add_argument("--jobs", type=int, default=1, help="test processes at a time (1)")
    parser.add_argument("--timeout", type=float, help="seconds a mutant (3 x the tests, + 10)")
    parser.add_argument("--list", action="store_true", help="print the sample, run nothing")
    asked = parser.parse_args(words)
    name = asked.module.removesuffix(".py").removeprefix("src/gossamer/")
    module = Path("src", "gossamer", f"{name}.py")
    source = (ROOT / module).read_text(encoding="utf-8")
    harmless = {
        (one["before"], after)
        for one in table.get("equivalent", ())
        if one["module"] == name
        for after in one["after"]
    }
    every = [one for one in mutants_of(source) if (one.before, one.after) not in harmless]
    sample = random.Random(asked.seed).sample(every, min(asked.sample, len(every)))
    sample.sort(key=lambda one: one.line)
    if asked.list:
        print(*(f"{one.line}: {one.before}\n    → {one.after}" for one in sample), sep="\n")
        return 0
    tests = asked.tests or table["tests"][name]
    compiled = not name.startswith("kernels/")
    os.environ["NUMBA_DISABLE_JIT"] = "0" if compiled else "1"
    if not compiled:
        os.environ.setdefault("GOSSAMER_HYPOTHESIS", "plain")
    WARM.set_forkserver_preload(IMPORTED_ONCE)
    with tempfile.TemporaryDirectory(prefix="mutate-") as place:
        first = Bench(Path(place, "0"), module, tests, compiled)
        copy_tree(first.place)
        first.warm_up(source)
        began = time.monotonic()
        first.run(source, 3600)
        took = time.monotonic() - began
        free: SimpleQueue[Bench] = SimpleQueue()
        free.put(first)
        for job in range(1, asked.jobs):
            free.put(replace(first, place=Path(place, str(job))))
            shutil.copytree(first.place, Path(place, str(job)))
        limit = asked.timeout or 3 * took + 10
        print(f"{name}: {len(sample)} of {len(every)} mutants; tests take {took:.0f} s", flush=True)

        def caught(mutant: Mutant) -> bool:
            mine = free.get()
            try:
                end = mine.run(mutant.source, limit)
            finally:
                free.put(mine)
            if end != "failed":
                verdict = "survived" if end == "passed" else "caught by its time-out"
                print(f"{verdict}, line {mutant.line}:\n  - {mutant.before}\n  + {mutant.after}")
                sys.stdout.flush()
            return end != "passed"

        with ThreadPoolExecutor(asked.jobs) as workers:
            hits = sum(workers.map(caught, sample))
    print(f"{name}: {hits} of {len(sample)} caught, {100 * hits / max(len(sample), 1):.0f} %")
    return 0 if hits >= 0.9 * len(sample) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
