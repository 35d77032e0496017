"""JSON: the document's value in full; times in seconds, unknown is null."""

from pydantic_core import to_json

from stressbench.report.document import Document


def render(document: Document) -> str:
    """Two spaces of indent per level, a line feed at the end; sequences of other types are arrays."""
    return to_json(document.value, indent=2, inf_nan_mode="null", fallback=tuple).decode() + "\n"
