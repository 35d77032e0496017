"""`read_lab`: a lab file into a `Lab`; every mistake with its line. `parse_lab` is the same for a text, and pure."""

from pathlib import Path

from pydantic import ValidationError

from stressbench.formats.toml import (
    Complaint,
    Mistakes,
    TomlMistake,
    complaints_of,
    located,
    read_text,
    tables_of,
    unknown,
)
from stressbench.lab.assembly import assemble
from stressbench.lab.errors import LabFileMistake, LabMistake
from stressbench.lab.fields import Table, expected_pattern
from stressbench.lab.shapes import Shape, shapes
from stressbench.lab.tables import LabTable
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
    try:
        written = tables_of(text, source=source)
    except TomlMistake as fault:
        raise LabFileMistake([str(fault)]) from fault
    try:
        table = LabTable.model_validate(written)
        shape, spec = _topology(table)
        return assemble(name=name, table=table, shape=shape, spec=spec)
    except ValidationError as fault:
        complaints = complaints_of(fault, LabTable, pattern=expected_pattern)
    except Mistakes as fault:
        complaints = fault.complaints
    raise LabFileMistake(located(complaints, text=text, source=source))


def _topology(table: LabTable) -> tuple[Shape, Table]:
    known = shapes()
    kind = table.topology.get("kind")
    if kind is None:
        raise Mistakes([Complaint(place=("topology",), text=f"[topology] kind is missing; known: {', '.join(known)}")])
    if not isinstance(kind, str) or kind not in known:
        raise Mistakes([Complaint(place=("topology", "kind"), text=unknown("kind", str(kind), tuple(known)))])
    try:
        return known[kind], known[kind].spec.model_validate(table.topology)
    except ValidationError as fault:
        raise Mistakes(complaints_of(fault, known[kind].spec, under=("topology",), pattern=expected_pattern)) from fault
