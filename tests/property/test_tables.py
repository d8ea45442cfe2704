"""Whatever the names are, what is written is what is read."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.model import Interests, Overlay
from gossamer.model.interests import encode_names
from gossamer.tables import read_interests, read_links, write_interests, write_links

INTEGERS = st.integers(-(2**63), 2**63 - 1)
AWKWARD = st.sampled_from(
    [",", '"', "\n", "\r\n", "\t", " ", "#", "é", "😀", "007", "NA", "\\", "'"]
)
TEXTS = st.lists(
    AWKWARD | st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=4),
    min_size=1,
    max_size=3,
).map("".join)
WORDS = TEXTS.filter(bool)
ENDINGS = pytest.mark.parametrize("ending", [".parquet", ".csv", ".csv.gz", ".tsv", ".tsv.gz"])


@pytest.fixture(autouse=True, scope="module")
def _no_flush() -> Iterator[None]:
    """Leave out waits for the disk, which no reader can notice."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


def columns(names: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(names, min_size=1, max_size=6, unique=True)


@st.composite
def interests(draw: st.DrawFn) -> Interests:
    nodes = draw(columns(INTEGERS) | columns(WORDS))
    topics = draw(columns(INTEGERS) | columns(WORDS))
    pairs = draw(
        st.lists(
            st.tuples(st.sampled_from(nodes), st.sampled_from(topics)), min_size=1, max_size=20
        )
    )
    return Interests.from_pairs([node for node, _ in pairs], [topic for _, topic in pairs])


def as_text_reads(names: Any) -> list[Any]:
    """Names as they come back from a text file: whole numbers, if all of them are."""
    try:
        numbers = [int(name) for name in names.tolist()]
    except ValueError:
        return list(names.tolist())
    written = [str(name) for name in names.tolist()]
    fits = all(-(2**63) <= number < 2**63 for number in numbers)
    canonical = fits and [str(number) for number in numbers] == written
    return numbers if canonical else list(names.tolist())


@contextmanager
def file(ending: str) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder, "table" + ending)


@ENDINGS
@settings(deadline=None, max_examples=50)
@given(given_interests=interests())
def test_written_subscriptions_are_read_back(ending: str, given_interests: Interests) -> None:
    with file(ending) as path:
        write_interests(path, given_interests)
        again = read_interests(path)
    if ending == ".parquet":
        assert again == given_interests
        return
    nodes = as_text_reads(given_interests.node_names)
    topics = as_text_reads(given_interests.topic_names)
    expected = Interests.from_pairs(
        [nodes[node] for node in given_interests.node_column],
        [topics[topic] for topic in given_interests.node_topics],
    )
    assert again == expected


@ENDINGS
@settings(deadline=None, max_examples=50)
@given(given_interests=interests(), data=st.data())
def test_written_links_are_read_back(
    ending: str, given_interests: Interests, data: st.DataObject
) -> None:
    count = given_interests.node_count
    node = st.integers(0, count - 1)
    pairs = data.draw(st.lists(st.tuples(node, node).filter(lambda pair: pair[0] != pair[1])))
    overlay = Overlay.from_links(count, pairs)
    with file(ending) as path:
        write_links(path, given_interests, overlay)
        assert read_links(path, given_interests) == overlay


@settings(deadline=None, max_examples=50)
@given(names=columns(WORDS))
def test_ids_of_tables_equal_those_of_the_model(names: list[str]) -> None:
    expected, _ = encode_names(names)
    with file(".parquet") as path:
        write_interests(path, Interests.from_pairs(names, [0] * len(names)))
        assert read_interests(path).node_names.tolist() == expected.tolist()
