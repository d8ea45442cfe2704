"""Edge lists of follower graphs, as the SNAP collection publishes them.

Each line is ``a b``, separated by white space, or a comment. Every user is a node and a topic, and
the followers of b are the subscribers of topic b.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute

from gossamer.errors import TableError
from gossamer.model import Interests
from gossamer.tables.files import TableFile, find_file
from gossamer.tables.names import encode_column

BLOCK_BYTES = 16 << 20
COMMENTS = ("#", "%")


def read_follows(path: str | os.PathLike[str], *, undirected: bool = False) -> Interests:
    r"""Read interests from the edge list of a follower graph, plain or gzipped.

    A line ``a b`` means that a follows (trusts, votes for) b: node a subscribes to topic b. Every
    user is both a node and a topic, so a user without edges to others is a node without topics.
    Lines that start with ``#`` or ``%`` are comments; blank lines are skipped; repeated edges are
    merged and counted.

    Parameters
    ----------
    path
        File of the edge list.
    undirected
        Whether the two users of a line follow each other (friendship).

    Raises
    ------
    TableError
        If the file cannot be used, naming the line.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "follows.txt")
    ...     _ = path.write_text("# trust\n0 1\n0 2\n2 1\n")
    ...     print(repr(read_follows(path)))
    Interests(3 nodes, 3 topics, 3 subscriptions)
    """
    source = find_file(path)
    if source.parquet:
        raise TableError(
            f"{path}: is Parquet; an edge list is text, one 'a b' a line. Read a table "
            "without --follows"
        )
    text = pa.dictionary(pa.int32(), pa.string())
    chunks = [_users(source, block).dictionary_encode() for block in _blocks(source)]
    users = encode_column(pa.chunked_array(chunks, type=text), numbers_in_text=True)
    if not len(users.codes):
        raise TableError(f"{path}: the edge list has no lines but comments; expected 'a b' lines")
    if users.unusable is not None:
        _raise_line_fault(source)
    follower, followed = users.codes[0::2], users.codes[1::2]
    if undirected:
        follower, followed = (
            np.concatenate((follower, followed)),
            np.concatenate((followed, follower)),
        )
    return Interests.from_ids(follower, followed, node_names=users.names, topic_names=users.names)


def _blocks(source: TableFile) -> Iterator[bytes]:
    """Yield the file in blocks of whole lines."""
    rest = b""
    try:
        with source.arrow_stream() as stream:
            while block := stream.read(BLOCK_BYTES):
                cut = block.rfind(b"\n") + 1
                if cut:
                    yield rest + block[:cut]
                    rest = block[cut:]
                else:
                    rest += block
    except OSError:
        _raise_line_fault(source)
    if rest:
        yield rest


def _users(source: TableFile, block: bytes) -> Any:
    """Return the two users of each line in sequence."""
    try:
        text = pa.array([block], type=pa.binary()).cast(pa.string())
    except pa.ArrowException:
        _raise_line_fault(source)
    lines = pa.compute.split_pattern(text, "\n").flatten()
    lines = pa.compute.ascii_trim_whitespace(lines)
    idle = pa.compute.equal(lines, "")
    for mark in COMMENTS:
        idle = pa.compute.or_(idle, pa.compute.starts_with(lines, mark))
    fields = pa.compute.ascii_split_whitespace(lines.filter(pa.compute.invert(idle)))
    if (
        len(fields)
        and not pa.compute.all(pa.compute.equal(pa.compute.list_value_length(fields), 2)).as_py()
    ):
        _raise_line_fault(source)
    return fields.flatten()


def _raise_line_fault(source: TableFile) -> NoReturn:
    """Read the file again to find the wrong line, and raise."""
    with source.bytes_stream() as stream:
        for number, line in enumerate(stream, start=1):
            where = f"{source.path}, line {number}"
            if b"\0" in line:
                raise TableError(f"{where}: has a NUL byte in it; expected text, 'a b' a line")
            try:
                text = line.decode()
            except UnicodeDecodeError as fault:
                raise TableError(
                    f"{where}: not UTF-8 text (byte 0x{line[fault.start]:02x}, the "
                    f"{fault.start + 1}. of the line)"
                ) from None
            fields = line.split()
            if fields and not text.strip().startswith(COMMENTS) and len(fields) != 2:
                raise TableError(
                    f"{where}: {len(fields)} field{'s' if len(fields) != 1 else ''}, expected "
                    f"two users, 'a b': {text.strip()[:60]!r}"
                )
    raise TableError(f"{source.path}: cannot be read as an edge list")
