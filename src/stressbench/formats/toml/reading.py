"""Reading of TOML files into tables, and line numbers for complaints about them."""

import tomllib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from stressbench.formats.excerpts import excerpt, shortened
from stressbench.formats.files import limits
from stressbench.formats.files import read_text as read_bounded_text
from stressbench.formats.toml.complaints import Complaint, ValidationMistakes
from stressbench.formats.toml.dotted_keys import long_key
from stressbench.formats.toml.lines import line_of, lines_of

MAX_DEPTH = 16
_TOO_DEEP = f"nested too deeply; expected at most {MAX_DEPTH} levels"


class TomlMistake(Exception):
    """A file cannot be read or is not TOML; the message names the file."""


def read_text(path: Path) -> str:
    """The text of the file at `path`. Raises TomlMistake."""
    try:
        return read_bounded_text(path, limit=limits.TOML)
    except (OSError, UnicodeDecodeError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) else "expected a text in UTF-8"
        raise TomlMistake(f"{path}: {reason}") from fault


def parse_toml(text: str, *, source: str) -> dict[str, Any]:
    """The tables of the text, before validation by a model. Raises TomlMistake.

    Integers must fit into 64 bits, as TOML requires, and values may be nested at most `MAX_DEPTH` levels deep.
    """
    if (start := long_key(text, most_parts=MAX_DEPTH)) is not None:
        line, key = text.count("\n", 0, start) + 1, text[start:].partition("\n")[0]
        raise TomlMistake(f"{source}:{line}: '{excerpt(key)}': {_TOO_DEEP}")
    try:
        tables = tomllib.loads(text)
    except RecursionError as fault:
        raise TomlMistake(f"{source}: {_TOO_DEEP}") from fault
    except ValueError as fault:  # TOMLDecodeError, or an integer of thousands of digits
        raise TomlMistake(f"{source}: not TOML: {shortened(str(fault))}") from fault
    _check(tables, source=source)
    return tables


def _check(tables: dict[str, Any], *, source: str) -> None:
    level: list[Any] = [tables]
    for _ in range(MAX_DEPTH):
        inner: list[Any] = []
        for value in level:
            if isinstance(value, (dict, list)):
                inner += value.values() if isinstance(value, dict) else value
            elif isinstance(value, int) and not -(2**63) <= value < 2**63:
                raise TomlMistake(f"{source}: {str(value)[:20]}...: expected an integer of at most 64 bits")
        level = inner
    if level:
        raise TomlMistake(f"{source}: {_TOO_DEEP}")


@contextmanager
def mistakes_as(error: Callable[[Iterable[str]], Exception], *, text: str, source: str) -> Iterator[None]:
    """Turn ValidationMistakes about `text`, with their lines, and TomlMistake into `error`, one sentence for each."""
    try:
        yield
    except ValidationMistakes as fault:
        raise error(with_line_numbers(fault.complaints, text=text, source=source)) from fault
    except TomlMistake as fault:
        raise error([str(fault)]) from fault


def with_line_numbers(complaints: Iterable[Complaint], *, text: str, source: str) -> tuple[str, ...]:
    """`FILE:LINE: sentence` for each complaint, in order of lines."""
    lines = lines_of(text)
    numbered = sorted(
        ((line_of(lines, complaint.place), complaint.text) for complaint in complaints), key=lambda p: p[0]
    )
    return tuple(f"{source}:{line}: {message}" for line, message in numbered)
