"""A validation: captures of both sides, a search for the iterations, and launches of both in turn."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from stressbench.errors import MachineFault
from stressbench.experiments.new_directory import make_new_directory
from stressbench.experiments.progress import Progress, silent
from stressbench.experiments.scratch import scratch_directory
from stressbench.experiments.validation.launches import TracedLaunches
from stressbench.experiments.validation.measurement import Measurement
from stressbench.experiments.validation.search import IterationSearch
from stressbench.experiments.validation.spec import ValidationSpec
from stressbench.experiments.validation.workload import ComparedWorkload, Computation
from stressbench.formats.errors import reason_of
from stressbench.formats.files import write_output
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.launch_target import LaunchTarget, ranks_share_cores
from stressbench.launch.targets import resolve_target
from stressbench.results.validation import Validation


def run_validation(spec: ValidationSpec, *, progress: Progress = silent) -> Validation:
    """Compare the two. After a stop signal, the result of the launches so far, which is not `complete`.

    Must be called from the main thread. Raises LaunchMistake and StudyMistake before any launch, MachineFault and
    NotComparable after one, NotEmitted with the result, and Interrupted without any result.
    """
    spec.require_valid_values()
    target = resolve_target(spec.on, environment=os.environ)
    if target.simulated:
        raise LaunchMistake(f"--on {spec.on}: a simulation cannot run {spec.program[0]}; use a lab or a cluster")
    ranks = target.ranks if spec.ranks is None else spec.ranks
    if ranks is None:
        raise LaunchMistake("-n is missing, for example -n 4")
    workload = ComparedWorkload.of(spec.workload, engine=spec.engine)
    computation = spec.computation_of(workload)
    with _folder(spec) as folder:
        launches = TracedLaunches(
            ranks=ranks, target=target, engine=spec.engine, folder=folder,
            cpu_time=_takes_cpu_time(spec, target, ranks, computation),
        )  # fmt: skip
        launches.check(spec.program)
        workload.check(ranks=ranks, target=target, folder=folder)
        found = IterationSearch(
            spec=spec, workload=workload, computation=computation, launches=launches, progress=progress
        ).run()
        measurement = Measurement(spec=spec, workload=workload, launches=launches, progress=progress, found=found)
        result = measurement.run()
        if spec.output is not None:
            _write_page(spec.output / "report.html", result, progress=progress)
        if spec.emit is not None:
            measurement.emit(spec.emit, result)
        return result


def _takes_cpu_time(spec: ValidationSpec, target: LaunchTarget, ranks: int, computation: Computation | None) -> bool:
    """Whether computation is taken as processor time: by default, if waiting for a core would count as such."""
    if computation is Computation.own:
        return False
    return ranks_share_cores(target, ranks) if spec.cpu_time is None else spec.cpu_time


@contextmanager
def _folder(spec: ValidationSpec) -> Iterator[Path]:
    """The directory of captures and launches: `output`, or one that is removed in the end."""
    if spec.output is None:
        with scratch_directory("validate") as folder:
            yield folder.absolute()
        return
    make_new_directory(spec.output, begins="a validation begins")
    yield spec.output.absolute()


def _write_page(path: Path, result: Validation, *, progress: Progress) -> None:
    from stressbench.report.renderers import render
    from stressbench.report.validation.document import page

    try:
        write_output(path, render("html", page(result)))
    except OSError as fault:
        raise MachineFault(f"{path}: {reason_of(fault)}") from fault
    progress(f"wrote {path}")
