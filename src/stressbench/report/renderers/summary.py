"""Summary: the document's abstract as Markdown of at most ten lines, to paste into a pull request or a message.

Names in it neither mention users and issues nor become links or emphasis.
"""

import re

from stressbench.console import escaped
from stressbench.report.document import Document, Fact
from stressbench.report.renderers import md

MOST_LINES = 10
_MOST_LETTERS = 600
_EMPHASIS = re.compile(r"[`*_~]")
_REFERENCE = re.compile(r"(?<=[@#!$])(?=\w)|(?<=:)(?=//)")
"""Where a comment keeps a forge from making a reference to a user, an issue or a page."""


def render(document: Document) -> str:
    """The heading, then an item for each fact."""
    heading, *facts = document.abstract
    assert len(facts) <= MOST_LINES - 2
    return "\n".join([f"### {_plain(heading.name)}: {_plain(heading.value)}", "", *map(_item, facts), ""])


def _item(fact: Fact) -> str:
    return f"- **{_plain(fact.name)}:** {_code(fact.value) if fact.is_code else _plain(fact.value)}"


def _plain(text: str) -> str:
    shown = text if len(text) <= _MOST_LETTERS else text[: _MOST_LETTERS - 1] + "…"
    return _REFERENCE.sub("<!-- -->", _EMPHASIS.sub(r"\\\g<0>", md.text_of(shown)))


def _code(text: str) -> str:
    """The text as code on one line, between more backticks than it has in a row."""
    line = " ".join(escaped(word) for word in text.split())
    fence = "`" * (1 + max(map(len, re.findall("`+", line)), default=0))
    return f"{fence} {line} {fence}" if "`" in line else f"{fence}{line}{fence}"
