"""Pictures of pages, taken by the headless browser of the tests: the first screen for the documentation, and all of it.

Needs the test dependencies (`pip install '.[dev]'`) and Chromium.
"""

import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from support.browser import CHROMIUM, Tab

HAS_BROWSER = CHROMIUM is not None
WIDTH, HEIGHT = 1000, 1100
MAX_BYTES = 80 * 1024
"""Of a picture in the documentation."""
_COLOURS = (128, 64, 32, 16, 8)


class Photographer:
    """Takes pictures of pages in one browser."""

    def __init__(self, tab: Tab) -> None:
        self._tab = tab

    def first_screen(self, page: Path, picture: Path, *, part: str = "") -> None:
        """Write the part of the page that a window shows: its top, or from the element with the id `part` on.

        The picture has as many colours as fit into MAX_BYTES. Raises LookupError where the page lacks the part.
        """
        self._tab.open(page, width=WIDTH, height=HEIGHT)
        if part:
            element = f"document.getElementById({json.dumps(part)})"
            if not self._tab.value(f"{element} !== null"):
                raise LookupError(f"{page.name} has no part {part}")
            self._tab.value(f"{element}.scrollIntoView()")
        self._tab.photograph(picture, whole=False)
        reduce_colours(picture, max_bytes=MAX_BYTES)

    def whole_page(self, page: Path, picture: Path) -> None:
        """Write the page from top to end."""
        self._tab.open(page, width=WIDTH, height=HEIGHT)
        self._tab.photograph(picture)


@contextmanager
def photographer() -> Iterator[Photographer]:
    """A browser, which is ended with all that it wrote."""
    with tempfile.TemporaryDirectory(prefix="stressbench-gallery-") as folder, Tab(Path(folder)) as tab:
        yield Photographer(tab)


def reduce_colours(picture: Path, *, max_bytes: int) -> None:
    """Write the PNG file again with the largest palette with which it has at most `max_bytes`, else with the least."""
    original = Image.open(picture).convert("RGB")
    for colours in _COLOURS:
        original.quantize(colours, dither=Image.Dither.NONE).save(picture, optimize=True)
        if picture.stat().st_size <= max_bytes:
            return
