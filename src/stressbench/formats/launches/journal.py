"""DIR/launches.jsonl: a plan, then one line per launch, synced to disk when the launch ends."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Generic, Literal, TypeVar

from pydantic import Field, TypeAdapter, ValidationError

from stressbench.formats.complaints import first_error
from stressbench.formats.errors import reason_of
from stressbench.formats.files import BoundedValidator, append_lines
from stressbench.formats.files.studies import LAUNCHES
from stressbench.formats.run.records import Number, Seconds
from stressbench.formats.study.errors import StudyFault, StudyMistake
from stressbench.formats.study.journal import Complaints, journal_lines

FILE = LAUNCHES
SCHEMA_VERSION = 1
Count = Annotated[int, Field(ge=1, le=10**9)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The keys of every plan. `figures`: regular expressions by name, with one group that matches the number."""

    type: Literal["plan"] = "plan"
    schema_version: int = SCHEMA_VERSION
    at: datetime
    version: str
    command: tuple[str, ...]
    on: str
    runs: Count
    seed: int
    figures: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseLaunch:
    """The keys of every launch.

    `repetition` counts from 0 under each condition; figures that were not found are None.
    """

    type: Literal["launch"] = "launch"
    at: datetime
    repetition: Annotated[int, Field(ge=0)]
    status: int
    wall_s: Seconds
    figures: Mapping[str, Number | None]


P = TypeVar("P", bound=Plan)
L = TypeVar("L")


@dataclass(frozen=True, kw_only=True)
class RecordedLaunches(Generic[P, L]):
    """The readable records of the file, and a sentence for each line that could not be read."""

    plan: P
    done: tuple[L, ...]
    complaints: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Journal(Generic[P, L]):
    """Reader and writer of one type of plan and its type of launches; `writer` is the command that writes them.

    Most launches are a `BaseLaunch`. `misfit`: what is expected of a launch that is not of the plan, None of others.
    """

    plan: type[P]
    launch: type[L]
    writer: str
    misfit: Callable[[P, L], str | None] = lambda plan, launch: None  # noqa: ARG005

    def require_readable(self, plan: P) -> None:
        """Raise StudyMistake for a plan that `read` would not accept."""
        try:
            BoundedValidator[P](self.plan).validate_json(TypeAdapter(self.plan).dump_json(plan))
        except ValidationError as fault:
            raise StudyMistake(first_error(fault, show_value=True)) from fault

    def append(self, path: Path, record: P | L) -> None:
        """Append the record to the file and sync it to disk. Raises StudyFault."""
        try:
            append_lines(path, [TypeAdapter(type(record)).dump_json(record)])
        except OSError as fault:
            raise StudyFault(f"{path}: {reason_of(fault)}; the launches before are in it") from fault

    def read(self, path: Path) -> RecordedLaunches[P, L]:
        """Read the file at `path`. Raises StudyMistake if it does not begin with a plan."""
        lines = journal_lines(path)
        try:
            plan: P = BoundedValidator[P](self.plan).validate_json(next(lines, (1, b""))[1])
        except FileNotFoundError as fault:
            raise StudyMistake(f"{path}: {reason_of(fault)}") from fault
        except ValidationError as fault:
            message = f"{path}: no plan; expected a file that `{self.writer}` wrote ({first_error(fault)})"
            raise StudyMistake(message) from fault
        launches, done, complaints = BoundedValidator[L](self.launch), [], Complaints(path)
        for number, line in lines:
            try:
                launch = launches.validate_json(line)
            except ValidationError as fault:
                complaints.add(number, fault)
                continue
            if expected := self.misfit(plan, launch):
                complaints.add(number, expected)
            else:
                done.append(launch)
        return RecordedLaunches(plan=plan, done=tuple(done), complaints=complaints.all())
