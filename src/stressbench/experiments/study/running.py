"""The main loop of a study: runs what is open, records each step before the next, and stops cleanly."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from stressbench.exit_status import ExitStatus
from stressbench.experiments.study.claims import AllRuns, Claims
from stressbench.experiments.study.directory import Directory, now
from stressbench.experiments.study.estimate import seconds_left
from stressbench.experiments.study.run_states import RunState, State, run_states
from stressbench.formats.files import is_locked, sha256_of
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

_WRITER_TIMEOUT_S = 60.0
_POLL_INTERVAL_S = 0.05


@dataclass(frozen=True, kw_only=True)
class ScheduledRun:
    """One launch, which writes or continues the run file `path`. `time_limit_s`: the time left to the study, s."""

    run: PlannedRun
    path: Path
    continues: bool
    time_limit_s: float | None


@dataclass(frozen=True, kw_only=True)
class LaunchResult:
    """How a launch ended: the exit status of a run, the reason where it is not 0, and whether a stop was requested."""

    status: int
    reason: str | None = None
    stop_requested: bool = False


Executor = Callable[[ScheduledRun], LaunchResult]
NarrownessTest = Callable[[Sequence[Run]], bool]


class Pool(Protocol):
    """Executes launches, one or several at a time."""

    def map(self, runs: Iterator[ScheduledRun], execute: Executor) -> Iterator[tuple[ScheduledRun, LaunchResult]]:
        """Take a run whenever a slot is free, and yield each run with its result once it is done."""


class SequentialPool:
    """Executes launches in this process, one after the other."""

    def map(self, runs: Iterator[ScheduledRun], execute: Executor) -> Iterator[tuple[ScheduledRun, LaunchResult]]:
        """As `Pool.map`."""
        for scheduled in runs:
            yield scheduled, execute(scheduled)


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

    def starts(self, scheduled: ScheduledRun, counts: RunCounts) -> None:
        """A launch begins."""

    def ended(self, scheduled: ScheduledRun, result: LaunchResult, counts: RunCounts) -> None:
        """A launch ended."""


@dataclass(frozen=True, kw_only=True)
class Policy:
    """Retries per failed run, and for how long runs are started, s since the StudyRunner was created."""

    retries: int
    time_limit_s: float | None


class StudyRunner:
    """Carries out the runs of a study directory, those that other commands have not claimed."""

    def __init__(
        self,
        directory: Directory,
        *,
        policy: Policy,
        is_narrow: NarrownessTest,
        watcher: Watcher,
        clock: Callable[[], float] = time.monotonic,
        claims: Claims | None = None,
    ) -> None:
        self._claims = claims or AllRuns()
        self._directory = directory
        self._policy = policy
        self._is_narrow = is_narrow
        self._watcher = watcher
        self._clock = clock
        self._began = clock()
        self._started: dict[str, float] = {}
        self._stop: Stop | None = None
        self._states: dict[str, RunState] = {}
        self._checked_runs: dict[str, int] = {}

    def run(self, execute: Executor, *, pool: Pool) -> Stop:
        """Carry out the open runs and return why that ended. Raises StudyFault on a full disk; the run stays open."""
        self._directory.plan()
        self._read_states()
        made_progress = True
        while made_progress and self._stop is None:  # with several at once, a run may fail after all others have ended
            states_before = self.run_states
            for scheduled, result in pool.map(self._scheduled_runs(), execute):
                self._record_result(scheduled, result)
            made_progress = self.run_states != states_before
        if self._claims.are_shared:
            self._read_states()
        return self._stop or Stop.done

    def request_stop(self) -> None:
        """Start no more runs."""
        self._stop = Stop.interrupted

    @property
    def is_stopping(self) -> bool:
        """Whether a stop was requested."""
        return self._stop is Stop.interrupted

    @property
    def run_states(self) -> tuple[RunState, ...]:
        """The states of all runs, in the order of the study."""
        return tuple(self._states.values())

    def _scheduled_runs(self) -> Iterator[ScheduledRun]:
        """The open runs. A failed run is repeated only after all other runs have had their turn."""
        failures = -1
        while (next_failures := self._least_failures(above=failures)) is not None:
            failures = next_failures
            for run in self._directory.study.runs:
                if not self._is_open(run, failures=failures):
                    continue
                if self._stop is not None or self._is_out_of_time(self._states[run.id]):
                    return
                if not self._claim(run, failures=failures):
                    continue
                scheduled = None if self._has_converged(run) else self._schedule(self._states[run.id])
                if scheduled is None:
                    self._claims.release(run.id)
                else:
                    yield scheduled

    def _is_open(self, run: PlannedRun, *, failures: int) -> bool:
        """Whether the run is open after this number of failures."""
        run_state = self._states[run.id]
        return run_state.failures == failures and run_state.is_open(retries=self._policy.retries)

    def _claim(self, run: PlannedRun, *, failures: int) -> bool:
        """Claim an open run. False where another command has claimed it, or has carried it out meanwhile."""
        if not self._claims.take(run.id):
            return False
        if self._claims.are_shared:
            self._read_states()
            if not self._is_open(run, failures=failures):
                self._claims.release(run.id)
                return False
        return True

    def _least_failures(self, *, above: int) -> int | None:
        """The smallest number of failures, larger than `above`, of an open run; None if there is none."""
        retries = self._policy.retries
        failures = (one.failures for one in self._states.values() if one.is_open(retries=retries))
        return min((count for count in failures if count > above), default=None)

    def _schedule(self, run_state: RunState) -> ScheduledRun | None:
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
            self._wait_for_writer(path)
            try:
                recorded_run = read_run(path)
            except RunFileError:
                continue  # killed before its first record was complete
            if recorded_run.complete:
                self._record(run.id, self._finished(run, name, recorded_run, recovered=True))
                return None
            return self._start(run, name, continues=True)

    def _wait_for_writer(self, path: Path) -> None:
        """Wait until no engine holds its lock on the run file. Raises StudyMistake where that takes too long."""
        if not is_locked(path):
            return
        self._watcher.waits(path)
        deadline = self._clock() + _WRITER_TIMEOUT_S
        while is_locked(path):
            if self._clock() > deadline:
                raise StudyMistake(
                    f"{path}: a launch of a study that was killed still writes to it; end its ranks, then resume"
                )
            time.sleep(_POLL_INTERVAL_S)

    def _start(self, run: PlannedRun, name: str, *, continues: bool) -> ScheduledRun:
        self._record(run.id, StartedRecord(run=run.id, at=now(), file=name, continues=continues))
        self._started[run.id] = self._clock()
        scheduled = ScheduledRun(
            run=run, path=self._directory.path / name, continues=continues, time_limit_s=self._remaining_time_s()
        )
        self._watcher.starts(scheduled, self.counts())
        return scheduled

    def _record_result(self, scheduled: ScheduledRun, result: LaunchResult) -> None:
        run, name = scheduled.run, scheduled.path.relative_to(self._directory.path).as_posix()
        recorded_run = _read(scheduled.path)
        if result.status == ExitStatus.ok and recorded_run is not None and recorded_run.rounds:
            if not recorded_run.complete and self._ended_at_study_limit(scheduled):
                self._record(
                    run.id, InterruptedRecord(run=run.id, at=now(), file=name, reason="the study's time limit")
                )
                self._stop = Stop.time_limit
            else:
                self._record(run.id, self._finished(run, name, recorded_run, recovered=False))
        elif result.status == ExitStatus.interrupted:
            self._record(
                run.id, InterruptedRecord(run=run.id, at=now(), file=name, reason=result.reason or "interrupted")
            )
            self._stop = Stop.interrupted
        else:
            self._directory.require_free_space()
            reason = result.reason or ("no round was finished" if result.status == ExitStatus.ok else "the run failed")
            status = result.status or ExitStatus.fault
            self._record(run.id, FailedRecord(run=run.id, at=now(), file=name, status=status, reason=reason))
        self._claims.release(run.id)
        if result.stop_requested:
            self._stop = Stop.interrupted
        self._watcher.ended(scheduled, result, self.counts())

    def _finished(self, run: PlannedRun, name: str, recorded_run: Run, *, recovered: bool) -> FinishedRecord:
        return FinishedRecord(
            run=run.id, at=now(), file=name, sha256=sha256_of(self._directory.path / name),
            complete=recorded_run.complete,
            duration_s=None if recovered else self._clock() - self._started[run.id], recovered=recovered,
        )  # fmt: skip

    def _ended_at_study_limit(self, scheduled: ScheduledRun) -> bool:
        remaining_s = self._remaining_time_s()
        run_limit_s = self._directory.study.run_limit_s
        was_cut = scheduled.time_limit_s is not None and (run_limit_s is None or scheduled.time_limit_s < run_limit_s)
        return was_cut and remaining_s is not None

    def _record(self, run: str, record: Record) -> None:
        self._directory.write(record)
        self._states[run] = self._states[run].after(record)

    def _is_out_of_time(self, run_state: RunState) -> bool:
        remaining_s = self._remaining_time_s()
        if remaining_s is None:
            return False
        expected_s = seconds_left([run_state], all_states=self.run_states) or 0.0
        if remaining_s > 0 and (remaining_s >= expected_s or not self._started):
            return False
        self._stop = Stop.time_limit
        return True

    def _remaining_time_s(self) -> float | None:
        limit_s = self._policy.time_limit_s
        return None if limit_s is None else max(0.0, limit_s - (self._clock() - self._began))

    def _has_converged(self, run: PlannedRun) -> bool:
        """Whether the cell's intervals are narrow enough without this run, evaluated once per completed run."""
        until = self._directory.study.until
        if until is None or run.repetition < until.at_least:
            return False
        done = [
            run_state
            for run_state in self._states.values()
            if run_state.run.cell.id == run.cell.id and run_state.state is State.done and run_state.file
        ]
        if len(done) < until.at_least:
            return False
        if self._checked_runs.get(run.cell.id) != len(done):
            self._checked_runs[run.cell.id] = len(done)
            runs = [
                recorded_run
                for run_state in done
                if (recorded_run := _read(self._directory.path / str(run_state.file))) is not None
            ]
            if self._is_narrow(runs):
                self._mark_converged(run.cell.id, len(done))
        return self._states[run.id].state is State.skipped

    def _mark_converged(self, cell: str, runs: int) -> None:
        record = SettledRecord(cell=cell, at=now(), runs=runs)
        self._directory.write(record)
        self._read_states()

    def _read_states(self) -> None:
        """Read the states of all runs from the manifest, to which other commands may have written."""
        states = run_states(self._directory.study.runs, self._directory.read().records)
        self._states = {run_state.run.id: run_state for run_state in states}

    def counts(self) -> RunCounts:
        """Counts of runs, and the estimated time left."""
        return counts_of(self.run_states, retries=self._policy.retries)


def counts_of(states: Sequence[RunState], *, retries: int) -> RunCounts:
    """Counts of runs, and the time left, s, where completed runs allow an estimate."""
    count_by_state: Mapping[State, int] = {state: sum(one.state is state for one in states) for state in State}
    return RunCounts(
        done=count_by_state[State.done],
        failed=sum(one.state is State.failed and not one.is_open(retries=retries) for one in states),
        skipped=count_by_state[State.skipped],
        total=len(states),
        left_s=seconds_left([one for one in states if one.is_open(retries=retries)], all_states=states),
    )


def _read(path: Path) -> Run | None:
    try:
        return read_run(path)
    except RunFileError:
        return None
