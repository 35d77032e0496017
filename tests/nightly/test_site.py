"""The documentation site, built and opened from the disk: search works without a server, and nothing is fetched."""

import re
import subprocess
from pathlib import Path

import pytest
from support.browser import browse, fetched, needs_browser

ROOT = Path(__file__).resolve().parents[2]


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
