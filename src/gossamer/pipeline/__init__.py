"""The data pipeline on Spark: raw files to tables, and tables to samples, profiles and overlays.

``sources`` turn raw files into tables, ``stages`` are functions from frames to frames that
neither read nor write, and jobs chain them, write named Parquet tables, and resume. Only
here is pyspark imported, and only when it is used.
"""

from gossamer.pipeline.folders import Folder
from gossamer.pipeline.frames import check_frame, read_table
from gossamer.pipeline.inputs import subscriptions_in
from gossamer.pipeline.jobs import Job, Manifest, read_manifests
from gossamer.pipeline.session import default_settings, parallelism, spark_faults, spark_session

__all__ = [
    "Folder",
    "Job",
    "Manifest",
    "check_frame",
    "default_settings",
    "parallelism",
    "read_manifests",
    "read_table",
    "spark_faults",
    "spark_session",
    "subscriptions_in",
]
