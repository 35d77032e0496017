"""Reference pages of the documentation site, generated from declarations. Paths are relative to docs/."""

from collections.abc import Callable
from pathlib import Path

from reference import commands, motifs, python_api, records

Pages = dict[str, str]
"""Markdown of pages by path."""

FOLDER = "reference"
_SECTIONS: dict[str, Callable[[Path], Pages]] = {
    "Commands": commands.pages,
    "Motifs": motifs.pages,
    "Records and files": records.pages,
    "Python": python_api.pages,
}
"""Generators of pages from the checkout, by title in the navigation; paths are below FOLDER and without `.md`."""


def sections(root: Path) -> dict[str, Pages]:
    """The generated pages of the checkout `root` by section, in the order of the navigation, with overviews first."""
    return {
        title: {f"{FOLDER}/{path}.md": text for path, text in make(root).items()} for title, make in _SECTIONS.items()
    }


def pages(root: Path) -> Pages:
    """All generated pages of the checkout `root`."""
    return {path: text for section in sections(root).values() for path, text in section.items()}
