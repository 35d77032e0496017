"""From a file to the tables that were written, and from complaints to lines of it."""

import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from stressbench.files import limits
from stressbench.files import read_text as bounded_text
from stressbench.toml.complaints import Complaint
from stressbench.toml.lines import line_of, lines_of


class TomlMistake(Exception):
    """A file that cannot be read, or is not TOML; the message names it."""


def read_text(path: Path) -> str:
    """The text of the file at `path`. Raises TomlMistake."""
    try:
        return bounded_text(path, limit=limits.TOML)
    except (OSError, UnicodeDecodeError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) else "expected a text in UTF-8"
        raise TomlMistake(f"{path}: {reason}") from fault


def tables_of(text: str, *, source: str) -> dict[str, Any]:
    """What the text holds, before anything is checked. Raises TomlMistake."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise TomlMistake(f"{source}: not TOML: {fault}") from fault


def located(complaints: Iterable[Complaint], *, text: str, source: str) -> tuple[str, ...]:
    """`FILE:LINE: sentence` for each, in order of lines."""
    lines = lines_of(text)
    placed = sorted(((line_of(lines, complaint.place), complaint.text) for complaint in complaints), key=lambda p: p[0])
    return tuple(f"{source}:{line}: {told}" for line, told in placed)
