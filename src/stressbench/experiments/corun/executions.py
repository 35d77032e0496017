"""Single executions of programs: the command of each, and what it measured."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from stressbench.errors import MachineFault
from stressbench.exit_status import ExitStatus
from stressbench.experiments.corun.members import Member
from stressbench.experiments.failed_program import lines_on_failure
from stressbench.experiments.sweep.figures import figures_in
from stressbench.experiments.timed_program import ProgramTimes, TimedProgram, timed_program
from stressbench.formats.run import Run, RunFileError, read_run
from stressbench.launch import session
from stressbench.launch.command import Command
from stressbench.launch.engine import EngineOptions, RunFile
from stressbench.launch.execute import Outcome
from stressbench.report.units import count


class WorkloadRefused(MachineFault):
    """Raised where the engine refuses a workload; its own message was printed."""

    def __init__(self, status: int) -> None:
        super().__init__("")
        self.exit_status = ExitStatus(status)


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """How each execution of a program on its hosts is started, one after the other.

    `run_file`: what each execution of a workload writes; None for a program, which is `timed`.
    """

    member: Member
    command: Command
    run_file: Path | None = None
    timed: TimedProgram | None = None


@dataclass(frozen=True, kw_only=True)
class Measured(ProgramTimes):
    """Times and figures of merit, None where unknown. For a workload, `time_s` is the time of its rounds."""

    figures: Mapping[str, float | None]


@dataclass(kw_only=True)
class ExecutionFactory:
    """Makes the commands of executions, with their files in `folder`, and reads what they measured.

    Commands are made once, since that takes as long as a short program. `rounds`: contended rounds of workloads.
    `figures`: expressions by name. `iterations`: the operation that an iteration of a program calls once, by its name.
    """

    folder: Path
    engine: Path | None
    rounds: int
    seed: int
    figures: Mapping[str, str]
    iterations: Mapping[str, str]
    _prepared: dict[Member, Prepared] = field(default_factory=dict, init=False)

    def prepare(self, member: Member) -> None:
        """Find launcher, engine and tracer, and let the engine check a workload, unless this was done before.

        Raises LaunchMistake and WorkloadRefused.
        """
        if member in self._prepared:
            return
        name = f"{len(self._prepared) + 1}-{member.program.name}"
        workload = member.program.workload
        self._prepared[member] = (
            self._program(member, name) if workload is None else self._workload(member, workload, name)
        )

    def execution(self, member: Member) -> Prepared:
        """How to start the next execution of a program that was prepared."""
        return self._prepared[member]

    def _program(self, member: Member, name: str) -> Prepared:
        timed = timed_program(
            member.program.command, trace=self.folder / f"{name}.trace", ranks=member.ranks, target=member.target,
            engine=self.engine, concurrent_ranks=member.concurrent_ranks,
        )  # fmt: skip
        return Prepared(member=member, command=timed.command, timed=timed)

    def _workload(self, member: Member, workload: Path, name: str) -> Prepared:
        run_file = self.folder / f"{name}.jsonl"
        options = EngineOptions(isolated="0", contended=str(self.rounds), seed=str(self.seed))
        request = session.LaunchRequest(
            workload=workload, ranks=member.ranks, run_file=RunFile(path=run_file),
            options=options.with_stall_limit(member.target.stall_limit), engine=self.engine, target=member.target,
            concurrent_ranks=member.concurrent_ranks,
        )  # fmt: skip
        prepared = session.prepare(request, environment=os.environ)
        if isinstance(prepared, int):
            raise WorkloadRefused(prepared)
        return Prepared(member=member, command=prepared.command, run_file=run_file)

    def measured(self, prepared: Prepared, outcome: Outcome) -> Measured:
        """What an execution that ended by itself measured. Raises MachineFault if it failed."""
        name = prepared.member.program.name
        if outcome.status != ExitStatus.ok:
            raise MachineFault(*lines_on_failure(name, outcome, with_errors=True))
        figures = figures_in(outcome.output, self.figures)
        if prepared.timed is None:
            assert prepared.run_file is not None
            return Measured(time_s=_time_of(prepared.run_file), figures=figures)
        times = prepared.timed.times(iteration=self.iterations.get(name))
        return Measured(
            time_s=times.time_s, mpi_s=times.mpi_s, figures=figures, iterations=times.iterations
        )  # fmt: skip

    def remove_files(self, prepared: Prepared) -> None:
        """Remove the files of an execution that has ended."""
        if prepared.timed is not None:
            prepared.timed.remove_files()
        if prepared.run_file is not None:
            prepared.run_file.unlink(missing_ok=True)


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
