"""What a study knows of the workload language, all of which docs/workload-language.md tells. Pure."""

import re

STATEMENT = re.compile(r"^[ \t]*\[(?P<key>[A-Z_]+)\](?P<rest>[^\n]*(?:\n(?![ \t]*\[)[^\n]*)*)", re.MULTILINE)
"""`key`, and the `rest` with the lines that continue it."""
_COMMENT = re.compile(r"(?:^|(?<=\s))#[^\n]*")


def without_comments(text: str) -> str:
    """The rest of a statement, as it counts."""
    return _COMMENT.sub("", text)
