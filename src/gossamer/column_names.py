"""Columns of tables of text: their layout, and names that are wanted, found, or nearly equal.

Text tables, Parquet files, data frames and the pipeline report a missing column in the same words.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Literal

from gossamer.errors import TableError

Layout = Literal["pairs", "lists", "counts"]
"""How the lines of a file have nodes and topics.

``pairs``: a node and a topic. ``lists``: a node and its topics; or JSON. ``counts``: the number
of topics, and the topics; the first line is of node 1, the next of node 2.
"""

MAX_LISTED, MAX_CHARACTERS = 20, 80  # of the columns that an error lists
MAX_COMPARED = 1000  # of the columns that are searched for a similar name
COMMENT = re.compile(r"^\s*(//|#|%)\s*")
NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)


def check_columns(
    where: str,
    found: Sequence[str],
    wanted: Mapping[str, str],
    *,
    advice: str = "",
    no_header: str = "",
    what: str = "column",
) -> None:
    """Raise if a wanted column is missing or occurs twice.

    Parameters
    ----------
    where
        File in front of the message, if there is one.
    found
        Names of all columns.
    wanted
        For each wanted column, how it is given: an option such as ``--node-column``, a keyword
        such as ``node_column=``, or an empty text.
    advice
        Last sentence of the message about a missing column.
    no_header
        How to say that a text table has no header line, if it may be one without.
    what
        What has a name: a column, or a key of JSON objects.

    Raises
    ------
    TableError
        With the columns, and similar names.
    """
    start = f"{where}: " if where else ""
    if any("\0" in name for name in found):
        raise TableError(f"{start}the header has NUL bytes in it; expected UTF-8 text or Parquet")
    missing = [name for name in wanted if place_of(name, found) is None]
    if missing:
        similar = {name: similar_name(name, found) for name in missing}
        meant = [repr(name) for name in similar.values() if name is not None]
        said = f"{start}there is no {what} {f' and no {what} '.join(map(repr, missing))}; "
        said += f"did you mean {' and '.join(meant)}? " if meant else ""
        said += f"the {what}s are: {listed(found) or 'none'}"
        sentences = [said, _way_out({name: wanted[name] for name in missing}, similar)]
        if not meant:
            sentences += [advice, _missing_header(found, no_header)]
        raise TableError(". ".join(filter(None, sentences)))
    for name in wanted:
        count = list(found).count(name)
        if count > 1:
            raise TableError(
                f"{start}{count} columns are named {name!r}; the columns are: {listed(found)}. "
                "Rename all but one"
            )


def listed(names: Sequence[str]) -> str:
    """Return the names for a message, quoted; long names and long lists are shortened."""
    text = ", ".join(repr(name[:MAX_CHARACTERS]) for name in names[:MAX_LISTED])
    more = len(names) - MAX_LISTED
    return f"{text} and {more:,} more" if more > 0 else text


def place_of(wanted: str, names: Sequence[str]) -> int | None:
    """Find a column by its name; the first one may begin with ``#``, ``%`` or ``//``.

    Examples
    --------
    >>> place_of("topic", ["node", "topic"]), place_of("user", ["# user", "page"])
    (1, 0)
    """
    if wanted in names:
        return list(names).index(wanted)
    return 0 if names and COMMENT.sub("", names[0]) == wanted else None


def is_comment(names: Sequence[str]) -> bool:
    """Whether a first line begins as a comment does.

    Examples
    --------
    >>> is_comment(["# Directed", "graph"]), is_comment(["node", "topic"])
    (True, False)
    """
    return bool(names) and COMMENT.match(names[0]) is not None


def similar_name(name: str, found: Sequence[str]) -> str | None:
    """Return the most similar of the names: equal but for case, spaces or plural, or nearly so.

    Examples
    --------
    >>> similar_name("node", ["Topic", " Node"]), similar_name("topic", ["node", "topics"])
    (' Node', 'topics')
    """

    def plain(text: str) -> str:
        text = COMMENT.sub("", text[:MAX_CHARACTERS]).strip().strip("\"'")
        return text.casefold().replace(" ", "_")

    by_plain = {plain(one): one for one in reversed(found[:MAX_COMPARED])}
    close = get_close_matches(plain(name), list(by_plain), n=1, cutoff=0.75)
    return by_plain[close[0]] if close else None


def did_you_mean(name: str, found: Sequence[str], show: Callable[[str], str] = repr) -> str:
    """Return the question after the most similar name, with a space behind; empty if none is.

    Examples
    --------
    >>> did_you_mean("low_oda", ["cd-oda", "low-oda"])
    "did you mean 'low-oda'? "
    """
    similar = similar_name(name, found)
    return "" if similar is None else f"did you mean {show(similar)}? "


def looks_like_data(names: Sequence[str]) -> bool:
    """Whether a first line is one of data: a field is a number or empty, or occurs twice.

    Examples
    --------
    >>> looks_like_data(["7", "tea"]), looks_like_data(["user", "page"])
    (True, False)
    """
    repeated = len(set(names)) < len(names)
    return repeated or any(not name.strip() or NUMBER.fullmatch(name) for name in names)


def _way_out(ways: Mapping[str, str], similar: Mapping[str, str | None]) -> str:
    """Return what to type: with the similar names, if there is one for each missing column."""
    flags = [way for way in ways.values() if way]
    if not flags:
        return ""
    typed = [(way, similar[name]) for name, way in ways.items()]
    if any(name is None for _, name in typed):
        return f"Name yours with {' and '.join(flags)}"
    words = [
        f"{way}{name!r}" if way.endswith("=") else f"{way} {shlex.quote(str(name))}"
        for way, name in typed
    ]
    return f"If so, give {', '.join(words) if words[0].count('=') else ' '.join(words)}"


def _missing_header(found: Sequence[str], no_header: str) -> str:
    if looks_like_data(found):
        given = f": if there is none, give {no_header}" if no_header else ""
        return f"Is there a header line? The first line looks like data{given}"
    return f"If there is no header line, give {no_header}" if no_header else ""
