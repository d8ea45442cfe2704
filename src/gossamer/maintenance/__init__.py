"""An overlay that is kept in order while nodes join and leave: a run of events, written down.

Strategies live in :mod:`gossamer.design.maintaining`; here they are applied to a list of events,
checked, timed and recorded in a folder from which an interrupted run goes on.
"""

from gossamer.maintenance.events import find_events
from gossamer.maintenance.result import Maintenance
from gossamer.maintenance.running import maintain

__all__ = ["Maintenance", "find_events", "maintain"]
