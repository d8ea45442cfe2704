"""Maintenance of an overlay under churn: every topic stays connected as nodes join and leave.

A :class:`~gossamer.maintain.maintainer.Maintainer` holds the overlay and applies events; a strategy
chooses the links of each repair. :func:`maintain` runs the events of a scenario and records them
in a folder, from which an interrupted run resumes.
"""

from gossamer.callable_package import call_as
from gossamer.maintain.dynamic_overlay import DynamicOverlay
from gossamer.maintain.events import LinkChanges
from gossamer.maintain.rebuild_check import RebuildCheck
from gossamer.maintain.result import Maintenance
from gossamer.maintain.run import maintain

__all__ = ["DynamicOverlay", "LinkChanges", "Maintenance", "RebuildCheck", "maintain"]

call_as(__name__, "maintain")
