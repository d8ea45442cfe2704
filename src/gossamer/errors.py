"""Exceptions of this library, in one tree.

::

    GossamerError               anything that this library raises on purpose
    ├── InputError              unusable input (also a ValueError)
    │   ├── TableError          a file or table: unreadable, a missing column, a bad row
    │   │   ├── RowError        one row of a table, which can be skipped
    │   │   └── RejectionError  more bad records in raw files than the limit allows
    │   ├── ParameterError      an argument: out of range, or an unknown name
    │   │   └── UnknownOptionError  an option that an algorithm, a protocol, … does not have
    │   ├── PluginError         a plug-in that cannot be loaded, or an unusable definition in it
    │   └── OverlayError        an overlay that does not fit its interests
    ├── RecordError             one record of a raw file; the ingest job counts it
    ├── MessageError            bytes that are no message of the protocol: the peer's mistake
    │   └── FrameError          bytes that are no frame of the connection
    ├── StudyError              a stored study result that cannot be resumed
    ├── EngineError             Spark or Java: missing, too old, or failed
    └── MissingPackageError     a Python package that an extra installs (also an ImportError)

    PluginWarning               a plug-in was left out, or a registered name was replaced
    TableWarning                bad rows of a table were skipped
    Stopped                     the end of a command on a signal (a SystemExit)

An InputError states what was given, what was expected and, if there is one, the way out. A bug
in this library is an assertion, never one of these.
"""

from __future__ import annotations

from collections.abc import Sequence


class GossamerError(Exception):
    """Anything that this library raises on purpose."""


class InputError(GossamerError, ValueError):
    """Unusable input."""


class TableError(InputError):
    """A file or table that cannot be read as what it should be."""


class RowError(TableError):
    """A bad row of a table; others may be good."""


class RejectionError(TableError):
    """More bad records in raw files than the limit allows.

    The parsed files are kept: with a higher limit, the job resumes from them.
    """


class ParameterError(InputError):
    """An argument out of range, or an unknown name."""


class UnknownOptionError(ParameterError):
    """An option that an algorithm, a protocol or another entry does not have.

    Attributes
    ----------
    keyword, known
        Name of the option, and the names of those that there are.
    """

    def __init__(self, text: str, keyword: str = "", known: Sequence[str] = ()) -> None:
        super().__init__(text)
        self.keyword, self.known = keyword, tuple(known)


class PluginError(InputError):
    """A plug-in that cannot be loaded, or a function that cannot be registered."""


class OverlayError(InputError):
    """An overlay that does not fit its interests."""


class RecordError(GossamerError):
    """A record of a raw file that cannot be used; the text is the reason."""


class MessageError(GossamerError):
    """Bytes that are no message of the protocol: the peer's mistake."""


class FrameError(MessageError):
    """Bytes that are no frame of the connection."""


class StudyError(GossamerError):
    """A stored study result that cannot be resumed."""


class EngineError(GossamerError):
    """Spark or Java: missing, too old, or failed."""


class MissingPackageError(GossamerError, ImportError):
    """A Python package that an extra installs, and that is not installed."""


class Stopped(SystemExit):
    """The end of a command on a signal. No candidate or plug-in is the cause."""


class PluginWarning(UserWarning):
    """A plug-in was left out, or an entry of a registry was replaced."""


class TableWarning(UserWarning):
    """Bad rows of a table were skipped."""
