"""`stressbench.run` and `stressbench.prepare_run`: run a workload under MPI."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec

from stressbench.api.failures import RunFailed
from stressbench.api.progress import Report
from stressbench.api.run_results import RunResults
from stressbench.exit_status import ExitStatus
from stressbench.experiments import run as experiment
from stressbench.launch.batch_script import batch_script
from stressbench.launch.engine import EngineOptions
from stressbench.launch.option_values import optional_seconds, seconds

if TYPE_CHECKING:
    from stressbench.api.labs import Lab

P = ParamSpec("P")


@dataclass(frozen=True, kw_only=True)
class BatchJob:
    """Resources that a batch script requests: nodes, wall time (a text such as `1h`), queue, and account to charge.

    `requeue`: the job may be put into the queue again, where it continues its run (Slurm only).
    """

    nodes: int | None = None
    walltime: str | None = None
    queue: str | None = None
    account: str | None = None
    requeue: bool = False


class PreparedRun:
    """A run that was checked and can start: `stressbench.prepare_run` returns it."""

    def __init__(self, prepared: experiment.PreparedRun, *, progress: Report | None = None) -> None:
        self._prepared = prepared
        self._progress = progress

    def __repr__(self) -> str:
        return f"<PreparedRun: {self.command}>"

    @property
    def command(self) -> str:
        """The command that starts the ranks, quoted for a shell."""
        return self._prepared.command

    @property
    def advice(self) -> str | None:
        """How measurements on this target could be improved, None without advice."""
        return self._prepared.advice

    @property
    def script(self) -> str | None:
        """The batch script that starts the run, None unless it was prepared with a `batch_job`."""
        return None if self._prepared.script is None else self._prepared.script_text()

    def run(self) -> RunResults:
        """Start the run and wait for its end. Raises as `stressbench.run`.

        A run starts once, and one that was prepared with a `batch_job` starts by its script only.
        """
        if self.advice is not None and self._progress is not None:
            self._progress(self.advice)
        finished = self._prepared.run()
        run_file = finished.result.run
        results = RunResults(run_file) if run_file is not None and finished.has_results else None
        if finished.result.status != ExitStatus.ok or results is None:
            reasons = "; ".join(finished.reasons) or f"{finished.path}: no round was completed"
            raise RunFailed(reasons, status=finished.result.status, results=results)
        return results


def prepare_run(
    workload: str | PathLike[str] | None = None, *, ranks: int | None = None, on: "str | Lab" = "local",
    ranks_per_node: int | str | None = None, output: str | PathLike[str] | None = None,
    continue_from: str | PathLike[str] | None = None, isolated: int | None = None, contended: int | None = None,
    repetitions: int | None = None, warmup: int | None = None, until_interval: str | None = None,
    min_time: str | None = None, time_limit: str | None = None, stall_limit: str | None = None, grace: str = "60s",
    finish: str | None = None, place: str | None = None, seed: int | None = None, run_id: str | None = None,
    telemetry: str | None = None, telemetry_command: str | None = None, telemetry_limit: str | None = None,
    sets: Mapping[str, object] | None = None, verify: bool = False, realtime: bool = False,
    launcher_arguments: Sequence[str] = (), mpirun: str | PathLike[str] | None = None,
    engine: str | PathLike[str] | None = None, batch_job: BatchJob | None = None, progress: Report | None = None,
) -> PreparedRun:  # fmt: skip
    """Check the run of a workload and return it without starting it, as `stressbench run --dry-run` and `--emit` do.

        stressbench.prepare_run("demo.sb", ranks=8).command
        stressbench.prepare_run("demo.sb", ranks=64, on="slurm", batch_job=stressbench.BatchJob(nodes=4)).script

    Other parameters are those of `stressbench.run`. With a `batch_job`, the run is prepared for a script of the batch
    system `on`, which starts it. Raises `stressbench.StressBenchError`.
    """
    options = EngineOptions(
        isolated=_text(isolated), contended=_text(contended), repetitions=_text(repetitions), warmup=_text(warmup),
        until_interval=until_interval, min_time=min_time, time_limit=time_limit, stall_limit=stall_limit, finish=finish,
        place=place, seed=_text(seed), run_id=run_id, telemetry=telemetry, telemetry_command=telemetry_command,
        telemetry_limit=telemetry_limit,
        sets=tuple(f"{name}={value}" for name, value in (sets or {}).items()), verify=verify,
    )  # fmt: skip
    spec = experiment.RunSpec(
        workload=_path(workload), continue_from=_path(continue_from), output=_path(output), on=str(on), ranks=ranks,
        ranks_per_node=ranks_per_node, options=options, grace_s=seconds(grace, option="grace"),
        limit_s=optional_seconds(time_limit, option="time_limit"),
        mpirun=_path(mpirun), engine=_path(engine), launcher_arguments=tuple(launcher_arguments), realtime=realtime,
    )  # fmt: skip
    script = None
    if batch_job is not None:
        script = batch_script(
            str(on), name=Path(workload or continue_from or "run").stem, nodes=batch_job.nodes,
            walltime=batch_job.walltime, queue=batch_job.queue, account=batch_job.account,
            requeue=batch_job.requeue,
        )  # fmt: skip
    return PreparedRun(spec.prepared(environment=os.environ, script=script), progress=progress)


def _started(prepare: Callable[P, PreparedRun]) -> Callable[P, RunResults]:
    """`prepare`, followed by the run: a function with the same parameters, but without `batch_job`."""
    parameters = [one for one in signature(prepare).parameters.values() if one.name != "batch_job"]
    accepted = signature(prepare).replace(parameters=parameters, return_annotation=RunResults)

    def run(*arguments: P.args, **options: P.kwargs) -> RunResults:
        """Run the workload at `workload`, a .sb file, and return its results.

            results = stressbench.run("workloads/demo.sb", ranks=8, ranks_per_node=1)
            results.impacts()       # a data frame: congestion impact of each job and motif

        Every parameter corresponds to the option of the same name of `stressbench run`; defaults are the engine's.
        `on` is the launch target (`local`, `lab:NAME`, `simgrid:NAME`, `slurm`, `flux`, or the `Lab` of
        `stressbench.lab`), `sets` overrides [SET] variables, `launcher_arguments` are passed to mpirun unchanged. Times
        are texts with a unit, such as `30s`; `until_interval` is a share such as `5%`. `continue_from` is an incomplete
        run file to continue, which contains the workload. `progress` receives advice about the launch, one sentence
        each. The run file stays at `output`; by default it is named after the workload and the time.

        Must be called in the main thread: Ctrl-C lets the current round finish. Raises `stressbench.StressBenchError`
        if a parameter, the workload or the launch target is wrong, before any rank starts, and `stressbench.RunFailed`
        if the run did not end as planned.
        """
        accepted.bind(*arguments, **options)
        return prepare(*arguments, **options).run()

    described: Any = run
    described.__signature__ = accepted
    return run


run = _started(prepare_run)


def _text(value: int | None) -> str | None:
    return None if value is None else str(value)


def _path(value: str | PathLike[str] | None) -> Path | None:
    return None if value is None else Path(value)
