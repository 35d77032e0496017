"""User-written TOML files: reading, validation by pydantic, and messages with the line of every mistake."""

from stressbench.formats.toml.complaints import (
    Complaint,
    KeyLabel,
    ValidationMistakes,
    by_key,
    by_option,
    complaints_of,
    unknown_message,
)
from stressbench.formats.toml.lines import KeyPath, line_of, lines_of
from stressbench.formats.toml.reading import TomlMistake, mistakes_as, parse_toml, read_text, with_line_numbers
from stressbench.formats.toml.table import Table
from stressbench.formats.toml.writing import toml_text

__all__ = [
    "Complaint",
    "KeyLabel",
    "KeyPath",
    "Table",
    "TomlMistake",
    "ValidationMistakes",
    "by_key",
    "by_option",
    "complaints_of",
    "line_of",
    "lines_of",
    "mistakes_as",
    "parse_toml",
    "read_text",
    "toml_text",
    "unknown_message",
    "with_line_numbers",
]
