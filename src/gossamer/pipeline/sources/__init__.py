"""Sources: what raw files of one kind look like, and which tables they become.

A file here is a source, or what several of them share. A source says how a line becomes an
record, what makes a line unusable, and which tables the records become; it neither reads files
nor writes tables. The list of sources fills itself from the files that are there.
"""

from gossamer.pipeline.sources.registry import Source, SourceSpec, find_source, sources

__all__ = ["Source", "SourceSpec", "find_source", "sources"]
