"""Pages of the Reference for the Python API: the public names, by subject."""

from __future__ import annotations

import ast
import inspect
import re
import typing
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import gossamer
from gossamer import errors, pipeline
from gossamer.options import summary_of

SUBJECTS = {
    "model": "Interests, overlays and scenarios",
    "tables": "Reading and writing tables",
    "design": "Design",
    "quality": "Quality of an overlay",
    "sim": "Simulation",
    "maintain": "Maintenance under churn",
    "experiments": "Comparison and Pareto front",
    "viz": "Pictures and pages",
    "workloads": "Workloads",
    "protocols": "Protocols of your own",
    "live": "Live nodes",
    "pipeline": "Spark",
    "plugins": "Plug-ins",
    "studies": "Reproduction of papers",
    "errors": "Errors",
}
"""Package of public names: title of its page, in reading order."""

SPARK_JOBS = (
    "spark_session", "ingest", "generate", "sample", "profile", "design", "assess", "lower_bound",
    "read_table", "export_table",
)  # fmt: skip
"""Functions of ``gossamer.pipeline`` for a script of the user."""


@cache
def homes() -> dict[str, str]:
    """Return the module of each public name, as ``__init__.pyi`` lists them."""
    stub = ast.parse(Path(gossamer.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    return {
        alias.name: node.module
        for node in stub.body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
        if alias.name != "__version__"
    }


def public_object(name: str) -> Any:
    """Return what a public name stands for; of a package that can be called, its function."""
    found = getattr(gossamer, name)
    return vars(found).get("__wrapped__", found) if inspect.ismodule(found) else found


@cache
def by_subject() -> dict[str, dict[str, Any]]:
    """Return what is documented under each subject: objects by the path that readers use."""
    subjects: dict[str, dict[str, Any]] = {subject: {} for subject in SUBJECTS}
    for name, home in homes().items():  # a new package needs a title in SUBJECTS
        subjects[home.split(".")[1]][f"gossamer.{name}"] = public_object(name)
    for name in SPARK_JOBS:
        subjects["pipeline"][f"gossamer.pipeline.{name}"] = getattr(pipeline, name)
    for name, made in vars(errors).items():
        if inspect.isclass(made) and made.__module__ == errors.__name__ and name not in homes():
            subjects["errors"][f"gossamer.errors.{name}"] = made
    return {subject: names for subject, names in subjects.items() if names}


@cache
def result_classes() -> dict[str, dict[str, type]]:
    """Return the classes without a public name that a subject's functions return.

    They include the types of the attributes and of what methods return, in turn.
    """
    known = {id(one) for documented in by_subject().values() for one in documented.values()}
    found: dict[str, dict[str, type]] = {subject: {} for subject in by_subject()}
    for subject, documented in by_subject().items():
        waiting = list(documented.values())
        while waiting:
            for kind in _types_from(waiting.pop(0)):
                if kind.__module__.split(".")[0] == "gossamer" and id(kind) not in known:
                    known.add(id(kind))
                    found[subject][f"{kind.__module__}.{kind.__qualname__}"] = kind
                    waiting.append(kind)
    return found


def _types_from(made: Any) -> Iterator[type]:
    """Yield the types of what a function returns, or of what a class has and returns."""
    if not inspect.isclass(made):
        yield from _classes_in(_hints(made).get("return"))
        return
    for hint in _hints(made).values():
        yield from _classes_in(hint)
    for name, member in vars(made).items():
        if not name.startswith("_"):
            member = getattr(member, "fget", getattr(member, "func", member))
            yield from _classes_in(_hints(member).get("return") if callable(member) else None)


def _hints(made: Any) -> dict[str, Any]:
    try:
        return typing.get_type_hints(made)
    except (NameError, TypeError):  # of pyspark, which is imported when it is used
        return {}


def _classes_in(hint: Any) -> Iterator[type]:
    if inspect.isclass(hint):
        yield hint
    for part in typing.get_args(hint):
        yield from _classes_in(part)


def api_pages() -> Iterator[tuple[str, str]]:
    """Yield name and text of a page for each subject, and of their list."""
    yield "api", _list_of_subjects()
    for subject, documented in by_subject().items():
        yield f"api/{subject}", _page(subject, documented)


def _list_of_subjects() -> str:
    lines = [
        "# Python API", "",
        "Every name below is an attribute of `gossamer` and is imported when it is first used. "
        "Names that are not listed may change without notice.", "",
    ]  # fmt: skip
    for subject, documented in by_subject().items():
        lines += [f"## [{SUBJECTS[subject]}](api/{subject}.md)", "", *_summaries(documented)]
    hidden = "\n".join(f"api/{subject}" for subject in by_subject())
    return "\n".join([*lines, "```{toctree}", ":hidden:", "", hidden, "```", ""])


def _summaries(documented: Mapping[str, Any]) -> list[str]:
    lines = ["| name | summary |", "| --- | --- |"]
    for path, made in sorted(documented.items(), key=lambda one: (inspect.isclass(one[1]), one[0])):
        role = "class" if inspect.isclass(made) else "func"
        lines.append(f"| {{py:{role}}}`~{path}` | {_plain(summary_of(made))} |")
    return [*lines, ""]


def _plain(summary: str) -> str:
    """Return reST as Markdown, with roles as code."""
    return re.sub(r"(?::\w+:)?`+~?([^`]*)`+", r"`\1`", summary).replace("|", "\\|")


def _page(subject: str, documented: Mapping[str, Any]) -> str:
    classes = {path: made for path, made in documented.items() if inspect.isclass(made)}
    functions = {path: made for path, made in documented.items() if path not in classes}
    sections = {
        "Classes": [_class(path) for path in classes],
        "Functions": [f".. autofunction:: {path}\n" for path in functions],
        "Classes of results": [_class(f"{path}()") for path in result_classes()[subject]],
    }
    lines = [f"# {SUBJECTS[subject]}", "", *_summaries(documented)]
    for title, directives in sections.items():
        if directives:
            lines += [f"## {title}", "", "```{eval-rst}", *directives, "```", ""]
    return "\n".join(lines)


def _class(path: str) -> str:
    """Return the directive of a class: one of results is shown without its constructor."""
    return f""".. autoclass:: {path}
   :members:
   :inherited-members: object, Exception, tuple
   :exclude-members: BRIEF, MAIN, SHOWN, THINNED
"""
