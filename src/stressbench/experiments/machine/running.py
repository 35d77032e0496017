"""Carries out the suite: survey, calibration, the study of its workloads, and the result."""

import os
import shlex
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from stressbench.errors import Interrupted, MachineFault
from stressbench.exit_status import ExitStatus
from stressbench.experiments.machine.directory import (
    CALIBRATION,
    SURVEY,
    MachineDirectory,
    SizedSuite,
    sized_suite,
)
from stressbench.experiments.machine.evaluation import result_of
from stressbench.experiments.machine.sizes import calibration_text, survey_of, survey_text
from stressbench.experiments.machine.study import study_tables
from stressbench.experiments.new_directory import make_new_directory
from stressbench.experiments.progress import Progress, silent
from stressbench.experiments.run import PreparedRun, RunSpec
from stressbench.experiments.scratch import temporary_directory
from stressbench.experiments.study.directory import Directory, locked, open_directory
from stressbench.experiments.study.execution import StudyOptions, StudyOutcome, run_study
from stressbench.experiments.study.running import Watcher
from stressbench.experiments.sweep.specification import specification_of
from stressbench.formats.errors import RunFileError, reason_of
from stressbench.formats.files import write_atomically
from stressbench.formats.files.studies import STUDY_FILE, WORKLOADS
from stressbench.formats.machines import SETTINGS_FILE, MachineResult, SuiteSettings, settings_json, to_json
from stressbench.formats.run import Run, read_run
from stressbench.formats.study.errors import StudyMistake
from stressbench.launch.engine import EngineOptions
from stressbench.levels import Level

WatcherOf = Callable[[Directory], AbstractContextManager[Watcher]]
_CALIBRATION_REPETITIONS, _CALIBRATION_WARMUP = 5, 2


@dataclass(frozen=True, kw_only=True)
class MachineOutcome:
    """The result so far, None without any figure, and how the study ended."""

    result: MachineResult | None
    study: StudyOutcome

    @property
    def status(self) -> ExitStatus:
        """As of a study: `interrupted` where runs are still open, `fault` where runs failed for good."""
        return self.study.status


def begin_machine(output: Path, settings: SuiteSettings) -> MachineDirectory:
    """Check the launch, and make the directory. Nothing starts.

    Raises LaunchMistake and StudyMistake, before anything is written.
    """
    with temporary_directory("machine") as folder:
        workload = folder / f"{SURVEY}.sb"
        workload.write_text(survey_text(), encoding="utf-8")
        _prepared(settings, workload, output=folder / f"{SURVEY}.jsonl", options=EngineOptions())
    make_new_directory(output, begins="a measurement begins")
    directory = MachineDirectory(path=output, settings=settings)
    _write(output / SETTINGS_FILE, settings_json(settings))
    return directory


def run_machine(
    directory: MachineDirectory, *, time_limit_s: float | None = None, retries: int | None = None,
    progress: Progress = silent, watcher: WatcherOf | None = None,
) -> MachineOutcome:  # fmt: skip
    """Measure what is missing in the directory and write its result. Must be called in the main thread.

    `time_limit_s`: no launch is started that would end after this time. Raises Interrupted where survey or calibration
    are interrupted, MachineFault where they fail, and StudyMistake and StudyFault as `run_study`.
    """
    began = monotonic()
    with locked(directory.path, command="machine", subject="suite"):
        suite = _measured_suite(directory, progress)
        study = _study_directory(directory, suite, progress)
        left_s = None if time_limit_s is None else max(0.0, time_limit_s - (monotonic() - began))
        options = StudyOptions(retries=retries, time_limit_s=left_s)
        outcome = run_study(study, options, progress=progress, watcher=None if watcher is None else watcher(study))
        result = result_of(directory, suite, study)
        if result is not None:
            _write(directory.result, to_json(result))
    return MachineOutcome(result=result, study=outcome)


def _measured_suite(directory: MachineDirectory, progress: Progress) -> SizedSuite:
    survey = _completed_run(directory, SURVEY, survey_text(), EngineOptions(repetitions="1", warmup="0"), progress)
    machine = survey_of(survey)
    if machine.ranks < 2:
        raise StudyMistake(f"-n: {machine.ranks}: the suite needs 2 ranks or more")
    text = calibration_text(machine, storage=directory.settings.storage)
    options = EngineOptions(repetitions=str(_CALIBRATION_REPETITIONS), warmup=str(_CALIBRATION_WARMUP))
    calibration = _completed_run(directory, CALIBRATION, text, options, progress)
    return sized_suite(directory, survey=survey, calibration=calibration)


def _completed_run(
    directory: MachineDirectory, name: str, text: str, options: EngineOptions, progress: Progress
) -> Run:
    """The run `name`, from its file if it was completed before. An incomplete one is measured again: it takes seconds.

    Raises Interrupted and MachineFault.
    """
    path = directory.run_file(name)
    with suppress(RunFileError):
        if (before := read_run(path)).complete:
            return before
    path.unlink(missing_ok=True)
    workload = directory.path / f"{name}.sb"
    _write(workload, text)
    progress(f"{name} starts", level=Level.progress)
    finished = _prepared(directory.settings, workload, output=path, options=options).run()
    run = finished.result.run
    if finished.result.status == ExitStatus.interrupted or finished.result.outcome.was_asked_to_stop:
        where = shlex.quote(str(directory.path))
        raise Interrupted(f"the {name} was interrupted; `stressbench machine resume {where}` continues")
    if finished.result.status != ExitStatus.ok or run is None or not run.complete:
        raise MachineFault(f"the {name} failed: {'; '.join(finished.reasons) or f'{path} is not complete'}")
    return run


def _prepared(settings: SuiteSettings, workload: Path, *, output: Path, options: EngineOptions) -> PreparedRun:
    counted = EngineOptions(
        isolated="1", contended="0", repetitions=options.repetitions, warmup=options.warmup, seed=str(settings.seed)
    )
    spec = RunSpec(
        workload=workload, output=output, on=settings.on, ranks=settings.ranks, ranks_per_node=settings.ranks_per_node,
        options=counted, engine=None if settings.engine is None else Path(settings.engine),
    )  # fmt: skip
    return spec.prepared(environment=os.environ)


def _study_directory(directory: MachineDirectory, suite: SizedSuite, progress: Progress) -> Directory:
    """The study in the directory, which is set up if there is none. Raises StudyMistake."""
    path = directory.study
    if path.is_dir() and any(STUDY_FILE.fullmatch(entry.name) for entry in path.iterdir()):
        return open_directory(path)
    if not suite.suite.benchmarks:
        reasons = "; ".join(f"{one.part}: {one.reason}" for one in suite.suite.skipped)
        raise StudyMistake(f"nothing to measure: {reasons}")
    folder = path / WORKLOADS
    for benchmark in suite.suite.benchmarks:
        _write(folder / benchmark.file, benchmark.text)
    specification = specification_of(study_tables(suite.suite, directory.settings))
    return specification.begin(path, StudyOptions(), folder=folder.absolute(), progress=progress)


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text.encode())
    except OSError as fault:
        raise StudyMistake(f"--output: {fault.filename or path}: {reason_of(fault)}") from fault
