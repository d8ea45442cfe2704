"""Folders of tables, local or in any file system that Arrow can reach.

A folder has a path or a URI (``hdfs://…``, ``s3://…``, ``file:///…``). Spark reads and writes
its tables by that name. This module moves finished tables to their place, and reads and writes
the files beside them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet

from gossamer.errors import ParameterError, TableError


@dataclass(frozen=True)
class Folder:
    """A folder or file: its name, its path in its file system, and that file system."""

    name: str
    path: str
    system: pa.fs.FileSystem

    @classmethod
    def at(cls, place: Place) -> Folder:
        """Return the folder of a path or URI."""
        if isinstance(place, Folder):
            return place
        text = os.fspath(place)
        if not text:
            raise ParameterError("a folder's name is empty; expected a path or a URI")
        if not re.match(r"^[A-Za-z][A-Za-z0-9+.-]+://", text):
            return cls(text, os.path.abspath(text), pa.fs.LocalFileSystem())
        try:
            system, path = pa.fs.FileSystem.from_uri(re.sub(r"^s3a://", "s3://", text))
        except (pa.ArrowException, OSError, ValueError) as fault:
            raise ParameterError(f"{text}: cannot be reached ({fault})") from None
        return cls(text, path, system)

    def __truediv__(self, name: str) -> Folder:
        return Folder(
            f"{self.name.rstrip('/')}/{name}", f"{self.path.rstrip('/')}/{name}", self.system
        )

    @property
    def local(self) -> bool:
        """Whether it is in the local file system."""
        return isinstance(self.system, pa.fs.LocalFileSystem)

    @property
    def spark_path(self) -> str:
        """Name for Spark to write to."""
        return f"file://{self.path}" if self.local else self.name

    @property
    def spark_pattern(self) -> str:
        """Name for Spark to read from, with wildcard characters escaped."""
        return re.sub(r"([][{}*?\\])", r"\\\1", self.spark_path)

    def exists(self) -> bool:
        """Whether the file or folder exists."""
        with self._faults():
            return bool(self._info().type != pa.fs.FileType.NotFound)

    def is_folder(self) -> bool:
        """Whether it exists and is a folder."""
        with self._faults():
            return bool(self._info().type == pa.fs.FileType.Directory)

    def make(self) -> None:
        """Create it and its parents, unless it exists."""
        with self._faults():
            kind = self._info().type
            if kind == pa.fs.FileType.File:
                raise ParameterError(f"{self.name}: is a file; expected a folder")
            if kind == pa.fs.FileType.NotFound:
                self.system.create_dir(self.path, recursive=True)

    def remove(self) -> None:
        """Remove it with its content, if it exists."""
        with self._faults():
            kind = self._info().type
            if kind == pa.fs.FileType.Directory:
                self.system.delete_dir(self.path)
            elif kind == pa.fs.FileType.File:
                self.system.delete_file(self.path)

    def move_to(self, target: Folder) -> None:
        """Move it to ``target``, which is removed first."""
        target.remove()
        with self._faults():
            self.system.create_dir(target.path.rpartition("/")[0], recursive=True)
            self.system.move(self.path, target.path)

    def children(self) -> list[str]:
        """Return the sorted names in it, except those that begin with ``.`` or ``_``."""
        with self._faults():
            if self._info().type == pa.fs.FileType.File:
                return []
            found = self.system.get_file_info(pa.fs.FileSelector(self.path, allow_not_found=True))
        names = sorted(info.base_name for info in found)
        return [name for name in names if not name.startswith((".", "_"))]

    def count_rows(self) -> int:
        """Return the number of rows in its Parquet files, from their metadata."""
        total = 0
        with self._faults():
            for name in self.children():
                if name.endswith(".parquet"):
                    with self.system.open_input_file((self / name).path) as stream:
                        total += pa.parquet.read_metadata(stream).num_rows
        return total

    def parquet_schema(self) -> pa.Schema:
        """Return the columns of the file, or of the first Parquet file of the folder.

        Raises
        ------
        OSError, pyarrow.ArrowException
            If there is no such file, or it is not Parquet.
        """
        files = [self / name for name in self.children() if name.endswith(".parquet")] or [self]
        with self.system.open_input_file(files[0].path) as stream:
            return pa.parquet.read_schema(stream)

    def read_bytes(self) -> bytes | None:
        """Return the content of the file, None if it does not exist."""
        with self._faults():
            if self._info().type != pa.fs.FileType.File:
                return None
            with self.system.open_input_stream(self.path) as stream:
                content: bytes = stream.read()
        return content

    def write_bytes(self, content: bytes) -> None:
        """Write the file atomically, by way of a temporary file beside it."""
        parent, _, name = self.path.rpartition("/")
        partial = f"{parent}/.{name}.part"
        with self._faults():
            with self.system.open_output_stream(partial) as stream:
                stream.write(content)
            self.system.move(partial, self.path)

    def signature(self) -> list[list[str | int]]:
        """Return name, size and modification time of each file, which change with the content."""
        with self._faults():
            info = self._info()
            found = [info]
            if info.type == pa.fs.FileType.Directory:
                found = self.system.get_file_info(pa.fs.FileSelector(self.path, recursive=True))
        return sorted(
            [str(Path(one.path).relative_to(self.path)), one.size or 0, one.mtime_ns or 0]
            for one in found
            if one.type == pa.fs.FileType.File
        )

    def _info(self) -> pa.fs.FileInfo:
        return self.system.get_file_info(self.path)

    @contextmanager
    def _faults(self) -> Iterator[None]:
        try:
            yield
        except (pa.ArrowException, OSError) as fault:
            said = getattr(fault, "strerror", None) or str(fault).splitlines()[0]
            raise TableError(f"{self.name}: cannot be used ({said})") from None


Place = str | os.PathLike[str] | Folder
"""Path or URI of a folder or file, or the folder itself."""
