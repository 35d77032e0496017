"""JSON: the document's value in full; times in seconds, unknown is null."""

from typing import Any

from stressbench.formats.json_text import json_text
from stressbench.report.document import Document


def render(document: Document) -> str:
    """Two spaces of indent per level, a line feed at the end."""
    return json_text(document.value, Any) + "\n"
