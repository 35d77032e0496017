"""The document docs/gallery.md: a section for each entry, between its two marks."""

import re
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

from gallery_entries import ENTRIES, Entry

CHECKOUT = Path(__file__).resolve().parent.parent
DOCUMENT = CHECKOUT / "docs" / "gallery.md"
PICTURES = CHECKOUT / "docs" / "images" / "gallery"
WIDTH = 120
_BEGIN, _END = "<!-- entries -->", "<!-- end -->"
_MARKED = re.compile(f"{_BEGIN}.*{_END}", re.DOTALL)
_OPTION = re.compile(r"(?<= )(--?[A-Za-z][\w-]*) (?!-)")
"""An option and the space before its value, where lines are not broken."""
_LANGUAGES = {".toml": "toml", ".sb": "sb"}


def document_of(text: str, entries: Sequence[Entry] = ENTRIES) -> str:
    """The document with these entries between its marks. Raises ValueError where it lacks them."""
    if not _MARKED.search(text):
        raise ValueError(f"the lines {_BEGIN} and {_END} are missing")
    generated = "\n".join([_BEGIN, *(line for entry in entries for line in _section(entry, entries)), "", _END])
    return _MARKED.sub(lambda _: generated, text)


def _section(entry: Entry, entries: Sequence[Entry]) -> Iterator[str]:
    titles = {one.name: one.title for one in entries}
    yield from ("", f"## {entry.title}", "", _prose(entry.question), "")
    yield from (f"![The page: {entry.title.lower()}](images/gallery/{entry.picture})", "")
    yield from (_prose(f"{entry.look} Guide: [{entry.guide_title}]({entry.guide})."), "")
    if entry.needs:
        needed = " and ".join(f"[{titles[name].lower()}](#{_anchor(titles[name])})" for name in entry.needs)
        yield from (_prose(f"First the commands of {needed}. Then:"), "")
    for name, text in entry.files.items():
        yield from (f"`{name}`:", "", f"```{_LANGUAGES[Path(name).suffix]}", *text.splitlines(), "```", "")
    yield from ("```", *lines_of(entry), "```")


def lines_of(entry: Entry) -> Iterator[str]:
    """The lines to type: those that need a lab begin with it."""
    if not entry.needs:
        yield f"stressbench lab up {entry.lab}"
    for command in entry.commands:
        joined = _OPTION.sub(r"\1\0", command)
        first, *others = textwrap.wrap(joined, WIDTH - 4, break_long_words=False, break_on_hyphens=False)
        yield " \\\n".join([first, *(f"  {line}" for line in others)]).replace("\0", " ")


def _prose(text: str) -> str:
    return textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def _anchor(title: str) -> str:
    return title.lower().replace(" ", "-")
