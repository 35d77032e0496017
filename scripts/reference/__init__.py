"""Reference pages of the documentation site, generated from declarations. Paths are relative to docs/."""

from collections.abc import Callable
from pathlib import Path

from reference import commands, motifs, python_api, records

Pages = dict[str, str]
"""Path of a page -> its Markdown."""

FOLDER = "reference"
_SECTIONS: dict[str, Callable[[Path], Pages]] = {
    "Commands": commands.pages,
    "Motifs": motifs.pages,
    "Records and files": records.pages,
    "Python": python_api.pages,
}
"""By title in the navigation: a function of the checkout that makes pages, as paths below FOLDER without `.md`."""


def sections(root: Path) -> dict[str, Pages]:
    """The generated pages of the checkout `root` by section, in the order of the navigation; an overview is first."""
    return {
        title: {f"{FOLDER}/{path}.md": text for path, text in make(root).items()} for title, make in _SECTIONS.items()
    }


def pages(root: Path) -> Pages:
    """All generated pages of the checkout `root`."""
    return {path: text for section in sections(root).values() for path, text in section.items()}
