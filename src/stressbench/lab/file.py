"""`read_lab`: a lab file into a `Lab`; every mistake with its line. `parse_lab` is the same for a text, and pure."""

from pathlib import Path

from stressbench.formats.lab.errors import LabMistake
from stressbench.formats.lab.file import located_mistakes, parse_tables
from stressbench.formats.toml import TomlMistake, read_text
from stressbench.lab.assembly import assemble
from stressbench.lab.topology import Lab


def read_lab(path: Path, *, name: str | None = None) -> Lab:
    """The lab in the file at `path`, called `name` or like the file. LabMistake where it cannot be used."""
    try:
        text = read_text(path)
    except TomlMistake as fault:
        raise LabMistake(str(fault)) from fault
    return parse_lab(text, name=name or path.stem, source=str(path))


def parse_lab(text: str, *, name: str, source: str) -> Lab:
    """The lab that the text describes. LabFileMistake names `source` and line, for every mistake that can be told."""
    tables = parse_tables(text, source=source)
    with located_mistakes(text, source=source):
        return assemble(name=name, table=tables.table, topology=tables.topology)
