"""User-written TOML files: reading, validation by pydantic, and messages with the line of every mistake."""

from stressbench.formats.toml.complaints import (
    Called,
    Complaint,
    Mistakes,
    by_key,
    by_option,
    complaints_of,
    unknown,
)
from stressbench.formats.toml.lines import KeyPath, line_of, lines_of
from stressbench.formats.toml.reading import TomlMistake, located, mistakes_as, read_text, tables_of
from stressbench.formats.toml.table import Table
from stressbench.formats.toml.writing import toml_text

__all__ = [
    "Called",
    "Complaint",
    "KeyPath",
    "Mistakes",
    "Table",
    "TomlMistake",
    "by_key",
    "by_option",
    "complaints_of",
    "line_of",
    "lines_of",
    "located",
    "mistakes_as",
    "read_text",
    "tables_of",
    "toml_text",
    "unknown",
]
