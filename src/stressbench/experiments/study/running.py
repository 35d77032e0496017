"""The main loop of a study: runs what is open, records each step before the next, and stops cleanly."""

import fcntl
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from stressbench.exit_status import ExitStatus
from stressbench.experiments.study.directory import Directory, now, sha256_of
from stressbench.experiments.study.estimate import seconds_left
from stressbench.experiments.study.run_states import RunState, State, run_states
from stressbench.formats.files import limits, open_regular
from stressbench.formats.run import Run, RunFileError, read_run
from stressbench.formats.study.cells import PlannedRun
from stressbench.formats.study.errors import StudyMistake
from stressbench.formats.study.manifest import (
    FailedRecord,
    FinishedRecord,
    InterruptedRecord,
    Record,
    SettledRecord,
    StartedRecord,
)

_WRITER_ENDS_WITHIN_S = 60.0
_PAUSE_S = 0.05


@dataclass(frozen=True, kw_only=True)
class ScheduledRun:
    """One launch, which writes or continues the run file `path`. `time_limit_s`: the time left to the study, s."""

    run: PlannedRun
    path: Path
    continues: bool
    time_limit_s: float | None


@dataclass(frozen=True, kw_only=True)
class Result:
    """How a launch ended: the exit status of a run, the reason where it is not 0, and whether a stop was requested."""

    status: int
    reason: str | None = None
    asked_to_stop: bool = False


Executor = Callable[[ScheduledRun], Result]
Narrow = Callable[[Sequence[Run]], bool]


class Pool(Protocol):
    """Executes launches, one or several at a time."""

    def map(self, orders: Iterator[ScheduledRun], execute: Executor) -> Iterator[tuple[ScheduledRun, Result]]:
        """Take an order whenever a slot is free, and yield each order with its result once it is done."""


class OneAtATime:
    """Executes launches in this process, one after the other."""

    def map(self, orders: Iterator[ScheduledRun], execute: Executor) -> Iterator[tuple[ScheduledRun, Result]]:
        """As `Pool.map`."""
        for order in orders:
            yield order, execute(order)


class Stop(StrEnum):
    """Why the loop ended."""

    done = "done"
    interrupted = "interrupted"
    time_limit = "time limit"


@dataclass(frozen=True, kw_only=True)
class RunCounts:
    """Counts of runs, and seconds left where they can be estimated."""

    done: int
    failed: int
    skipped: int
    total: int
    left_s: float | None


class Watcher(Protocol):
    """Receives notifications on the progress of a study."""

    def waits(self, path: Path) -> None:
        """A launch of a killed study still writes to this run file, and the study waits for it to end."""

    def starts(self, order: ScheduledRun, counts: RunCounts) -> None:
        """A launch begins."""

    def ended(self, order: ScheduledRun, result: Result, counts: RunCounts) -> None:
        """A launch ended."""


@dataclass(frozen=True, kw_only=True)
class Policy:
    """Retries per failed run, and for how long runs are started, s since the StudyRunner was created."""

    retries: int
    time_limit_s: float | None


class StudyRunner:
    """Carries out the runs of a study directory."""

    def __init__(
        self,
        directory: Directory,
        *,
        policy: Policy,
        narrow: Narrow,
        watcher: Watcher,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._directory = directory
        self._policy = policy
        self._narrow = narrow
        self._watcher = watcher
        self._clock = clock
        self._began = clock()
        self._started: dict[str, float] = {}
        self._stop: Stop | None = None
        self._all: dict[str, RunState] = {}
        self._looked: dict[str, int] = {}

    def carry_out(self, execute: Executor, *, pool: Pool) -> Stop:
        """Carry out the open runs and return why that ended. Raises StudyFault on a full disk; the run stays open."""
        self._directory.plan()
        found = run_states(self._directory.study.runs, self._directory.read().records)
        self._all = {run_state.run.id: run_state for run_state in found}
        moved = True
        while moved and self._stop is None:  # with several at once, a run may fail after all others have ended
            before = self.run_states
            for order, result in pool.map(self._orders(), execute):
                self._close(order, result)
            moved = self.run_states != before
        return self._stop or Stop.done

    def ask_to_stop(self) -> None:
        """Start no more runs."""
        self._stop = Stop.interrupted

    @property
    def is_stopping(self) -> bool:
        """Whether a stop was requested."""
        return self._stop is Stop.interrupted

    @property
    def run_states(self) -> tuple[RunState, ...]:
        """The states of all runs, in the order of the study."""
        return tuple(self._all.values())

    def _orders(self) -> Iterator[ScheduledRun]:
        """The open runs. A failed run is repeated only after all other runs have had their turn."""
        for failures in range(self._policy.retries + 1):
            for run in self._directory.study.runs:
                run_state = self._all[run.id]
                if run_state.failures != failures or not run_state.is_open(retries=self._policy.retries):
                    continue
                if self._stop is not None or self._is_late(run_state):
                    return
                if self._is_settled(run):
                    continue
                order = self._order(run_state)
                if order is not None:
                    yield order

    def _order(self, run_state: RunState) -> ScheduledRun | None:
        """The launch for a run, None where its run file is complete although the manifest has no record of that."""
        run = run_state.run
        attempt = 0
        while True:
            attempt += 1
            name = self._directory.file_of(run.id, attempt=attempt)
            path = self._directory.path / name
            if name in run_state.failed_files:
                continue
            if not path.exists():
                return self._start(run, name, continues=False)
            self._wait_for_its_writer(path)
            try:
                left = read_run(path)
            except RunFileError:
                continue  # killed before its first record was complete
            if left.complete:
                self._note(run.id, self._finished(run, name, left, recovered=True))
                return None
            return self._start(run, name, continues=True)

    def _wait_for_its_writer(self, path: Path) -> None:
        """Wait until no engine writes to the run file. Raises StudyMistake where that takes too long."""
        if not _is_being_written(path):
            return
        self._watcher.waits(path)
        end = self._clock() + _WRITER_ENDS_WITHIN_S
        while _is_being_written(path):
            if self._clock() > end:
                raise StudyMistake(
                    f"{path}: a launch of a study that was killed still writes to it; end its ranks, then resume"
                )
            time.sleep(_PAUSE_S)

    def _start(self, run: PlannedRun, name: str, *, continues: bool) -> ScheduledRun:
        self._note(run.id, StartedRecord(run=run.id, at=now(), file=name, continues=continues))
        self._started[run.id] = self._clock()
        order = ScheduledRun(
            run=run, path=self._directory.path / name, continues=continues, time_limit_s=self._seconds_to_the_limit()
        )
        self._watcher.starts(order, self.counts())
        return order

    def _close(self, order: ScheduledRun, result: Result) -> None:
        run, name = order.run, order.path.relative_to(self._directory.path).as_posix()
        left = _read(order.path)
        if result.status == ExitStatus.ok and left is not None and left.rounds:
            if not left.complete and self._was_the_study_s_limit(order):
                self._note(run.id, InterruptedRecord(run=run.id, at=now(), file=name, reason="the study's time limit"))
                self._stop = Stop.time_limit
            else:
                self._note(run.id, self._finished(run, name, left, recovered=False))
        elif result.status == ExitStatus.interrupted:
            self._note(
                run.id, InterruptedRecord(run=run.id, at=now(), file=name, reason=result.reason or "interrupted")
            )
            self._stop = Stop.interrupted
        else:
            self._directory.require_room()
            reason = result.reason or ("no round was finished" if result.status == ExitStatus.ok else "the run failed")
            status = result.status or ExitStatus.fault
            self._note(run.id, FailedRecord(run=run.id, at=now(), file=name, status=status, reason=reason))
        if result.asked_to_stop:
            self._stop = Stop.interrupted
        self._watcher.ended(order, result, self.counts())

    def _finished(self, run: PlannedRun, name: str, left: Run, *, recovered: bool) -> FinishedRecord:
        return FinishedRecord(
            run=run.id, at=now(), file=name, sha256=sha256_of(self._directory.path / name), complete=left.complete,
            duration_s=None if recovered else self._clock() - self._started[run.id], recovered=recovered,
        )  # fmt: skip

    def _was_the_study_s_limit(self, order: ScheduledRun) -> bool:
        left = self._seconds_to_the_limit()
        own = self._directory.study.run_limit_s
        was_cut = order.time_limit_s is not None and (own is None or order.time_limit_s < own)
        return was_cut and left is not None

    def _note(self, run: str, record: Record) -> None:
        self._directory.write(record)
        self._all[run] = self._all[run].after(record)

    def _is_late(self, run_state: RunState) -> bool:
        left = self._seconds_to_the_limit()
        if left is None:
            return False
        expected = seconds_left([run_state], among=self.run_states) or 0.0
        if left > 0 and (left >= expected or not self._started):
            return False
        self._stop = Stop.time_limit
        return True

    def _seconds_to_the_limit(self) -> float | None:
        limit_s = self._policy.time_limit_s
        return None if limit_s is None else max(0.0, limit_s - (self._clock() - self._began))

    def _is_settled(self, run: PlannedRun) -> bool:
        """Whether the cell's intervals are narrow enough without this run, evaluated once per completed run."""
        until = self._directory.study.until
        if until is None or run.repetition < until.at_least:
            return False
        done = [
            run_state
            for run_state in self._all.values()
            if run_state.run.cell.id == run.cell.id and run_state.state is State.done and run_state.file
        ]
        if len(done) < until.at_least:
            return False
        if self._looked.get(run.cell.id) != len(done):
            self._looked[run.cell.id] = len(done)
            runs = [
                left for run_state in done if (left := _read(self._directory.path / str(run_state.file))) is not None
            ]
            if self._narrow(runs):
                self._settle(run.cell.id, len(done))
        return self._all[run.id].state is State.skipped

    def _settle(self, cell: str, runs: int) -> None:
        record = SettledRecord(cell=cell, at=now(), runs=runs)
        self._directory.write(record)
        records = self._directory.read().records
        self._all = {found.run.id: found for found in run_states(self._directory.study.runs, records)}

    def counts(self) -> RunCounts:
        """Counts of runs, and the estimated time left."""
        return counts_of(self.run_states, retries=self._policy.retries)


def counts_of(found: Sequence[RunState], *, retries: int) -> RunCounts:
    """Counts of runs, and the time left, s, where completed runs allow an estimate."""
    of_state: Mapping[State, int] = {state: sum(one.state is state for one in found) for state in State}
    return RunCounts(
        done=of_state[State.done],
        failed=sum(one.state is State.failed and not one.is_open(retries=retries) for one in found),
        skipped=of_state[State.skipped],
        total=len(found),
        left_s=seconds_left([one for one in found if one.is_open(retries=retries)], among=found),
    )


def _read(path: Path) -> Run | None:
    try:
        return read_run(path)
    except RunFileError:
        return None


def _is_being_written(path: Path) -> bool:
    """Whether an engine holds its lock on the run file, False where the file system does not support locks."""
    with open_regular(path, limit=limits.FILE) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:
            return False
    return False
