"""One run from start to end: find the programs, check the workload, start the ranks, and diagnose how they ended."""

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from stressbench.exit_status import ExitStatus
from stressbench.formats.files import write_atomically
from stressbench.formats.run import Fault, Run, RunFileError, append_fault, read_run
from stressbench.launch import machine
from stressbench.launch.cancellation import Cancellation, cancellation_in
from stressbench.launch.command import Command, Launcher
from stressbench.launch.deaths import fault_of_death
from stressbench.launch.diagnosis import Death, diagnose
from stressbench.launch.engine import EngineOptions, RunFile, check_arguments, run_arguments
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.execute import Outcome, execute
from stressbench.launch.find import find_engine, library_of
from stressbench.launch.growing_file import GrowingFile
from stressbench.launch.kept_file import KeptFile, new_run_id, run_id_in
from stressbench.launch.launch_target import LOCAL, LaunchTarget, build_concurrent
from stressbench.launch.local import Request
from stressbench.launch.program import request_of
from stressbench.launch.rail_selection import RailSelection, with_rail_selection
from stressbench.launch.stopping import StopPolicy

PROGRESS_VARIABLE = "STRESSBENCH_PROGRESS"
_STATUS_VARIABLE = "STRESSBENCH_RANK_STATUS"
STATUS_FORMAT = (_STATUS_VARIABLE, "json")
"""Makes the engine report what ranks do when a stop signal arrives as lines that `rank_statuses_in` reads."""
_NO_STATUSES = (_STATUS_VARIABLE, "none")
_VARIABLE_LIST = "mca_base_env_list"
"""Open MPI's parameter for the variables that ranks get. It starts nothing with both the parameter and `-x`."""
_OWN_STATUSES = frozenset({ExitStatus.ok, ExitStatus.bad_input, ExitStatus.fault, ExitStatus.interrupted})


@dataclass(frozen=True, kw_only=True)
class LaunchRequest:
    """A run as requested by the user. `workload` is None where a continued run file contains it.

    `ranks_per_node`: of every node, or a list of all nodes such as `16(x3),8`.
    `terminal`: the output is a terminal, so the engine may show its progress, although its own stderr is a pipe.
    `target`: where ranks run, as named by `on`. `rail_selection`: the NIC selection of the ranks.
    `concurrent_ranks`: ranks of another launch that run on the target at the same time.
    """

    workload: Path | None
    ranks: int
    run_file: RunFile
    options: EngineOptions
    ranks_per_node: int | str | None = None
    mpirun: Path | None = None
    engine: Path | None = None
    launcher_arguments: tuple[str, ...] = ()
    realtime: bool = False
    terminal: bool = False
    target: LaunchTarget = LOCAL
    stop_policy: StopPolicy = field(default_factory=StopPolicy)
    on: str = "local"
    rail_selection: RailSelection | None = None
    concurrent_ranks: int = 0


@dataclass(frozen=True, kw_only=True)
class PreparedLaunch:
    """A run that can start: its command, and advice to print first (or None).

    `launcher`: the program in the command that starts the ranks, None: unknown. `run_id`: the id of the run, None: not
    chosen yet. `temporary`: the folder for temporary files on the target.
    """

    command: Command
    advice: str | None
    stop_policy: StopPolicy
    launcher: Launcher | None = None
    run_id: str | None = None
    temporary: Path = Path("/tmp")

    def with_run_id(self, run_file: Path) -> "PreparedLaunch":
        """The launch with the run id of a file that exists and is continued, or else with a new one if it has none.

        Only a launch gets a new id: commands that are shown or written into scripts may be started several times.
        """
        if self.run_id is not None:
            return self
        if run_file.exists():
            return replace(self, run_id=run_id_in(run_file))
        run_id = new_run_id()
        # Options of the engine are the last words of the command on every launch target.
        command = replace(self.command, argv=(*self.command.argv, "--run-id", run_id))
        return replace(self, command=command, run_id=run_id)

    def command_with_statuses(self, environment: Mapping[str, str]) -> Command:
        """The command, with `STATUS_FORMAT` and other variables of the engine for the ranks on all hosts."""
        return self._command_with(STATUS_FORMAT, environment)

    def command_without_statuses(self, environment: Mapping[str, str]) -> Command:
        """The command, whose ranks report nothing when a stop signal arrives."""
        return self._command_with(_NO_STATUSES, environment)

    def _command_with(self, variable: tuple[str, str], environment: Mapping[str, str]) -> Command:
        argv, variables = self.command.argv, (*self.command.environment, variable)
        listed = _VARIABLE_LIST in argv or f"OMPI_MCA_{_VARIABLE_LIST}" in environment
        if self.launcher is not None and not listed:
            names = [name for name, _ in variables if name in (PROGRESS_VARIABLE, _STATUS_VARIABLE)]
            if options := self.launcher.export_options(names):
                first = argv.index(str(self.launcher.path)) + 1
                argv = (*argv[:first], *options, *argv[first:])
        return replace(self.command, argv=argv, environment=variables)


@dataclass(frozen=True, kw_only=True)
class RunResult:
    """How a run ended: the exit status to pass on (0, 2, 3 or 130), the rank that died, if one did, and the run file.

    `run`: the content of the run file, None where it cannot be read. `replacement_file`: the new run file, where
    the original was deleted, replaced or cut during the run. `cancellation`: why Slurm ended the launch, if it did.
    """

    status: int
    outcome: Outcome
    death: Death | None
    run: Run | None
    replacement_file: Path | None = None
    cancellation: Cancellation | None = None


def prepare(request: LaunchRequest, *, environment: Mapping[str, str]) -> PreparedLaunch | int:
    """Find the programs and check the workload. Returns the engine's exit status where its check has failed.

    Raises LaunchMistake where a program is missing or does not match.
    """
    engine = find_engine(explicit=request.engine, environment=environment)
    launcher = request.target.launcher(mpirun=request.mpirun, library=library_of(engine))
    if request.realtime:
        machine.require_realtime()
    start_request = _start_request(engine, request, environment)
    target_environment = {**environment, **dict(request.target.environment)}
    if request.workload is not None and (
        check_status := _check(engine, request.workload, request, start_request, target_environment)
    ):
        return check_status
    if request.rail_selection is not None:
        shape = _ranks_per_node(request, start_request)
        if isinstance(shape, str):
            raise LaunchMistake(f"--ranks-per-node: '{shape}': a selection of NICs needs nodes with equally many ranks")
        start_request = with_rail_selection(
            start_request,
            request.rail_selection,
            library=launcher.recognised,
            engine=engine,
            ranks_per_node=shape,
            environment=target_environment,
        )
    command = build_concurrent(
        request.target, launcher=launcher, request=start_request, concurrent_ranks=request.concurrent_ranks
    )
    write_files(command.files)
    if request.terminal:
        command = replace(command, environment=(*command.environment, (PROGRESS_VARIABLE, "1")))
    advice = request.target.advice(launcher=launcher, request=start_request)
    return PreparedLaunch(
        command=command, advice=advice, stop_policy=request.stop_policy, launcher=launcher,
        run_id=request.options.run_id,
        temporary=Path(target_environment.get("TMPDIR") or "/tmp"),
    )  # fmt: skip


def write_files(files: tuple[tuple[Path, str], ...]) -> None:
    """Write the files of a command, which another launch may read at this moment. Raises LaunchMistake."""
    for path, text in files:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, text.encode())
        except OSError as fault:
            raise LaunchMistake(f"{path}: {fault.strerror}") from fault


def _start_request(engine: Path, request: LaunchRequest, environment: Mapping[str, str]) -> Request:
    program = run_arguments(
        engine=engine,
        workload=request.workload,
        ranks_per_node=request.ranks_per_node,
        run_file=request.run_file,
        options=request.options,
    )
    return request_of(
        program,
        ranks=request.ranks,
        target=request.target,
        environment=environment,
        extra=request.launcher_arguments,
        realtime=request.realtime,
        ranks_per_node=request.ranks_per_node if isinstance(request.ranks_per_node, int) else None,
    )


def _ranks_per_node(request: LaunchRequest, start_request: Request) -> int | str | None:
    """As typed, or what the launch target knows before the launch."""
    if isinstance(request.ranks_per_node, str):
        return request.ranks_per_node
    return request.target.ranks_per_node(start_request, explicit=request.ranks_per_node)


def _check(
    engine: Path, workload: Path, request: LaunchRequest, start_request: Request, environment: Mapping[str, str]
) -> int:
    """Have the engine check the workload and return its exit status, 0 for success. Its messages go to stderr."""
    # On other hosts and without --ranks-per-node, the number of nodes is unknown before the launch.
    nodes_known = request.ranks_per_node is not None or request.target.knows_nodes(start_request)
    arguments = check_arguments(
        engine=engine,
        workload=workload,
        ranks=request.ranks if nodes_known else None,
        ranks_per_node=_ranks_per_node(request, start_request),
        sets=request.options.sets,
        telemetry=request.options.telemetry,
    )
    completed = subprocess.run(
        arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=environment, check=False
    )
    if completed.returncode in (ExitStatus.ok, ExitStatus.bad_input, ExitStatus.fault):
        return completed.returncode
    raise LaunchMistake(
        f"{engine} check ended with status {completed.returncode}; does it start at all on this machine?"
    )


def run(prepared: PreparedLaunch, *, run_file: Path) -> RunResult:
    """Start the prepared run and wait for it. Raises LaunchMistake where the launcher cannot be started."""
    prepared, file = prepared.with_run_id(run_file), GrowingFile(run_file)
    command = prepared.command_with_statuses(os.environ)
    kept_file = KeptFile(run_file, temporary=prepared.temporary, run_id=prepared.run_id)
    try:
        outcome = execute(
            command, stop_policy=prepared.stop_policy, has_started=file.has_grown, has_finished=file.has_ended
        )  # fmt: skip
    except OSError as fault:
        raise LaunchMistake(f"{command.argv[0]}: {fault.strerror}") from fault
    replacement_file = kept_file.path()
    death, run = diagnose(outcome), _read(replacement_file or run_file)
    cancellation = cancellation_in(outcome.errors)
    was_ended = outcome.stop_requests or (cancellation is not None and cancellation.ends_allocation)
    # Ranks killed on request are not a fault, and a file that has not grown has no records of this launch.
    if death is not None and run is not None and not was_ended and file.has_grown():
        run = _with_fault(run, fault_of_death(death, run, errors=outcome.errors))
    return RunResult(
        status=final_status(outcome, death, run),
        outcome=outcome,
        death=death,
        run=run,
        replacement_file=replacement_file,
        cancellation=cancellation,
    )


def _with_fault(run: Run, fault: Fault) -> Run | None:
    """Append the fault to the run file. Unchanged where the file ends within a line, or cannot be written."""
    if run.torn:
        return run
    try:
        append_fault(run.path, fault)
    except OSError:
        return run
    return _read(run.path)


def _read(run_file: Path) -> Run | None:
    try:
        return read_run(run_file)
    except RunFileError:
        return None


def final_status(outcome: Outcome, death: Death | None, run: Run | None) -> int:
    """The engine's own status where it could return one, or else `interrupted` after a stop request, or else `fault`.

    Deaths take precedence, since MPICH's launcher then exits with the bare number of the signal. After SIGUSR1 it loses
    the status of rank 0, so success counts only where the run file is complete.
    """
    complete = run is not None and run.complete
    if outcome.hung_in_finalize:
        return ExitStatus.ok if complete else ExitStatus.interrupted
    if (
        death is None
        and outcome.status in _OWN_STATUSES
        and not (outcome.stop_requests and outcome.status == ExitStatus.ok)
    ):
        return outcome.status
    if outcome.stop_requests:
        return ExitStatus.ok if complete and death is None else ExitStatus.interrupted
    return ExitStatus.fault
