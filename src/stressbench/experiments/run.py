"""One run of a workload, as started by `stressbench run`."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from stressbench.errors import StressBenchError
from stressbench.exit_status import ExitStatus
from stressbench.launch import session
from stressbench.launch.batch_script import BatchScript
from stressbench.launch.engine import EngineOptions
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.explanation import explain
from stressbench.launch.shape import require_new, require_same_time, run_file_of, shape_of
from stressbench.launch.stopping import StopPolicy
from stressbench.launch.targets import engine_for, resolve_target


class WorkloadRefused(StressBenchError):
    """The engine refused the workload and printed the reason. The message is empty, the exit status is the engine's."""

    def __init__(self, status: int) -> None:
        super().__init__("")
        self.exit_status = ExitStatus(status)


@dataclass(frozen=True, kw_only=True)
class RunSpec:
    """What to run and how. `workload` is None where the run file `continue_from` contains it. Times are in seconds.

    `output`: the run file to write; None: named after the workload and the time. `on`: the launch target. `terminal`:
    the engine may show its progress. `grace_s`: how long ranks may go on after a stop request or after `limit_s`.
    """

    workload: Path | None
    continue_from: Path | None = None
    output: Path | None = None
    on: str = "local"
    ranks: int | None = None
    ranks_per_node: int | str | None = None
    options: EngineOptions = field(default_factory=EngineOptions)
    grace_s: float = 60.0
    limit_s: float | None = None
    mpirun: Path | None = None
    engine: Path | None = None
    launcher_arguments: tuple[str, ...] = ()
    realtime: bool = False
    terminal: bool = False

    def prepared(self, *, environment: Mapping[str, str], script: BatchScript | None = None) -> "PreparedRun":
        """Find all programs and have the engine check the workload. `script`: for a batch script instead of a launch.

        Raises LaunchMistake, and WorkloadRefused where the engine refuses the workload.
        """
        run_file = run_file_of(output=self.output, continue_from=self.continue_from, workload=self.workload)
        options = self.options
        if script is not None:
            options = replace(options, time_limit=script.engine_limit(options.time_limit))
        target = resolve_target(self.on, environment=environment) if script is None else script.target
        require_same_time(run_file, simulated=target.simulated)
        shape = shape_of(
            ranks=self.ranks, ranks_per_node=self.ranks_per_node, run_file=run_file, default=target.ranks
        )  # fmt: skip
        request = session.LaunchRequest(
            workload=self.workload,
            ranks=shape.ranks,
            ranks_per_node=shape.ranks_per_node,
            run_file=run_file,
            options=options.with_stall_limit(target.stall_limit),
            mpirun=self.mpirun,
            engine=engine_for(target, self.engine, environment=environment),
            launcher_arguments=self.launcher_arguments,
            realtime=self.realtime,
            terminal=self.terminal,
            target=target,
            stop_policy=StopPolicy(grace_s=self.grace_s, limit_s=self.limit_s),
            on=self.on,
        )
        prepared = _prepared(request, environment)
        continuing = None
        if script is not None and script.request.requeue:
            continued = replace(run_file, continues=True)
            continuing_request = replace(
                request, workload=None, run_file=continued, options=request.options.for_continued_run()
            )
            continuing = _prepared(continuing_request, environment)
        return PreparedRun(request=request, launch=prepared, script=script, continuing_launch=continuing)


def _prepared(request: session.LaunchRequest, environment: Mapping[str, str]) -> session.PreparedLaunch:
    prepared = session.prepare(request, environment=environment)
    if isinstance(prepared, int):
        raise WorkloadRefused(prepared)
    return prepared


@dataclass(frozen=True, kw_only=True)
class PreparedRun:
    """A run that can start. `continuing_launch`: continues it after its batch job was requeued."""

    request: session.LaunchRequest
    launch: session.PreparedLaunch
    script: BatchScript | None
    continuing_launch: session.PreparedLaunch | None = None

    @property
    def command(self) -> str:
        """The command line, quoted for a shell."""
        return str(self.launch.command)

    @property
    def advice(self) -> str | None:
        """How measurements on this target could be improved, None without advice."""
        return self.launch.advice

    def script_text(self) -> str:
        """The batch script that starts the run, which must have been prepared with a script. Raises LaunchMistake."""
        assert self.script is not None
        continuing = None if self.continuing_launch is None else self.continuing_launch.command
        return self.script.text(
            self.launch.command, ranks=self.request.ranks, run_file=self.request.run_file.path,
            continuing_command=continuing,
        )  # fmt: skip

    def run(self) -> "FinishedRun":
        """Start the run and wait until it ends. Must be called from the main thread.

        Raises LaunchMistake, also for a run of which a script was made, and for one that already has its run file.
        """
        if self.script is not None:
            raise LaunchMistake("this run was prepared for a batch script: submit the script, which starts the ranks")
        require_new(self.request.run_file)
        result = session.run(self.launch, run_file=self.request.run_file.path)
        return FinishedRun(result=result, reasons=explain(result, request=self.request), request=self.request)


@dataclass(frozen=True, kw_only=True)
class FinishedRun:
    """How a run ended. `reasons`: sentences on what went wrong, empty for a successful run."""

    result: session.RunResult
    reasons: tuple[str, ...]
    request: session.LaunchRequest

    @property
    def path(self) -> Path:
        """Path of the run file, the new one if the original was deleted, replaced or cut during the run."""
        return self.result.replacement_file or self.request.run_file.path

    @property
    def has_results(self) -> bool:
        """Whether at least one round was measured."""
        result = self.result
        return result.run is not None and bool(result.run.rounds) and result.status != ExitStatus.bad_input
