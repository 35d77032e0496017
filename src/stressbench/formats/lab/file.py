"""Parsing of a lab file into its tables, with the line of every mistake. Pure."""

from contextlib import AbstractContextManager
from dataclasses import dataclass

from pydantic import ValidationError

from stressbench.formats.lab.errors import LabFileMistake
from stressbench.formats.lab.fields import expected_pattern
from stressbench.formats.lab.tables import LabTable
from stressbench.formats.lab.topologies import TOPOLOGIES, Topology
from stressbench.formats.toml import (
    Complaint,
    ValidationMistakes,
    complaints_of,
    mistakes_as,
    parse_toml,
    unknown_message,
)


@dataclass(frozen=True, kw_only=True)
class LabTables:
    """A lab file: the whole `table`, and its `[topology]` as the model that `kind` selects."""

    table: LabTable
    topology: Topology


def parse_tables(text: str, *, source: str) -> LabTables:
    """The tables of a lab file. Raises LabFileMistake with `source` and line of every mistake that can be found."""
    with lab_file_mistakes(text, source=source):
        tables = parse_toml(text, source=source)
        try:
            table = LabTable.model_validate(tables)
        except ValidationError as fault:
            raise ValidationMistakes(complaints_of(fault, LabTable, pattern=expected_pattern)) from fault
        return LabTables(table=table, topology=_topology(table))


def lab_file_mistakes(text: str, *, source: str) -> AbstractContextManager[None]:
    """Turn ValidationMistakes about the tables of `text` into LabFileMistake, each with its line."""
    return mistakes_as(LabFileMistake, text=text, source=source)


def _topology(table: LabTable) -> Topology:
    kind = table.topology.get("kind")
    if kind is None:
        message = f"[topology] kind is missing; known: {', '.join(TOPOLOGIES)}"
        raise ValidationMistakes([Complaint(place=("topology",), text=message)])
    if not isinstance(kind, str) or kind not in TOPOLOGIES:
        raise ValidationMistakes(
            [Complaint(place=("topology", "kind"), text=unknown_message("kind", str(kind), tuple(TOPOLOGIES)))]
        )
    model = TOPOLOGIES[kind]
    try:
        return model.model_validate(table.topology)
    except ValidationError as fault:
        raise ValidationMistakes(complaints_of(fault, model, under=("topology",), pattern=expected_pattern)) from fault
