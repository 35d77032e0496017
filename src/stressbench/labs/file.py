"""Conversion of lab files to labs: `read_lab` takes a path, `parse_lab` the text of the file (pure)."""

from pathlib import Path

from stressbench.formats.lab.errors import LabMistake
from stressbench.formats.lab.file import lab_file_mistakes, parse_tables
from stressbench.formats.toml import TomlMistake, read_text
from stressbench.labs.assembly import assemble
from stressbench.labs.topology import Lab


def read_lab(path: Path, *, name: str | None = None) -> Lab:
    """The lab in the file at `path`, named `name` or after the file. Raises LabMistake with all errors and lines."""
    try:
        text = read_text(path)
    except TomlMistake as fault:
        raise LabMistake(str(fault)) from fault
    return parse_lab(text, name=name or path.stem, source=str(path))


def parse_lab(text: str, *, name: str, source: str) -> Lab:
    """The lab described by `text`. Raises LabFileMistake with all errors; `source` names the file in them."""
    tables = parse_tables(text, source=source)
    with lab_file_mistakes(text, source=source):
        return assemble(name=name, table=tables.table, topology=tables.topology)
