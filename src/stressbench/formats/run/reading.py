"""`read_run` reads a run file into a `Run`, by the rules of docs/records.md.

The few records that determine the structure are validated one by one; samples, of which there may be millions, are
validated in columns by `SampleColumns`.
"""

import gc
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, TypeAlias, TypeVar

import numpy as np
import orjson
from pydantic import ValidationError

from stressbench.formats.bounds import LARGEST, SMALLEST
from stressbench.formats.complaints import first_error, json_excerpt
from stressbench.formats.errors import RunFileError, reason_of
from stressbench.formats.files import BoundedValidator, limits, lines_in, open_regular, parse_json
from stressbench.formats.ranges import MAX_NUMBERS, parse_ranges
from stressbench.formats.run.records import (
    RECORDS,
    SCHEMA_VERSION,
    End,
    Event,
    Fault,
    Header,
    HistogramRecord,
    Kind,
    Round,
    Sample,
)
from stressbench.formats.run.run import Launch, Run
from stressbench.formats.run.sample_columns import SampleColumns, SampleFault
from stressbench.formats.run.samples import Histogram

Record = TypeVar("Record")
MAX_EXECUTIONS = 10**15
"""Largest number of executions in all histograms of a file together, so that sums and products of them are exact."""
_EXPECTED_FILE = 'expected a StressBench run file, whose first line is a JSON object with "type": "header"'
_LaterRecord: TypeAlias = Round | HistogramRecord | Event | Fault | End


def read_run(path: Path) -> Run:
    """Read the run file at `path`.

    Rounds without their commit mark and a last line without its newline are ignored. Raises RunFileError, which names
    file and line, for anything else: no such file, not a run file, another schema version, a broken line.
    """
    try:
        with open_regular(path, limit=limits.RUN) as file, _garbage_collection_paused():
            return RunReader(path=path).read(file)
    except OSError as fault:
        raise RunFileError(reason_of(fault), path=path) from fault


_TYPES: Mapping[type[Any], str] = {model: name for name, model in RECORDS.items()}
_VALIDATORS: Mapping[type[Any], BoundedValidator[Any]] = {model: BoundedValidator(model) for model in _TYPES}
_HISTOGRAM_START = f'{{"type":"{_TYPES[HistogramRecord]}",'.encode()


@contextmanager
def _garbage_collection_paused() -> Iterator[None]:
    """Pause the garbage collector: reading millions of rows, which hold no cycles, is then 1.6 times as fast."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@dataclass(slots=True)
class _OpenLaunch:
    header: Header
    rounds: list[Round] = field(default_factory=list)
    end: End | None = None
    faults: list[Fault] = field(default_factory=list)


@dataclass(slots=True)
class RunReader:
    """Reads the lines of one run file; `read_lines` is called once."""

    path: Path
    launches: list[_OpenLaunch] = field(default_factory=list)
    columns: SampleColumns = field(init=False)
    events: list[Event] = field(default_factory=list)
    pending: list[Histogram] = field(default_factory=list)
    histograms: list[Histogram] = field(default_factory=list)
    end: End | None = None
    torn: bool = False
    newest_round: int = 0
    executions: int = 0

    def read(self, file: BinaryIO) -> Run:
        """The run in the file. Raises RunFileError."""
        self._check_start(file)
        return self.read_lines(enumerate(lines_in(file, path=self.path, longest=limits.LINE), start=1))

    def read_lines(self, lines: Iterable[tuple[int, bytes]]) -> Run:
        """The run in these lines with their numbers, which begin with the first header. Raises RunFileError."""
        try:
            for number, line in lines:
                if not line.endswith(b"\n"):
                    self.torn = True
                    break
                self._read_line(line, number)
            if not self.launches:
                self._refuse(f"the only line was cut off; {_EXPECTED_FILE}", 1)
            return self._finish()
        except SampleFault as fault:
            raise RunFileError(str(fault), path=self.path, line=fault.line) from fault

    def _check_start(self, file: BinaryIO) -> None:
        start = file.read(1)
        if not start:
            raise RunFileError(f"the file is empty; {_EXPECTED_FILE}", path=self.path)
        if start != b"{":
            self._refuse(f"not a run file: begins with {start!r}; {_EXPECTED_FILE}", 1)
        file.seek(0)

    def _read_line(self, line: bytes, number: int) -> None:
        if line.startswith(_HISTOGRAM_START) and self.launches:  # the most frequent record: parsed only once
            self._add_record(self._validate(HistogramRecord, line, number), number)
            return
        record = self._parse(line, number)
        kind = record.get("type")
        model = RECORDS.get(kind) if isinstance(kind, str) else None
        if not self.launches and model is not Header:
            self._refuse(f"not a run file: type {json_excerpt(kind)}; {_EXPECTED_FILE}", number)
        if not isinstance(kind, str):
            self._refuse(f"type {json_excerpt(kind)}: expected a text", number)
        if model is None:
            return  # a type of a later version
        if model is Sample:
            self.columns.add(record, line=line, number=number)
            self.end = None
        elif model is Header:
            self._add_header(record, line, number)
            self.end = None
        else:
            self._add_record(self._validate(model, line, number), number)

    def _add_record(self, record: _LaterRecord, number: int) -> None:
        self.end = None
        match record:
            case Round():
                self._add_round(record, number)
            case HistogramRecord():
                self._add_histogram(record, number)
            case Event():
                self._add_event(record, number)
            case Fault():
                self._check_job(record.job, number)
                self.launches[-1].faults.append(record)
            case End():
                self.end = self.launches[-1].end = record

    def _parse(self, line: bytes, number: int) -> Mapping[str, Any]:
        try:
            record = parse_json(line)
        except orjson.JSONDecodeError as fault:
            expected = "expected one JSON object a line" if self.launches else _EXPECTED_FILE
            self._refuse(f"broken line ({fault.msg}); {expected}", number)
        if not isinstance(record, dict):
            self._refuse(f"{json_excerpt(record)}: expected a JSON object", number)
        return record

    def _validate(self, record: type[Record], line: bytes, number: int) -> Record:
        try:
            validated: Record = _VALIDATORS[record].validate_json(line, strict=True)
        except ValidationError as fault:
            self._refuse(first_error(fault, record=_TYPES[record], show_value=True), number)
        return validated

    def _add_header(self, record: Mapping[str, Any], line: bytes, number: int) -> None:
        version = record.get("schema_version")
        if version != SCHEMA_VERSION:
            self._refuse(
                f"schema_version {json_excerpt(version)}: this StressBench reads version {SCHEMA_VERSION}", number
            )
        header = self._validate(Header, line, number)
        self._check_header(header, number)
        self.launches.append(_OpenLaunch(header))
        if header.launch == 0:
            self.columns = SampleColumns(
                check=lambda line, number: self._validate(Sample, line, number),
                steps_of_jobs=tuple(len(job.steps) for job in header.jobs),
            )
        self.columns.discard()
        self.pending.clear()

    def _check_header(self, header: Header, number: int) -> None:
        if header.launch != len(self.launches):
            expected = f"expected {len(self.launches)}; are these two runs in one file?"
            self._refuse(f"header.launch {header.launch}: {expected}", number)
        if self.launches and header.workload.hash != (first := self.launches[0].header.workload.hash):
            self._refuse(f"header.workload.hash {header.workload.hash}: the first launch ran {first}", number)
        ranks, nodes = min(header.ranks, MAX_NUMBERS), 0  # every rank is on one node
        ranks_on_nodes = 0
        for one in header.nodes.ranges:
            key = f"header.nodes.{one.first}"
            try:
                one.check(max_nodes=MAX_NUMBERS - nodes)
            except ValueError as fault:
                self._refuse(f"{key}: {fault}", number)
            try:
                ranks_on_nodes += one.count_ranks(max_ranks=ranks - ranks_on_nodes)
            except ValueError as fault:
                self._refuse(f"{key}.ranks: {fault}", number)
            nodes += one.count
        for job in header.jobs:
            self._count_numbers(job.nodes, f"jobs.{job.job}.nodes", number, max_numbers=nodes)
        if [job.job for job in header.jobs] != list(range(len(header.jobs))):
            self._refuse("header.jobs: expected jobs numbered 0, 1, ... in order", number)
        if any([step.step for step in job.steps] != list(range(len(job.steps))) for job in header.jobs):
            self._refuse("header.jobs.steps: expected steps numbered 0, 1, ... in order", number)

    def _count_numbers(self, text: str, key: str, number: int, *, max_numbers: int) -> int:
        """How many numbers the text lists; refuses more than `max_numbers`."""
        try:
            return len(parse_ranges(text, max_numbers=max_numbers))
        except ValueError as fault:
            self._refuse(f"header.{key}: {fault}", number)

    def _add_round(self, record: Round, number: int) -> None:
        if record.round <= self.newest_round:
            self._refuse(
                f"round.round {record.round}: expected more than {self.newest_round}, the round before", number
            )
        self.newest_round = record.round
        for job in [record.job, *(entry.job for entry in record.jobs)]:
            self._check_job(job, number)
        if (record.job is None) is (record.kind is Kind.isolated):
            self._refuse(
                f"round.job {json_excerpt(record.job)}: expected a job when isolated, null when contended", number
            )
        self.launches[-1].rounds.append(record)
        self.columns.commit(record.round)
        self.histograms += [histogram for histogram in self.pending if histogram.round == record.round]
        self.pending.clear()

    def _add_histogram(self, record: HistogramRecord, number: int) -> None:
        self._check_job(record.job, number)
        steps = len(self.launches[0].header.jobs[record.job].steps)
        if record.step is not None and record.step >= steps:
            self._refuse(f"histogram.step {record.step}: job {record.job} has {steps} steps", number)
        self.executions += record.count
        if self.executions > MAX_EXECUTIONS:
            most = f"{MAX_EXECUTIONS:.0e} executions in all histograms"
            self._refuse(f"histogram.count {record.count}: expected at most {most}", number)
        try:
            self.pending.append(_histogram(record))
        except ValueError as fault:
            self._refuse(f"histogram.buckets: {fault}", number)

    def _add_event(self, event: Event, number: int) -> None:
        self._check_job(event.job, number)
        self.events.append(event)

    def _check_job(self, job: int | None, number: int) -> None:
        jobs = len(self.launches[0].header.jobs)
        if job is not None and job >= jobs:
            self._refuse(f"job {job}: the header has {jobs} jobs", number)

    def _refuse(self, message: str, number: int) -> NoReturn:
        raise RunFileError(message, path=self.path, line=number)

    def _finish(self) -> Run:
        samples = self.columns.samples()
        return Run(
            path=self.path,
            launches=tuple(
                Launch(header=one.header, rounds=tuple(one.rounds), end=one.end, faults=tuple(one.faults))
                for one in self.launches
            ),
            samples=samples,
            metrics=self.columns.metrics(),
            histograms=tuple(self.histograms),
            events=tuple(self.events),
            end=self.end,
            torn=self.torn,
            ignored_samples=self.columns.ignored,
        )


def _histogram(record: HistogramRecord) -> Histogram:
    executions = 0
    for lower, upper, count in record.buckets:  # most histograms have so few buckets that arrays would be slower
        executions += count
        if not (SMALLEST <= lower <= LARGEST or lower == 0) or not (SMALLEST <= upper <= LARGEST or upper == 0):
            raise ValueError(f"expected edges of 0, or from {SMALLEST:g} to {LARGEST:g}")
    if executions > MAX_EXECUTIONS:
        raise ValueError(f"expected at most {MAX_EXECUTIONS:.0e} executions")
    columns = np.array(record.buckets, dtype=np.float64).reshape(-1, 3).T
    return Histogram(
        round=record.round, job=record.job, step=record.step, quantity=record.quantity, count=record.count,
        min_s=record.min_s, max_s=record.max_s, mean_s=record.mean_s,
        lower_s=columns[0], upper_s=columns[1], counts=columns[2].astype(np.int64),
    )  # fmt: skip
