"""Watches the directory of a study: `look` says how the study is at the moment. Nothing is written."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from stressbench.experiments.study.claims import is_any_claimed
from stressbench.experiments.study.directory import Directory, has_study, now, open_directory
from stressbench.experiments.study.estimate import seconds_left
from stressbench.experiments.study.execution import slowed_network_sentence
from stressbench.experiments.study.run_states import RunState, State, run_states, slowed_networks
from stressbench.experiments.study.status import status_from
from stressbench.experiments.watching.finished_runs import FinishedRuns, Rounds
from stressbench.experiments.watching.narrowing import over_runs
from stressbench.experiments.watching.run import ANOTHER_HOST, Clock, ends_at
from stressbench.experiments.watching.run_progress import RunProgress
from stressbench.formats.errors import reason_of
from stressbench.formats.files import is_locked
from stressbench.formats.files.studies import LOCK, MANIFEST
from stressbench.formats.study.cells import Cell, cell_description, varying_factors
from stressbench.formats.study.errors import StudyMistake
from stressbench.formats.study.manifest import (
    FailedRecord,
    FinishedRecord,
    InterruptedRecord,
    Record,
    StartedRecord,
)
from stressbench.results.study_status import StudyStatus
from stressbench.results.watching import Activity, CellImpact, Watched, WatchedCell, WatchedRun
from stressbench.stats import RoundMedian
from stressbench.stats.pooled import pooled_impact

_Identity: TypeAlias = tuple[int, int, int, int]


@dataclass(frozen=True, kw_only=True)
class _Journal:
    """The manifest as it was last read: records, the states of all runs, and the runs that were started last."""

    directory: Directory
    records: tuple[Record, ...]
    states: tuple[RunState, ...]
    status: StudyStatus
    begun: tuple[StartedRecord, ...]


class StudyWatcher:
    """Watches the study in a directory, which may not exist yet.

    `bytes_per_look`: of completed runs, at most about this many bytes are read at a look, None: all of them.
    """

    def __init__(self, path: Path, *, bytes_per_look: int | None = None, clock: Clock = now) -> None:
        self._path = path
        self._clock = clock
        self._bytes_per_look = bytes_per_look
        self._finished = FinishedRuns(path, bytes_per_look=bytes_per_look)
        self._journal: _Journal | None = None
        self._journal_key: _Identity | None = None
        self._growing: dict[str, RunProgress] = {}
        self._impacts: dict[str, tuple[object, tuple[CellImpact, ...]]] = {}

    def look(self) -> Watched:
        """The present state, for which only files that have changed are read, and of run files only what was added."""
        is_running = is_any_claimed(self._path) or is_locked(self._path / LOCK)
        try:
            journal = self._read_journal()
        except (StudyMistake, OSError) as fault:
            self._journal_key = None
            return self._without_study(fault)
        self._read_runs(journal)
        return self._watched(journal, self._activity(journal, is_running=is_running))

    def _read_journal(self) -> _Journal:
        """The manifest, which is read only if it has changed. Raises StudyMistake."""
        key = _identity(self._path / MANIFEST)
        if self._journal is None or key is None or key != self._journal_key:
            if self._journal_key is not None and (key is None or key[:2] != self._journal_key[:2]):
                self._forget()
            directory = open_directory(self._path)
            manifest = directory.read()
            states = run_states(directory.study.runs, manifest.records)
            self._journal = _Journal(
                directory=directory, records=manifest.records, states=states,
                status=status_from(directory.study, manifest, states), begun=tuple(_begun(manifest.records)),
            )  # fmt: skip
            self._journal_key = key
        return self._journal

    def _forget(self) -> None:
        """Another study has taken the place of the one that was watched."""
        self._finished = FinishedRuns(self._path, bytes_per_look=self._bytes_per_look)
        self._growing, self._impacts = {}, {}

    def _read_runs(self, journal: _Journal) -> None:
        self._finished.read(journal.states)
        self._growing = {
            record.file: self._growing.get(record.file) or RunProgress(self._path / record.file)
            for record in journal.begun
        }
        for progress in self._growing.values():
            progress.look()

    def _activity(self, journal: _Journal, *, is_running: bool | None) -> Activity:
        if is_running:
            return Activity.running
        if not any(one.is_open for one in journal.status.runs):
            return Activity.ended
        if is_running is None or any(one.has_grown for one in self._growing.values()):
            return Activity.unknown
        return Activity.stopped

    def _without_study(self, fault: StudyMistake | OSError) -> Watched:
        """The state without a study that can be read: none exists yet, or it is damaged."""
        is_new = not isinstance(fault, OSError) and not has_study(self._path)
        reason = f"{self._path}: {reason_of(fault)}" if isinstance(fault, OSError) else str(fault)
        return Watched(
            path=str(self._path), at=self._clock(), activity=Activity.waiting if is_new else Activity.unknown,
            sentence=reason, left_s=None, most_s=None, ends_at=None, study=None, runs=(), cells=(), warnings=(),
        )  # fmt: skip

    def _watched(self, journal: _Journal, activity: Activity) -> Watched:
        at = self._clock()
        factors = varying_factors(journal.directory.study.cells)
        states = {one.run.id: one for one in journal.states}
        runs = tuple(
            self._growing[record.file].watched(
                at, run=record.run, file=str(self._path / record.file), on=states[record.run].run.cell.on,
                description=cell_description(states[record.run].run.cell, factors),
                is_running=activity is Activity.running,
            )
            for record in journal.begun
            if record.run in states and activity is not Activity.ended
        )  # fmt: skip
        left_s = _left_s(journal, runs) if activity is Activity.running else None
        return Watched(
            path=str(self._path), at=at, activity=activity, sentence=self._sentence(journal, activity),
            left_s=left_s, most_s=_most_s(journal, runs) if activity is Activity.running else None,
            ends_at=ends_at(at, left_s), study=journal.status, runs=runs,
            cells=tuple(self._cells(journal, factors)), warnings=tuple(self._warnings(journal, activity)),
        )  # fmt: skip

    def _cells(self, journal: _Journal, factors: Sequence[str]) -> Iterator[WatchedCell]:
        by_cell: dict[str, list[RunState]] = {}
        for one in journal.states:
            by_cell.setdefault(one.run.cell.id, []).append(one)
        in_progress = self._in_progress(journal)
        for cell in journal.directory.study.cells:
            states = by_cell[cell.id]
            done = [one for one in states if one.state is State.done]
            read = [rounds for one in done if (rounds := self._finished.rounds_of(one)) is not None]
            yield WatchedCell(
                cell=cell.id, description=cell_description(cell, factors), done=len(done), planned=len(states),
                unread=len(done) - len(read), impacts=self._impacts_of(cell, [*read, *in_progress.get(cell, ())]),
            )  # fmt: skip

    def _impacts_of(self, cell: Cell, runs: Sequence[Rounds]) -> tuple[CellImpact, ...]:
        """The impacts of a cell, which are computed anew only if rounds were added."""
        key = tuple((name, len(rounds)) for one in runs for name, rounds in one.items())
        if cell.id not in self._impacts or self._impacts[cell.id][0] != key:
            self._impacts[cell.id] = key, _impacts(runs)
        return self._impacts[cell.id][1]

    def _in_progress(self, journal: _Journal) -> Mapping[Cell, Sequence[Rounds]]:
        """Rounds of the runs that are not done, by cell."""
        cells = {one.run.id: one.run.cell for one in journal.states}
        found: dict[Cell, list[Rounds]] = {}
        for record in journal.begun:
            if record.run in cells and (rounds := self._growing[record.file].rounds_by_job):
                found.setdefault(cells[record.run], []).append(rounds)
        return found

    def _sentence(self, journal: _Journal, activity: Activity) -> str:
        status = journal.status
        match activity:
            case Activity.running:
                return "running" if journal.begun else "running: between two runs, or checking workloads"
            case Activity.ended:
                return "all runs are done" if not status.failed else "no run is left to do; some failed in all attempts"
            case Activity.unknown:
                return ANOTHER_HOST
        where = shlex.quote(str(self._path))
        return f"nothing runs: {self._why_stopped(journal)}; `stressbench study resume {where}` continues"

    def _why_stopped(self, journal: _Journal) -> str:
        last = next((one for one in reversed(journal.records) if isinstance(one, _OF_RUNS)), None)
        match last:
            case None:
                return "no run was started yet"
            case StartedRecord():
                writes = is_locked(self._path / last.file)
                still = f", and a launch that outlived it still writes to {last.file}" if writes else ""
                return f"the study was killed during {last.run}, or its machine failed{still}"
            case InterruptedRecord():
                return f"{last.run} was ended before it was complete ({last.reason})"
        return "the study ended before all runs were done"

    def _warnings(self, journal: _Journal, activity: Activity) -> Iterator[str]:
        yield from journal.status.complaints
        yield from self._finished.faults
        if activity is Activity.stopped:
            yield from map(slowed_network_sentence, slowed_networks(journal.records).values())


_OF_RUNS = (StartedRecord, InterruptedRecord, FinishedRecord, FailedRecord)


def _begun(records: Sequence[Record]) -> Iterator[StartedRecord]:
    """Records of the runs that were started, or interrupted afterwards, and have not ended."""
    begun: dict[str, StartedRecord] = {}
    for record in records:
        match record:
            case StartedRecord():
                begun[record.run] = record
            case FinishedRecord() | FailedRecord():
                begun.pop(record.run, None)
    yield from begun.values()


def _impacts(runs: Sequence[Rounds]) -> tuple[CellImpact, ...]:
    """The impact of each measured job over these runs."""
    names = dict.fromkeys(name for rounds in runs for name in rounds)
    return tuple(_impact(name, [rounds[name] for rounds in runs if name in rounds]) for name in names)


def _impact(name: str, runs: Sequence[Sequence[RoundMedian]]) -> CellImpact:
    impact = pooled_impact(runs)
    return CellImpact(
        job=name, ratio=impact.ratio, low=impact.low, high=impact.high, runs=len(runs), reason=impact.reason,
        narrowing=over_runs(runs),
    )  # fmt: skip


def _left_s(journal: _Journal, runs: Sequence[WatchedRun]) -> float | None:
    """Estimated time left, s: of each running run by its rounds, of each waiting one by the completed runs.

    Without a completed run, the running ones stand for those that wait. None where neither tells.
    """
    active = {run.run for run in runs}
    open_runs = {one.run for one in journal.status.runs if one.is_open}
    waiting = [one for one in journal.states if one.run.id in open_runs - active]
    by_id = {one.run.id: one for one in journal.states}
    left_of_running = [
        run.left_s if run.left_s is not None else seconds_left([by_id[run.run]], all_states=journal.states)
        for run in runs
    ]
    left_of_waiting = seconds_left(waiting, all_states=journal.states)
    if left_of_waiting is None and (whole := [one for run in runs if (one := _whole_s(run)) is not None]):
        left_of_waiting = sum(whole) / len(whole) * len(waiting)
    if left_of_waiting is None or any(one is None for one in left_of_running):
        return None
    at_once = max(1, len(runs))
    return max([*(one for one in left_of_running if one is not None), 0.0]) + left_of_waiting / at_once


def _whole_s(run: WatchedRun) -> float | None:
    """Estimated duration of a whole run, s, from its rounds per planned round."""
    if run.left_s is None or not run.rounds or not run.planned_rounds or run.rounds >= run.planned_rounds:
        return None
    return run.left_s * run.planned_rounds / (run.planned_rounds - run.rounds)


def _most_s(journal: _Journal, runs: Sequence[WatchedRun]) -> float | None:
    """Time left at most, s, from the time limit of each run; None without one. Retries are not counted."""
    limit_s = journal.directory.study.run_limit_s
    if limit_s is None:
        return None
    active = {run.run for run in runs}
    waiting = sum(one.is_open and one.run not in active for one in journal.status.runs)
    running = [limit_s if run.most_s is None else run.most_s for run in runs]
    return max([*running, 0.0]) + waiting * limit_s / max(1, len(runs))


def _identity(path: Path) -> _Identity | None:
    """Device, inode, size and time of the last change; None for a missing file."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
