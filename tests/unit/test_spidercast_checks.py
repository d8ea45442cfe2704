"""Checks of the SpiderCast paper, on rows that satisfy them and on rows that do not."""

from __future__ import annotations

from gossamer.studies.spidercast.checks import below_number_in_title, columns_alike


def test_values_below_the_number_in_the_title() -> None:
    seen = {"15 subscriptions": {"1,000": 11.0, "2,000": 14.9}, "20 subscriptions": {"1,000": 20.0}}
    assert below_number_in_title(seen, "15 subscriptions", "*")
    assert not below_number_in_title(seen, "* subscriptions", "*")


def test_columns_alike_in_each_row() -> None:
    seen = {"a": {"1": 8.0, "2": 10.0}, "b": {"1": 10.0, "2": 10.0}, "c": {"1": 8.0, "2": 12.6}}
    assert columns_alike(seen, ["a", "b"], 1.25)
    assert not columns_alike(seen, ["a", "c"], 1.25)
