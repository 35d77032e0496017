"""Parsing of a lab file into its tables, with the line of every mistake. Pure."""

from contextlib import AbstractContextManager
from dataclasses import dataclass

from pydantic import ValidationError

from stressbench.formats.lab.errors import LabFileMistake
from stressbench.formats.lab.fields import expected_pattern
from stressbench.formats.lab.tables import LabTable
from stressbench.formats.lab.topologies import TOPOLOGIES, Topology
from stressbench.formats.toml import Complaint, Mistakes, complaints_of, mistakes_as, tables_of, unknown


@dataclass(frozen=True, kw_only=True)
class LabTables:
    """A lab file: the whole `table`, and its `[topology]` as the model that `kind` selects."""

    table: LabTable
    topology: Topology


def parse_tables(text: str, *, source: str) -> LabTables:
    """The tables of a lab file. Raises LabFileMistake with `source` and line of every mistake that can be found."""
    with located_mistakes(text, source=source):
        written = tables_of(text, source=source)
        try:
            table = LabTable.model_validate(written)
        except ValidationError as fault:
            raise Mistakes(complaints_of(fault, LabTable, pattern=expected_pattern)) from fault
        return LabTables(table=table, topology=_topology(table))


def located_mistakes(text: str, *, source: str) -> AbstractContextManager[None]:
    """Turn Mistakes about the tables of `text` into LabFileMistake, each with its line."""
    return mistakes_as(LabFileMistake, text=text, source=source)


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
