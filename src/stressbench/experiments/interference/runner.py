"""The launches of `impact` and `compress`: probes, a program beside probes or a congestor ring, an isolated program."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from stressbench.exit_status import ExitStatus
from stressbench.experiments.interference.outcome import MeasurementAborted, elapsed_s, require_success
from stressbench.experiments.interference.spec import BackgroundLoad, MeasurementSpec, probe_load
from stressbench.experiments.progress import Progress, silent
from stressbench.experiments.timed_program import TimedProgram, timed_program
from stressbench.formats.errors import reason_of
from stressbench.formats.run import Run, RunFileError, read_run
from stressbench.formats.units import parse_seconds
from stressbench.interference.errors import Inconclusive
from stressbench.interference.probes import ProbeSeries, read_probe_series, series_between
from stressbench.launch import session
from stressbench.launch.engine import EngineOptions, RunFile
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.execute import Outcome, execute
from stressbench.launch.explanation import causes
from stressbench.launch.first_round import FirstRound
from stressbench.launch.growing_file import GrowingFile
from stressbench.launch.launch_target import LaunchTarget, scheduled_for
from stressbench.launch.paired_launch import PairedLaunch, PairOutcome, run_with_background
from stressbench.launch.stopping import StopPolicy

_UNTIL_STOPPED = 1_000_000
_PROGRAM_GRACE_S = 10.0
_LOAD_GRACE_S = 20.0
_START_LIMIT_S = 120.0
_NO_OPERATION = "true"


@dataclass(frozen=True, kw_only=True)
class ProgramRun:
    """A run of the program. `took_s`: the duration of its launch, also if it `reached_limit`, the time limit.

    `time_s`: from MPI_Init to MPI_Finalize, at least that if it reached the limit; `took_s` for workloads and where any
    run of the program does not call them. `run_file`: the run file of a workload, None for other programs.
    """

    took_s: float
    time_s: float
    reached_limit: bool
    run_file: Path | None

    @property
    def includes_start(self) -> bool:
        """Whether `time_s` is that of the whole launch."""
        return self.time_s == self.took_s


@dataclass(frozen=True, kw_only=True)
class LoadedProgramRun(ProgramRun):
    """A run of the program beside a background load; `load_file` is the run file of that load."""

    outcomes: PairOutcome
    load_file: Path

    def interval_in(self, load: Run) -> tuple[float, float] | None:
        """When the program called MPI_Init and ended, s since the start of the engine of the load; None: unknown.

        The engine records the start of rounds relative to its own start, but not the time of that start. The observed
        end of its first round gives the offset between both clocks.
        """
        if self.outcomes.program is None or self.outcomes.ready_s is None or not load.rounds:
            return None
        engine_start_s = self.outcomes.ready_s - load.rounds[0].ended_s
        ended_s = self.outcomes.program.ended_s - engine_start_s
        return ended_s - self.time_s, ended_s


@dataclass(frozen=True, kw_only=True)
class _Program:
    """A launch of the program: `timed` by the tracer, or of a workload, which writes `run_file`."""

    launch: PairedLaunch
    run_file: Path | None = None
    timed: TimedProgram | None = None

    @property
    def name(self) -> str:
        return self.launch.command.argv[0]

    def remove_files(self) -> None:
        if self.timed is not None:
            self.timed.remove_files()


class MeasurementRunner:
    """Runs the launches of one measurement, one after the other, with their files in `folder`.

    All methods raise LaunchMistake for what the user can correct, and MeasurementAborted where a launch failed.
    """

    def __init__(self, spec: MeasurementSpec, folder: Path, *, progress: Progress) -> None:
        self._spec = spec
        self._folder = folder
        self._progress = progress
        self._launches = 0
        self._is_timed: bool | None = None
        self._longest_start_s = 0.0

    def check(self, load: BackgroundLoad) -> None:
        """Let the engine check the workloads of program and load, so that mistakes are reported before any launch."""
        self._program()
        _prepared(self._load_request(load, rounds=1))

    def run_load(self, load: BackgroundLoad, *, step: str, limit_s: float | None = None) -> Run:
        """Run the load without the program for `idle_s`. `step` names the launch in messages.

        Rounds have a number of probes, so that they take longer while messages wait. None starts that would end after
        `limit_s`.
        """
        request = self._load_request(load, rounds=self._spec.schedule.rounds(self._spec.idle_s), limit_s=limit_s)
        result = session.run(_prepared(request), run_file=request.run_file.path)
        if result.status != ExitStatus.ok:
            for sentence in causes(result, request=request):
                self._progress(sentence)
            raise MeasurementAborted(
                f"{step}: probes ended early", effect="; no result is reported", status=result.status
            )
        if result.outcome.was_asked_to_stop:  # during the last round
            raise MeasurementAborted(
                f"interrupted at the end of {step}", effect="; no result is reported", status=ExitStatus.interrupted
            )
        return read_launch(request.run_file.path)

    def run_idle(self, step: str) -> Run:
        """Run the probes on the idle machine."""
        self._progress(f"{step}: probing the idle machine for {self._spec.idle_s:g} s")
        return self.run_load(probe_load(self._spec), step=step)

    def probe_idle(self, step: str) -> tuple[ProbeSeries, ...]:
        """Latencies on the idle machine, one series per pair."""
        return self.series(self.run_idle(step))

    def series(self, run: Run, *, during: LoadedProgramRun | None = None) -> tuple[ProbeSeries, ...]:
        """Probes of each pair in `run`; with `during`, only those between the program's start and its end."""
        try:
            series = read_probe_series(run, self._spec.schedule)
        except Inconclusive as fault:
            raise MeasurementAborted(str(fault), status=ExitStatus.fault) from None
        interval = None if during is None else during.interval_in(run)
        if interval is None:
            return series
        return tuple(series_between(one, began_s=interval[0], ended_s=interval[1]) for one in series)

    def run_with_load(self, load: BackgroundLoad) -> LoadedProgramRun:
        """Run the program beside a load, which starts before it and is stopped when it ends."""
        request = self._load_request(load, rounds=_UNTIL_STOPPED)
        prepared, load_file = _prepared(request), request.run_file.path
        file = GrowingFile(load_file)
        background = PairedLaunch(
            command=prepared.command_without_statuses(os.environ), stop_policy=StopPolicy(grace_s=_LOAD_GRACE_S),
            has_started=file.has_grown, has_finished=file.has_ended, ends_at_once=load.is_steady,
        )  # fmt: skip
        ready = file.has_grown if load.is_steady else FirstRound(load_file).is_written
        with self._next_program() as program:
            with self._starting(program):
                outcomes = run_with_background(
                    program.launch, background, ready=ready, ready_timeout_s=_START_LIMIT_S, log=self._progress
                )
            outcome = self._require_program(outcomes, load)
            return LoadedProgramRun(
                took_s=elapsed_s(outcome), time_s=self._time_s(program, outcome, reached_limit=outcomes.out_of_time),
                reached_limit=outcomes.out_of_time, run_file=program.run_file, outcomes=outcomes, load_file=load_file,
            )  # fmt: skip

    def run_isolated(self) -> ProgramRun:
        """Run the program without a load, started in the same way. Raises MeasurementAborted."""
        spec = self._spec
        with self._next_program() as program:
            launch = program.launch
            with self._starting(program):
                outcome = execute(
                    launch.command, stop_policy=launch.stop_policy, has_finished=launch.has_finished, log=silent
                )
            took_s, stopped = elapsed_s(outcome), outcome.stop_requests > 0
            if stopped and (spec.limit_s is None or took_s < spec.limit_s):
                raise MeasurementAborted(
                    f"interrupted; {spec.name} was terminated", effect=", no result is reported",
                    status=ExitStatus.interrupted,
                )  # fmt: skip
            if not stopped:
                require_success(outcome, name=spec.name, progress=self._progress)
            time_s = self._time_s(program, outcome, reached_limit=stopped)
            return ProgramRun(took_s=took_s, time_s=time_s, reached_limit=stopped, run_file=program.run_file)

    def start_time_s(self) -> float:
        """Time to start the same number of ranks of a program that does nothing, s."""
        empty_spec = replace(self._spec, name=_NO_OPERATION, workload=None, command=(_NO_OPERATION,))
        return MeasurementRunner(empty_spec, self._folder, progress=self._progress).run_isolated().took_s

    @contextmanager
    def _next_program(self) -> Iterator[_Program]:
        """The next launch of the program, whose files are removed at the end."""
        program = self._program()
        try:
            yield program
        finally:
            program.remove_files()

    @contextmanager
    def _starting(self, program: _Program) -> Iterator[None]:
        """Context of a launch. Raises LaunchMistake where it cannot be started."""
        try:
            with scheduled_for(self._spec.target):
                yield
        except OSError as fault:
            raise LaunchMistake(f"{program.name}: {reason_of(fault)}") from fault

    def _time_s(self, program: _Program, outcome: Outcome, *, reached_limit: bool) -> float:
        """What `ProgramRun.time_s` is. Raises MeasurementAborted where only some runs call MPI_Finalize."""
        took_s = elapsed_s(outcome)
        if program.timed is None:
            return took_s
        if reached_limit:
            return took_s - self._longest_start_s
        time_s = program.timed.times().time_s
        if self._is_timed is None:
            self._is_timed = time_s is not None
        if not self._is_timed:
            return took_s
        if time_s is None:
            raise MeasurementAborted(
                f"{self._spec.name} did not call MPI_Finalize this time, so that its time is unknown",
                effect="; no result is reported",
                status=ExitStatus.fault,
            )
        self._longest_start_s = max(self._longest_start_s, took_s - time_s)
        return time_s

    def _require_program(self, outcomes: PairOutcome, load: BackgroundLoad) -> Outcome:
        """The outcome of the program if it succeeded or reached its time limit. Raises MeasurementAborted."""
        name, outcome = self._spec.name, outcomes.program
        if outcomes.interrupted:
            raise MeasurementAborted(
                f"interrupted; {name} and its probes were terminated", effect=", no result is reported",
                status=ExitStatus.interrupted,
            )  # fmt: skip
        if outcome is None:
            raise MeasurementAborted(
                f"{load.label} ended with status {outcomes.background.status} before their first round; {name} was not "
                "started",
                status=ExitStatus.fault,
            )
        if outcomes.lost_background:
            raise MeasurementAborted(
                f"{load.label} ended with status {outcomes.background.status} while {name} was running, which was "
                "terminated",
                effect="; no result is reported",
                status=ExitStatus.fault,
            )
        if not outcomes.out_of_time:
            require_success(outcome, name=name, progress=self._progress)
        return outcome

    def _load_request(
        self, load: BackgroundLoad, *, rounds: int, limit_s: float | None = None
    ) -> session.LaunchRequest:  # fmt: skip
        spec = self._spec
        self._launches += 1
        workload = self._folder / f"{load.file_stem}.sb"
        workload.write_text(load.workload, encoding="utf-8")
        options = EngineOptions(
            isolated="0", contended=str(rounds), warmup="0", finish="once", seed=str(spec.seed), place=load.placement,
            time_limit=None if limit_s is None else f"{limit_s:g}s",
        )  # fmt: skip
        target = spec.load_target.one_rank_per_host(load.ranks // load.ranks_per_node)
        return session.LaunchRequest(
            workload=workload, ranks=load.ranks, ranks_per_node=load.ranks_per_node,
            run_file=RunFile(path=self._folder / f"{load.file_stem}-{self._launches}.jsonl"),
            options=options.with_stall_limit(_stall_limit(spec.target, load)), engine=spec.engine,
            target=target, on=spec.target_name, concurrent_ranks=spec.shape.ranks,
        )  # fmt: skip

    def _program(self) -> _Program:
        """The next launch of the program."""
        spec = self._spec
        stop_policy = StopPolicy(grace_s=_PROGRAM_GRACE_S if spec.limit_s is None else 0.0, limit_s=spec.limit_s)
        if spec.workload is None:
            timed = timed_program(
                spec.command, trace=self._folder.absolute() / "program.trace", ranks=spec.shape.ranks,
                target=spec.program_target, engine=spec.engine, concurrent_ranks=spec.background_ranks,
            )  # fmt: skip
            return _Program(launch=PairedLaunch(command=timed.command, stop_policy=stop_policy), timed=timed)
        self._launches += 1
        options = EngineOptions(isolated="0", contended=str(spec.rounds), seed=str(spec.seed))
        request = session.LaunchRequest(
            workload=spec.workload, ranks=spec.shape.ranks, ranks_per_node=spec.shape.ranks_per_node,
            run_file=RunFile(path=self._folder / f"workload-{self._launches}.jsonl"),
            options=options.with_stall_limit(spec.target.stall_limit), engine=spec.engine,
            target=spec.program_target, on=spec.target_name, concurrent_ranks=spec.background_ranks,
        )  # fmt: skip
        file = GrowingFile(request.run_file.path)
        launch = PairedLaunch(
            command=_prepared(request).command, stop_policy=stop_policy, has_started=file.has_grown,
            has_finished=file.has_ended,
        )  # fmt: skip
        return _Program(launch=launch, run_file=request.run_file.path)


def _stall_limit(target: LaunchTarget, load: BackgroundLoad) -> str | None:
    """That of the target, and twice the time for which a rank of the load makes no progress, since it sleeps."""
    limit = target.stall_limit
    return None if limit is None else f"{parse_seconds(limit) + 2 * load.pause_s:.0f}s"


def read_launch(path: Path) -> Run:
    """The run file of a launch. Raises MeasurementAborted where it cannot be read."""
    try:
        return read_run(path)
    except RunFileError as fault:
        raise MeasurementAborted(str(fault), status=ExitStatus.fault) from None


def _prepared(request: session.LaunchRequest) -> session.PreparedLaunch:
    prepared = session.prepare(request, environment=os.environ)
    if isinstance(prepared, int):
        raise MeasurementAborted(f"{request.workload} was refused", status=prepared)
    return prepared
