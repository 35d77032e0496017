"""The suite of `stressbench machine`: sizes, workloads, and the study that runs them."""

import pytest

from stressbench.experiments.machine.sizes import (
    Sizes,
    Survey,
    calibration_text,
    file_bytes_for,
    iterations_for,
    pair_bytes,
)
from stressbench.experiments.machine.study import FULL, QUICK, study_tables
from stressbench.experiments.machine.suite import PLACEMENTS, Suite, suite_for
from stressbench.experiments.sweep.specification import specification_of
from stressbench.formats.machines import Part, SuiteSettings

MIB = 1 << 20
NAMES = (
    "small-node", "small-network", "large-node", "large-network", "allreduce-8B", "allreduce-1MiB", "alltoall",
    "barrier",
)  # fmt: skip


def sizes(storage: bool = True) -> Sizes:
    return Sizes(
        iterations=dict.fromkeys(NAMES, 8), file_bytes=4 * MIB if storage else None, pair_bytes=64 << 10
    )  # fmt: skip


def settings(**others) -> SuiteSettings:
    known = {
        "on": "local", "ranks": 8, "ranks_per_node": 2, "storage": "/scratch", "parts": tuple(Part), "seed": 7,
        "quick": False, "label": None, "host_names": False, "engine": None, **others,
    }  # fmt: skip
    return SuiteSettings(**known)


def suite(*ranks_of_nodes: int, storage: str | None = "/scratch", parts: tuple[Part, ...] = tuple(Part)) -> Suite:
    return suite_for(Survey(ranks_of_nodes=ranks_of_nodes), sizes(storage is not None), parts=parts, storage=storage)


@pytest.mark.parametrize(
    ("time_s", "iterations"),
    [(None, 1), (1.0, 1), (5e-3, 1), (2.5e-3, 2), (1e-3, 4), (40e-6, 64), (1e-9, 4096), (0.0, 4096)],
)
def test_a_timed_interval_takes_at_most_5_ms(time_s: float | None, iterations: int) -> None:
    assert iterations_for(time_s) == iterations


@pytest.mark.parametrize(
    ("mebibyte_s", "size"), [(None, 1), (0.0, 1), (1.0, 1), (0.06, 4), (0.01, 16), (0.003, 64), (1e-6, 64)]
)
def test_a_file_is_written_in_a_quarter_of_a_second(mebibyte_s: float | None, size: int) -> None:
    assert file_bytes_for(mebibyte_s) == size * MIB


@pytest.mark.parametrize(("ranks", "size"), [(2, 65536), (64, 65536), (65, 32768), (4096, 1024), (1 << 23, 1)])
def test_no_rank_sends_more_than_4_mib_to_all_others(ranks: int, size: int) -> None:
    assert pair_bytes(ranks) == size


def test_four_nodes_of_two_ranks_run_the_whole_suite() -> None:
    made = suite(2, 2, 2, 2)

    assert made.skipped == ()
    assert [one.name for one in made.benchmarks] == [
        "latency-node", "latency-network", "bandwidth-node", "bandwidth-network", "allreduce", "storage", "b_eff",
        "impact", "noise",
    ]  # fmt: skip
    names = [figure.name for one in made.benchmarks for figure in one.measurements]
    assert len(names) == len(set(names)) == 31


@pytest.mark.parametrize(
    ("nodes", "skipped"),
    [
        ((8,), {"latency-network": "1 node; two are needed", "impact": "1 node: placements differ from 4 nodes on"}),
        ((1, 1, 1), {"latency-node": "node 0 has 1 rank; two are needed", "impact": "3 nodes: placements differ"}),
    ],
)
def test_what_a_machine_cannot_run_is_skipped_with_the_reason(nodes: tuple[int, ...], skipped: dict[str, str]) -> None:
    found = {one.workload or str(one.part): one.reason for one in suite(*nodes).skipped}

    for name, reason in skipped.items():
        assert found[name].startswith(reason)


def test_storage_is_skipped_without_a_directory() -> None:
    made = suite(2, 2, storage=None, parts=(Part.storage,))

    assert made.benchmarks == ()
    assert made.skipped[0].reason == "no directory: --storage names one"


def test_a_path_with_blanks_is_quoted_and_its_variable_is_not() -> None:
    made = suite(1, 1, storage="${SCRATCH}/my files", parts=(Part.storage,))

    assert '--file "${SCRATCH}/my files/stressbench-posix-N-N"' in made.benchmarks[0].text


def test_only_the_impact_runs_under_each_placement() -> None:
    tables = study_tables(suite(2, 2, 2, 2), settings())

    study = specification_of(tables).study

    placed = {cell.placement for cell in study.cells if cell.workload == "impact.sb"}
    assert placed == {"linear", "interleaved", "random:7"}
    assert [cell.workload for cell in study.cells if cell.placement != "linear"] == ["impact.sb"] * 2
    assert len(study.runs) == FULL.launches * (8 + len(PLACEMENTS))


def test_quick_makes_one_launch_of_each() -> None:
    tables = study_tables(suite(2, 2), settings(quick=True, parts=(Part.latency,)))

    study = specification_of(tables).study

    assert (study.repetitions, study.run.isolated, study.run.contended) == (1, QUICK.blocks, QUICK.blocks)


def test_the_calibration_writes_a_file_only_with_storage() -> None:
    survey = Survey(ranks_of_nodes=(2, 2))

    assert "posix" in calibration_text(survey, storage="/scratch")
    assert "posix" not in calibration_text(survey, storage=None)
