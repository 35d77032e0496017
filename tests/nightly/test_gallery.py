"""The pages of docs/gallery.md, made anew on labs by scripts/gallery.py: real results instead of synthetic ones.

Each is inspected in a browser: nothing is cut off or overlaps, axe-core finds nothing serious, nothing is fetched.
"""

import importlib
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from support.accessibility import axe_program, judged, serious
from support.browser import DARK, PAPER_WIDTH, Tab, needs_browser
from support.fixtures import importing_from
from support.lab_bench import gone, require_labs
from support.layout import faults_of
from support.programs import CHECKOUT, Outcome, finished

with importing_from(CHECKOUT / "scripts"):
    ENTRIES = {entry.name: entry for entry in importlib.import_module("gallery_entries").ENTRIES}
    MAX_BYTES = importlib.import_module("gallery_pictures").MAX_BYTES

LIMIT_S = 3000.0
FROM_WIDTH = 800
"""The width of the window from which on nothing needs scrolling from side to side."""
CAPTION = re.compile(r"<figcaption>(.*?)</figcaption>", re.DOTALL)
pytestmark = [pytest.mark.browser, needs_browser]
NAMES = pytest.mark.parametrize("name", ENTRIES)


@pytest.fixture(scope="module")
def gallery(engine, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Outcome]:
    """The directory of all pages, and how the script ended."""
    require_labs()
    folder = tmp_path_factory.mktemp("gallery") / "made"
    words = [sys.executable, str(CHECKOUT / "scripts" / "gallery.py"), "-o", str(folder)]
    return folder, finished([*words, "--engine", str(engine.program)], timeout_s=LIMIT_S)


@pytest.fixture
def page(gallery: tuple[Path, Outcome], name: str) -> Path:
    folder, ended = gallery
    path = folder / ENTRIES[name].page
    assert path.is_file(), ended.errors
    return path


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    with Tab(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


@pytest.fixture(scope="module")
def axe() -> str:
    return axe_program()


def test_every_page_is_made_and_no_lab_is_left(gallery: tuple[Path, Outcome]) -> None:
    folder, ended = gallery

    assert ended.status == 0, ended.errors
    assert gone(folder / "labs")
    assert not (folder / "bin").exists()
    sizes = {name: (folder / entry.picture).stat().st_size for name, entry in ENTRIES.items()}
    assert {name: size for name, size in sizes.items() if not 0 < size <= MAX_BYTES} == {}


@NAMES
@pytest.mark.parametrize("width", [360, 800, 1280, 1600])
def test_nothing_is_cut_off_or_overlaps_on_screen(name: str, width: int, page: Path, tab: Tab) -> None:
    tab.open(page, width=width)

    allowed = () if width >= FROM_WIDTH else ("scrolls",)
    assert [fault for fault in faults_of(tab) if not fault.startswith(allowed)] == []


@NAMES
def test_nothing_is_cut_off_or_overlaps_on_paper(name: str, page: Path, tab: Tab) -> None:
    tab.open(page, width=PAPER_WIDTH, paper=True)

    assert faults_of(tab) == []


@NAMES
@pytest.mark.parametrize("theme", [pytest.param((), id="light"), pytest.param(DARK, id="dark")])
def test_axe_finds_nothing_serious(name: str, theme: Sequence[str], page: Path, axe: str, tmp_path: Path) -> None:
    found = judged(page.read_text(encoding="utf-8"), axe, tmp_path, *theme, "--window-size=1100,900")

    assert serious(found) == []
    assert "color-contrast" in map(str, found["passes"])


@NAMES
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_page_fetches_nothing_and_its_script_runs_without_complaint(
    name: str, dark: bool, page: Path, tab: Tab
) -> None:
    tab.open(page, width=1280, dark=dark)

    assert [address for address in tab.requests if not address.startswith(("file:", "data:"))] == []
    assert tab.messages == []


@NAMES
def test_no_part_is_empty_and_no_caption_is_repeated(name: str, page: Path, tab: Tab) -> None:
    tab.open(page, width=1280)

    assert tab.value("[...document.querySelectorAll('table')].filter((one) => one.rows.length < 2).length") == 0
    assert (
        tab.value("""[...document.querySelectorAll("h2, h3")].filter((head) => {
        const next = head.nextElementSibling;
        return next !== null && /^H[1-3]$/.test(next.tagName) && next.tagName <= head.tagName;
    }).map((head) => head.textContent)""")
        == []
    )
    captions = [" ".join(re.sub("<[^>]*>", "", text).split()) for text in CAPTION.findall(page.read_text("utf-8"))]
    printed = [text for text in captions if not text.startswith("It is read like ")]  # the others refer to one of these
    assert [text for text in printed if printed.count(text) > 1] == []
