"""Tables: their schemas, and reading and writing them as CSV and Parquet.

Interests, overlays, churn and publications are read from tables and written to them; files are
written atomically.
"""

from gossamer.atomic_files import LINK_ENDINGS, check_output, replacing
from gossamer.tables.churn import (
    NamedChurn,
    is_churn,
    read_churn,
    read_churn_or_sessions,
    write_churn,
)
from gossamer.tables.follows import read_follows
from gossamer.tables.latency import read_latency
from gossamer.tables.links import failures_table, read_links, topics_table, write_links
from gossamer.tables.machine_events import write_machine_events
from gossamer.tables.names import name_column, names_array
from gossamer.tables.publications import GivenPublications, read_publications
from gossamer.tables.rates import read_rates
from gossamer.tables.schema import (
    CHANGES,
    CHURN,
    COMPARISON,
    DEGREES,
    DIAMETERS,
    FOLLOWS,
    FRONT,
    HOPS,
    LATENCY,
    LINKS,
    MAINTENANCE_ROUNDS,
    NODE_LINKS,
    PUBLICATIONS,
    RATES,
    ROUNDS,
    SESSIONS,
    SNAPSHOTS,
    SUBSCRIPTIONS,
    TIMINGS,
    TOPICS,
    TRACE,
    TRAFFIC,
    VIEWS,
    TableSchema,
)
from gossamer.tables.sessions import NamedSessions, read_sessions
from gossamer.tables.stored import read_table
from gossamer.tables.subscriptions import read_interests, write_interests
from gossamer.tables.trace import node_links_table, trace_table
from gossamer.tables.traffic import hops_table, traffic_table
from gossamer.tables.views import has_views, read_views, write_views
from gossamer.tables.write import write_table

__all__ = [
    "CHANGES",
    "CHURN",
    "COMPARISON",
    "DEGREES",
    "DIAMETERS",
    "FOLLOWS",
    "FRONT",
    "HOPS",
    "LATENCY",
    "LINKS",
    "LINK_ENDINGS",
    "MAINTENANCE_ROUNDS",
    "NODE_LINKS",
    "PUBLICATIONS",
    "RATES",
    "ROUNDS",
    "SESSIONS",
    "SNAPSHOTS",
    "SUBSCRIPTIONS",
    "TIMINGS",
    "TOPICS",
    "TRACE",
    "TRAFFIC",
    "VIEWS",
    "GivenPublications",
    "NamedChurn",
    "NamedSessions",
    "TableSchema",
    "check_output",
    "failures_table",
    "has_views",
    "hops_table",
    "is_churn",
    "name_column",
    "names_array",
    "node_links_table",
    "read_churn",
    "read_churn_or_sessions",
    "read_follows",
    "read_interests",
    "read_latency",
    "read_links",
    "read_publications",
    "read_rates",
    "read_sessions",
    "read_table",
    "read_views",
    "replacing",
    "topics_table",
    "trace_table",
    "traffic_table",
    "write_churn",
    "write_interests",
    "write_links",
    "write_machine_events",
    "write_table",
    "write_views",
]
