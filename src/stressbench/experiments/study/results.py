"""Results of a study: times and congestion impact of each cell and job, over all runs of the cell."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from stressbench.experiments.study.directory import Directory
from stressbench.experiments.study.run_states import RunState, State, run_states
from stressbench.formats.run import Kind, Role, Run, RunFileError, read_run
from stressbench.formats.study.cells import Cell, varying_factors
from stressbench.formats.study.file import Study
from stressbench.results.matrix import Matrix, Meeting, matrix_of
from stressbench.results.selections import Selections, selections_of
from stressbench.results.study import CellResult, Failure, JobResult, StudyReport
from stressbench.results.study_data import StudyData
from stressbench.stats import TARGET, RoundMedian, round_superiority, select
from stressbench.stats.percentiles import sample_tail_impacts
from stressbench.stats.pooled import IntervalLevel, concatenate_runs, pooled_impact, pooled_plan


def report_of(
    study: Study,
    found: Sequence[RunState],
    runs: Mapping[str, Run],
    *,
    chosen: Selections | None = None,
    notes: Sequence[str] = (),
) -> StudyReport:
    """The report from the states `found` of all runs and the completed `runs` by id. `chosen`: samples to evaluate."""
    if chosen is None:
        chosen = selections_of(runs)
    factors = varying_factors(study.cells)
    cells = tuple(_cell(cell, found, runs, chosen) for cell in study.cells)
    first = study.cells[0].values
    return StudyReport(
        about=study.about,
        factors=factors,
        fixed={name: value for name, value in first.items() if name not in factors},
        planned=len(found),
        done=sum(one.state is State.done for one in found),
        cells=cells,
        failures=tuple(_failure(one) for one in found if one.state is State.failed),
        matrices=_matrices(study, cells, factors),
        notes=(*notes, *_doubts(cells, runs)),
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


def _cell(cell: Cell, found: Sequence[RunState], runs: Mapping[str, Run], chosen: Selections) -> CellResult:
    mine = [one for one in found if one.run.cell.id == cell.id]
    left = {one.run.id: runs[one.run.id] for one in mine if one.run.id in runs}
    return CellResult(
        id=cell.id,
        values=cell.values,
        planned=len(mine),
        done=sum(one.state is State.done for one in mine),
        failed=sum(one.state is State.failed for one in mine),
        spared=sum(one.state is State.skipped for one in mine),
        incomplete=sum(one.complete is False for one in mine),
        jobs=tuple(_job(left, name, chosen) for name in _names(tuple(left.values()))),
    )


def _names(runs: Sequence[Run]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(job.name for run in runs for job in run.jobs))


def _is_measured(run: Run, name: str) -> bool:
    return any(job.name == name and job.role is Role.measured for job in run.jobs)


def _job(runs: Mapping[str, Run], name: str, chosen: Selections) -> JobResult:
    mine = [chosen[run, name] for run in runs if (run, name) in chosen]
    rounds = [picked.rounds for picked in mine]
    impact = pooled_impact(rounds)
    measured = any(_is_measured(run, name) for run in runs.values())
    times = {kind: [one.median_s for each in rounds for one in each if one.kind is kind] for kind in Kind}
    return JobResult(
        name=name,
        isolated_s=median(times[Kind.isolated]) if times[Kind.isolated] else None,
        contended_s=median(times[Kind.contended]) if times[Kind.contended] else None,
        impact=impact,
        tails=sample_tail_impacts(mine),
        superiority=round_superiority(concatenate_runs(rounds)),
        plan=pooled_plan(rounds, impact, target=TARGET) if measured else None,
    )


def _rounds(runs: Sequence[Run], name: str) -> list[Sequence[RoundMedian]]:
    """Rounds of a job, one sequence per run."""
    return [select(run, job=job.job).rounds for run in runs for job in run.jobs if job.name == name]


def _failure(one: RunState) -> Failure:
    return Failure(
        run=one.run.id, values=one.run.cell.values, attempts=one.failures, status=one.status, reason=one.reason
    )


def _doubts(cells: Sequence[CellResult], runs: Mapping[str, Run]) -> tuple[str, ...]:
    notes = []
    if any(job.impact.level is IntervalLevel.blocks for cell in cells for job in cell.jobs):
        notes.append(
            "intervals of cells with fewer than 6 runs hold what varies between the rounds of a run; what varies from "
            "launch to launch they cannot see"
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
    others = tuple(name for name in factors if name != "workload")
    groups: dict[tuple[tuple[str, str], ...], list[Meeting]] = {}
    for cell in cells:
        key = tuple((name, cell.values.get(name, "")) for name in others)
        meeting = Meeting(impacts=tuple((job.name, job.impact) for job in cell.jobs))
        groups.setdefault(key, []).append(meeting)
    return tuple(matrix_of(study.matrix, meetings, where=dict(key)) for key, meetings in groups.items())


@dataclass(frozen=True, kw_only=True)
class CollectedRuns:
    """The states of all runs of a study, the completed runs by id, and `notes` on files that cannot be read."""

    study: Study
    found: tuple[RunState, ...]
    runs: Mapping[str, Run]
    notes: tuple[str, ...]


def collected_runs(directory: Directory) -> CollectedRuns:
    """Read the manifest and all completed runs of the directory. A file that cannot be read is left out and noted."""
    manifest = directory.read()
    found = run_states(directory.study.runs, manifest.records)
    runs, notes = {}, list(manifest.complaints)
    for one in found:
        if one.state is State.done and one.file is not None:
            try:
                runs[one.run.id] = read_run(directory.path / one.file)
            except RunFileError as fault:
                notes.append(f"{fault}; the run is left out")
    return CollectedRuns(study=directory.study, found=found, runs=runs, notes=tuple(notes))


def results_of(directory: Directory, collected: CollectedRuns | None = None) -> tuple[StudyReport, StudyData]:
    """The report on the directory's runs, and further data for HTML pages. `collected`: the runs, if already read."""
    have = collected or collected_runs(directory)
    chosen = selections_of(have.runs)
    report = report_of(have.study, have.found, have.runs, chosen=chosen, notes=have.notes)
    file, text = directory.newest_file()
    return report, StudyData(
        runs=have.runs, name=file, text=text, seed=have.study.seed, environment=directory.environment_text(),
        chosen=chosen,
    )  # fmt: skip
