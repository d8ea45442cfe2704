"""Sphinx extension: writes the generated pages of the Reference before the site is read.

Public names are documented as ``gossamer.name``; a reference to an object by the module that
defines it, as annotations make, leads there too.
"""

from __future__ import annotations

import inspect
import re
from functools import cache
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import api_pages
from command_pages import command_pages
from docutils import nodes
from registry_pages import registry_pages
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

FOLDER = "reference/generated"
ARRAY = re.compile(
    r"numpy\.ndarray\[tuple\[(?:typing\.)?Any, \.\.\.\], numpy\.dtype\[numpy\.(\w+)\]\]"
)
"""An array type, expanded."""


def write_pages(app: Sphinx) -> None:
    """Write each page that has changed, and remove those that are no longer generated."""
    folder = Path(app.srcdir) / FOLDER
    written = set()
    for name, text in (*command_pages(), *api_pages.api_pages(), *registry_pages()):
        path = folder / f"{name}.md"
        written.add(path)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    for path in set(folder.rglob("*.md")) - written:
        path.unlink()


@cache
def public_paths() -> dict[str, str]:
    """Return the documented path of each object by its name, and by where it is defined."""
    paths = {}
    for documented in (*api_pages.by_subject().values(), *api_pages.result_classes().values()):
        for path, made in documented.items():
            for other in (made.__qualname__, f"{made.__module__}.{made.__qualname__}"):
                paths[other] = path
    for name, home in api_pages.homes().items():
        paths[f"{home}.{name}"] = f"gossamer.{name}"
    return paths


def resolve_public(
    app: Sphinx, env: BuildEnvironment, link: pending_xref, text: nodes.TextElement
) -> nodes.reference | nodes.TextElement | None:
    """Resolve a reference to the defining module as one to the public name.

    Without a link are types of Python and of other packages, since the site needs no network,
    and objects of the package that have no page.
    """
    if link.get("refdomain") != "py":
        return None
    target = link["reftarget"]
    path = public_paths().get(target)
    if path is not None and path != target:
        python = env.domains["py"]
        return python.resolve_xref(
            env, link["refdoc"], app.builder, link["reftype"], path, link, text
        )
    return text if not target.startswith("gossamer.") or _exists(target) else None


def _exists(path: str) -> bool:
    """Whether an object that has no page can be imported."""
    try:
        return resolve_name(path) is not None
    except (ImportError, AttributeError):
        return False


class _Source:
    """An annotation, which is printed as it stands in the source."""

    def __init__(self, text: object) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text if isinstance(self.text, str) else inspect.formatannotation(self.text)


def sign_as_in_the_source(
    _app: Sphinx, _what: str, _name: str, documented: Any, _options: Any, given: str | None, _: Any
) -> tuple[str, str] | None:
    """Return the signature of a function or class with the annotations of its source."""
    if given == "()" or not callable(documented):
        return None
    try:
        signature = inspect.signature(documented)
    except ValueError:
        return None
    empty = inspect.Parameter.empty
    parameters = [
        one if one.annotation is empty else one.replace(annotation=_Source(one.annotation))
        for one in signature.parameters.values()
        if one.name != "self"
    ]
    returned = "" if signature.return_annotation is empty else _Source(signature.return_annotation)
    return str(inspect.Signature(parameters)), str(returned)


def prepare_docstring(
    _app: Sphinx, _what: str, _name: str, documented: Any, _options: Any, lines: list[str]
) -> None:
    """Take the docstring of the function of a package that can be called; escape ``|x|``."""
    if inspect.ismodule(documented) and "__wrapped__" in vars(documented):
        lines[:] = (inspect.getdoc(vars(documented)["__wrapped__"]) or "").splitlines()
    lines[:] = [
        line if ">>>" in line or "``" in line else re.sub(r"\|(\S[^|]*)\|", r"\\|\1\\|", line)
        for line in lines
    ]


def write_array_types_as_in_the_source(
    _app: Sphinx, _what: str, _name: str, _documented: Any, _options: Any, lines: list[str]
) -> None:
    """Write ``NDArray[np.int64]`` where napoleon writes its expansion."""
    lines[:] = [ARRAY.sub(r"NDArray[np.\1]", line) for line in lines]


def skip_fields_of_tuples(
    _app: Sphinx, _what: str, _name: str, member: Any, _skip: bool, _options: Any
) -> bool | None:
    """Leave out fields of named tuples that the class describes."""
    return True if (inspect.getdoc(member) or "").startswith("Alias for field number") else None


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the steps."""
    app.connect("builder-inited", write_pages, priority=100)
    app.connect("missing-reference", resolve_public)
    app.connect("autodoc-process-signature", sign_as_in_the_source)
    app.connect("autodoc-process-docstring", prepare_docstring, priority=100)
    app.connect("autodoc-process-docstring", write_array_types_as_in_the_source, priority=900)
    app.connect("autodoc-skip-member", skip_fields_of_tuples)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
