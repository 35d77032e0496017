"""JSON: the complete value of the document; times in seconds, unknown values are null."""

from typing import Any

from stressbench.formats.json_text import json_text
from stressbench.report.document import Document


def render(document: Document) -> str:
    """The value as JSON, indented by two spaces, with a final line feed."""
    return json_text(document.value, Any) + "\n"
