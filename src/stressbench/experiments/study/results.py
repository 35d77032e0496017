"""Results of a study: times and congestion impact of each cell and job, over all runs of the cell."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os.path import relpath
from pathlib import Path
from statistics import median

from stressbench.experiments.study.directory import Directory
from stressbench.experiments.study.run_states import RunState, State, run_states
from stressbench.formats.files import is_file
from stressbench.formats.run import Kind, Role, Run, RunFileError, read_run
from stressbench.formats.study.cells import Cell, varying_factors
from stressbench.formats.study.file import Study
from stressbench.results.matrix import CoRunImpacts, Matrix, matrix_of
from stressbench.results.selections import Selections, selections_of
from stressbench.results.study import CellResult, Failure, JobResult, StudyReport
from stressbench.results.study_data import StudyData
from stressbench.stats import TARGET, RoundMedian, round_superiority, select
from stressbench.stats.percentiles import sample_tail_impacts
from stressbench.stats.pooled import IntervalLevel, concatenate_runs, pooled_impact, pooled_plan

_PAGE_ENDING = ".html"


def report_of(
    study: Study,
    states: Sequence[RunState],
    runs: Mapping[str, Run],
    *,
    selections: Selections | None = None,
    notes: Sequence[str] = (),
) -> StudyReport:
    """The report from the `states` of all runs and the completed `runs` by id. `selections`: samples to evaluate."""
    if selections is None:
        selections = selections_of(runs)
    factors = varying_factors(study.cells)
    cells = tuple(_cell(cell, states, runs, selections) for cell in study.cells)
    first = study.cells[0].values
    return StudyReport(
        about=study.about,
        factors=factors,
        fixed={name: value for name, value in first.items() if name not in factors},
        planned=len(states),
        done=sum(one.state is State.done for one in states),
        cells=cells,
        failures=tuple(_failure(one) for one in states if one.state is State.failed),
        matrices=_matrices(study, cells, factors),
        notes=(*notes, *_caveats(cells, runs)),
    )


def is_narrow(runs: Sequence[Run], *, target: float) -> bool:
    """Whether the interval of each measured job's impact over these runs has a width high / low - 1 <= `target`."""
    if not runs:
        return False
    impacts = [pooled_impact(_rounds(runs, name)) for name in _names(runs) if _is_measured(runs[0], name)]
    return all(
        impact.low is not None and impact.high is not None and impact.high / impact.low - 1 <= target
        for impact in impacts
    )


def _cell(cell: Cell, states: Sequence[RunState], runs: Mapping[str, Run], selections: Selections) -> CellResult:
    cell_states = [one for one in states if one.run.cell.id == cell.id]
    runs_of_cell = {one.run.id: runs[one.run.id] for one in cell_states if one.run.id in runs}
    return CellResult(
        id=cell.id,
        values=cell.values,
        planned=len(cell_states),
        done=sum(one.state is State.done for one in cell_states),
        failed=sum(one.state is State.failed for one in cell_states),
        spared=sum(one.state is State.skipped for one in cell_states),
        incomplete=sum(one.complete is False for one in cell_states),
        jobs=tuple(_job(runs_of_cell, name, selections) for name in _names(tuple(runs_of_cell.values()))),
    )


def _names(runs: Sequence[Run]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(job.name for run in runs for job in run.jobs))


def _is_measured(run: Run, name: str) -> bool:
    return any(job.name == name and job.role is Role.measured for job in run.jobs)


def _job(runs: Mapping[str, Run], name: str, selections: Selections) -> JobResult:
    selected = [selections[run, name] for run in runs if (run, name) in selections]
    rounds = [picked.rounds for picked in selected]
    impact = pooled_impact(rounds)
    is_measured = any(_is_measured(run, name) for run in runs.values())
    times = {kind: [one.median_s for each in rounds for one in each if one.kind is kind] for kind in Kind}
    return JobResult(
        name=name,
        isolated_s=median(times[Kind.isolated]) if times[Kind.isolated] else None,
        contended_s=median(times[Kind.contended]) if times[Kind.contended] else None,
        impact=impact,
        tails=sample_tail_impacts(selected),
        superiority=round_superiority(concatenate_runs(rounds)),
        plan=pooled_plan(rounds, impact, target=TARGET) if is_measured else None,
    )


def _rounds(runs: Sequence[Run], name: str) -> list[Sequence[RoundMedian]]:
    """Rounds of a job, one sequence per run."""
    return [select(run, job=job.job).rounds for run in runs for job in run.jobs if job.name == name]


def _failure(one: RunState) -> Failure:
    return Failure(
        run=one.run.id, values=one.run.cell.values, attempts=one.failures, status=one.status, reason=one.reason
    )


def _caveats(cells: Sequence[CellResult], runs: Mapping[str, Run]) -> tuple[str, ...]:
    notes = []
    if any(job.impact.level is IntervalLevel.blocks for cell in cells for job in cell.jobs):
        notes.append(
            "intervals of cells with fewer than 6 runs cover the variation between the rounds of a run, not between "
            "launches"
        )
    for cell in cells:
        texts = {run.header.workload.hash for id_, run in runs.items() if id_.rpartition("-r")[0] == cell.id}
        if len(texts) > 1:
            notes.append(f"the runs of cell {cell.id} did not run the same workload: an [INCLUDE] changed in between")
    if any(run.header.simulation is not None for run in runs.values()):
        notes.append("times of simulated runs are the simulation's own")
    return tuple(notes)


def _matrices(study: Study, cells: Sequence[CellResult], factors: Sequence[str]) -> tuple[Matrix, ...]:
    """One matrix per combination of the other factors, empty unless the study is one of pairs."""
    if not study.matrix:
        return ()
    other_factors = tuple(name for name in factors if name != "workload")
    groups: dict[tuple[tuple[str, str], ...], list[CoRunImpacts]] = {}
    for cell in cells:
        key = tuple((name, cell.values.get(name, "")) for name in other_factors)
        co_run = CoRunImpacts(impacts=tuple((job.name, job.impact) for job in cell.jobs))
        groups.setdefault(key, []).append(co_run)
    return tuple(matrix_of(study.matrix, co_runs, where=dict(key)) for key, co_runs in groups.items())


@dataclass(frozen=True, kw_only=True)
class CollectedRuns:
    """The states of all runs of a study, the completed runs by id, and `notes` on files that cannot be read."""

    study: Study
    states: tuple[RunState, ...]
    runs: Mapping[str, Run]
    notes: tuple[str, ...]


def collected_runs(directory: Directory) -> CollectedRuns:
    """Read the manifest and all completed runs of the directory. A file that cannot be read is left out and noted."""
    manifest = directory.read()
    states = run_states(directory.study.runs, manifest.records)
    runs, notes = {}, list(manifest.complaints)
    for one in states:
        if one.state is State.done and one.file is not None:
            try:
                runs[one.run.id] = read_run(directory.path / one.file)
            except RunFileError as fault:
                notes.append(f"{fault}; the run is left out")
    return CollectedRuns(study=directory.study, states=states, runs=runs, notes=tuple(notes))


def results_of(
    directory: Directory, collected: CollectedRuns | None = None, *, page: Path | None = None
) -> tuple[StudyReport, StudyData]:
    """The report on the directory's runs, and further data for HTML pages.

    `collected`: the runs, if already read. `page`: the file of the page that will be made (`pages_of_runs`).
    """
    data = collected or collected_runs(directory)
    selections = selections_of(data.runs)
    report = report_of(
        data.study,
        data.states,
        data.runs,
        selections=selections,
        notes=data.notes,
    )
    file, text = directory.newest_file()
    files = {one.run.id: one.file for one in data.states if one.run.id in data.runs and one.file is not None}
    return report, StudyData(
        runs=data.runs, name=file, text=text, seed=data.study.seed, environment=directory.environment_text(),
        selections=selections, directory=str(directory.path), files=files,
        pages=pages_of_runs(directory, files, page=page),
        until_narrow=data.study.until is not None,
    )  # fmt: skip


def pages_of_runs(directory: Directory, files: Mapping[str, str], *, page: Path | None) -> Mapping[str, str]:
    """Pages that `stressbench report` made beside the run files of the directory, by id of the run.

    `files`: run files by id. The paths are relative to the folder of `page`; None: to the working directory.
    """
    paths = {id_: (directory.path / file).with_suffix(_PAGE_ENDING) for id_, file in files.items()}
    start = Path() if page is None else page.parent
    return {id_: relpath(path, start) for id_, path in paths.items() if is_file(path)}
