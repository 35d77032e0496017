"""A headless Chromium that opens pages: its console messages and its requests."""

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread
from numpy.typing import NDArray

from support.programs import LIMIT_S

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
needs_browser = pytest.mark.skipif(
    CHROMIUM is None, reason="no page was looked at: chromium, chromium-browser or google-chrome is not in PATH"
)
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--force-color-profile=srgb"),
    "--disable-features=NetworkTimeServiceQuerying,OptimizationHints,MediaRouter",  # requests of the browser itself
)
DARK = ("--force-dark-mode", "--blink-settings=preferredColorScheme=0")


def browse(page: Path, folder: Path, *flags: str, address: str | None = None) -> subprocess.CompletedProcess[str]:
    """Opens the page. `address`: the page's, where it has a query."""
    assert CHROMIUM is not None
    return subprocess.run(
        [CHROMIUM, *FLAGS, f"--user-data-dir={folder / 'profile'}", *flags, address or page.as_uri()],
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=True,
    )


def fetched(log: Path) -> list[str]:
    """Requests of the page from the browser's log; requests of the browser itself have no origin."""
    starts = [line for line in log.read_text(encoding="utf-8").splitlines() if '"initiator"' in line]
    by_the_page = [line for line in starts if '"initiator":"not an origin"' not in line]
    return [line for line in by_the_page if re.search(r'"url":"(?!file:|data:)', line)]


Pixels = NDArray[np.float32]


def only(page: Path, figure: str, folder: Path) -> Path:
    """The page with a single figure at the top, so that positions in a screenshot are known."""
    text = page.read_text(encoding="utf-8")
    kept = re.search(rf'<figure id="{figure}">.*?</figure>', text, re.DOTALL)
    assert kept is not None
    cut = folder / "cut.html"
    cut.write_text(
        re.sub(r"<body>.*</body>", lambda _: f"<body>{kept[0]}</body>", text, flags=re.DOTALL), encoding="utf-8"
    )
    return cut


def photograph(page: Path, folder: Path, *flags: str, width: int = 1000, height: int = 700) -> Pixels:
    browse(page, folder, f"--screenshot={folder / 'shot.png'}", f"--window-size={width},{height}", *flags)
    return np.asarray(imread(folder / "shot.png"))[:, :, :3]


def places(pixels: Pixels, colour: str) -> NDArray[np.intp]:
    """Rows and columns of the pixels of exactly this colour, shape (pixels, 2)."""
    wanted = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    return np.argwhere(np.abs(pixels - wanted).max(axis=2) < 0.012)
