"""The number of motifs that are summarised, and the summary at the end of a run."""

from pathlib import Path

import pytest
from support.builders import MadeJob, MadePlan, MadeStep, build_run

from stressbench.experiments.run_summary import brief_summary, motif_counts, motif_limit
from stressbench.formats.run import Run, read_run
from stressbench.report.renderers import render

CHAIN = tuple(MadeStep(motif=f"m{number}", time_s=1e-3) for number in range(3))


@pytest.fixture
def run(tmp_path: Path) -> Run:
    jobs = (MadeJob(name="long", steps=CHAIN), MadeJob(name="b", steps=CHAIN[:1]))
    return read_run(build_run(jobs=jobs, plan=MadePlan(blocks=2, repetitions=2)).write(tmp_path))


@pytest.mark.parametrize(
    ("motifs", "jobs_only", "as_values", "limit"),
    [(7, False, False, 7), (0, False, False, None), (7, True, False, 0), (7, False, True, None), (7, True, True, None)],
)
def test_only_the_motifs_that_are_shown_are_summarised(
    motifs: int, jobs_only: bool, as_values: bool, limit: int | None
) -> None:
    assert motif_limit(motifs, jobs_only=jobs_only, as_values=as_values) == limit


def test_motifs_are_counted_per_job(run: Run) -> None:
    assert motif_counts(run) == (3, 1)


def test_the_summary_of_a_run_has_all_its_jobs_and_motifs(run: Run) -> None:
    text = render("md", brief_summary(run))

    assert all(name in text for name in ("long", "m0", "m1", "m2"))
