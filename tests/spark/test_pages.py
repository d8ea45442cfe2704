"""Pages of the documentation with blocks on Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.docs.conftest import done, page_runner
from tests.docs.page_blocks import Page, pages
from tests.docs.page_runner import PageRunner

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["done", "page_runner"]

PAGES = [page for page in pages() if page.uses_spark]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_blocks_of_the_page_work_on_spark(
    spark: SparkSession, page: Page, page_runner: PageRunner
) -> None:
    page_runner.run(page)
