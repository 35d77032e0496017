"""Single executions of programs: the command of each, and what it measured."""

import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from stressbench.errors import MachineFault
from stressbench.exit_status import ExitStatus
from stressbench.experiments.corun.members import Member
from stressbench.experiments.failed_program import lines_on_failure
from stressbench.experiments.sweep.figures import figures_in
from stressbench.formats.run import Run, RunFileError, read_run
from stressbench.formats.trace import TraceFileError, TraceMode, read_trace
from stressbench.launch import program as launching
from stressbench.launch import session
from stressbench.launch.command import Command
from stressbench.launch.engine import EngineOptions, RunFile, run_arguments
from stressbench.launch.execute import Outcome
from stressbench.launch.find import find_engine
from stressbench.launch.launch_target import has_all_ranks_here
from stressbench.launch.tracer import find_tracer
from stressbench.launch.tracing import Tracing, loaded_by_env, remove_leftovers
from stressbench.report.units import count


class WorkloadRefused(MachineFault):
    """Raised where the engine refuses a workload; its own message was printed."""

    def __init__(self, status: int) -> None:
        super().__init__("")
        self.exit_status = ExitStatus(status)


@dataclass(frozen=True, kw_only=True)
class Started:
    """An execution that was started. `result`: the trace of a program, or the run file of a workload."""

    member: Member
    command: Command
    result: Path
    tracing: Tracing | None


@dataclass(frozen=True, kw_only=True)
class Measured:
    """Seconds from MPI_Init to MPI_Finalize and within MPI, means over ranks, None where unknown; and figures of merit.

    For a workload, `time_s` is the time of its rounds.
    """

    time_s: float | None
    mpi_s: float | None
    figures: Mapping[str, float | None]


@dataclass(kw_only=True)
class ExecutionFactory:
    """Makes the commands of executions, with their files in `folder`, and reads what they measured.

    `rounds`: contended rounds of workloads. `figures`: expressions by name.
    """

    folder: Path
    engine: Path | None
    rounds: int
    seed: int
    figures: Mapping[str, str]
    _started: int = field(default=0, init=False)

    def check(self, member: Member) -> None:
        """Let the engine check a workload, and find launcher and tracer. Raises LaunchMistake and WorkloadRefused."""
        workload = member.program.workload
        if workload is None:
            self._command(member, member.program.command)
            find_tracer(os.environ, explicit_engine=self.engine)
            return
        request = session.LaunchRequest(
            workload=workload, ranks=member.ranks, run_file=RunFile(path=self.folder / "check.jsonl"),
            options=self._engine_options(member), engine=self.engine, target=member.target,
            concurrent_ranks=member.concurrent_ranks,
        )  # fmt: skip
        prepared = session.prepare(request, environment=os.environ)
        if isinstance(prepared, int):
            raise WorkloadRefused(prepared)

    def next_execution(self, member: Member) -> Started:
        """The next execution of a program. Raises LaunchMistake."""
        self._started += 1
        name = f"{self._started}-{member.program.name}"
        workload = member.program.workload
        if workload is not None:
            run_file = self.folder / f"{name}.jsonl"
            words = run_arguments(
                engine=find_engine(explicit=self.engine, environment=os.environ), workload=workload,
                ranks_per_node=None, run_file=RunFile(path=run_file), options=self._engine_options(member),
            )  # fmt: skip
            return Started(member=member, command=self._command(member, words), result=run_file, tracing=None)
        tracing = Tracing(
            mode=TraceMode.profile, output=self.folder / f"{name}.trace", key=secrets.token_hex(8),
            library=find_tracer(os.environ, explicit_engine=self.engine).library, names=False,
        )  # fmt: skip
        words = loaded_by_env(
            member.program.command, tracing=tracing, base_environment=os.environ,
            shares_memory=has_all_ranks_here(member.target),
        )  # fmt: skip
        return Started(member=member, command=self._command(member, words), result=tracing.output, tracing=tracing)

    def measured(self, started: Started, outcome: Outcome) -> Measured:
        """What an execution that ended by itself measured. Raises MachineFault if it failed."""
        name = started.member.program.name
        if outcome.status != ExitStatus.ok:
            raise MachineFault(*lines_on_failure(name, outcome))
        figures = figures_in(outcome.output, self.figures)
        if started.tracing is None:
            return Measured(time_s=_time_of(started.result), mpi_s=None, figures=figures)
        time_s, mpi_s = _times_in(started.result)
        return Measured(time_s=time_s, mpi_s=mpi_s, figures=figures)

    def remove_files(self, started: Started) -> None:
        """Remove the files of an execution that has ended."""
        if started.tracing is not None:
            remove_leftovers(started.tracing, base_environment=os.environ)
        started.result.unlink(missing_ok=True)

    def _engine_options(self, member: Member) -> EngineOptions:
        options = EngineOptions(isolated="0", contended=str(self.rounds), seed=str(self.seed))
        return options.with_stall_limit(member.target.stall_limit)

    def _command(self, member: Member, words: tuple[str, ...]) -> Command:
        return launching.command_of(
            words, folder=Path.cwd(), ranks=member.ranks, target=member.target, engine=self.engine,
            environment=os.environ, concurrent_ranks=member.concurrent_ranks,
        )  # fmt: skip


def _times_in(path: Path) -> tuple[float | None, float | None]:
    """Time from MPI_Init to MPI_Finalize and time in MPI, means over ranks; None where there is no complete trace.

    A program without MPI leaves none.
    """
    try:
        trace = read_trace(path)
        trace.require_complete()
    except TraceFileError:
        return None, None
    wall_s = mpi_s = 0.0
    for rank in trace.ranks():
        wall_s += rank.wall_s
        mpi_s += sum(total.time_s for total in rank.totals)
    ranks = trace.header.ranks
    return (wall_s / ranks or None), mpi_s / ranks


def _time_of(run_file: Path) -> float:
    """The time of all rounds of a workload. Raises MachineFault if they are not there."""
    try:
        run: Run = read_run(run_file)
    except RunFileError as fault:
        raise MachineFault(str(fault)) from fault
    time_s = sum(one.duration_s for one in run.rounds)
    if not run.complete or time_s <= 0:
        raise MachineFault(f"{run_file}: {count(len(run.rounds), 'round')}, and the run is not complete")
    return time_s
