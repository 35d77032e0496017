"""`stressbench.study`: many runs over a grid of factors, from Python."""

from os import PathLike
from pathlib import Path

from stressbench.api.failures import StudyFailed
from stressbench.api.progress import Report, reporting_to
from stressbench.api.study_results import StudyResults
from stressbench.errors import UserError
from stressbench.exit_status import ExitStatus
from stressbench.experiments.study.directory import open_directory
from stressbench.experiments.study.execution import StudyOptions, begin_study, run_study
from stressbench.launch.option_values import seconds


def study(
    what: str | PathLike[str], *, output: str | PathLike[str] | None = None, retries: int | None = None,
    time_limit: str | None = None, jobs: int = 1, progress: Report | None = None,
) -> StudyResults:  # fmt: skip
    """Run the study `what` in the directory `output`, or continue the study in the directory `what`.

    `what` is a study file (.toml), the name of a shipped study or, without `output`, the directory of a study. If
    `output` already holds a study, it is extended: the file must have the same cells or more. `retries`: how often a
    failed run is repeated. `time_limit`, such as `55min`: no run is started that would end after it. `jobs`: number of
    concurrent runs, on launch targets that give each its own nodes. `progress` receives a sentence for each launch.

        results = stressbench.study("placement.toml", output="placement")
        results.cells()      # a data frame: congestion impact of each job, for each combination of factors

    Must be called in the main thread: Ctrl-C lets the current round finish. Raises `stressbench.StressBenchError`
    if the study, a workload or a launch target is wrong, before any run starts, and `stressbench.StudyFailed` if runs
    failed or are left to do.
    """
    limit_s = None if time_limit is None else seconds(time_limit, option="time_limit")
    options = StudyOptions(retries=retries, time_limit_s=limit_s, jobs=jobs)
    if output is not None:
        directory = begin_study(str(what), Path(output), options)
    elif Path(what).is_dir():
        directory = open_directory(Path(what))
    else:
        raise UserError(f"{what}: output is missing: the directory where runs go; only a study's directory needs none")
    outcome = run_study(directory, options, progress=reporting_to(progress))
    results = StudyResults(directory)
    if outcome.status != ExitStatus.ok:
        failures = (f"{one.run} failed (status {one.status}): {one.reason}" for one in results.summary.failures)
        raise StudyFailed("; ".join((outcome.summary, *failures)), status=outcome.status, results=results)
    return results


def read_study(directory: str | PathLike[str]) -> StudyResults:
    """Read the results of the study in `directory`, as far as its runs are completed; nothing is started.

    Raises `stressbench.StressBenchError` if there is no study.
    """
    return StudyResults(open_directory(Path(directory)))
