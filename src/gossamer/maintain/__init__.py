"""An overlay that is kept in order while nodes join and leave: a run of events, written down.

Strategies live in :mod:`gossamer.maintain.maintainer`; here they are applied to a list of events,
checked, timed and recorded in a folder from which an interrupted run goes on.
"""

from gossamer.callable_package import call_as
from gossamer.maintain.events import find_events
from gossamer.maintain.result import Maintenance
from gossamer.maintain.run import maintain

__all__ = ["Maintenance", "find_events", "maintain"]

call_as(__name__, "maintain")
