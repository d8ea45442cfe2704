"""Settings of Spark for tiny tables, for every session that a test starts."""

from __future__ import annotations

__all__ = ["QUICK_JAVA", "QUICK_SPARK"]

QUICK_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""For processes that live for seconds: compiling well takes longer than what it is good for."""

QUICK_SPARK = {
    "spark.driver.memory": "1g",
    "spark.driver.extraJavaOptions": QUICK_JAVA,
    "spark.ui.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.adaptive.enabled": "false",
}
"""Compiling and planning again takes far longer than the queries themselves."""
