"""Interrupted co-runs: what their plan says is measured to its end."""

from dataclasses import replace
from pathlib import Path

from stressbench.experiments.corun.programs import Program, ProgramList
from stressbench.experiments.corun.running import ROUNDS, CorunSpec, locked_corun
from stressbench.experiments.progress import Progress, silent
from stressbench.formats.launches.coruns import CorunPlan, read_coruns
from stressbench.formats.launches.journal import FILE
from stressbench.results.coruns import Corun


def resume_corun(
    folder: Path, *, limit_s: float | None = None, engine: Path | None = None, progress: Progress = silent
) -> Corun:
    """Measure the periods of an interrupted co-run in `folder` that it does not hold, in the current directory.

    `limit_s`: the longest time of an execution from now on, None: that of the plan. Must be called from the main
    thread. Raises as `CorunSpec.run`, and StudyMistake for a directory without a plan.
    """
    spec = _spec_of(read_coruns(folder / FILE).plan, folder, engine=engine)  # before anything is written there
    if limit_s is not None:
        spec = replace(spec, limit_s=limit_s)
    with locked_corun(folder):
        return spec.run(progress=progress, earlier=read_coruns(folder / FILE))


def _spec_of(plan: CorunPlan, folder: Path, *, engine: Path | None) -> CorunSpec:
    """The co-run that the plan is of. Raises LaunchMistake where a program does not exist any more."""
    programs = ProgramList(
        programs=tuple(Program(name=one.name, command=one.command, ranks=one.ranks) for one in plan.programs),
        order=tuple(range(len(plan.programs))),
    )
    programs.require()
    return CorunSpec(
        words=plan.command, programs=programs, groups=plan.groups, on=plan.on, nodes=plan.nodes, blocks=plan.runs,
        executions=plan.executions, min_overlap=plan.min_overlap, figures=plan.figures, lower=plan.lower,
        iterations=plan.iterations, rounds=plan.rounds or ROUNDS, limit_s=plan.limit_s, seed=plan.seed,
        machine=plan.machine, engine=engine, output=folder,
    )  # fmt: skip
