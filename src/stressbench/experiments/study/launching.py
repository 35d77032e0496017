"""Launches the runs of a study, each as `stressbench run` does."""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path

from stressbench.exit_status import ExitStatus
from stressbench.experiments.study.cell_targets import absolute, rail_selection_of
from stressbench.experiments.study.directory import now
from stressbench.experiments.study.rate_command import RateCommand
from stressbench.experiments.study.restore import restored_by
from stressbench.experiments.study.running import LaunchResult, ScheduledRun
from stressbench.formats.run.rank_status import rank_status_of
from stressbench.formats.study.cells import Cell, PlannedRun
from stressbench.formats.study.errors import StudyMistake
from stressbench.formats.study.file import Study
from stressbench.formats.study.manifest import LinksRecord
from stressbench.formats.units import FULL, Stated, stated_rate
from stressbench.launch import session
from stressbench.launch.engine import EngineOptions, RunFile
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.explanation import causes, faults
from stressbench.launch.shape import shape_of
from stressbench.launch.stopping import StopPolicy
from stressbench.launch.targets import engine_for, properties_of, resolve_target, set_link_rate

GRACE_S = 60.0
LOG_INTERVAL_S = 5.0
"""Interval between progress messages while a large study is checked, s."""


@dataclass(frozen=True, kw_only=True)
class RunLauncher:
    """Starts the runs of a study, whose paths are relative to `folder`. `note` records changes of link rates.

    `is_stopping`: whether a stop was requested, checked after the rate command, which may be slow. `log` receives the
    progress of a long check.
    """

    study: Study
    folder: Path
    environment: Mapping[str, str]
    note: Callable[[LinksRecord], None]
    clock: Callable[[], float] = time.monotonic
    is_stopping: Callable[[], bool] = lambda: False
    log: Callable[[str], None] = lambda _: None
    _applied_rates: list[LinksRecord] = field(
        default_factory=list, init=False
    )  # rates set by the rate command, in order

    def check(self) -> None:
        """Have the engine check each cell's workload, without any ranks. Raises StudyMistake for the first mistake."""
        if self.study.rate_command is not None:
            self._command(self.study.rate_command).check()
        distinct_cells: dict[Cell, Cell] = {}
        for cell in self.study.cells:
            distinct_cells.setdefault(_cell_for_check(cell), cell)
        last_log_s = self.clock()
        for number, cell in enumerate(distinct_cells.values()):
            if self.clock() - last_log_s >= LOG_INTERVAL_S:
                last_log_s = self.clock()
                self.log(f"the engine has checked {number:,} of {len(distinct_cells):,} workloads with their settings")
            try:
                options = EngineOptions(sets=_sets(cell), telemetry=self.study.run.telemetry)
                request = self._request(cell, RunFile(path=Path("check.jsonl")), options, limit_s=None)
                prepared = session.prepare(request, environment=self.environment)
            except LaunchMistake as mistake:
                raise StudyMistake(f"{_described(cell)}: {mistake}") from mistake
            if isinstance(prepared, int):
                raise StudyMistake(f"{_described(cell)}: the engine cannot run this workload; see above")

    def __call__(self, scheduled: ScheduledRun) -> LaunchResult:
        """Carry out one launch."""
        limit_s = min(
            (limit for limit in (self.study.run_limit_s, scheduled.time_limit_s) if limit is not None), default=None
        )
        run_file = RunFile(path=scheduled.path, continues=scheduled.continues)
        try:
            request = self._request(scheduled.run.cell, run_file, self._options(scheduled, limit_s), limit_s=limit_s)
            prepared = session.prepare(request, environment=self.environment)
            if isinstance(prepared, int):
                return LaunchResult(status=prepared, reason="the engine refused the workload")
            self._command_rate(scheduled.run)
            if self.is_stopping():
                return LaunchResult(status=ExitStatus.interrupted)
            began = self.clock()
            with self._at_rate(scheduled.run):
                result = session.run(prepared, run_file=scheduled.path)
        except LaunchMistake as mistake:
            return LaunchResult(status=ExitStatus.bad_input, reason=str(mistake))
        took_s = self.clock() - began
        if result.outcome.stop_requests and limit_s is not None and took_s >= limit_s + GRACE_S:
            return LaunchResult(status=ExitStatus.fault, reason=f"ranks still ran {GRACE_S:g} s after their time limit")
        if result.status != ExitStatus.ok and result.cancellation is not None and result.cancellation.ends_allocation:
            return LaunchResult(status=ExitStatus.interrupted, reason=result.cancellation.sentence)
        return LaunchResult(
            status=result.status,
            reason=_reason(result, request),
            stop_requested=result.outcome.was_asked_to_stop,
        )

    def restore_full_rates(self, records: Iterable[LinksRecord]) -> None:
        """Restore the full rate of links that a killed study left slower. A lab that is no longer up is skipped.

        Raises StudyFault where a rate command fails.
        """
        for record in records:
            self._set_full(record)

    def restoring_full_rate(self) -> AbstractContextManager[None]:
        """Context that calls the rate command with 1 at its end, also after an exception, unless 1 is already set.

        Raises StudyFault where that fails. A StudyFault inside the context takes precedence.
        """
        return restored_by(self._end_command)

    def _end_command(self) -> None:
        if self._applied_rates and self._applied_rates[-1].rate != FULL:
            self._set_full(self._applied_rates[-1])

    def _command_rate(self, run: PlannedRun) -> None:
        """Have the rate command set the rate of the run, unless it is set already. Raises StudyFault."""
        text, rate = self.study.rate_command, run.cell.rate
        if text is None or rate is None:
            return
        record = LinksRecord(run=run.id, at=now(), on=run.cell.on, rate=str(stated_rate(rate.value)), command=text)
        if self._applied_rates and self._applied_rates[-1].rate == record.rate:
            return
        if record.rate == FULL:
            self._set_full(record)
        else:
            self.note(record)
            self._applied_rates.append(record)
            self._command(text).set(rate.value)

    def _command(self, text: str) -> RateCommand:
        return RateCommand(text=text, folder=self.folder, environment=self.environment)

    @contextmanager
    def _at_rate(self, run: PlannedRun) -> Iterator[None]:
        """Context in which the links of the cell's lab have the cell's rate. The full rate is restored afterwards."""
        if run.cell.rate is None or not properties_of(run.cell.on).keeps_rate or self.study.rate_command is not None:
            yield
            return
        slowed = LinksRecord(run=run.id, at=now(), on=run.cell.on, rate=str(run.cell.rate))
        self.note(slowed)
        try:
            set_link_rate(run.cell.on, run.cell.rate.value)
            yield
        finally:
            self._set_full(slowed)

    def _set_full(self, slowed: LinksRecord) -> None:
        """Set and record the full rate. Where that fails, the old record remains, and `slowed_networks` finds it."""
        full = replace(slowed, rate=FULL)
        if slowed.command is not None:
            self._command(slowed.command).set_full()
            self.note(replace(full, at=now()))
            self._applied_rates.append(full)
            return
        with suppress(LaunchMistake):
            set_link_rate(slowed.on, Fraction(1))
            self.note(replace(full, at=now()))

    def _request(
        self, cell: Cell, run_file: RunFile, options: EngineOptions, *, limit_s: float | None
    ) -> session.LaunchRequest:
        rate = None if self.study.rate_command else cell.rate
        target = resolve_target(
            absolute(cell.on, folder=self.folder), environment=self.environment, rate=rate, rails=cell.rails
        )
        workload = Path(os.path.relpath(self.folder / cell.workload))
        shape = shape_of(ranks=cell.ranks, ranks_per_node=cell.ranks_per_node, run_file=run_file, default=target.ranks)
        return session.LaunchRequest(
            workload=None if run_file.continues else workload,
            ranks=shape.ranks,
            ranks_per_node=shape.ranks_per_node,
            run_file=run_file,
            options=options.with_stall_limit(target.stall_limit),
            engine=engine_for(target, self._engine(cell), environment=self.environment),
            target=target,
            stop_policy=StopPolicy(grace_s=GRACE_S, limit_s=limit_s),
            on=cell.on,
            rail_selection=rail_selection_of(self.study, cell, target=target, workload=workload),
        )

    def _options(self, scheduled: ScheduledRun, limit_s: float | None) -> EngineOptions:
        run, cell = self.study.run, scheduled.run.cell
        limit = None if limit_s is None else f"{max(1, round(limit_s))}s"
        options = EngineOptions(
            time_limit=limit,
            stall_limit=_text(run.stall_limit),
            telemetry=run.telemetry,
            telemetry_command=run.telemetry_command,
            telemetry_limit=_text(run.telemetry_limit),
            isolated=_text(run.isolated),
            contended=_text(run.contended),
            until_interval=_text(run.until_interval),
            finish=cell.finish,
            place=cell.placement,
            seed=str(self.study.seed + scheduled.run.repetition),
            warmup=_text(run.warmup),
            repetitions=_text(run.repetitions),
            min_time=_text(run.min_time),
            run_id=scheduled.run.id,  # of all attempts: the next removes what a failed one left
            sets=_sets(cell),
            verify=run.verify,
        )
        return options.for_continued_run() if scheduled.continues else options

    def _engine(self, cell: Cell) -> Path | None:
        """The engine of a cell: a path is relative to the study file, a bare name is looked up."""
        if cell.engine is None:
            return None
        return self.folder / cell.engine if os.path.sep in cell.engine else Path(cell.engine)


def _cell_for_check(cell: Cell) -> Cell:
    """The cell reduced to the values that the engine's check depends on."""
    return Cell(
        workload=cell.workload, on=cell.on, ranks=cell.ranks, ranks_per_node=cell.ranks_per_node, engine=cell.engine,
        rate=cell.rate, rails=cell.rails, policy=cell.policy, placement=None if cell.policy is None else cell.placement,
        sets=cell.sets,
    )  # fmt: skip


def _sets(cell: Cell) -> tuple[str, ...]:
    return tuple(f"{name}={value}" for name, value in cell.sets)


def _text(value: int | Stated[float] | None) -> str | None:
    """The value as an option of the engine."""
    return None if value is None else str(value)


def _described(cell: Cell) -> str:
    return ", ".join(f"{name} = {value}" for name, value in cell.values.items())


def _reason(result: session.RunResult, request: session.LaunchRequest) -> str | None:
    if result.status == ExitStatus.ok:
        return None
    if sentences := causes(result, request=request) or faults(result, request=request):
        return "; ".join(sentences)
    if result.status == ExitStatus.interrupted:
        return None
    lines = [line for line in result.outcome.errors.splitlines() if line.strip() and not rank_status_of(line.encode())]
    # The engine reports this mistake, or the launcher does; neither has a record of it.
    return lines[-1] if lines else f"the launcher ended with status {result.outcome.status}"
