"""`stressbench.study` and other functions on studies: many runs over a grid of factors."""

from dataclasses import replace
from os import PathLike
from pathlib import Path

from stressbench.api.failures import StudyFailed
from stressbench.api.presentation import Reported
from stressbench.api.progress import Report, reporting_to
from stressbench.api.study_results import StudyResults
from stressbench.errors import UserError
from stressbench.exit_status import ExitStatus
from stressbench.experiments.study.catalog import shipped_studies, study_file
from stressbench.experiments.study.cell_targets import read_checked_study
from stressbench.experiments.study.directory import Directory, open_directory
from stressbench.experiments.study.execution import StudyOptions, begin_study, run_study
from stressbench.experiments.study.packing import Packed, Verdict, pack, verify
from stressbench.experiments.study.plan import plan_of
from stressbench.experiments.study.status import status_of
from stressbench.experiments.sweep.pairs import PairMatrix
from stressbench.experiments.sweep.rails.study import RailSweep
from stressbench.experiments.sweep.rates.beginning import planned_rate_study
from stressbench.experiments.sweep.rates.competing import CompetingSweep
from stressbench.experiments.sweep.rates.study import RateSweep
from stressbench.experiments.watching.watcher import state_of
from stressbench.launch.option_values import optional_seconds
from stressbench.report.document import Document
from stressbench.report.study.plan import plan_document
from stressbench.report.study.status import status_document
from stressbench.report.watching import watched_document
from stressbench.results.study_plan import ShippedStudy, StudyPlan
from stressbench.results.study_status import StudyStatus
from stressbench.results.watching import Watched


class PlanResults(Reported[StudyPlan]):
    """The cells of a study and its runs in their order (schema/study-plan.schema.json)."""

    def _title(self) -> str:
        return "Plan of a study"

    def _brief(self) -> Document:
        return plan_document(self.data)


class StatusResults(Reported[StudyStatus]):
    """The state of each run of a study (schema/study-status.schema.json)."""

    def _title(self) -> str:
        return "Status of a study"

    def _brief(self) -> Document:
        return status_document(self.data)


class WatchResults(Reported[Watched]):
    """What a study or a run does at the moment (schema/study-watch.schema.json)."""

    def _title(self) -> str:
        return "Progress"

    def _brief(self) -> Document:
        return watched_document(self.data)


def study(
    what: str | PathLike[str], *, output: str | PathLike[str] | None = None, retries: int | None = None,
    time_limit: str | None = None, jobs: int = 1, share: bool = False, progress: Report | None = None,
) -> StudyResults:  # fmt: skip
    """Run the study `what` in the directory `output`, or continue the study in the directory `what`.

    `what` is a study file (.toml), the name of a shipped study or, without `output`, the directory of a study. If
    `output` already holds a study, it is extended: the file must have the same cells or more. `retries`: how often a
    failed run is repeated. `time_limit`, such as `55min`: no run is started that would end after it. `jobs`: number of
    concurrent runs, on launch targets that give each its own nodes. `share`: the runs are shared with other processes
    that carry out the study with this parameter at the same time. `progress` receives a sentence for each launch.

        results = stressbench.study("placement.toml", output="placement")
        results.cells()      # a data frame: congestion impact of each job, for each combination of factors

    Must be called in the main thread: Ctrl-C lets the current round finish. Raises `stressbench.StressBenchError`
    if the study, a workload or a launch target is wrong, before any run starts, and `stressbench.StudyFailed` if runs
    failed or are left to do.
    """
    options = replace(study_options(retries, time_limit, jobs), share=share)
    if output is not None:
        directory = begin_study(str(what), Path(output), options, progress=reporting_to(progress))
    elif Path(what).is_dir():
        directory = open_directory(Path(what))
    else:
        raise UserError(f"{what}: output is required unless an existing study is resumed")
    return results_after(directory, options, progress=progress)


def study_options(retries: int | None, time_limit: str | None, jobs: int) -> StudyOptions:
    """Options of a study, with the time limit as a text. Raises UserError."""
    limit_s = optional_seconds(time_limit, option="time_limit")
    return StudyOptions(retries=retries, time_limit_s=limit_s, jobs=jobs)


def results_after(directory: Directory, options: StudyOptions, *, progress: Report | None) -> StudyResults:
    """Carry out the open runs of a study and return its results. Raises StudyFailed."""
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


def study_list() -> tuple[ShippedStudy, ...]:
    """The studies that are shipped with StressBench."""
    return shipped_studies()


def study_plan(what: "str | PathLike[str] | RateSweep | CompetingSweep | RailSweep | PairMatrix") -> PlanResults:
    """The cells and runs of a study or a sweep in their order, as --dry-run lists them; nothing is started.

        print(stressbench.study_plan("small").report())
        stressbench.study_plan(stressbench.RailSweep(ranks=(8,))).data.runs

    `what` is a study file, the name of a shipped study, or a sweep of workloads. Raises `stressbench.StressBenchError`.
    """
    if isinstance(what, RateSweep | CompetingSweep):
        with planned_rate_study(what) as (study_of_rates, folder):
            return PlanResults(plan_of(study_of_rates, folder=folder))
    if isinstance(what, RailSweep):
        return PlanResults(plan_of(what.specification().study, folder=Path.cwd()))
    if isinstance(what, PairMatrix):
        with what.in_temporary_directory() as (folder, specification):
            return PlanResults(plan_of(specification.study, folder=folder))
    file = study_file(str(what))
    return PlanResults(plan_of(read_checked_study(file)[0], folder=file.absolute().parent))


def study_status(directory: str | PathLike[str]) -> StatusResults:
    """How many runs of the study in `directory` are in each state, and an estimate of the time left.

    Raises `stressbench.StressBenchError` if there is no study.
    """
    return StatusResults(status_of(open_directory(Path(directory))))


def study_watch(path: str | PathLike[str]) -> WatchResults:
    """What the study in the directory `path`, or the run with this file, does at the moment.

        left_s = stressbench.study_watch("placement").data.left_s      # estimated time left; None: unknown

    Only files are read, also while the study or the run goes on. Raises `stressbench.StressBenchError` if there is
    none.
    """
    return WatchResults(state_of(Path(path)))


def study_pack(directory: str | PathLike[str], *, output: str | PathLike[str]) -> Packed:
    """Pack the study in `directory` into the new archive `output` (.tar.gz or .tar.zst).

    The result has the number of files, and a sentence for each file that was left out since it has changed. Raises
    `stressbench.StressBenchError`.
    """
    return pack(open_directory(Path(directory)), Path(output))


def study_verify(path: str | PathLike[str]) -> Verdict:
    """Check that nothing in a packed study, or in the directory of a study, is missing or changed.

    The result has the number of `intact` files and a sentence for each other file (`complaints`). Raises
    `stressbench.StressBenchError` if there is no study.
    """
    return verify(Path(path))
