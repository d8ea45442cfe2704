"""Sources: the formats of raw files, and the tables that they become.

A module defines sources of one kind, or functions that sources share. A source parses a line into
records, gives the reasons of bad records, and derives tables from the records; it neither reads
files nor writes tables. A registry collects the sources.
"""

from gossamer.pipeline.sources.registry import Source, SourceSpec, find_source, sources

__all__ = ["Source", "SourceSpec", "find_source", "sources"]
