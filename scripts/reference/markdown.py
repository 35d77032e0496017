"""Pieces of Markdown that the generated pages share."""

from collections.abc import Iterable, Sequence


def cell(text: str) -> str:
    """Text escaped for a table cell."""
    return " ".join(text.split()).replace("|", "&#124;").replace("<", "&lt;")


def code(text: str) -> str:
    """Text in code font, valid in a table as well."""
    return f"<code>{cell(text)}</code>" if "|" in text or "`" in text else f"`{text}`"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Lines of a table, followed by a blank line; no lines if there are no rows."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return [f"| {' | '.join(head)} |", "| " + " | ".join("---" for _ in head) + " |", *lines, ""] if lines else []
