"""Data pipeline on Spark: raw files to tables, and tables to samples, profiles and overlays.

``sources`` convert raw files to tables, and ``stages`` are functions from frames to frames without
input or output. Jobs combine them, write named Parquet tables, and resume. Only this package
imports pyspark, in the functions that use it.
"""

from gossamer.pipeline.assess import assess
from gossamer.pipeline.design import DesignResult, design, parse_spark_options
from gossamer.pipeline.export import export_table
from gossamer.pipeline.folders import Folder
from gossamer.pipeline.frames import check_frame, read_table
from gossamer.pipeline.generate import GenerateResult, generate
from gossamer.pipeline.ingest import IngestResult, ingest
from gossamer.pipeline.inputs import subscriptions_in
from gossamer.pipeline.jobs import Job, Manifest, read_manifests
from gossamer.pipeline.lower_bound_job import lower_bound
from gossamer.pipeline.map_tasks import map_tasks
from gossamer.pipeline.profile import profile
from gossamer.pipeline.profile_in_memory import profile_in_memory
from gossamer.pipeline.sample import SampleResult, sample
from gossamer.pipeline.session import default_settings, parallelism, spark_faults, spark_session

__all__ = [
    "DesignResult",
    "Folder",
    "GenerateResult",
    "IngestResult",
    "Job",
    "Manifest",
    "SampleResult",
    "assess",
    "check_frame",
    "default_settings",
    "design",
    "export_table",
    "generate",
    "ingest",
    "lower_bound",
    "map_tasks",
    "parallelism",
    "parse_spark_options",
    "profile",
    "profile_in_memory",
    "read_manifests",
    "read_table",
    "sample",
    "spark_faults",
    "spark_session",
    "subscriptions_in",
]
