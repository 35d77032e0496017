"""TOML files that people write: read, checked by pydantic, and every mistake with its line."""

from stressbench.toml.complaints import Complaint, Mistakes, complaints_of, unknown
from stressbench.toml.lines import Place, line_of, lines_of
from stressbench.toml.reading import TomlMistake, located, read_text, tables_of
from stressbench.toml.table import Table
from stressbench.toml.writing import toml_text

__all__ = [
    "Complaint",
    "Mistakes",
    "Place",
    "Table",
    "TomlMistake",
    "complaints_of",
    "line_of",
    "lines_of",
    "located",
    "read_text",
    "tables_of",
    "toml_text",
    "unknown",
]
