"""Sources: what raw files of one kind look like, and which tables they become.

A file here is a source, or what several of them share. A source says how a line becomes an
item, what makes a line unusable, and which tables the items become; it neither reads files
nor writes tables. The list of sources fills itself from the files that are there.
"""

from gossamer.pipeline.sources.registry import Reading, Source, find_source, sources

__all__ = ["Reading", "Source", "find_source", "sources"]
