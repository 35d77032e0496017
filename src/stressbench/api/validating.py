"""`stressbench.validate`: a workload beside the application that it models, from Python."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from stressbench.api.failures import ValidationFailed
from stressbench.api.progress import Report, reporting_to
from stressbench.api.validation_results import ValidationResults
from stressbench.experiments.validation.emission import NotEmitted
from stressbench.experiments.validation.running import run_validation
from stressbench.experiments.validation.spec import LAUNCHES, MOST_ITERATIONS, ValidationSpec
from stressbench.tracing.iterations import Boundaries

if TYPE_CHECKING:
    from stressbench.api.labs import Lab


def validate(
    workload: str | PathLike[str] | Sequence[str], program: Sequence[str | PathLike[str]], *, ranks: int | None = None,
    on: "str | Lab" = "local", launches: int = LAUNCHES, within: float | None = None, computation: str | None = None,
    cpu_time: bool | None = None, begins_with: str | None = None, ends_with: str | None = None, pcontrol: bool = False,
    whole: bool = False, any_tag: bool = False,
    most_iterations: int = MOST_ITERATIONS, seed: int = 1, emit: str | PathLike[str] | None = None,
    output: str | PathLike[str] | None = None, engine: str | PathLike[str] | None = None,
    progress: Report | None = None,
) -> ValidationResults:  # fmt: skip
    """Compare a workload with a program: the MPI calls of each rank, and the time of an iteration.

        results = stressbench.validate(["tealeaf", "-x", "1000", "-y", "1000"], ["./tea_leaf"], ranks=2)
        results.data.ratio         # time of the workload over that of the program, with its 95 % interval

    `workload` is a workload file of one job, a motif with its options, or `()` for a replay of the program's own
    loop. `program` is an MPI program with its arguments, without its mpirun. `on` is a launch target such as
    "lab:tiny", or a `Lab`. `launches` of each side take turns. `within` (0.05: 5 %) is the largest accepted
    deviation of the ratio from 1. `computation` is that between the workload's calls: "sequence" (the program's,
    call by call; the default unless an iteration has more than 262,144 calls), "measured" (drawn from the program's
    distribution), "mean", or the workload's "own" (the default for a recorded one). `cpu_time`: whether the
    program's is taken as processor time, without waiting for cores, or as elapsed time; by default where there are
    more ranks than cores. `begins_with` and `ends_with` are calls that begin and end an iteration of the program,
    `pcontrol` limits it to what lies between MPI_Pcontrol(1) and MPI_Pcontrol(0). `whole` compares the whole run
    with its replay. With `any_tag`, tags are not compared. At most `most_iterations` are measured in a launch.
    `emit` is a file to which the workload with the program's computation is written, `output` a directory that
    keeps all captures.

    Must be called in the main thread. Raises `stressbench.StressBenchError` if something is wrong, or a launch failed,
    and `stressbench.ValidationFailed` with the results if `emit` could not be written after the launches.
    """
    words = (str(workload),) if isinstance(workload, str | PathLike) else tuple(map(str, workload))
    spec = ValidationSpec(
        workload=words, program=tuple(map(str, program)), on=str(on), ranks=ranks,
        engine=None if engine is None else Path(engine), launches=launches, computation=computation,
        cpu_time=cpu_time, tolerance=within, seed=seed,
        boundaries=Boundaries(first=begins_with, last=ends_with), begins_paused=pcontrol, whole=whole, any_tag=any_tag,
        most_iterations=most_iterations, emit=None if emit is None else Path(emit),
        output=None if output is None else Path(output),
    )  # fmt: skip
    try:
        return ValidationResults(run_validation(spec, progress=reporting_to(progress)))
    except NotEmitted as fault:
        raise ValidationFailed(str(fault), status=fault.exit_status, results=ValidationResults(fault.result)) from fault
