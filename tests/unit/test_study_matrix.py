"""Pairwise slowdowns: studies of all pairs of workloads, and the matrix of their impacts."""

from pathlib import Path

import pytest
from support.builders import MadeJob
from support.studies import made_run

from stressbench.experiments.study.combining import combined_workload, parse_job_template
from stressbench.experiments.study.results import is_narrow
from stressbench.formats.run import read_run
from stressbench.formats.study.errors import StudyMistake
from stressbench.results.matrix import CoRunImpacts, matrix_of
from stressbench.stats import select
from stressbench.stats.pooled import IntervalLevel, PooledImpact, pooled_impact

CG = """\
# solver
[SET] n=2
[JOB_NAME] cg  # name
[NODES] ${n}
[INCLUDE] parts/step.sb # the step
[MOTIF] halo2d -x 4
  -y 4
"""
FFT = "[JOB_NAME] fft\n[NID_LIST] 0-6:2,\n  9 # far\n[MOTIF] alltoall"


def job(text: str):
    return parse_job_template(text, source="w.sb", folder=Path("/work"))


def impact(ratio: float, *, width: float = 0.01) -> PooledImpact:
    return PooledImpact(
        ratio=ratio, low=ratio - width, high=ratio + width, runs=1, level=IntervalLevel.blocks, reason=None
    )  # fmt: skip


def co_run(**ratios: float) -> CoRunImpacts:
    return CoRunImpacts(impacts=tuple((name, impact(ratio)) for name, ratio in ratios.items()))


def test_two_workloads_become_one_with_both_jobs_on_nodes_of_their_own() -> None:
    text = combined_workload([job(CG), job(FFT)])

    lines = text.splitlines()
    assert [line for line in lines if line.startswith("[JOB_NAME]")] == ["[JOB_NAME] cg", "[JOB_NAME] fft"]
    assert [line for line in lines if line.startswith("[NODES]")] == ["[NODES] ${n}", "[NODES] 5"]
    assert "[NID_LIST]" not in text
    assert '[INCLUDE] "/work/parts/step.sb"' in lines
    assert "[MOTIF] halo2d -x 4\n  -y 4" in text


def test_copies_of_a_job_get_names_of_their_own() -> None:
    text = combined_workload([job(FFT), job(FFT), job(FFT)])

    assert [line.split()[1] for line in text.splitlines() if line.startswith("[JOB_NAME]")] == ["fft", "fft_2", "fft_3"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[MOTIF] allreduce\n", "w.sb: no [JOB_NAME]: a matrix is made of workloads with one job each"),
        (FFT + "\n" + FFT, "w.sb: 2 jobs"),
        ("[JOB_NAME] ${x}\n[NODES] 1\n", "w.sb:1: [JOB_NAME] '${x}': expected letters, digits"),
        (FFT + "\n[ROLE] background\n", "w.sb:5: [ROLE] background: a matrix measures jobs on nodes of their own"),
        (FFT + "\n[ROLE] congestor\n", "w.sb:5: [ROLE] congestor: a matrix measures jobs on nodes of their own"),
        (FFT + "\n[SHARED] yes\n", "w.sb:5: [SHARED] yes"),
        ("[JOB_NAME] a\n[NID_LIST] 5-2\n", "w.sb: [NID_LIST] '5-2': cannot be counted"),
        ("[JOB_NAME] a\n[NID_LIST] ${nodes}\n", "'${nodes}': cannot be counted for a matrix; write [NODES] N"),
    ],
)
def test_what_cannot_stand_side_by_side_is_refused(text: str, message: str) -> None:
    with pytest.raises(StudyMistake) as caught:
        job(text)

    assert message in str(caught.value)


def test_the_matrix_names_aggressor_and_victim() -> None:
    co_runs = [co_run(cg=1.9, io=1.05), co_run(cg=1.3, fft=1.0), co_run(fft=1.4, io=1.01)]

    found = matrix_of(("cg", "fft", "io"), co_runs, where={})

    assert found.entry("cg", "io").impact.ratio == 1.9
    assert found.entry("io", "cg").impact.ratio == 1.05
    assert found.entry("cg", "cg") is None
    assert (found.aggressor, found.victim) == ("io", "cg")
    assert found.advice.startswith(
        "keep cg away from io, next to which it takes 1.90 times [1.89, 1.91] its isolated time"
    )


def test_harmless_pairs_may_share_and_nobody_is_blamed() -> None:
    found = matrix_of(("a", "b"), [co_run(a=1.001, b=1.0)], where={})

    assert (found.aggressor, found.victim) == (None, None)
    assert found.advice == "a and b may share"


def test_without_intervals_nothing_is_advised() -> None:
    bare = PooledImpact(ratio=1.9, low=None, high=None, runs=1, level=None, reason="few")

    found = matrix_of(("a", "b"), [CoRunImpacts(impacts=(("a", bare), ("b", bare)))], where={})

    assert found.advice.startswith("no advice: no pair has a 95 % interval yet")


def test_wide_intervals_advise_more_runs() -> None:
    wide = impact(1.2, width=0.3)

    found = matrix_of(("a", "b"), [CoRunImpacts(impacts=(("a", wide), ("b", wide)))], where={})

    assert (found.aggressor, found.victim) == (None, None)
    assert found.advice == "no slowdown is significant, and no pair is shown to be harmless: more runs are needed"


def test_a_job_beside_its_copy_stands_on_the_diagonal_and_triples_stand_apart() -> None:
    found = matrix_of(("a", "b", "c"), [co_run(a=1.5, a_2=1.4), co_run(a=2.0, b=1.2, c=1.1)], where={})

    assert found.entry("a", "a").impact.ratio == 1.5
    assert [(one.victim, one.beside) for one in found.groups] == [
        ("a", ("b", "c")), ("b", ("a", "c")), ("c", ("a", "b")),
    ]  # fmt: skip


def rounds(folder: Path, seed: int, *, congestion: float, blocks: int = 6):
    path = folder / f"{seed}.jsonl"
    path.write_text(made_run(seed=seed, blocks=blocks, jobs=(MadeJob(name="cg", congestion=congestion),)))
    return read_run(path)


def test_few_runs_are_pooled_by_their_blocks_and_many_by_themselves(tmp_path: Path) -> None:
    runs = [rounds(tmp_path, seed, congestion=1.5) for seed in range(8)]
    medians = [select(run, job=0).rounds for run in runs]

    few, many = pooled_impact(medians[:2]), pooled_impact(medians)

    assert (few.level, few.runs) == (IntervalLevel.blocks, 2)
    assert (many.level, many.runs) == (IntervalLevel.runs, 8)
    assert few.low < 1.5 < few.high
    assert many.low < 1.5 < many.high


def test_runs_that_differ_widen_the_interval(tmp_path: Path) -> None:
    runs = [rounds(tmp_path, seed, congestion=1.2 + 0.1 * seed) for seed in range(6)]

    found = pooled_impact([select(run, job=0).rounds for run in runs])

    assert found.low < 1.25
    assert found.high > 1.65


def test_narrow_means_every_measured_job(tmp_path: Path) -> None:
    runs = [rounds(tmp_path, seed, congestion=1.5, blocks=8) for seed in range(3)]

    assert is_narrow(runs, target=0.2)
    assert not is_narrow(runs, target=0.001)
    assert not is_narrow(runs[:1], target=0.001)
    assert not is_narrow([], target=1.0)


def test_blocks_of_different_runs_are_never_paired(tmp_path: Path) -> None:
    runs = [rounds(tmp_path, seed, congestion=1.5, blocks=3) for seed in range(2)]

    found = pooled_impact([select(run, job=0).rounds for run in runs])

    assert found.low is not None  # 6 pairs; 3 would give no interval
