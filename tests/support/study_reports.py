"""Reports of studies from synthetic runs whose truth is known: `report_from` makes a run of each planned run."""

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from stressbench.experiments.study.results import report_of
from stressbench.experiments.study.run_states import RunState, State
from stressbench.formats.run import Run, read_run
from stressbench.formats.study.cells import PlannedRun
from stressbench.formats.study.file import Study, parse_study
from stressbench.formats.topology import Network
from stressbench.report.run.options import ReportOptions, VerdictLimits
from stressbench.report.study import FORMATS
from stressbench.report.study.answers import FirstScreen, first_screen
from stressbench.results.study import StudyReport
from stressbench.results.study_data import StudyData
from support.builders import MadeJob, MadeMachine, MadePlan, MadeRun, build_run
from support.studies import STUDY

SLOWED = MadeJob(name="CG", nodes="0", congestion=1.5)
WRITER = MadeJob(name="writer", nodes="1")
TWO = MadeMachine(hosts=("a1", "a2"))
ONE_CELL = 'repetitions = 1\n[factors]\nworkload = "two.sb"\n'
Make = Callable[[PlannedRun], MadeRun | None]


def made(*jobs: MadeJob, machine: MadeMachine = TWO, blocks: int = 8, repetitions: int = 2, seed: int = 1) -> MadeRun:
    plan = MadePlan(blocks=blocks, repetitions=repetitions, warmup=0, extra=0)
    return build_run(jobs=jobs or (SLOWED, WRITER), plan=plan, machine=machine, seed=seed, histograms=False)


@dataclass
class ReportWithData:
    """A report with its data."""

    report: StudyReport
    data: StudyData
    study: Study = field(repr=False)

    @functools.cached_property
    def page(self) -> str:
        return FORMATS["html"](self.report, self.data)

    def screen(self, *, network: Network | None = None, **limits: float) -> FirstScreen:
        return first_screen(self.report, self.data, options(network=network, **limits))

    def answers(self, *, network: Network | None = None, **limits: float) -> dict[str, str]:
        return {fact.name: fact.value for fact in self.screen(network=network, **limits).answers}


def options(*, network: Network | None = None, **limits: float) -> ReportOptions:
    return ReportOptions(network=network, limits=VerdictLimits(**limits))


def report_from(make: Make = lambda _: made(), text: str = STUDY, *, failed: str = "") -> ReportWithData:
    """Runs for which `make` gives None are waiting, or have failed for the reason `failed`."""
    study = parse_study(text, source="study.toml")
    runs: dict[str, Run] = {}
    run_states = []
    with TemporaryDirectory() as folder:
        for planned in study.runs:
            run = make(planned)
            state = State.done if run else State.failed if failed else State.waiting
            if run is not None:
                runs[planned.id] = read_run(run.write(Path(folder), f"{planned.id}.jsonl"))
            run_states.append(
                RunState(run=planned, state=state, failures=2 if state is State.failed else 0, reason=failed or None)
            )
    data = StudyData(
        runs=runs, name="study-1.toml", text=text, seed=study.seed, environment='{"python": "3.11"}',
        directory="my study", files={name: f"runs/{name}.jsonl" for name in runs},
        until_narrow=study.until is not None,
    )  # fmt: skip
    return ReportWithData(report_of(study, run_states, runs), data, study)
