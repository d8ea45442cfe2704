"""Text tables as users have them: delimiters, headers, edge lists, lists of topics, JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gossamer.errors import InputError, ParameterError, TableError
from gossamer.model import Interests
from gossamer.tables import read_follows, read_interests
from gossamer.wording import words_of_command_line

EXPECTED = Interests.from_lists({"ann": ["tea", "jazz"], "bob": ["jazz"]})


def lists(interests: Interests) -> dict[Any, list[Any]]:
    return {
        interests.node_names[node]: interests.topic_names[interests.topics_of(node)].tolist()
        for node in range(interests.node_count)
    }


def file(folder: Path, text: str, name: str = "s.txt") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


# -- delimiters -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "node,topic\nann,tea\nann,jazz\nbob,jazz\n",
        "node\ttopic\nann\ttea\nann\tjazz\nbob\tjazz\n",
        "node;topic;note\nann;tea;a,b\nann;jazz;\nbob;jazz;x y\n",
        "id|topic|node\n1|tea|ann\n2|jazz|ann\n3|jazz|bob\n",
        "node   topic\n\nann tea\n  ann   \t jazz\nbob\tjazz  \n",
        "# node,topic\nann,tea\nann,jazz\nbob,jazz\n",
        "//node\ttopic\tweight\nann\ttea\t1\nann\tjazz\t2\nbob\tjazz\t3\n",
        '"node";"topic"\n"ann";"tea"\nann;jazz\nbob;jazz\n',
    ],
)
@pytest.mark.parametrize("name", ["s.txt", "s.csv", "s.tsv"])
def test_delimiter_follows_from_the_header(tmp_path: Path, text: str, name: str) -> None:
    assert read_interests(file(tmp_path, text, name)) == EXPECTED


def test_ambiguous_delimiter_says_what_to_type(tmp_path: Path) -> None:
    text = "node,topic,a|node|topic|b\nann,tea,1|x|y|2\n"
    with pytest.raises(TableError) as caught:
        read_interests(file(tmp_path, text))
    assert str(caught.value).endswith(
        "s.txt: the first line can be divided at each comma or at each pipe; say which with "
        "delimiter='comma' or delimiter='pipe'"
    )
    assert lists(read_interests(file(tmp_path, text), delimiter="comma")) == {"ann": ["tea"]}
    assert lists(read_interests(file(tmp_path, text), delimiter="pipe")) == {"x": ["y"]}
    assert lists(read_interests(file(tmp_path, text, "s.csv"))) == {"ann": ["tea"]}
    edges = file(tmp_path, "ann lee,bob\n")
    with pytest.raises(TableError, match="at each comma or at each blank; say which with"):
        read_follows(edges)
    assert read_follows(edges, delimiter="comma").node_names.tolist() == ["ann lee", "bob"]
    assert read_follows(edges, delimiter="blanks").node_names.tolist() == ["ann", "lee,bob"]


def test_rows_between_blanks_name_the_line(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"line 4: 3 fields, expected 2 \(node, topic\)"):
        read_interests(file(tmp_path, "node topic\nann tea\n\nann green tea\n"))
    with pytest.raises(TableError, match="line 2: the field 'topic' has a NUL"):
        read_interests(file(tmp_path, "node topic\nann t\0ea\n"))
    with pytest.raises(TableError, match="has no rows"):
        read_interests(file(tmp_path, "node topic\n"))


# -- headers --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "says"),
    [
        ("Node,topic", "no column 'node'; did you mean 'Node'? the columns are: 'Node', 'topic'. "
         "If so, give node_column='Node'"),
        ("nodes;Topic ", "did you mean 'nodes' and 'Topic '? the columns are: 'nodes', 'Topic '. "
         "If so, give node_column='nodes', topic_column='Topic '"),
        ("nodee,x,topic", "did you mean 'nodee'?"),
        ("7,tea", "Is there a header line? The first line looks like data: if there is none, give "
         "header=False"),
        (",tea", "Is there a header line?"),
        ("ann,tea", "Name yours with node_column= and topic_column=. If there is no header line, "
         "give header=False"),
        ("user:topic", "If another character separates them, give delimiter="),
    ],
)  # fmt: skip
def test_missing_columns_say_what_to_type(tmp_path: Path, header: str, says: str) -> None:
    with pytest.raises(TableError) as caught:
        read_interests(file(tmp_path, f"{header}\n1,2\n"))
    assert says in str(caught.value)


def test_table_without_header(tmp_path: Path) -> None:
    path = file(tmp_path, "ann,tea,1\nann,jazz,2\nbob,jazz,3\n")
    assert read_interests(path, header=False) == EXPECTED
    assert read_interests(path, header=False, node_column=1, topic_column="2") == EXPECTED
    assert read_interests(path, header=False, node_column=3).node_names.tolist() == [1, 2, 3]
    with pytest.raises(TableError, match="no column '4'; the columns are: '1', '2', '3'"):
        read_interests(path, header=False, node_column=4)
    with pytest.raises(TableError, match="line 2: 2 fields, expected 3; '3' missing"):
        read_interests(file(tmp_path, "a,b,c\na,b\n"), header=False, node_column=3)
    with pytest.raises(TableError, match="line 1: the field '1' is empty"):
        read_interests(file(tmp_path, ",b\na,b\n"), header=False)
    blanks = file(tmp_path, "ann tea\nann jazz\nbob jazz\n")
    assert read_interests(blanks, header=False) == EXPECTED
    with pytest.raises(TableError, match="at each comma or at each semicolon"):
        read_interests(file(tmp_path, "1;2,5\n"), header=False)


# -- edge lists -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "id_1,id_2\n10,9\n9,2\n10,2\n",
        "# SNAP\n10 9\n9\t2\n10  2\n",
        "// users\n% more\n10;9\n9;2\n 10 ; 2\n",
        "source\ttarget\n10\t9\n9\t2\n10\t2\n",
        '"id_1","id_2"\n"10",9\n9,"2"\n10,2\n',
        "\ufefffrom,to\r\n10,9\r\n9,2\r\n10,2\r\n",
    ],
)
def test_edge_lists(tmp_path: Path, text: str) -> None:
    path = file(tmp_path, text)
    assert lists(read_follows(path)) == {2: [], 9: [2], 10: [2, 9]}


def test_header_of_an_edge_list_may_be_data(tmp_path: Path) -> None:
    path = file(tmp_path, "ann,bob\nbob,cy\n")
    assert read_follows(path).node_names.tolist() == ["ann", "bob", "cy"]
    assert read_follows(path, header=True).node_names.tolist() == ["bob", "cy"]
    path = file(tmp_path, "id,number\n1,2\n")
    assert read_follows(path, header=False).node_names.tolist() == ["1", "2", "id", "number"]


# -- lists ----------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["ann tea jazz\nbob\tjazz\ncy\n", "ann,tea,jazz\nbob,jazz\ncy\n"])
def test_lists_of_topics(tmp_path: Path, text: str) -> None:
    found = read_interests(file(tmp_path, text), layout="lists")
    assert lists(found) == {"ann": ["jazz", "tea"], "bob": ["jazz"], "cy": []}


def test_counted_lists_number_the_nodes(tmp_path: Path) -> None:
    path = file(tmp_path, "# topics\n2 tea jazz\n\n0\n1 jazz\n")
    assert lists(read_interests(path, layout="counts")) == {1: ["jazz", "tea"], 2: [], 3: ["jazz"]}
    found = read_interests(path, layout="counts", first_node=0)
    assert found.node_names.tolist() == [0, 1, 2]
    follows = file(tmp_path, "2,2,3\n1,3\n0\n")
    assert lists(read_follows(follows, layout="counts")) == {1: [2, 3], 2: [3], 3: []}
    both = read_follows(follows, layout="counts", undirected=True)
    assert lists(both) == {1: [2, 3], 2: [1, 3], 3: [1, 2]}
    assert lists(read_follows(file(tmp_path, "1 2 3\n2\n"), layout="lists")) == {
        1: [2, 3], 2: [], 3: []
    }  # fmt: skip


@pytest.mark.parametrize(
    ("layout", "text", "says"),
    [
        ("counts", "2 a b\n3 a b\n", r"line 2: 3 fields, expected the number of topics .*'3 a b'"),
        ("counts", "2 a b\nx a b\n", "line 2: 3 fields, expected the number of topics"),
        ("counts", "2 a b\n\n1,a\n", "line 3: 1 field, expected the number of topics"),
        ("counts", "0\n0\n", "no node has a topic; expected the number of topics"),
        ("lists", "a,b,,c\n", "line 1: an empty field, expected a name: 'a,b,,c'"),
        ("lists", "a b\n1 \0\n", "line 2: has a NUL byte"),
        ("lists", "# x\n", "there are no lines but comments; expected a node and its topics"),
        ("lists", 'a,b\nc,"d\n', "line 2: unexpected end of data"),
        ("rows", "a b\n", "layout is 'rows'; expected pairs, lists, counts"),
    ],
)
def test_wrong_lists_name_the_line(tmp_path: Path, layout: Any, text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        read_follows(file(tmp_path, text), layout=layout)


# -- JSON -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        '{"ann": ["tea", "jazz"], "bob": ["jazz"]}',
        ' \n{\n"ann" : ["tea", "jazz"],\n"bob": ["jazz"]}\n',
        '{"node": "ann", "topic": ["tea", "jazz"]}\n{"topic": ["jazz"], "node": "bob"}\n',
        '{"node": "ann", "topic": "tea"}\n{"node": "ann", "topic": "jazz"}\n\n'
        '{"node": "bob", "topic": "jazz", "weight": 3}',
        '[{"node": "ann", "topic": "tea"}, {"node": "ann", "topic": "jazz"},\n'
        ' {"node": "bob", "topic": "jazz"}]',
    ],
)
def test_json(tmp_path: Path, text: str) -> None:
    path = file(tmp_path, text, "s.csv")
    assert read_interests(path) == read_interests(path, layout="lists") == EXPECTED


def test_names_in_json(tmp_path: Path) -> None:
    path = file(tmp_path, json.dumps({"1": ["2", 3], "2": []}))
    assert lists(read_interests(path)) == {1: [2, 3], 2: []}
    assert lists(read_follows(path)) == {1: [2, 3], 2: [], 3: []}
    rows = file(tmp_path, '{"user": 7, "page": "x"}\n')
    assert lists(read_interests(rows, node_column="user", topic_column="page")) == {7: ["x"]}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"ann": ["tea"],\n "bob": ["tea"}', "line 2: is not JSON"),
        ('{"ann": ["tea"], "bob": [null]}', "has a topic that is neither text nor a whole number"),
        ('{"Node": "ann", "topic": "tea"}', "line 1: there is no key 'node'; did you mean "
         "'Node'? the keys are: 'Node', 'topic'. If so, give node_column='Node'"),
        ('[{"node": "ann", "topic": "tea"},\n{"node": 1.5, "topic": "t"}]', "line 2: has no user"),
        ('[{"node": "ann", "topic": "tea"}\n{"node": "b"}]', "line 2: expected ','"),
        ('["ann", "tea"]', "line 1: is not a JSON object; expected one with the keys 'node' and"),
        ('{"ann": []}', "no node has a topic"),
        ('{"ann": ["tea"], "bob": ["\\ud800"]}', "is not UTF-8 text"),
    ],
)  # fmt: skip
def test_wrong_json_is_rejected(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(TableError) as caught:
        read_interests(file(tmp_path, text))
    assert says in str(caught.value)
    with pytest.raises((TableError, ParameterError)):
        read_interests(file(tmp_path, text), layout="pairs")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("2 tea jazz\n1 tea\n", "look like counts and topics: if so, give layout='counts'"),
        ("2,tea,jazz\n0\n1,tea\n", "look like counts and topics: if so, give layout='counts'"),
        ("ann tea jazz\nbob tea\n", "different numbers of names: of lists, give layout='lists'"),
        ("ann\ttea\nbob\n", "different numbers of names: of lists, give layout='lists'"),
        ("ann tea\nbob tea\n", "If there is no header line, give header=False"),
    ],
)
def test_layout_of_lines_without_columns_is_recognised(
    tmp_path: Path, text: str, says: str
) -> None:
    path = tmp_path / "t.txt"
    path.write_text(text)
    with pytest.raises(TableError, match=says):
        read_interests(path)


@pytest.mark.parametrize("header", ["src,dst", "User_ID,friend_id", "FromNodeId,ToNodeId"])
def test_header_of_an_edge_list_of_texts(tmp_path: Path, header: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"{header}\nann,bob\n")
    assert read_follows(path).node_names.tolist() == ["ann", "bob"]


def test_edge_list_with_weights_names_the_way_out(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("1,2,0.5\n2,3,1\n")
    says = "line 1: 3 fields, .*; of more columns, choose two, as in header=False, node_column=1, "
    with pytest.raises(TableError, match=says + "topic_column=2"):
        read_follows(path)
    assert read_follows(path, node_column=1, topic_column=2, header=False).subscription_count == 2


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "# Directed graph: x.txt\n# saved once\n1\t2\n2\t3\n",
            "the first line is a comment, and no",
        ),
        ("source,target\nann,bob\nbob,ann\n", "a followed node, use read_follows"),
        ("from\tto\nann\tbob\n", "a followed node, use read_follows"),
        ("//userID\tartistID\tweight\n2\t51\t9\n2\t52\t8\n", "Name yours with node_column="),
    ],
)
def test_edge_lists_without_follows_say_what_to_type(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(TableError) as caught:
        read_interests(file(tmp_path, text))
    assert says in str(caught.value)
    assert "counts" not in str(caught.value)


def test_given_delimiter_that_divides_nothing_is_named(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="';' is not in the first line"):
        read_interests(file(tmp_path, "node|topic\nann|tea\n"), delimiter=";")


@pytest.mark.parametrize("header", ["node topics", "Node,Topic"])
def test_lists_may_have_a_header(tmp_path: Path, header: str) -> None:
    blank = header[4]
    rows = f"{header}\nann tea jazz\nbob jazz\n".replace(" ", blank)
    assert read_interests(file(tmp_path, rows), layout="lists") == EXPECTED


def test_objects_of_a_node_each(tmp_path: Path) -> None:
    text = '{"ann": ["tea", "jazz"]}\n{"bob": ["jazz"]}\n'
    assert read_interests(file(tmp_path, text)) == EXPECTED
    with pytest.raises(TableError, match="line 3: expected a JSON object"):
        read_interests(file(tmp_path, text + "[1]\n"))
    with pytest.raises(TableError, match="line 1: is not JSON"):
        read_interests(file(tmp_path, '{"ann": ["tea"],}'))


def test_edge_list_of_more_columns_proposes_those_of_its_header(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("Follower,Followee,since\nann,bob,2001\n")
    with pytest.raises(TableError, match="node_column='Follower', topic_column='Followee'"):
        read_follows(path)
    with words_of_command_line(), pytest.raises(TableError) as caught:
        read_follows(path)
    assert "as in --node-column Follower --topic-column Followee" in str(caught.value)


def test_table_of_three_numbers_is_not_taken_for_counts(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("//user artist weight\n2 51 13883\n2 52 11690\n")
    with pytest.raises(TableError) as caught:
        read_interests(path)
    assert "counts" not in str(caught.value)
