"""From the text of a lab file to its tables; every mistake with its line. Pure."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from pydantic import ValidationError

from stressbench.formats.lab.errors import LabFileMistake
from stressbench.formats.lab.fields import expected_pattern
from stressbench.formats.lab.tables import LabTable
from stressbench.formats.lab.topologies import TOPOLOGIES, Topology
from stressbench.formats.toml import Complaint, Mistakes, TomlMistake, complaints_of, located, tables_of, unknown


@dataclass(frozen=True, kw_only=True)
class LabTables:
    """A lab file: the whole `table`, and its `topology` as the table that `kind` asks for."""

    table: LabTable
    topology: Topology


def parse_tables(text: str, *, source: str) -> LabTables:
    """The tables of a lab file. LabFileMistake names `source` and line, for every mistake that can be told."""
    try:
        written = tables_of(text, source=source)
    except TomlMistake as fault:
        raise LabFileMistake([str(fault)]) from fault
    with located_mistakes(text, source=source):
        try:
            table = LabTable.model_validate(written)
        except ValidationError as fault:
            raise Mistakes(complaints_of(fault, LabTable, pattern=expected_pattern)) from fault
        return LabTables(table=table, topology=_topology(table))


@contextmanager
def located_mistakes(text: str, *, source: str) -> Iterator[None]:
    """Turn Mistakes about the tables of `text` into LabFileMistake, each with its line."""
    try:
        yield
    except Mistakes as fault:
        raise LabFileMistake(located(fault.complaints, text=text, source=source)) from fault


def _topology(table: LabTable) -> Topology:
    kind = table.topology.get("kind")
    if kind is None:
        told = f"[topology] kind is missing; known: {', '.join(TOPOLOGIES)}"
        raise Mistakes([Complaint(place=("topology",), text=told)])
    if not isinstance(kind, str) or kind not in TOPOLOGIES:
        raise Mistakes([Complaint(place=("topology", "kind"), text=unknown("kind", str(kind), tuple(TOPOLOGIES)))])
    model = TOPOLOGIES[kind]
    try:
        return model.model_validate(table.topology)
    except ValidationError as fault:
        raise Mistakes(complaints_of(fault, model, under=("topology",), pattern=expected_pattern)) from fault
