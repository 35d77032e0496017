"""The pages judged by axe-core in a real browser: readable for those who do not see them, or not well."""

import json
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from html import unescape
from pathlib import Path

import pytest
from support.browser import DARK, browse, fetched, needs_browser
from support.report_pages import PAGES as REPORT_PAGES

AXE = "axe-core@4.14.1"
CACHE = Path(__file__).parents[2] / ".cache" / "axe"
JUDGE = """
document.querySelectorAll('details').forEach(one => one.open = true);
axe.run(document, {resultTypes: ['violations']}).then(found => {
  const result = document.createElement('pre');
  result.id = 'judged';
  result.textContent = JSON.stringify({
    passes: found.passes.map(rule => rule.id),
    violations: found.violations.map(rule => ({
      id: rule.id, impact: rule.impact, nodes: rule.nodes.slice(0, 3).map(node => node.html)
    }))
  });
  document.body.append(result);
});
"""
pytestmark = [pytest.mark.browser, needs_browser]
THEMES = pytest.mark.parametrize("theme", [pytest.param((), id="light"), pytest.param(DARK, id="dark")])
PAGES = pytest.mark.parametrize("which", REPORT_PAGES)
WIDTHS = pytest.mark.parametrize("width", [1100, 500])


@pytest.fixture(scope="module")
def axe() -> str:
    """The program's text, from npm's registry the first time."""
    found = CACHE / "node_modules" / "axe-core" / "axe.min.js"
    if not found.exists():
        npm = shutil.which("npm")
        if npm is None:
            pytest.skip("npm is not installed, so there is no axe-core: nobody judged the pages' accessibility")
        words = [npm, "install", "--prefix", str(CACHE), "--no-save", "--no-audit", "--no-fund", AXE]
        CACHE.mkdir(parents=True, exist_ok=True)
        ended = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
        if ended.returncode:
            pytest.skip(f"npm cannot get {AXE}, so nobody judged the pages' accessibility: {ended.stderr[-300:]}")
    return found.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """A page of each kind."""
    return {name: make(tmp_path_factory.mktemp(name)) for name, make in REPORT_PAGES.items()}


def judged(page: str, axe: str, folder: Path, *flags: str) -> dict[str, list[dict[str, str]]]:
    """What axe finds in the page; its own policy forbids scripts, so that the copy that is judged has none."""
    path = folder / "judged.html"
    program = f"<script>{axe}{JUDGE}</script>".replace("</script>", "<\\/script>", axe.count("</script>"))
    text = re.sub(r"<meta http-equiv=[^>]*>", "", page)
    path.write_text(text.replace("</body>", f"{program}</body>"), encoding="utf-8")
    document = browse(path, folder, *flags, "--virtual-time-budget=60000", "--dump-dom").stdout
    reported = re.search(r'<pre id="judged">(.*?)</pre>', document, re.DOTALL)
    assert reported is not None, "axe did not finish"
    found: dict[str, list[dict[str, str]]] = json.loads(unescape(reported[1]))
    return found


def bad(found: dict[str, list[dict[str, str]]]) -> list[dict[str, str]]:
    return [one for one in found["violations"] if one["impact"] in ("serious", "critical")]


@THEMES
@WIDTHS
@PAGES
def test_axe_finds_nothing_serious(
    which: str, width: int, theme: Sequence[str], axe: str, tmp_path: Path, pages: Mapping[str, str]
) -> None:
    found = judged(pages[which], axe, tmp_path, *theme, f"--window-size={width},900")

    assert bad(found) == []
    assert {"color-contrast", "svg-img-alt"} <= set(map(str, found["passes"]))


def test_a_serious_fault_would_be_noticed(pages: Mapping[str, str], axe: str, tmp_path: Path) -> None:
    corrupted = pages["run"].replace(
        "<main>", '<main><img src="data:,"><p style="color:#ccc;background:#fff">faint</p>'
    )

    assert {one["id"] for one in bad(judged(corrupted, axe, tmp_path))} == {"image-alt", "color-contrast"}


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
