"""Tables of publications and of views: read, written, and refused."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from gossamer.errors import OverlayError, ParameterError, TableError
from gossamer.model import Interests, Overlay
from gossamer.quality import TopicGraphs
from gossamer.tables import (
    PUBLICATIONS,
    has_views,
    read_publications,
    read_views,
    write_table,
    write_views,
)

PEOPLE = Interests.from_lists(
    {"ann": ["tea", "jazz"], "bob": ["jazz"], "cy": ["tea", "chess"], "dee": ["chess"]}
)


def names_of(path: Path, seed: int = 0) -> list[tuple[int, str, list[str]]]:
    """Read, and return time, publisher and topics by name."""
    found = read_publications(path, PEOPLE, seed=seed).publications
    return [
        (
            int(found.times[k]),
            str(PEOPLE.node_names[found.publishers[k]]),
            sorted(str(PEOPLE.topic_names[t]) for t in found.topics_of(k)),
        )
        for k in range(len(found))
    ]


def test_publications_in_both_text_layouts(tmp_path: Path) -> None:
    path = tmp_path / "posts.csv"
    path.write_text("time_ms,post_id,tags\n2.5,a,tea jazz tea\n0,b,  chess   tea\n")
    assert names_of(path) == [(0, "cy", ["chess", "tea"]), (2500, "ann", ["jazz", "tea"])]
    path.write_text("publication,time,publisher,topics\na,7,bob,jazz\nb,7,dee,chess\n")
    assert names_of(path) == [(7, "bob", ["jazz"]), (7, "dee", ["chess"])]
    packed = tmp_path / "posts.csv.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert names_of(packed) == names_of(path)


def test_publications_written_by_ingest_are_read(tmp_path: Path) -> None:
    table = PUBLICATIONS.table([5, 3], pa.array(["a", "b"]), [["tea", "chess"], ["jazz"]])
    write_table(tmp_path / "publications.parquet", table)
    for place in (tmp_path / "publications.parquet", tmp_path):
        assert names_of(place)[1] == (5, "cy", ["chess", "tea"])
    assert {names_of(tmp_path, seed)[0][1] for seed in range(20)} == {"ann", "bob"}


def test_dropped_topics_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "posts.csv"
    path.write_text(
        "time,publication,topics\n1,a,tea golf\n2,b,golf\n3,c,tea jazz chess\n4,d,jazz chess\n"
    )
    found = read_publications(path, PEOPLE)
    assert (found.rows, found.left_out, found.unwanted_tags) == (4, 1, 2)
    assert found.dropped_tags == 2, "nobody wants tea, jazz and chess, nor jazz and chess"
    assert found.publishers_drawn
    assert [len(topics) for _, _, topics in names_of(path)] == [1, 2, 1]
    path.write_text("time,publication,topics,publisher\n1,a,tea jazz,bob\n2,b,chess,ann\n")
    found = read_publications(path, PEOPLE)
    assert (found.left_out, found.dropped_tags, found.publishers_drawn) == (0, 0, False)
    assert names_of(path) == [(1, "bob", ["jazz", "tea"]), (2, "ann", ["chess"])]
    found = read_publications(path, PEOPLE, only_subscribers=True)
    assert (found.left_out, found.dropped_tags, found.publishers_drawn) == (1, 2, False)
    assert found.publications.publishers.tolist() == [PEOPLE.node_id("bob")]
    assert found.publications.topics.tolist() == [PEOPLE.topic_id("jazz")]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("time,topics\n1,tea\n", "is not a table of publications; expected the columns time, pub"),
        ("time,publication,topics\n-1,a,tea\n", "line 2: the time is '-1'; expected a number"),
        ("time,publication,topics\n1,a,tea\nnan,b,tea\n", "line 3: the time is 'nan'"),
        ("time,publication,topics\n1e5,a,tea\n", "the time is '1e5'"),
        ("time_ms,post_id,tags\n999999999999999999,a,tea\n", "the time is '999999999999999999'"),
        ("time,publication,topics,publisher\n1,a,tea,zed\n", "line 2: the publisher 'zed' is not"),
        ("time,publication,topics\n1,a\n", "line 2: 2 fields, expected 3"),
    ],
)
def test_malformed_publications_are_rejected(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "posts.csv"
    path.write_text(text)
    with pytest.raises(TableError) as caught:
        read_publications(path, PEOPLE)
    assert says in str(caught.value)


def test_topic_limit_and_column_types(tmp_path: Path) -> None:
    many = Interests.from_lists({0: list(range(70))})
    table = PUBLICATIONS.table([5], pa.array(["a"]), [[str(topic) for topic in range(65)]])
    write_table(tmp_path / "p.parquet", table)
    with pytest.raises(TableError, match=r"row 1: has 65 topics; expected 64 at most"):
        read_publications(tmp_path / "p.parquet", many)
    nulls = pa.table(
        {"time": pa.array([None], pa.int64()), "publication": ["a"], "topics": [["1"]]}
    )
    write_table(tmp_path / "n.parquet", nulls)
    with pytest.raises(TableError, match=r"row 1: the time is None"):
        read_publications(tmp_path / "n.parquet", many)
    odd = pa.table({"time": [1], "publication": ["a"], "topics": [[1.5]]})
    write_table(tmp_path / "o.parquet", odd)
    assert read_publications(tmp_path / "o.parquet", many).left_out == 1
    numbers = pa.table({"time": [1], "publication": [1], "topics": [[3, 4]]})
    write_table(tmp_path / "i.parquet", numbers)
    assert read_publications(tmp_path / "i.parquet", many).publications.topics.tolist() == [3, 4]
    with pytest.raises(ParameterError, match="seed is -1"):
        read_publications(tmp_path / "i.parquet", many, seed=-1)


def test_publications_in_parts(tmp_path: Path) -> None:
    folder = tmp_path / "publications"
    folder.mkdir()
    for part, time in enumerate((9, 4)):
        table = PUBLICATIONS.table([time], pa.array(["a"]), [["jazz"]])
        table = table.append_column("publisher", pa.array(["bob"]))
        write_table(folder / f"part-{part}.parquet", table)
    assert names_of(tmp_path) == [(4, "bob", ["jazz"]), (9, "bob", ["jazz"])]
    strange = table.set_column(3, "publisher", pa.array(["zed"]))
    write_table(folder / "part-2.parquet", strange)
    with pytest.raises(TableError, match=r"part-2.parquet, row 1: the publisher 'zed'"):
        names_of(tmp_path)
    write_table(folder / "part-2.parquet", table.drop_columns(["publisher"]))
    with pytest.raises(TableError, match=r"part-2.parquet: has no column 'publisher', as other"):
        names_of(tmp_path)


def test_empty_table_of_publications(tmp_path: Path) -> None:
    (tmp_path / "e.csv").write_text("time,publication,topics\n")
    assert len(read_publications(tmp_path / "e.csv", PEOPLE).publications) == 0


@pytest.mark.parametrize("ending", ["csv", "parquet", "tsv.gz"])
def test_written_views_are_read_back(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"views.{ending}"
    graphs = TopicGraphs.of(PEOPLE, Overlay.from_links(4, [(0, 1), (0, 2), (2, 3), (1, 3)]))
    links = graphs.links(PEOPLE)
    assert [
        (str(PEOPLE.topic_names[t]), str(PEOPLE.node_names[a]), str(PEOPLE.node_names[b]))
        for t, a, b in links.tolist()
    ] == [("chess", "cy", "dee"), ("jazz", "ann", "bob"), ("tea", "ann", "cy")]
    write_views(path, PEOPLE, links)
    assert has_views(path)
    back = TopicGraphs.from_arcs(PEOPLE, *read_views(path, PEOPLE).T)
    assert back.offsets.tolist() == graphs.offsets.tolist()
    assert back.neighbours.tolist() == graphs.neighbours.tolist()
    write_views(path, PEOPLE, np.empty((0, 3), dtype=np.int64))
    assert read_views(path, PEOPLE).shape == (0, 3)


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("tea,ann,zed", "line 2: the target 'zed' is not one of the 4 nodes"),
        ("golf,ann,cy", "line 2: the topic 'golf' is not one of the 3 topics"),
        ("tea,ann,ann", "line 2: links 'ann' to itself"),
        ("tea,ann,bob", "line 2: 'bob' does not subscribe to the topic 'tea'"),
    ],
)
def test_malformed_views_are_rejected(tmp_path: Path, row: str, says: str) -> None:
    path = tmp_path / "views.csv"
    path.write_text(f"topic,source,target\n{row}\n")
    with pytest.raises(OverlayError) as caught:
        read_views(path, PEOPLE)
    assert says in str(caught.value)
