"""Kinds of files by their first bytes: those that are read, and those that need a conversion."""

from __future__ import annotations

import re
import zipfile

HEAD_BYTES = 4096
"""Bytes at the start of a file from which its kind follows."""

COMPRESSIONS = (
    (b"\x1f\x8b", "gzip"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),  # without members
)
"""First bytes of compressed files that are unpacked here."""

COLUMNAR = ("parquet", "feather")
TEXT, JSON = "text", "json"

SAVE_AS = "save the sheet as CSV (UTF-8) there, and give that file"
UNPACK = "unpack it, and give the table that is inside"
UNREADABLE = (
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office document, such as Excel's .xls", SAVE_AS),
    (b"%PDF-", "a PDF document", "export the table from where it was made, as CSV"),
    (b"SQLite format 3\0", "a SQLite database",
     "export a table, as in: sqlite3 -header -csv FILE 'select node, topic from TABLE'"),
    (b"Obj\x01", "an Avro file", "convert it to Parquet, for example with DuckDB or Spark"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", UNPACK),
    (b"Rar!\x1a", "a RAR archive", UNPACK),
    (b"\x04\x22\x4d\x18", "an lz4 file", "unpack it, as in: lz4 -d FILE"),
    (b"\x89HDF\r\n", "an HDF5 file", "export the table as CSV or Parquet, for example with pandas"),
    (b"\x93NUMPY", "a NumPy array", "give two columns of names as CSV, or Interests.from_pairs"),
    (b"\x89PNG", "a picture (PNG)", "give the table itself"),
    (b"\xff\xd8\xff", "a picture (JPEG)", "give the table itself"),
    (b"GIF8", "a picture (GIF)", "give the table itself"),
    (b"\x80\x04\x95", "a Python pickle", "write the table as CSV or Parquet"),
    (b"\x80\x05\x95", "a Python pickle", "write the table as CSV or Parquet"),
    (b"\xff\xff\xff\xff", "an Arrow stream", "write it as an Arrow file (Feather) or Parquet"),
    (b"FEA1\0", "an old Feather file", "write it again as Feather 2 or Parquet"),
)  # fmt: skip
"""First bytes of other files, what they are, and what to do."""

DUCKDB = slice(8, 12), b"DUCK"
WIDE_TEXT = (
    (b"\xff\xfe\0\0", "UTF-32LE"), (b"\0\0\xfe\xff", "UTF-32BE"),
    (b"\xff\xfe", "UTF-16LE"), (b"\xfe\xff", "UTF-16BE"),
)  # fmt: skip
"""First bytes of text with more than one byte for each character."""
XML = re.compile(rb"(\xef\xbb\xbf)?\s*(<\?xml|<graphml|<!--)", re.IGNORECASE)
HTML = re.compile(rb"(\xef\xbb\xbf)?\s*<(!doctype html|html|head|body|table)\b", re.IGNORECASE)
START_OF_JSON = re.compile(rb"(\xef\xbb\xbf)?\s*(\{\s*[\"}]|\[\s*[\[{\"\]])")
GML = re.compile(rb"(\s|#[^\n]*\n|Creator\s+\"[^\"]*\"|Version\s+\S+)*graph\s*\[", re.IGNORECASE)
DOT = re.compile(rb"\s*(strict\s+)?(di)?graph\b[^{,;\n]*\{", re.IGNORECASE)
TAR = slice(257, 262), b"ustar"
BZIP2 = re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)")
ORC = re.compile(rb"ORC.{0,60}?[\x00-\x08]", re.DOTALL)


TO_UTF8 = "convert it from its own encoding, as in: iconv -f LATIN1 -t UTF-8 FILE"
"""What to do with text that is not UTF-8."""


def compression_of(head: bytes) -> str | None:
    """Return the compression of a file by its first bytes, None if it is not compressed."""
    if BZIP2.match(head):
        return "bzip2"
    return next((name for magic, name in COMPRESSIONS if head.startswith(magic)), None)


def kind_of(head: bytes) -> str:
    """Return the kind of an unpacked file: parquet, feather, json, xml, gml, dot or text.

    Examples
    --------
    >>> kind_of(b"PAR1"), kind_of(b"node,topic"), kind_of(b'{"ann": ["tea"]}')
    ('parquet', 'text', 'json')
    """
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith(b"ARROW1\0\0"):
        return "feather"
    for pattern, kind in ((START_OF_JSON, JSON), (XML, "xml"), (GML, "gml"), (DOT, "dot")):
        if pattern.match(head):
            return kind
    return TEXT


def why_unreadable(head: bytes) -> tuple[str, str] | None:
    """Return what a file is that is not read here, and what to do; None for other files."""
    for magic, what, advice in UNREADABLE:
        if head.startswith(magic):
            return what, advice
    if ORC.match(head):
        return "an ORC file", "convert it to Parquet, for example with DuckDB or Spark"
    place, magic = TAR
    if head[place] == magic:
        return "a tar archive", UNPACK
    place, magic = DUCKDB
    if head[place] == magic:
        return "a DuckDB database", "export a table, as in: COPY t TO 'FILE.parquet'"
    encoding = next((name for mark, name in WIDE_TEXT if head.startswith(mark)), None)
    if encoding is None and _every_other_is_nul(head):
        encoding = "UTF-16LE" if head[1:2] == b"\0" else "UTF-16BE"
    if encoding is not None:
        return f"{encoding} text", f"convert it, as in: iconv -f {encoding} -t UTF-8 FILE"
    if HTML.match(head):
        return "an HTML page", "download the table itself, and not the page about it"
    return None


def kind_of_members(names: list[str]) -> tuple[str, str] | None:
    """Return what a zip file with these members is, if it is a document; and what to do.

    Examples
    --------
    >>> kind_of_members(["[Content_Types].xml", "xl/workbook.xml"])[0]
    'an Excel workbook (.xlsx)'
    """
    if any(name.startswith("xl/") for name in names):
        return "an Excel workbook (.xlsx)", SAVE_AS
    if "[Content_Types].xml" in names:
        return "an Office document", SAVE_AS
    if "mimetype" in names and "content.xml" in names:
        return "an OpenDocument file", SAVE_AS
    return None


def members_of(archive: zipfile.ZipFile) -> list[str]:
    """Return the files in a zip archive, without folders and those that macOS adds."""
    return [
        one.filename
        for one in archive.infolist()
        if not one.is_dir() and not one.filename.startswith("__MACOSX/")
    ]


def _every_other_is_nul(head: bytes) -> bool:
    """Whether the text is UTF-16 without a mark: every other byte is 0, and no byte between."""
    if len(head) < 4:
        return False
    even, odd = head[0::2], head[1::2]
    one, other = (even, odd) if not even.strip(b"\0") else (odd, even)
    return not one.strip(b"\0") and b"\0" not in other
