"""The manifest of a study's directory: append-only JSON Lines, synced to disk before work continues."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, TypeAdapter, ValidationError

from stressbench.formats.errors import reason_of
from stressbench.formats.files import BoundedValidator, append_lines
from stressbench.formats.run.records import Seconds
from stressbench.formats.study.errors import StudyFault
from stressbench.formats.study.fields import Retries
from stressbench.formats.study.journal import Complaints, journal_lines

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyRecord:
    """A study file was added: the first one, or a later one that extends the study."""

    type: Literal["study"] = "study"
    schema_version: int = SCHEMA_VERSION
    at: datetime
    file: str
    sha256: str
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRecord:
    """A planned run of a cell; `values` are by factor. The order of these records is the order of the runs."""

    type: Literal["planned"] = "planned"
    run: str
    cell: str
    repetition: int
    values: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class StartedRecord:
    """An attempt of a run starts, or `continues` the file of an interrupted one."""

    type: Literal["started"] = "started"
    run: str
    at: datetime
    file: str
    continues: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedRecord:
    """A run is done. `recovered`: its file was found complete without a record of it; its duration is then unknown.

    `complete` is false if the time limit of the run ended it.
    """

    type: Literal["finished"] = "finished"
    run: str
    at: datetime
    file: str
    sha256: str
    complete: bool
    duration_s: Seconds | None
    recovered: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedRecord:
    """An attempt failed, with the exit status that `stressbench run` would have."""

    type: Literal["failed"] = "failed"
    run: str
    at: datetime
    file: str
    status: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InterruptedRecord:
    """An attempt was stopped regularly before its end; its file can be continued."""

    type: Literal["interrupted"] = "interrupted"
    run: str
    at: datetime
    file: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SettledRecord:
    """The intervals of a cell are narrow enough after `runs` runs."""

    type: Literal["settled"] = "settled"
    cell: str
    at: datetime
    runs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LinksRecord:
    """The links of the launch target `on` are about to get a share of their rates for a run, or have full rates again.

    `command` is the rate command of the study, if that sets the rates instead of the lab.
    """

    type: Literal["links"] = "links"
    run: str
    at: datetime
    on: str
    rate: str
    command: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyRecord:
    """How often failed runs are retried from now on, set by an option instead of the study file."""

    type: Literal["policy"] = "policy"
    at: datetime
    retries: Retries


Record: TypeAlias = (
    StudyRecord
    | PlannedRecord
    | StartedRecord
    | FinishedRecord
    | FailedRecord
    | InterruptedRecord
    | SettledRecord
    | LinksRecord
    | PolicyRecord
)
LINE: TypeAlias = Annotated[Record, Field(discriminator="type")]
"""A line of the manifest."""
_ADAPTER: TypeAdapter[Record] = TypeAdapter(LINE)
_VALIDATOR: BoundedValidator[Record] = BoundedValidator(LINE)


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """The readable records, and `FILE:LINE: sentence` for each line that could not be read."""

    records: tuple[Record, ...]
    complaints: tuple[str, ...]


def read_manifest(path: Path) -> Manifest:
    """The manifest at `path`, empty if there is none. Broken lines are reported and skipped.

    Raises StudyMistake if it cannot be read.
    """
    records: list[Record] = []
    complaints = Complaints(path)
    with suppress(FileNotFoundError):
        for number, line in journal_lines(path):
            try:
                records.append(_VALIDATOR.validate_json(line))
            except ValidationError as fault:
                complaints.add(number, fault)
    return Manifest(records=tuple(records), complaints=complaints.all())


def append(path: Path, *records: Record) -> None:
    """Append all records or none, and sync them to disk. Raises StudyFault."""
    try:
        append_lines(path, map(_ADAPTER.dump_json, records))
    except OSError as fault:
        raise StudyFault(
            f"{path}: {reason_of(fault)}; completed runs are recorded; `study resume` continues"
        ) from fault
