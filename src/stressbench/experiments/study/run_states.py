"""The state of each run of a study, from the planned runs and the manifest. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from stressbench.formats.study.cells import PlannedRun
from stressbench.formats.study.manifest import (
    FailedRecord,
    FinishedRecord,
    InterruptedRecord,
    LinksRecord,
    PolicyRecord,
    Record,
    SettledRecord,
    StartedRecord,
    StudyRecord,
)
from stressbench.formats.units import FULL
from stressbench.results.study_status import State as State


@dataclass(frozen=True, kw_only=True)
class RunState:
    """A run and its state. `file`: the run file in effect. `reason` and `status`: those of the last failure."""

    run: PlannedRun
    state: State = State.waiting
    file: str | None = None
    failed_files: tuple[str, ...] = ()
    failures: int = 0
    status: int | None = None
    reason: str | None = None
    duration_s: float | None = None
    sha256: str | None = None
    complete: bool | None = None

    def is_open(self, *, retries: int) -> bool:
        """Whether the run must still be carried out or repeated."""
        if self.state is State.failed:
            return self.failures <= retries
        return self.state in (State.waiting, State.begun)

    def after(self, record: Record) -> "RunState":
        """The state after this record."""
        match record:
            case FinishedRecord():
                return replace(
                    self, state=State.done, file=record.file, duration_s=record.duration_s, sha256=record.sha256,
                    complete=record.complete,
                )  # fmt: skip
            case _ if self.state is State.done:
                return self
            case StartedRecord() | InterruptedRecord():
                return replace(self, state=State.begun, file=record.file)
            case FailedRecord():
                return replace(
                    self, state=State.failed, file=None, failures=self.failures + 1, status=record.status,
                    reason=record.reason, failed_files=(*self.failed_files, record.file),
                )  # fmt: skip
        return self


def retries_of(records: Sequence[Record], *, written: int) -> int:
    """Retries per failed run: the last number recorded since the newest study file, or else the number in the file."""
    for record in reversed(records):
        if isinstance(record, PolicyRecord):
            return record.retries
        if isinstance(record, StudyRecord):
            return written
    return written


def run_states(runs: Sequence[PlannedRun], records: Sequence[Record]) -> tuple[RunState, ...]:
    """The state of each run, in the order of `runs`. Records of other runs are ignored."""
    of_run: defaultdict[str, list[Record]] = defaultdict(list)
    settled: dict[str, int] = {}
    for record in records:
        if isinstance(record, (StartedRecord, FinishedRecord, FailedRecord, InterruptedRecord)):
            of_run[record.run].append(record)
        elif isinstance(record, SettledRecord):
            settled[record.cell] = record.runs
    return tuple(_run_state(run, of_run[run.id], settled.get(run.cell.id)) for run in runs)


def _run_state(run: PlannedRun, records: Sequence[Record], settled: int | None) -> RunState:
    run_state = RunState(run=run)
    for record in records:
        run_state = run_state.after(record)
    if settled is not None and run.repetition >= settled and run_state.state is State.waiting:
        return replace(run_state, state=State.skipped)
    return run_state


def slowed_networks(records: Iterable[Record]) -> Mapping[str, LinksRecord]:
    """The last record of each lab (by its `on`) and rate command (by its text), where that is not the full rate."""
    last = {record.command or record.on: record for record in records if isinstance(record, LinksRecord)}
    return {what: record for what, record in last.items() if record.rate != FULL}
