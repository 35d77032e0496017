"""`read_lab`: a lab file into a `Lab`; every mistake with its line. `parse_lab` is the same for a text, and pure."""

import tomllib
from pathlib import Path

from pydantic import ValidationError

from stressbench.lab.assembly import Mistakes, assemble
from stressbench.lab.complaints import Complaint, complaints_of, unknown
from stressbench.lab.errors import LabFileMistake, LabMistake
from stressbench.lab.fields import Table
from stressbench.lab.shapes import Shape, shapes
from stressbench.lab.tables import LabTable
from stressbench.lab.toml_lines import line_of, lines_of
from stressbench.lab.topology import Lab


def read_lab(path: Path, *, name: str | None = None) -> Lab:
    """The lab in the file at `path`, called `name` or like the file. LabMistake where it cannot be used."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) else "expected a text in UTF-8"
        raise LabMistake(f"{path}: {reason}") from fault
    return parse_lab(text, name=name or path.stem, source=str(path))


def parse_lab(text: str, *, name: str, source: str) -> Lab:
    """The lab that the text describes. LabFileMistake names `source` and line, for every mistake that can be told."""
    try:
        written = tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise LabFileMistake([f"{source}: not TOML: {fault}"]) from fault
    try:
        table = LabTable.model_validate(written)
        shape, spec = _topology(table)
        return assemble(name=name, table=table, shape=shape, spec=spec)
    except ValidationError as fault:
        complaints = complaints_of(fault, LabTable)
    except Mistakes as fault:
        complaints = fault.complaints
    lines = lines_of(text)
    placed = sorted(((line_of(lines, complaint.place), complaint.text) for complaint in complaints), key=lambda p: p[0])
    raise LabFileMistake(f"{source}:{line}: {told}" for line, told in placed)


def _topology(table: LabTable) -> tuple[Shape, Table]:
    known = shapes()
    kind = table.topology.get("kind")
    if kind is None:
        raise Mistakes([Complaint(place=("topology",), text=f"[topology] kind is missing; known: {', '.join(known)}")])
    if kind not in known:
        raise Mistakes([Complaint(place=("topology", "kind"), text=unknown("kind", str(kind), tuple(known)))])
    try:
        return known[kind], known[kind].spec.model_validate(table.topology)
    except ValidationError as fault:
        raise Mistakes(complaints_of(fault, known[kind].spec, under=("topology",))) from fault
