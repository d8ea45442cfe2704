"""Spark settings for tiny tables, used by every session of the tests."""

from __future__ import annotations

__all__ = ["QUICK_JAVA", "QUICK_SPARK"]

QUICK_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Java options for processes that live for seconds: no optimising compiler, simple collector."""

QUICK_SPARK = {
    "spark.driver.memory": "1g",
    "spark.driver.extraJavaOptions": QUICK_JAVA,
    "spark.ui.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.adaptive.enabled": "false",
}
"""Spark settings without code generation and planning at run time, which exceed tiny queries."""
