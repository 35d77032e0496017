"""A headless Chromium: pages opened in it, what it complained about, and what they fetched."""

import re
import shutil
import subprocess
from pathlib import Path

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--force-color-profile=srgb"),
    "--disable-features=NetworkTimeServiceQuerying,OptimizationHints,MediaRouter",  # the browser's own errands
)
DARK = ("--force-dark-mode", "--blink-settings=preferredColorScheme=0")


def browse(page: Path, folder: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    assert CHROMIUM is not None
    return subprocess.run(
        [CHROMIUM, *FLAGS, f"--user-data-dir={folder / 'profile'}", *flags, page.as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )


def fetched(log: Path) -> list[str]:
    """Requests that the page asked for, from the browser's log: those of the browser itself have no origin."""
    starts = [line for line in log.read_text(encoding="utf-8").splitlines() if '"initiator"' in line]
    by_the_page = [line for line in starts if '"initiator":"not an origin"' not in line]
    return [line for line in by_the_page if re.search(r'"url":"(?!file:|data:)', line)]
