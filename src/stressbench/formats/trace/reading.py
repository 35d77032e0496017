"""`read_trace` reads a trace file into a `Trace`, by the rules of docs/trace-format.md.

The checksums of all lines are verified first. Lines of ranks, which may be large and many, are validated on access.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, TypeVar

import orjson
from pydantic import ValidationError

from stressbench.formats.complaints import first_error
from stressbench.formats.errors import TraceFileError, reason_of
from stressbench.formats.files import BoundedValidator, limits, lines_in, open_regular, parse_json
from stressbench.formats.trace.checks import faults_of
from stressbench.formats.trace.line import checksum_fault, has_checksum
from stressbench.formats.trace.records import (
    RECORDS,
    TRACE_FORMAT,
    TRACE_VERSION,
    RankTrace,
    Symbols,
    TraceEnd,
    TraceHeader,
)
from stressbench.formats.trace.trace import RankPosition, RankPositions, Trace

Record = TypeVar("Record")
_EXPECTED_FILE = f'expected a trace, whose first line is a JSON object with "format": "{TRACE_FORMAT}"'
_VALIDATORS: Mapping[type[Any], BoundedValidator[Any]] = {
    model: BoundedValidator(model, max_values=limits.TRACE_VALUES) for model in RECORDS.values()
}
_LINE_START = re.compile(rb'\{"type":"(\w+)"(?:,"rank":([0-9]{1,18}))?[,}]')
_MAX_FIRST_LINE = 1 << 20


def read_trace(path: Path) -> Trace:
    """Read the trace at `path`, or the complete part of it.

    A truncated file is accepted (`Trace.truncated` is then true, and `Trace.require_complete` raises). Raises
    TraceFileError, which names file and line, for anything else: no such file, not a trace, another version, a broken
    line.
    """
    try:
        with open_regular(path, limit=limits.TRACE) as file:
            return _Reader(path=path).read(file)
    except OSError as fault:
        raise TraceFileError(reason_of(fault), path=path) from fault


@dataclass(slots=True)
class _Reader:
    path: Path
    header: TraceHeader | None = None
    positions: RankPositions = field(default_factory=RankPositions)
    symbols: Symbols | None = None
    end: TraceEnd | None = None
    torn: bool = False
    number: int = 0

    def read(self, file: BinaryIO) -> Trace:
        offset = 0
        self._check_start(file)
        for number, line in enumerate(lines_in(file, path=self.path, longest=limits.LINE), start=1):
            self.number = number
            body = line.rstrip(b"\r\n")
            if not line.endswith(b"\n") and not has_checksum(body):
                self.torn = True
                break
            self._read_line(body, offset)
            offset += len(line)
        if self.header is None:
            self._refuse(f"the only line was cut off; {_EXPECTED_FILE}")
        self._check_end()
        return Trace(
            path=self.path, header=self.header, positions=self.positions, end=self.end, torn=self.torn,
            symbols={} if self.symbols is None else self.symbols.sites, load=partial(_load_ranks, self.path),
        )  # fmt: skip

    def _check_start(self, file: BinaryIO) -> None:
        start = file.readline(_MAX_FIRST_LINE)
        self.number = 1
        if not start:
            raise TraceFileError(f"the file is empty; {_EXPECTED_FILE}", path=self.path)
        if not start.startswith(b"{"):
            self._refuse(f"not a trace: begins with {start[:8]!r}; {_EXPECTED_FILE}")
        if start.endswith(b"\n") and f'"{TRACE_FORMAT}"'.encode() not in start:
            kind = " (a run file? `stressbench show` reads those)" if b'"schema_version"' in start else ""
            self._refuse(f"not a trace{kind}; {_EXPECTED_FILE}")
        file.seek(0)

    def _read_line(self, body: bytes, offset: int) -> None:
        if not has_checksum(body):
            self._refuse('broken line: it does not end in "crc32"')
        if fault := checksum_fault(body):
            self._refuse(fault)
        kind, rank = self._type_and_rank(body)
        if self.header is None and kind != "header":
            self._refuse(f"not a trace: type {kind}; {_EXPECTED_FILE}")
        if self.end is not None:
            self._refuse(f"a {kind} line after the end; are these two traces in one file?")
        model = RECORDS.get(kind)
        if model is TraceHeader:
            self._read_header(body)
        elif model is RankTrace:
            self._add_position(RankPosition(rank=rank, offset=offset, length=len(body), line=self.number))
        elif model is Symbols:
            self.symbols = _validate(Symbols, body, path=self.path, line=self.number)
        elif model is TraceEnd:
            self.end = _validate(TraceEnd, body, path=self.path, line=self.number)

    def _type_and_rank(self, body: bytes) -> tuple[str, int]:
        """Type and rank (-1: none) of a line, read from its first bytes if they are found there."""
        if (start := _LINE_START.match(body)) and (start[1] != b"rank" or start[2]):
            return start[1].decode(), int(start[2] or -1)
        record = self._parse_object(body)
        kind, rank = record.get("type"), record.get("rank", -1)
        if not isinstance(kind, str) or not isinstance(rank, int):
            self._refuse(f"type {kind!r}, rank {rank!r}: expected a text and a number")
        return kind, rank

    def _parse_object(self, body: bytes) -> Mapping[str, Any]:
        try:
            record = parse_json(body)
        except orjson.JSONDecodeError as fault:
            self._refuse(f"broken line ({fault.msg}); expected one JSON object a line")
        if not isinstance(record, dict):
            self._refuse(f"{str(record)[:40]}: expected a JSON object")
        return record

    def _read_header(self, body: bytes) -> None:
        if self.header is not None:
            self._refuse("a second header; are these two traces in one file?")
        version = self._parse_object(body).get("version")
        if version != TRACE_VERSION:
            self._refuse(f"version {version}: this StressBench reads version {TRACE_VERSION}")
        self.header = _validate(TraceHeader, body, path=self.path, line=self.number)

    def _add_position(self, position: RankPosition) -> None:
        assert self.header is not None
        if not 0 <= position.rank < self.header.ranks:
            self._refuse(f"rank {position.rank}: the header has {self.header.ranks} ranks")
        if self.positions and position.rank <= (last := self.positions.ranks[-1]):
            self._refuse(f"rank {position.rank}: expected more than {last}, the rank before")
        self.positions.append(position)

    def _check_end(self) -> None:
        if self.end is not None and self.end.ranks != len(self.positions):
            self._refuse(f"end.ranks {self.end.ranks}: the file has lines of {len(self.positions)} ranks")

    def _refuse(self, message: str) -> NoReturn:
        raise TraceFileError(message, path=self.path, line=self.number)


def _load_ranks(path: Path, positions: Iterable[RankPosition]) -> Iterator[RankTrace]:
    """The validated lines at `positions`, one at a time; the file is opened once."""
    try:
        with open_regular(path, limit=limits.TRACE) as file:
            for position in positions:
                file.seek(position.offset)
                yield _validate_rank(file.read(position.length), position, path=path)
    except OSError as fault:
        raise TraceFileError(reason_of(fault), path=path) from fault


def _validate_rank(body: bytes, position: RankPosition, *, path: Path) -> RankTrace:
    rank = _validate(RankTrace, body, path=path, line=position.line)
    if fault := faults_of(rank):
        raise TraceFileError(f"rank {rank.rank}: {fault}", path=path, line=position.line)
    return rank


def _validate(record: type[Record], body: bytes, *, path: Path, line: int) -> Record:
    try:
        validated: Record = _VALIDATORS[record].validate_json(body, strict=True)
    except ValidationError as fault:
        raise TraceFileError(first_error(fault, show_value=True), path=path, line=line) from fault
    return validated
