"""The runs of a study, and bounds on their duration as far as the study file determines them."""

from pathlib import Path

from stressbench.experiments.study.estimate import bounds_of
from stressbench.formats.errors import reason_of
from stressbench.formats.files import limits, read_text
from stressbench.formats.study.cells import varying_factors
from stressbench.formats.study.errors import StudyMistake
from stressbench.formats.study.file import Study
from stressbench.results.study_plan import PlannedCell, PlannedRun, StudyPlan


def plan_of(study: Study, *, folder: Path) -> StudyPlan:
    """The plan of a study whose paths are relative to `folder`. Raises StudyMistake where a workload cannot be read."""
    bounds_by_workload = {
        name: bounds_of(study.run, workload=_text(folder / name))
        for name in dict.fromkeys(cell.workload for cell in study.cells)
    }
    bounds = [bounds_by_workload[cell.workload] for cell in study.cells]
    fewest = 1 if study.until is None else study.until.at_least / study.repetitions
    least = [one.least_s for one in bounds if one.least_s is not None]
    most = [one.most_s for one in bounds if one.most_s is not None]
    return StudyPlan(
        about=study.about,
        seed=study.seed,
        factors=varying_factors(study.cells),
        cells=tuple(PlannedCell(cell=cell.id, values=dict(cell.values)) for cell in study.cells),
        runs=tuple(PlannedRun(run=run.id, cell=run.cell.id, repetition=run.repetition) for run in study.runs),
        least_s=sum(least) * study.repetitions * fewest if len(least) == len(bounds) else None,
        most_s=sum(most) * study.repetitions if len(most) == len(bounds) else None,
        fewest_runs=len(study.runs) if study.until is None else study.until.at_least * len(study.cells),
    )


def _text(workload: Path) -> str:
    try:
        return read_text(workload, limit=limits.WORKLOAD, errors="replace")
    except OSError as fault:
        raise StudyMistake(f"{workload}: {reason_of(fault)}") from fault
