"""The layout of each kind of report in a real browser, computed from its boxes: nothing is cut off or overlaps.

In windows of 360 to 1,600 pixels and on A4 paper, light and dark. And what the page's script adds: order and choice of
rows, values of figures, another report beside this one.
"""

import re
from collections.abc import Iterator, Mapping
from html import unescape
from pathlib import Path

import pytest
from support.browser import PAPER_WIDTH, Tab, needs_browser
from support.layout import faults_of
from support.report_pages import LIVE, PAGES

pytestmark = [pytest.mark.browser, needs_browser]
KINDS = pytest.mark.parametrize("kind", PAGES)
SCREENS = pytest.mark.parametrize("width", [360, 800, 1280, 1600])
FROM_WIDTH = 800
"""The width of the window from which on nothing needs scrolling from side to side."""


class MadePages(dict[str, Path]):
    """A page of each kind, made when it is first asked for."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    def __missing__(self, kind: str) -> Path:
        folder = self._folder / kind
        folder.mkdir()
        self[kind] = self._folder / f"{kind}.html"
        self[kind].write_text(PAGES[kind](folder), encoding="utf-8")
        return self[kind]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """A page of each kind."""
    return MadePages(tmp_path_factory.mktemp("pages"))


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    with Tab(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


@SCREENS
@KINDS
def test_nothing_is_cut_off_or_overlaps_on_screen(kind: str, width: int, pages: Mapping[str, Path], tab: Tab) -> None:
    tab.open(pages[kind], width=width)

    allowed = () if width >= FROM_WIDTH else ("scrolls",)
    assert [fault for fault in faults_of(tab) if not fault.startswith(allowed)] == []


@KINDS
def test_nothing_is_cut_off_or_overlaps_on_paper(kind: str, pages: Mapping[str, Path], tab: Tab) -> None:
    tab.open(pages[kind], width=PAPER_WIDTH, paper=True)

    assert faults_of(tab) == []


@KINDS
def test_paper_is_white_where_the_reader_prefers_dark_pages(kind: str, pages: Mapping[str, Path], tab: Tab) -> None:
    tab.open(pages[kind], width=PAPER_WIDTH, dark=True, paper=True)

    colours = ("backgroundColor", "color")
    assert [tab.value(f"getComputedStyle(document.body).{one}") for one in colours] == [
        "rgb(255, 255, 255)", "rgb(27, 31, 36)"
    ]  # fmt: skip
    assert faults_of(tab) == []


@pytest.mark.parametrize(
    ("style", "fault"),
    [
        ("table { min-width: 3000px }", "scrolls"),
        ("figure svg text { font-size: 40px !important }", "overlap in figure"),
        (".findings li, .answers dd { width: 100px; overflow: hidden; white-space: nowrap }", "clipped"),
        ("figcaption { position: relative; left: 5000px }", "outside"),
        ("h3 { margin-bottom: -40px !important }", "overlap"),
    ],
)
def test_a_fault_of_the_layout_would_be_noticed(
    style: str, fault: str, pages: Mapping[str, Path], tab: Tab, tmp_path: Path
) -> None:
    text = pages["run"].read_text(encoding="utf-8")
    broken = tmp_path / "broken.html"
    broken.write_text(text.replace("</style>", f"{style}</style>"), encoding="utf-8")

    tab.open(broken, width=1280)

    assert fault in {one.partition(":")[0] for one in faults_of(tab)}


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@KINDS
def test_a_page_asks_for_nothing_and_its_script_runs_without_complaint(
    kind: str, dark: bool, pages: Mapping[str, Path], tab: Tab
) -> None:
    tab.open(pages[kind], width=1280, dark=dark)

    assert [address for address in tab.requests if not address.startswith(("file:", "data:"))] == []
    assert tab.messages == []
    assert tab.value("getComputedStyle(document.body).backgroundColor") == (
        "rgb(22, 25, 29)" if dark else "rgb(255, 255, 255)"
    )


def test_the_policy_permits_only_the_page_s_own_script(pages: Mapping[str, Path], tab: Tab, tmp_path: Path) -> None:
    text = pages["run"].read_text(encoding="utf-8")
    broken = tmp_path / "broken.html"
    inserted = '<main><script>document.title = "hit"</script><img src="data:,x" onerror="document.title = \'hit\'">'
    broken.write_text(text.replace("<main>", inserted), encoding="utf-8")

    tab.open(broken, width=1280)

    assert tab.value("document.title") != "hit"
    assert tab.messages != []


@pytest.mark.parametrize("kind", [kind for kind in PAGES if kind != LIVE])
def test_without_scripts_a_page_has_the_same_words(kind: str, pages: Mapping[str, Path]) -> None:
    text = pages[kind].read_text(encoding="utf-8")

    assert len(re.findall(r"<script\b", text)) == 1
    assert not re.search(r"<[^>]*\shidden\b", re.sub("<script>.*?</script>", "", text, flags=re.DOTALL))


SEEN = """(() => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target === null) return "missing";
  const box = target.getBoundingClientRect();
  const inside = box.height > 0 && box.top < innerHeight && box.bottom > 0;
  return inside && target.textContent.trim() ? "seen" : `${box.top} to ${box.bottom}`;
})()"""


@pytest.mark.parametrize("kind", ["run", "network", "study"])
def test_a_click_on_each_further_question_shows_its_answer(kind: str, pages: Mapping[str, Path], tab: Tab) -> None:
    tab.open(pages[kind], width=1280)
    links = "[...document.querySelectorAll('.questions')].flatMap((one) => [...one.querySelectorAll('a[href^=\"#\"]')])"
    count = tab.value(f"{links}.length")

    found = []
    for number in range(count):
        tab.value(f"{links}[{number}].click()")
        found.append(tab.value(SEEN))

    assert count >= 4
    assert found == ["seen"] * count


ROWS = (
    "[...document.querySelectorAll('#{table} tbody tr')].filter((row) => !row.hidden)"
    ".map((row) => row.cells[{column}].textContent)"
)


def column(tab: Tab, table: str, number: int) -> list[str]:
    """The texts of a column in the rows that are shown."""
    return list(map(str, tab.value(ROWS.format(table=table, column=number))))


def test_a_click_on_a_column_sorts_its_rows_and_a_third_restores_their_order(
    pages: Mapping[str, Path], tab: Tab
) -> None:
    tab.open(pages["study"], width=1280)
    number = tab.value(
        "[...document.querySelectorAll('#study-cells thead th')].findIndex((head) => head.dataset.label === 'impact')"
    )
    button = f"document.querySelectorAll('#study-cells thead th')[{number}].querySelector('.sort')"
    original = column(tab, "study-cells", number)

    orders = []
    for _ in range(3):
        tab.value(f"{button}.click()")
        orders.append(column(tab, "study-cells", number))

    known = [float(text) for text in original if text != "–"]
    missing = ["–"] * (len(original) - len(known))
    assert [[float(text) for text in order if text != "–"] for order in orders[:2]] == [
        sorted(known), sorted(known, reverse=True)
    ]  # fmt: skip
    assert all(order[len(known) :] == missing for order in orders[:2])
    assert orders[2] == original


def test_cells_of_a_study_are_chosen_by_the_value_of_a_factor(pages: Mapping[str, Path], tab: Tab) -> None:
    tab.open(pages["study"], width=1280)
    before = column(tab, "study-cells", 0)
    chosen = before[-1]

    tab.value(
        "(() => { const list = document.querySelector('.filters select');"
        f"list.value = {chosen!r}; list.dispatchEvent(new Event('change')); }})()"
    )

    assert set(column(tab, "study-cells", 0)) == {chosen}
    shown = before.count(chosen)
    assert tab.value("document.querySelector('.filters output').textContent") == f"{shown} of {len(before)} rows"
    assert shown < len(before)


def test_a_value_of_a_figure_appears_under_the_pointer(pages: Mapping[str, Path], tab: Tab) -> None:
    tab.open(pages["run"], width=1280)

    tab.point_at("[...document.querySelectorAll('#run1-impacts .value')].at(-1)")

    assert tab.value("document.querySelector('.tip').hidden") is False
    assert re.fullmatch(
        r".+: \d\.\d+ \[\d\.\d+, \d\.\d+\]|.+, block \d+: \d\.\d+×",
        tab.value("document.querySelector('.tip').textContent"),
    )


@pytest.mark.parametrize(
    ("kind", "figure"),
    [
        ("study", "study-impacts"), ("study", "study-boxes-1"), ("study", "study-timeline"),
        ("study", "run1-placement"), ("network", "run1-network"), ("network", "run1-link-loads"),
        ("coruns", "slowdowns"), ("coruns", "period"),
        ("rails", "rails-boxes-1"), ("rails", "rails-profiles"), ("degradation", "degradation-rate-1"),
        ("corun", "predict-slowdowns"), ("judgement", "judgement-scatter"), ("beff", "beff-sizes"),
    ],
)  # fmt: skip
def test_marks_of_each_kind_of_figure_show_their_values(
    kind: str, figure: str, pages: Mapping[str, Path], tab: Tab
) -> None:
    drawn = re.search(rf'<figure id="{figure}">.*?</figure>', pages[kind].read_text(encoding="utf-8"), re.DOTALL)
    assert drawn is not None
    titles = [unescape(one) for one in re.findall(r'<g class="value"><title>(.*?)</title>', drawn[0], re.DOTALL)]
    tab.open(pages[kind], width=1280)

    tab.point_at(f"[...document.querySelectorAll('#{figure} .value')].at(-1)")

    assert tab.value("document.querySelector('.tip').hidden") is False
    assert tab.value("document.querySelector('.tip').textContent") in titles


def test_another_report_is_placed_beside_the_page_with_ratios(
    pages: Mapping[str, Path], tab: Tab, tmp_path: Path
) -> None:
    text = pages["network"].read_text(encoding="utf-8")
    other = tmp_path / "other.html"
    hostile = (
        '<svg onload="document.title = 1" viewBox="0 0 9 9"><script>document.title = "hit"</script>'
        '<a href="http://192.0.2.1/">x</a><image href="http://192.0.2.1/x.png"/></svg>'
    )
    drawing = '<figure id="run1-impacts">\n<h3>'
    assert drawing in text
    other.write_text(text.replace(drawing, f'<figure id="run1-impacts">\n{hostile}<h3>'), encoding="utf-8")
    tab.open(pages["network"], width=1280)

    tab.choose_file(".compare input", other)
    tab.wait_until("document.querySelector('#comparison')")

    assert tab.value("document.querySelectorAll('#comparison .pair svg').length") >= 4
    assert set(tab.value("[...document.querySelectorAll('#comparison .ratio')].map((one) => one.textContent)")) == {
        "× 1.00"
    }
    assert tab.value("document.querySelectorAll('#comparison script, #comparison a, #comparison [onload]').length") == 0
    assert tab.value("document.title") == "StressBench: demo.sb"
    ids = tab.value("[...document.querySelectorAll('[id]')].map((one) => one.id)")
    assert len(ids) == len(set(ids))
    assert [address for address in tab.requests if not address.startswith(("file:", "data:"))] == []
    assert faults_of(tab) == []


def test_a_file_that_is_no_report_is_refused_with_its_name(pages: Mapping[str, Path], tab: Tab, tmp_path: Path) -> None:
    other = tmp_path / "other.html"
    other.write_text("<title>x</title>", encoding="utf-8")
    tab.open(pages["run"], width=1280)

    tab.choose_file(".compare input", other)

    state = "document.querySelector('.compare output').textContent"
    tab.wait_until(state)
    assert tab.value(state) == "other.html is no report of stressbench"


def test_a_folded_table_is_printed(pages: Mapping[str, Path], tab: Tab) -> None:
    tab.open(pages["study"], width=PAPER_WIDTH, paper=True)

    heights = tab.value(
        "[...document.querySelectorAll('details table')].map((one) => one.getBoundingClientRect().height)"
    )
    assert len(heights) > 0
    assert all(height > 0 for height in heights)
