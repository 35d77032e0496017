"""Pages judged by axe-core in a headless Chromium."""

import json
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path

import pytest

from support.browser import browse
from support.programs import CHECKOUT

AXE = "axe-core@4.14.1"
CACHE = CHECKOUT / ".cache" / "axe"
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
Judgement = dict[str, list[dict[str, str]]]


def axe_program() -> str:
    """The program's text, from npm's registry the first time; skips the test where it cannot be had."""
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


def judged(page: str, axe: str, folder: Path, *flags: str) -> Judgement:
    """What axe finds in the page; its own policy forbids scripts, so that the copy that is judged has none."""
    path = folder / "judged.html"
    program = f"<script>{axe}{JUDGE}</script>".replace("</script>", "<\\/script>", axe.count("</script>"))
    text = re.sub(r"<meta http-equiv=[^>]*>", "", page)
    path.write_text(text.replace("</body>", f"{program}</body>"), encoding="utf-8")
    document = browse(path, folder, *flags, "--virtual-time-budget=60000", "--dump-dom").stdout
    reported = re.search(r'<pre id="judged">(.*?)</pre>', document, re.DOTALL)
    assert reported is not None, "axe did not finish"
    found: Judgement = json.loads(unescape(reported[1]))
    return found


def serious(found: Judgement) -> list[dict[str, str]]:
    """The violations that are serious or critical."""
    return [one for one in found["violations"] if one["impact"] in ("serious", "critical")]
