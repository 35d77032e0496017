"""`stressbench.run`: run a workload under MPI, from Python."""

import os
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from stressbench.api.failures import RunFailed
from stressbench.api.progress import Report
from stressbench.api.run_results import RunResults
from stressbench.exit_status import ExitStatus
from stressbench.experiments.run import RunSpec
from stressbench.launch.engine import EngineOptions
from stressbench.launch.option_values import seconds

if TYPE_CHECKING:
    from stressbench.api.labs import Lab


def run(
    workload: str | PathLike[str], *, ranks: int | None = None, on: "str | Lab" = "local",
    ranks_per_node: int | None = None,
    output: str | PathLike[str] | None = None, isolated: int | None = None, contended: int | None = None,
    repetitions: int | None = None, warmup: int | None = None, until_interval: str | None = None,
    min_time: str | None = None, time_limit: str | None = None, finish: str | None = None, place: str | None = None,
    seed: int | None = None, sets: Mapping[str, object] | None = None, verify: bool = False, realtime: bool = False,
    launcher_arguments: Sequence[str] = (), mpirun: str | PathLike[str] | None = None,
    engine: str | PathLike[str] | None = None, progress: Report | None = None,
) -> RunResults:  # fmt: skip
    """Run the workload at `workload`, a .sb file, and return its results.

    Every parameter corresponds to the option of the same name of `stressbench run`; defaults are the engine's.
    `on` is the launch target (`local`, `lab:NAME`, `simgrid:NAME`, `slurm`, `flux`, or the `Lab` of `stressbench.lab`),
    `sets` overrides [SET] variables, `launcher_arguments` are passed to mpirun unchanged. Times are texts with a unit,
    such as `30s`; `until_interval` is a share such as `5%`. `progress` receives advice about the launch, one sentence
    each. The run file stays at `output`; by default it is named after the workload and the time.

    Must be called in the main thread: Ctrl-C lets the current round finish. Raises `stressbench.StressBenchError`
    if a parameter, the workload or the launch target is wrong, before any rank starts, and `stressbench.RunFailed`
    if the run did not end as planned.
    """
    options = EngineOptions(
        isolated=_text(isolated), contended=_text(contended), repetitions=_text(repetitions), warmup=_text(warmup),
        until_interval=until_interval, min_time=min_time, time_limit=time_limit, finish=finish, place=place,
        seed=_text(seed), sets=tuple(f"{name}={value}" for name, value in (sets or {}).items()), verify=verify,
    )  # fmt: skip
    spec = RunSpec(
        workload=Path(workload), output=_path(output), on=str(on), ranks=ranks, ranks_per_node=ranks_per_node,
        options=options, limit_s=None if time_limit is None else seconds(time_limit, option="time_limit"),
        mpirun=_path(mpirun), engine=_path(engine), launcher_arguments=tuple(launcher_arguments), realtime=realtime,
    )  # fmt: skip
    prepared = spec.prepared(environment=os.environ)
    if prepared.advice is not None and progress is not None:
        progress(prepared.advice)
    finished = prepared.run()
    run_file = finished.result.run
    results = RunResults(run_file) if run_file is not None and finished.has_results else None
    if finished.result.status != ExitStatus.ok or results is None:
        reasons = "; ".join(finished.reasons) or f"{finished.path}: no round was completed"
        raise RunFailed(reasons, status=finished.result.status, results=results)
    return results


def _text(value: int | None) -> str | None:
    return None if value is None else str(value)


def _path(value: str | PathLike[str] | None) -> Path | None:
    return None if value is None else Path(value)
