"""Runs of a synthetic study at several injection bandwidths, and their evaluation."""

from pathlib import Path
from typing import Any

from stressbench.experiments.study.run_states import run_states
from stressbench.experiments.sweep.rates.study_results import AnalysisOptions, degradation_of
from stressbench.formats.run import Run, read_run
from stressbench.formats.study.file import Study, parse_study
from stressbench.results.rates import Degradation
from support.builders import MadeJob, MadeMachine, MadePlan, MadeStep, build_run

STUDY = """\
about = "made up"
repetitions = {runs}
[factors]
workload = "w.sb"
on = "lab:tiny"
rate = ["full", "1/2", "1/4", "1/8"]
ranks = [2, 4]
[set]
nodes = [2, 4]
[[exclude]]
ranks = 2
set.nodes = 4
[[exclude]]
ranks = 4
set.nodes = 2
"""


STILL = MadeMachine(noise=0.0, round_noise=0.0, drift=0.0)
SHARES = {"full": 1.0, "1/2": 2.0, "1/4": 4.0, "1/8": 8.0}


# Jobs bound by latency, by bandwidth, and half by each.
BOUND = {"charon": 0.0, "ptrans": 1.0, "cth": 0.5}


def jobs(rate: str, ranks: int) -> tuple[MadeJob, ...]:
    return tuple(
        MadeJob(
            name=name,
            nodes="0",
            steps=(
                MadeStep(motif="allreduce", time_s=1e-3),
                MadeStep(motif="halo2d", time_s=1e-3 * ranks * (1 - bound + bound * SHARES[rate])),
            ),
        )
        for name, bound in BOUND.items()
    )


def made(folder: Path, study: Study, *, machine: MadeMachine = STILL, blocks: int = 4, **left: int) -> dict[str, Run]:
    """One run file per planned run; `left`: only the first of them."""
    runs = {}
    for number, planned in enumerate(study.runs[: left.get("first")]):
        rate, ranks = str(planned.cell.rate), planned.cell.ranks
        made_run = build_run(
            jobs=jobs(rate, ranks), machine=machine, plan=MadePlan(blocks=blocks, repetitions=3), seed=number,
            histograms=False,
        )  # fmt: skip
        runs[planned.id] = read_run(made_run.write(folder, f"{planned.id}.jsonl"))
    return runs


def found_in(folder: Path, *, options: AnalysisOptions = AnalysisOptions(), runs: int = 1, **how: Any) -> Degradation:
    study = parse_study(STUDY.format(runs=runs), source="s.toml")
    return degradation_of(study, run_states(study.runs, ()), made(folder, study, **how), options=options)
