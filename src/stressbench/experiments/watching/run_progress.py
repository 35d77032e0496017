"""The progress of one run, from its file, of which each look reads only what was added."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from stressbench.experiments.watching.narrowing import over_blocks
from stressbench.formats.run import (
    End,
    Event,
    GrowingRun,
    Header,
    Job,
    Kind,
    Role,
    Round,
    Run,
    RunFileError,
    Severity,
    fault_sentence,
)
from stressbench.results.watching import WatchedJob, WatchedRun
from stressbench.stats import RoundMedian, congestion_impact, select

_MOST_WARNINGS = 20


class _TimedRound(NamedTuple):
    """A completed round. Times are relative to the start of its launch, in seconds."""

    launch: int
    kind: Kind
    job: int | None
    started_s: float
    ended_s: float


@dataclass
class RunProgress:
    """What a run file says so far. `fault`: why it could not be read at the last look, None if it was.

    `has_grown`: whether it had grown at the last look since the one before it.
    """

    path: Path
    header: Header | None = None
    end: End | None = None
    fault: str | None = None
    has_grown: bool = False
    _file: GrowingRun = field(init=False)
    _was_read: bool = False
    _rounds: list[_TimedRound] = field(default_factory=list)
    _medians: dict[int, list[RoundMedian]] = field(default_factory=dict)
    _hosts: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    _warnings: list[str] = field(default_factory=list)
    _jobs: tuple[WatchedJob, ...] = ()

    def __post_init__(self) -> None:
        self._file = GrowingRun(self.path)

    def look(self) -> None:
        """Read what was added to the file."""
        is_first, self._was_read = not self._was_read, True
        self.fault, self.has_grown = None, False
        if not self.path.exists():
            self._forget()
            return
        try:
            added, is_another = self._file.added()
        except RunFileError as fault:
            self._forget()
            self.fault = str(fault)
            return
        if is_another:
            self._forget()
        if added is not None:
            self.has_grown = not is_first
            self._add(added)

    def _forget(self) -> None:
        self.header = self.end = None
        self._rounds, self._medians, self._hosts, self._warnings, self._jobs = [], {}, {}, [], ()

    def _add(self, added: Run) -> None:
        newest = added.launches[-1].header
        if self.header is None or newest.launch != self.header.launch:
            self._hosts = {job.job: added.hosts_of(job=job.job) for job in added.jobs}
        self.header, self.end = newest, added.end
        self._rounds += (_timed(round_, launch.header.launch) for launch in added.launches for round_ in launch.rounds)
        for job in added.jobs:
            self._medians.setdefault(job.job, []).extend(select(added, job=job.job).rounds)
        self._warnings += (_sentence(event, added.jobs) for event in added.events if _is_warning(event))
        self._warnings += (fault_sentence(fault, added.jobs) for launch in added.launches for fault in launch.faults)
        self._jobs = tuple(self._job(number) for number in range(len(added.jobs)))

    @property
    def is_complete(self) -> bool:
        """Whether the last record is an `end` with `complete` true."""
        return self.end is not None and self.end.complete

    @property
    def rounds_by_job(self) -> Mapping[str, Sequence[RoundMedian]]:
        """Medians of the completed rounds of each measured job, by its name."""
        jobs = () if self.header is None else self.header.jobs
        return {job.name: self._medians.get(job.job, ()) for job in jobs if job.role is Role.measured}

    @property
    def planned_rounds(self) -> int | None:
        """Number of rounds in the plan of the newest launch; None if a stopping rule decides."""
        if self.header is None or self.header.plan.until_interval is not None:
            return None
        measured = sum(job.role is Role.measured for job in self.header.jobs)
        return self.header.plan.isolated * measured + self.header.plan.contended

    @property
    def rounds(self) -> int:
        """Number of completed rounds of all launches."""
        return len(self._rounds)

    def left_s(self, at: datetime) -> float | None:
        """Estimated time from `at` to the end, s: the rounds left after the last one, at the mean of its launch.

        None where a stopping rule decides, before the first round is complete, and for simulated runs, whose times are
        not those of this machine.
        """
        if self.header is None or self.planned_rounds is None or self.header.simulation is not None:
            return None
        if self.planned_rounds <= self.rounds:
            return 0.0
        newest = [one for one in self._rounds if one.launch == self.header.launch]
        known = newest or [one for one in self._rounds if one.launch == self._rounds[-1].launch]
        if not known:
            return None
        mean_s = (known[-1].ended_s - known[0].started_s) / len(known)
        since_s = _since_change_s(self.path, at) or 0.0
        return max(0.0, (self.planned_rounds - self.rounds) * mean_s - since_s)

    def most_s(self, at: datetime) -> float | None:
        """Time from `at` to the time limit of the newest launch, s; None without a limit, and for simulated runs."""
        if self.header is None or self.header.plan.time_limit_s is None or self.header.simulation is not None:
            return None
        return max(0.0, self.header.plan.time_limit_s - (at - self.header.started_at).total_seconds())

    def _job(self, number: int) -> WatchedJob:
        assert self.header is not None
        job, rounds = self.header.jobs[number], self._medians.get(number, [])
        impact = congestion_impact(rounds) if job.role is Role.measured else None
        return WatchedJob(
            name=job.name, role=job.role, nodes=job.nodes, hosts=self._hosts.get(number, ()),
            isolated_rounds=sum(one.kind is Kind.isolated and one.job == number for one in self._rounds),
            contended_rounds=sum(one.kind is Kind.contended for one in self._rounds),
            ratio=None if impact is None else impact.ratio,
            low=None if impact is None else impact.low,
            high=None if impact is None else impact.high,
            reason="not measured isolated" if impact is None else impact.reason,
            narrowing=() if impact is None else over_blocks(rounds),
        )  # fmt: skip

    def watched(
        self, at: datetime, *, run: str, file: str, description: str = "", on: str | None = None, is_running: bool
    ) -> WatchedRun:
        """The progress at the time `at`. `is_running`: the run has an end that can be estimated."""
        header = self.header
        return WatchedRun(
            run=run, file=file, description=description, on=on,
            launch=None if header is None else header.launch,
            started_at=None if header is None else header.started_at,
            ranks=None if header is None else header.ranks,
            rounds=self.rounds, planned_rounds=self.planned_rounds, newest_round=self._newest_round(),
            since_change_s=_since_change_s(self.path, at),
            left_s=self.left_s(at) if is_running else None,
            most_s=self.most_s(at) if is_running else None,
            jobs=self._jobs,
            warnings=(*self._warnings[-_MOST_WARNINGS:], *([] if self.fault is None else [self.fault])),
        )  # fmt: skip

    def _newest_round(self) -> str | None:
        if not self._rounds or self.header is None:
            return None
        newest = self._rounds[-1]
        return str(newest.kind) if newest.job is None else f"{newest.kind} {self.header.jobs[newest.job].name}"


def _timed(round_: Round, launch: int) -> _TimedRound:
    return _TimedRound(launch, round_.kind, round_.job, round_.started_s, round_.ended_s)


def _is_warning(event: Event) -> bool:
    return event.severity is not Severity.note


def _sentence(event: Event, jobs: Sequence[Job]) -> str:
    return event.message if event.job is None else f"{jobs[event.job].name}: {event.message}"


def _since_change_s(path: Path, at: datetime) -> float | None:
    try:
        return max(0.0, at.timestamp() - path.stat().st_mtime)
    except OSError:
        return None
