"""The documentation site, built and opened from the disk: search works without a server, and nothing is fetched."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from support.browser import browse, fetched, needs_browser

ROOT = Path(__file__).resolve().parents[2]
MEASURE = """<script>
addEventListener("load", () => {
  const scrolls = (one) => ["auto", "scroll"].includes(getComputedStyle(one).overflowX);
  const wide = [...document.querySelectorAll(".md-content *")].filter((one) => {
    if (one.getBoundingClientRect().right <= innerWidth + 1) return false;
    for (let outer = one; outer; outer = outer.parentElement) if (scrolls(outer)) return false;
    return true;
  });
  const report = document.createElement("pre");
  report.id = "widths";
  report.textContent = [innerWidth, document.documentElement.scrollWidth, ...wide.map((one) => one.tagName)].join(" ");
  document.body.append(report);
});
</script>"""
"""Reports the width of the window, that of the document, and the tags that are cut off at the right.

Tables and code blocks that are wider than the window have their own scroll bars and do not count."""


@pytest.fixture(scope="module")
def site() -> Path:
    """Built anew; a link that leads nowhere fails the build."""
    built = subprocess.run([ROOT / "scripts/docs.sh"], capture_output=True, text=True, timeout=600, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    return ROOT / "build/site"


def test_pages_load_nothing_from_other_hosts(site: Path) -> None:
    loaded = {
        (page.name, address)
        for page in site.rglob("*.html")
        for address in re.findall(r'(?:src="|<link[^>]* href=")(https?:[^"]*)', page.read_text(encoding="utf-8"))
    }
    assert loaded == set()


def test_generated_pages_are_there(site: Path) -> None:
    for name in ("reference/commands/run", "reference/motifs", "reference/records/run", "reference/python"):
        assert (site / f"{name}.html").stat().st_size > 0


@pytest.mark.browser
@needs_browser
@pytest.mark.parametrize(
    ("words", "found"), [("halo2d", "motifs/halo2d.html"), ("--stall-limit", "reference/commands/run.html")]
)
def test_search_answers_from_the_disk(site: Path, tmp_path: Path, words: str, found: str) -> None:
    page = site / "index.html"
    ask = f"{page.as_uri()}?q={words}"
    log = tmp_path / "net.json"

    seen = browse(page, tmp_path, "--virtual-time-budget=30000", f"--log-net-log={log}", "--dump-dom", address=ask)

    assert f"{found}?h=" in seen.stdout
    assert fetched(log) == []


@pytest.fixture(scope="module")
def measuring_site(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the site whose pages report widths."""
    copy = shutil.copytree(site, tmp_path_factory.mktemp("measured") / "site")
    for page in copy.rglob("*.html"):
        page.write_text(page.read_text(encoding="utf-8").replace("</body>", f"{MEASURE}</body>"), encoding="utf-8")
    return copy


@pytest.mark.browser
@needs_browser
@pytest.mark.parametrize("width", [500, 1280])
@pytest.mark.parametrize("name", ["index", "how-to/degrade", "reference/commands/run"])
def test_nothing_is_wider_than_the_window(measuring_site: Path, tmp_path: Path, name: str, width: int) -> None:
    page = measuring_site / f"{name}.html"

    seen = browse(page, tmp_path, f"--window-size={width},900", "--virtual-time-budget=10000", "--dump-dom")

    reported = re.search(r'<pre id="widths">(\d+) (\d+)([^<]*)</pre>', seen.stdout)
    assert reported is not None
    assert int(reported[1]) == width
    assert (int(reported[2]) <= width, reported[3].split()) == (True, [])
