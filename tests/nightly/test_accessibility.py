"""The pages judged by axe-core in a real browser: readable for those who do not see them, or not well."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from support.accessibility import axe_program, judged, serious
from support.browser import DARK, browse, fetched, needs_browser
from support.report_pages import PAGES as REPORT_PAGES

pytestmark = [pytest.mark.browser, needs_browser]
THEMES = pytest.mark.parametrize("theme", [pytest.param((), id="light"), pytest.param(DARK, id="dark")])
PAGES = pytest.mark.parametrize("which", REPORT_PAGES)
WIDTHS = pytest.mark.parametrize("width", [1100, 500])


@pytest.fixture(scope="module")
def axe() -> str:
    return axe_program()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """A page of each kind."""
    return {name: make(tmp_path_factory.mktemp(name)) for name, make in REPORT_PAGES.items()}


@THEMES
@WIDTHS
@PAGES
def test_axe_finds_nothing_serious(
    which: str, width: int, theme: Sequence[str], axe: str, tmp_path: Path, pages: Mapping[str, str]
) -> None:
    found = judged(pages[which], axe, tmp_path, *theme, f"--window-size={width},900")

    assert serious(found) == []
    checked = {"color-contrast", *(["svg-img-alt"] if "<svg" in pages[which] else [])}
    assert checked <= set(map(str, found["passes"]))


def test_a_serious_fault_would_be_noticed(pages: Mapping[str, str], axe: str, tmp_path: Path) -> None:
    corrupted = pages["run"].replace(
        "<main>", '<main><img src="data:,"><p style="color:#ccc;background:#fff">faint</p>'
    )

    assert {one["id"] for one in serious(judged(corrupted, axe, tmp_path))} == {"image-alt", "color-contrast"}


@THEMES
@PAGES
def test_a_page_fetches_nothing_and_complains_about_nothing(
    which: str, theme: Sequence[str], tmp_path: Path, pages: Mapping[str, str]
) -> None:
    path, log = tmp_path / "page.html", tmp_path / "net.json"
    path.write_text(pages[which], encoding="utf-8")

    errors = browse(path, tmp_path, *theme, "--enable-logging=stderr", f"--log-net-log={log}", "--dump-dom").stderr

    assert fetched(log) == []
    assert "CONSOLE" not in errors


def test_what_is_folded_away_is_printed(pages: Mapping[str, str], tmp_path: Path) -> None:
    """Nobody can click on paper: twenty hosts twice are longer than the page with their lists left out."""
    lengths = []
    for name, text in (
        ("whole", pages["run"]),
        ("cut", re.sub(r"<details><summary>.*?</details>", "", pages["run"], flags=re.S)),
    ):
        path = tmp_path / f"{name}.html"
        path.write_text(text, encoding="utf-8")
        browse(path, tmp_path, f"--print-to-pdf={tmp_path / f'{name}.pdf'}", "--no-pdf-header-footer")
        lengths.append((tmp_path / f"{name}.pdf").stat().st_size)

    assert lengths[0] > 1.02 * lengths[1]
