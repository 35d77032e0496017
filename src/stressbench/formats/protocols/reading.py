"""Reading of JSON Lines, common to both protocols: several executions in a file, the last one perhaps cut off."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import ConfigDict, ValidationError

from stressbench.formats.complaints import first_error
from stressbench.formats.errors import SuiteFileError, reason_of
from stressbench.formats.files import BoundedValidator, limits, lines_in, open_regular

STRICT = ConfigDict(extra="forbid", allow_inf_nan=False)
Record = TypeVar("Record")


@dataclass(frozen=True, kw_only=True)
class Line(Generic[Record]):
    """A record and its position; line numbers count from 1."""

    path: Path
    number: int
    record: Record

    def error(self, reason: str) -> SuiteFileError:
        """The exception for a malformed line, which the caller raises."""
        return SuiteFileError(f"{self.path}:{self.number}: {reason}")


def read_executions(
    path: Path, validator: BoundedValidator[Record], *, motif: str, head: type, end: type
) -> tuple[tuple[Line[Record], ...], ...]:
    """The lines of each execution in a file, at least one execution; its `head` comes first. Raises SuiteFileError.

    An execution extends to its `end`, the next head, or the end of the file. A last line without newline is skipped.
    """
    try:
        with open_regular(path, limit=limits.PROTOCOL) as file:
            lines = tuple(lines_in(file, path=path, longest=limits.JOURNAL_LINE))
    except OSError as fault:
        raise SuiteFileError(f"{path}: {reason_of(fault)}") from fault
    executions = tuple(_split(tuple(_records(path, lines, validator)), motif=motif, head=head, end=end))
    if not executions:
        raise SuiteFileError(f"{path}: holds no {motif}; expected a file that --protocol wrote")
    return executions


def _split(lines: Sequence[Line[Record]], *, motif: str, head: type, end: type) -> Iterator[tuple[Line[Record], ...]]:
    current: list[Line[Record]] = []
    for line in lines:
        if isinstance(line.record, head):
            if current:
                yield tuple(current)
            current = [line]
        elif not current:
            raise line.error(f'expected a line with "type": "{motif}" first')
        else:
            current.append(line)
            if isinstance(line.record, end):
                yield tuple(current)
                current = []
    if current:
        yield tuple(current)


def _records(path: Path, lines: Sequence[bytes], validator: BoundedValidator[Record]) -> Iterator[Line[Record]]:
    for number, line in enumerate(lines, start=1):
        if not line.endswith(b"\n"):
            return  # the line is incomplete
        try:
            yield Line(path=path, number=number, record=validator.validate_json(line))
        except ValidationError as fault:
            raise SuiteFileError(f"{path}:{number}: {first_error(fault)}") from fault
