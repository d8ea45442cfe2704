"""The tree of exceptions: whose mistake it was, and what to do about it.

::

    GossamerError              anything this library raises on purpose
    ├── InputError             what was given cannot be used (a ValueError too)
    │   ├── TableError         a file or table: unreadable, a column missing, a bad row
    │   ├── ParameterError     an argument: out of range, or unknown by name
    │   └── OverlayError       an overlay that does not fit its interests
    ├── StudyError             a stored study result that cannot be resumed from
    └── EngineError            Spark or Java: not there, too old, or failed on the way

An InputError says what was given, what was expected and, where there is one,
the way out. Our own mistakes are assertions, never one of these.
"""

from __future__ import annotations

__all__ = [
    "EngineError",
    "GossamerError",
    "InputError",
    "OverlayError",
    "ParameterError",
    "StudyError",
    "TableError",
]


class GossamerError(Exception):
    """Anything this library raises on purpose."""


class InputError(GossamerError, ValueError):
    """What was given cannot be used."""


class TableError(InputError):
    """A file or table that cannot be read as what it should be."""


class ParameterError(InputError):
    """An argument that is out of range, or unknown by name."""


class OverlayError(InputError):
    """An overlay that does not fit its interests."""


class StudyError(GossamerError):
    """A stored study result that cannot be resumed from."""


class EngineError(GossamerError):
    """Spark or Java: not there, too old, or failed on the way."""
