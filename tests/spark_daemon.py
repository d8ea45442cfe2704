"""Daemon of Spark's Python workers for the tests: workers start with their modules imported.

Pyspark's own daemon forks workers that each import pyarrow, pandas and the kernels, and collects
garbage after each task. For tasks of a few rows, both take longer than the task.
"""

from __future__ import annotations

import gc

import pandas  # noqa: F401
import pyspark.sql.pandas.serializers
import pyspark.worker  # noqa: F401
from pyspark import daemon

import gossamer.pipeline.block_tasks
import gossamer.pipeline.merge_tasks
import gossamer.pipeline.stages.topic_measures  # noqa: F401

if __name__ == "__main__":
    gc.freeze()  # so that a collection after a task looks at the objects of the task only
    daemon.manager()
