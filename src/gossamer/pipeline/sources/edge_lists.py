"""Edge lists of follower graphs: two users a line, separated by white space.

Only Spark's own functions and one shuffle are used, since such files have billions of lines.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from gossamer.pipeline.sources.records import WHITE_SPACE, validate_records
from gossamer.pipeline.sources.registry import Measured, SourceSpec, source
from gossamer.tables.schema import FOLLOWS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

COMMENTS = ("#", "%", "//")
NOT_TWO = "is not two users, 'a b'"

DIRECTED = """\
# Directed graph: who trusts whom
# FromNodeId\tToNodeId
0\t4
0\t5
4\t5
"""
UNDIRECTED = "0 1\n0 2\n1 2\n2 3\n"
FOLLOWED_FIRST = "12\t13\n12\t14\n13\t12\n"


@source("snap", layout="'from to' a line, white space; # % // begin comments", example=DIRECTED)
def snap() -> SourceSpec:
    """Directed edge list: from follows to (SNAP: soc-Epinions1, wiki-Vote, soc-LiveJournal1)."""
    return _edge_list()


@source(
    "snap-undirected",
    layout="'a b' a line, white space; # % // begin comments",
    example=UNDIRECTED,
)
def snap_undirected() -> SourceSpec:
    """Undirected edge list: both follow each other (SNAP: ego-Facebook, com-Orkut)."""
    return _edge_list(both_ways=True)


@source(
    "twitter", layout="'user<tab>follower' a line; # % // begin comments", example=FOLLOWED_FIRST
)
def twitter() -> SourceSpec:
    """Follower lists, the followed user first (Kwak et al., WWW 2010: twitter_rv)."""
    return _edge_list(followed_first=True)


def _edge_list(*, followed_first: bool = False, both_ways: bool = False) -> SourceSpec:
    """Return the specification of an edge list.

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
        relations = records.where("follower != followed").select("follower", "followed")
        if both_ways:
            relations = relations.selectExpr(
                "inline(array(struct(follower, followed), struct(followed AS follower, "
                "follower AS followed)))"
            )
        return relations.dropDuplicates()

    def notes(measured: Measured, rows: Mapping[str, int]) -> dict[str, Any]:
        loops = measured.values["loops"]
        relations = (measured.records - measured.bad - loops) * (2 if both_ways else 1)
        return {
            "loops, dropped": loops,
            "repeated relations, dropped": relations - rows[FOLLOWS.name],
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
