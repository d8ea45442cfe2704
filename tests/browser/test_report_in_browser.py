"""Pages of comparisons and fronts, opened from disk in a real browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from gossamer.design import algorithms
from gossamer.design.greedy_merge import greedy_merge
from gossamer.experiments import front
from gossamer.experiments.comparison import compare
from gossamer.model import Interests
from gossamer.viz import comparison_page, draw_picture, front_page, overlay_picture
from gossamer.viz.curves import Curve, line_chart
from gossamer.viz.styles import GREY, MAX_COLOURED
from gossamer.workloads import generate_interests
from tests.browser.chromium import Browser, find_chromium, open_browser

pytestmark = pytest.mark.skipif(
    find_chromium() is None,
    reason="no Chromium is on the path (Debian: apt-get install chromium)",
)

NAMES = ["greedy-merge", "low-oda:rho=2", "ring-per-topic", "cd-oda", "random"]
CHARTS = 5
DRAWN = f"document.documentElement.dataset.drawn == '{CHARTS}'"
MARKS = (
    "[...document.querySelectorAll('.chart')].map(chart => chart.querySelectorAll("
    "'svg .mark-symbol path, svg .mark-line path').length)"
)
SIZES = (
    "[...document.querySelectorAll('.chart svg')].map(svg => svg.getBoundingClientRect())"
    ".map(box => [box.width, box.height])"
)
CHROMIUM_HOSTS = re.compile(r"\.(google|googleapis|gvt1|gstatic)\.com[:/]")
"""Hosts that Chromium itself contacts; requests of the page are recorded separately."""


SMALL = Interests.from_lists(
    {node: [(node * step) % 11 for step in (1, 2, 3)] for node in range(60)}
)
EVIL = "<script>window.broken = 1</script><img src=x onerror='window.broken = 2'>"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "page.html"
    comparison_page(compare(SMALL, NAMES), path)
    return path


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a page with every algorithm."""
    interests = generate_interests("rss", nodes=200, topics=20, subscriptions=5, seed=1)
    path = tmp_path_factory.mktemp("page") / "many.html"
    comparison_page(compare(interests), path)
    return path


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with open_browser(tmp_path_factory.mktemp("browser")) as browser:
        yield browser


@pytest.fixture
def browser(started: Browser) -> Browser:
    started.look(width=1400, height=900)
    return started


def foreign_requests(browser: Browser, page: Path) -> list[str]:
    """Return the requests of the page, except for itself."""
    browser.paint()
    asked = [url for url in browser.requests if url != page.as_uri() and url != "data:,"]
    return asked + [line for line in browser.sent_out if not CHROMIUM_HOSTS.search(line)]


def test_every_chart_is_drawn(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.wait(DRAWN)
    marks, sizes = browser.evaluate(MARKS), browser.evaluate(SIZES)
    assert len(marks) == len(sizes) == CHARTS
    assert min(marks) >= len(NAMES)
    assert all(width > 300 and height > 100 for width, height in sizes)
    names = browser.evaluate(
        "[...document.querySelector('.chart svg .names').querySelectorAll('text')]"
        ".filter(text => text.getAttribute('opacity') != '0').map(text => text.textContent)"
    )
    shown = [name for text in names for name in text.split(", ") if name]
    assert sorted(shown) == sorted(NAMES), "the name of a point has no place"
    assert browser.complaints == []
    assert foreign_requests(browser, page) == []


@pytest.mark.parametrize("where", ["http://127.0.0.1:18080/x.png", "https://example.org/x.png"])
def test_requests_are_recorded(browser: Browser, page: Path, tmp_path: Path, where: str) -> None:
    text, policies = re.subn(r"<meta http-equiv=[^>]*>", "", page.read_text(encoding="utf-8"))
    assert policies == 1
    loose = tmp_path / "loose.html"
    loose.write_text(text.replace("<main>", f'<main><img src="{where}">'), encoding="utf-8")
    browser.open(loose)
    browser.wait(DRAWN)
    assert where in foreign_requests(browser, loose)
    host = where.split("/")[2]
    browser.wait("[...document.images].every(image => image.complete)")
    assert any(host in line for line in browser.sent_out), "the proxy recorded it too"
    browser.sent_out[:] = [line for line in browser.sent_out if host not in line]


def test_content_security_policy_blocks_requests(
    browser: Browser, page: Path, tmp_path: Path
) -> None:
    text = page.read_text(encoding="utf-8")
    strict = tmp_path / "strict.html"
    image = '<main><img src="http://127.0.0.1:18080/y.png">'
    strict.write_text(text.replace("<main>", image), encoding="utf-8")
    browser.open(strict)
    browser.wait(DRAWN)
    browser.paint()
    assert not any("y.png" in line for line in browser.sent_out)
    assert any("Content Security Policy" in complaint for complaint in browser.complaints)


def test_click_highlights_a_series_in_all_charts(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.wait(DRAWN)
    faint = (
        "[...document.querySelectorAll('.chart')].every(chart => "
        "[...chart.querySelectorAll('svg path')].some(path => path.getAttribute('opacity') < 0.2"
        " && path.getAttribute('opacity') !== null))"
    )
    assert not browser.evaluate(faint)
    browser.evaluate("document.querySelector('.legend button').click()")
    browser.wait(faint)
    pressed = "document.querySelectorAll('.legend button[aria-pressed=true]').length"
    assert browser.evaluate(pressed) == 1
    browser.evaluate("document.querySelector('.legend button').click()")
    browser.wait(f"!({faint})")
    assert browser.evaluate(pressed) == 0
    assert browser.complaints == []


def test_click_sorts_a_table(browser: Browser, page: Path) -> None:
    browser.open(page)
    column = (
        "[...document.querySelectorAll('#section-1 tbody tr')]"
        ".map(row => Number(row.cells[4].dataset.value))"
    )
    click = "document.querySelectorAll('#section-1 thead button')[4].click()"
    shown = browser.evaluate(column)
    browser.evaluate(click)
    assert browser.evaluate(column) == sorted(shown)
    browser.evaluate(click)
    assert browser.evaluate(column) == sorted(shown, reverse=True)
    assert browser.evaluate(
        "document.querySelectorAll('#section-1 thead th')[4].getAttribute('aria-sort')"
    ) == "descending"  # fmt: skip


def test_dark_theme_applies_to_charts(browser: Browser, page: Path) -> None:
    ink = "document.querySelector('.chart svg .role-axis-label text').getAttribute('fill')"
    paper = "getComputedStyle(document.body).backgroundColor"
    browser.open(page)
    browser.wait(DRAWN)
    light = browser.evaluate(f"[{ink}, {paper}]")
    browser.look(width=1400, height=900, dark=True)
    browser.wait(f"{DRAWN} && {ink} != '{light[0]}'")
    assert browser.evaluate(paper) != light[1]
    assert browser.complaints == []


POINT_OF_LINE = """(() => {
  const line = document.querySelector('#chart-2-1 svg .mark-line path');
  line.scrollIntoView({block: 'center', behavior: 'instant'});
  for (let part = 0; part < 1; part += 0.01) {
    const at = line.getPointAtLength(part * line.getTotalLength());
    const {x, y} = at.matrixTransform(line.getScreenCTM());
    if (document.elementFromPoint(x, y).closest('.mark-line')) return [x, y];
  }
})()"""
"""A place on a line that no point covers."""
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("dark", [False, True])
def test_page_of_many_algorithms_has_no_columns_outside(
    browser: Browser, many: Path, width: int, dark: bool
) -> None:
    browser.look(width=width, height=900, dark=dark, phone=width < 500)
    browser.open(many)
    browser.wait(DRAWN)
    assert browser.evaluate(OVERFLOW) <= 0
    boxes = "[...document.querySelectorAll('.wide')]"
    assert browser.evaluate(f"{boxes}.every(box => box.clientWidth <= {width})")
    assert browser.evaluate(f"{boxes}.some(box => box.scrollWidth > box.clientWidth)") == (
        width < 500
    )
    # The first column stays when the others are scrolled away.
    left = "document.querySelector('#section-1 tbody th').getBoundingClientRect().left"
    before = browser.evaluate(left)
    browser.evaluate("document.querySelector('#section-1 .wide').scrollLeft = 200")
    assert browser.evaluate(left) == before
    assert browser.complaints == []
    assert foreign_requests(browser, many) == []


def test_table_of_several_seeds_and_metrics_fits_a_laptop(browser: Browser, tmp_path: Path) -> None:
    interests = generate_interests("rss", nodes=900, topics=90, subscriptions=5, seed=1)
    names = ["greedy-merge", "low-oda:rho=5", "cover-forest:radius=3"]
    found = compare(interests, names, metrics=["bridges", "clustering"], seeds=3)
    comparison_page(found, tmp_path / "page.html")
    browser.look(width=1280, height=900)
    browser.open(tmp_path / "page.html")
    wide = "[...document.querySelectorAll('.wide')]"
    assert browser.evaluate(f"{wide}.every(box => box.scrollWidth <= box.clientWidth)")


def test_recommendation_is_the_first_that_is_seen(browser: Browser, many: Path) -> None:
    browser.look(width=1280, height=900)
    browser.open(many)
    browser.wait(DRAWN)
    assert browser.evaluate("document.querySelector('h2').textContent") == "Recommendation"
    bottoms = browser.evaluate(
        "[...document.querySelectorAll('.advice article')]"
        ".map(one => one.getBoundingClientRect().bottom)"
    )
    assert bottoms
    assert max(bottoms) < 900
    first = "document.querySelector('#section-0 figure').getBoundingClientRect()"
    assert browser.evaluate(f"{first}.top") < 900
    assert browser.evaluate("document.querySelector('#section-0 figure h3').textContent") == (
        "Mean links per node against topic diameter"
    )


def test_eight_colours_and_names_of_the_other_lines_on_hover(browser: Browser, many: Path) -> None:
    browser.look(width=1280, height=900)
    browser.open(many)
    browser.wait(DRAWN)
    strokes = browser.evaluate(
        "[...document.querySelectorAll('#chart-2-1 svg .mark-line path')]"
        ".map(path => path.getAttribute('stroke'))"
    )
    assert len(strokes) == 18
    assert len(set(strokes)) == MAX_COLOURED + 1
    assert set(strokes[: 18 - MAX_COLOURED]) == {GREY}, "the grey lines are drawn first"
    legend = "document.querySelector('#section-2 .legend')"
    assert browser.evaluate(f"{legend}.querySelectorAll(':scope > button').length") == MAX_COLOURED
    assert browser.evaluate(f"{legend}.querySelector('details').open") is False
    x, y = browser.evaluate(POINT_OF_LINE)
    browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
    browser.wait("document.querySelector('.name:not([hidden])')")
    assert browser.evaluate("document.querySelector('.name').textContent") in algorithms()
    browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=2, y=2)
    browser.wait("document.querySelector('.name').hidden")


@pytest.mark.parametrize("width", [390, 1280])
def test_legends_and_names_of_charts_are_not_cut(
    browser: Browser, many: Path, tmp_path: Path, width: int
) -> None:
    comparison = compare(SMALL, ["greedy-merge", "ring-per-topic"])
    long = "an-algorithm-with-a-name-that-is-much-longer-than-others:weight=2.5"
    rows = (replace(comparison.rows[0], algorithm=long), *comparison.rows[1:])
    comparison_page(replace(comparison, rows=rows), tmp_path / "long.html")
    browser.look(width=width, height=900, phone=width < 500)
    for page in (many, tmp_path / "long.html"):
        browser.open(page)
        browser.wait(DRAWN)
        outside = browser.evaluate(
            "[...document.querySelectorAll('.chart')].flatMap(chart => {"
            "  const frame = chart.getBoundingClientRect();"
            "  return [...chart.querySelectorAll('svg text')].filter(text => {"
            "    const box = text.getBoundingClientRect();"
            "    return text.textContent && text.getAttribute('opacity') != '0'"
            "      && (box.left < frame.left - 1 || box.right > frame.right + 1);"
            "  }).map(text => text.textContent);"
            "})"
        )
        assert outside == []
        # A name that has no place takes no room from its chart.
        share = browser.evaluate(
            "document.querySelector('#chart-0-0 svg .background').getBoundingClientRect().width"
            " / document.querySelector('#chart-0-0 .chart').clientWidth"
        )
        assert share > 0.6


def test_front_is_visible_in_the_dark(browser: Browser, page: Path) -> None:
    stroke = "document.querySelector('#chart-0-0 svg .mark-line path').getAttribute('stroke')"
    ink = "getComputedStyle(document.documentElement).getPropertyValue('--ink').trim()"
    for dark in (False, True):
        browser.look(width=1280, height=900, dark=dark)
        browser.open(page)
        browser.wait(DRAWN)
        assert browser.evaluate(stroke) == browser.evaluate(ink)


def test_names_with_markup_stay_text(browser: Browser, tmp_path: Path) -> None:
    comparison = compare(SMALL, NAMES[:2])
    rows = tuple(replace(row, algorithm=f"{EVIL}{at}") for at, row in enumerate(comparison.rows))
    path = tmp_path / "evil.html"
    comparison_page(replace(comparison, rows=rows), path, title=EVIL, command=EVIL)
    browser.open(path)
    browser.wait(DRAWN)
    browser.paint()
    assert browser.evaluate("document.title") == EVIL
    assert browser.evaluate("window.broken") is None
    assert browser.evaluate("document.querySelectorAll('main img').length") == 0
    assert f"{EVIL}0" in browser.evaluate("document.querySelector('#section-1').textContent")
    assert browser.complaints == []


def test_page_of_a_front_begins_with_its_recommendations(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "front.html"
    front_page(front(SMALL, ["greedy-merge", "cd-oda"], rho=[2, 3], protocols=[]), path)
    for width in (390, 1280):
        browser.look(width=width, height=900, phone=width < 500)
        browser.open(path)
        browser.wait("document.documentElement.dataset.drawn == '2'")
        assert browser.evaluate(OVERFLOW) <= 0
    assert browser.evaluate("document.querySelector('h2').textContent") == "Recommendation"
    assert browser.evaluate("document.querySelectorAll('.advice pre').length") >= 2
    assert browser.complaints == []


def test_overlay_is_drawn_in_proportion_on_a_page(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "overlay.html"
    overlay_picture(SMALL, greedy_merge(SMALL), path)
    for width in (390, 1280):
        browser.look(width=width, height=900, dark=True, phone=width < 500)
        browser.open(path)
        browser.wait("document.documentElement.dataset.drawn == '1'")
        assert browser.evaluate(OVERFLOW) <= 0
        ((wide, high),) = browser.evaluate(SIZES)
        assert high / wide == pytest.approx(600 / 720, abs=0.05)
        assert high < 900
    assert browser.evaluate("document.querySelectorAll('h1, h2, h3, nav').length") == 1
    assert browser.complaints == []


def test_names_of_nodes_are_light_in_the_dark(browser: Browser, tmp_path: Path) -> None:
    small = Interests.from_lists({node: ["x", f"y{node % 3}"] for node in range(12)})
    overlay_picture(small, greedy_merge(small), tmp_path / "overlay.html")
    browser.look(width=1280, height=900, dark=True)
    browser.open(tmp_path / "overlay.html")
    browser.wait("document.documentElement.dataset.drawn == '1'")
    fills = browser.evaluate(
        "[...document.querySelectorAll('svg .names text')].filter(text => text.textContent)"
        ".map(text => text.getAttribute('fill').match(/[0-9.]+/g).map(Number))"
    )
    assert len(fills) == 12
    assert all(max(fill) > 120 for fill in fills)


def test_charts_of_different_series_have_legends_of_their_own(
    browser: Browser, tmp_path: Path
) -> None:
    charts = [
        line_chart(name, [Curve(f"{name} {at}", [0, 1], [at, 2]) for at in range(2)], x="x", y="y")
        for name in ("one", "two")
    ]
    draw_picture(tmp_path / "p.html", "Two charts", charts)
    browser.open(tmp_path / "p.html")
    browser.wait("document.documentElement.dataset.drawn == '2'")
    texts = browser.evaluate(
        "[...document.querySelectorAll('figure .legend')]"
        ".map(one => [...one.querySelectorAll('button')].map(button => button.textContent))"
    )
    assert texts == [["one 0", "one 1"], ["two 0", "two 1"]]
    assert browser.evaluate("document.querySelectorAll('section > .legend').length") == 0


def test_page_fits_a_phone(browser: Browser, page: Path) -> None:
    browser.look(width=360, height=740, phone=True)
    browser.open(page)
    browser.wait(DRAWN)
    assert browser.evaluate("document.documentElement.scrollWidth") <= 360
    assert all(width <= 360 for width, _ in browser.evaluate(SIZES))
    browser.look(width=1400, height=900)
    browser.wait(f"{SIZES}.every(([width]) => width > 500)")
