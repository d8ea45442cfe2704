"""ElastO with local views, one churn event after the other: all nodes' knowledge in arrays."""

from gossamer.sim.elasto.strategy import ElastoL
from gossamer.sim.elasto.views import LocalViews

__all__ = ["ElastoL", "LocalViews"]
