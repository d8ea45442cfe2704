"""Every table, figure and stated number of SpiderCast's evaluation (DEBS 2007, §3).

The figures themselves are not in the text that we have; what it says of them is, as numbers
and as statements. Runs that several figures show are run once. Rows of up to 2,000 nodes are
the quick size.
"""

from __future__ import annotations

from gossamer.studies.registry import add_study
from gossamer.studies.schema import Study
from gossamer.studies.spidercast_others import OTHER
from gossamer.studies.spidercast_points import POINTS
from gossamer.studies.spidercast_runs import measure_overlay
from gossamer.studies.spidercast_sizes import SIZES_DIFFER
from gossamer.studies.spidercast_static import STATIC

__all__ = ["STUDY"]

STUDY = add_study(
    Study(
        name="spidercast",
        title="SpiderCast: a scalable interest-aware overlay for topic-based pub/sub",
        reference="Chockler, Melamed, Tock, Vitenberg, DEBS 2007",
        points=tuple(POINTS.values()),
        run=measure_overlay,
        figures=(*STATIC, *SIZES_DIFFER, *OTHER),
        instances=1,
        code=("kernels", "protocols", "host", "sim", "workloads", "studies/spidercast_runs.py"),
    )
)
