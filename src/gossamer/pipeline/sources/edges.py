"""Edge lists of who follows whom: what their sources share.

Two users a line, separated by white space. All of it is done by Spark's own functions, with
one shuffle, because such files have billions of lines.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from gossamer.pipeline.sources.records import WHITE_SPACE, validate_records
from gossamer.pipeline.sources.registry import Measured, SourceSpec
from gossamer.tables.schema import FOLLOWS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["COMMENTS", "edge_list"]

COMMENTS = ("#", "%", "//")
NOT_TWO = "is not two users, 'a b'"


def edge_list(*, followed_first: bool = False, both_ways: bool = False) -> SourceSpec:
    """Give the spec of an edge list.

    Parameters
    ----------
    followed_first
        Whether a line names the followed user first, and then the follower.
    both_ways
        Whether the two users of a line follow each other.
    """

    def parse(lines: DataFrame) -> DataFrame:
        from pyspark.sql import functions as f

        words = lines.select(
            "file",
            "line",
            "reason",
            f.split(f.btrim("line", f.lit(WHITE_SPACE)), r"[ \t\r\n\f\x0b]+", 3).alias("words"),
        )
        first, second = f.col("words")[0], f.try_element_at("words", f.lit(2))
        if followed_first:
            first, second = second, first
        return validate_records(
            words, [(f.size("words") != 2, NOT_TWO)], {"follower": first, "followed": second}
        )

    def follows(
        records: DataFrame, measured: Measured, written: Mapping[str, DataFrame]
    ) -> DataFrame:
        kept = records.where("follower != followed").select("follower", "followed")
        if both_ways:
            kept = kept.selectExpr(
                "inline(array(struct(follower, followed), struct(followed AS follower, "
                "follower AS followed)))"
            )
        return kept.dropDuplicates()

    def notes(measured: Measured, rows: Mapping[str, int]) -> dict[str, Any]:
        loops = measured.values["loops"]
        kept = (measured.records - measured.bad - loops) * (2 if both_ways else 1)
        return {
            "loops, dropped": loops,
            "repeated relations, dropped": kept - rows[FOLLOWS.name],
        }

    return SourceSpec(
        columns=(("follower", pa.string()), ("followed", pa.string())),
        parse=parse,
        tables=((FOLLOWS, follows),),
        names=(("follower", "followed"),),
        measures={"loops": "count_if(follower = followed)"},
        notes=notes,
        comments=COMMENTS,
    )
