"""What the engine really writes is what the schema says and the reader reads. Skips where no engine is built."""

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from support import forked

from stressbench.exit_status import ExitStatus
from stressbench.formats.run import Phase, Run, read_run
from stressbench.stats import summarise

ROOT = Path(__file__).parents[2]
SCHEMA = Draft202012Validator(json.loads((ROOT / "schema/run.schema.json").read_text(encoding="utf-8")))
WORKLOAD = """\
[JOB_NAME] talkers
[NID_LIST] 0
[REPEAT] 3
[MOTIF] allreduce
[MOTIF] pingpong -i 20
[MOTIF] mpiio -s 1000 -f ${SCRATCH}/out
[JOB_NAME] noise
[NID_LIST] 1
[REPEAT] 2
[ROLE] background
[MOTIF] allreduce -i 5
"""
pytestmark = pytest.mark.mpi


def engine() -> Path | None:
    """The one named, the newest of the build trees (Open MPI's, if it has one), the one on PATH."""
    named = os.environ.get("STRESSBENCH_MPI")
    if named:
        return Path(named)
    built = [*ROOT.glob("build/openmpi/**/stressbench-mpi")] or [*ROOT.glob("build/*/**/stressbench-mpi")]
    newest = max(built, key=lambda path: path.stat().st_mtime, default=None)
    found = shutil.which("stressbench-mpi")
    return newest or (Path(found) if found else None)


def stressbench_run(folder: Path, *words: str, workload: str = WORKLOAD, status: int = 0) -> Path:
    """The run file, in `folder`."""
    program = engine()
    if program is None:
        pytest.skip("NO ENGINE: build stressbench-mpi or set STRESSBENCH_MPI; its output was not checked")
    (folder / "demo.sb").write_text(workload, encoding="utf-8")
    done = forked.stressbench(
        "run", *words, "--engine", program, cwd=folder, environment={**os.environ, "SCRATCH": str(folder)}
    )
    assert done.returncode == status, done.stderr
    return folder / "demo.jsonl"


SMALL = ("demo.sb", "-n", "4", "--ranks-per-node", "2", "--isolated", "2", "--contended", "2", "-o", "demo.jsonl")


@pytest.fixture(scope="module")
def run_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return stressbench_run(tmp_path_factory.mktemp("engine"), *SMALL, "--seed", "7")


@pytest.fixture(scope="module")
def run(run_file: Path) -> Run:
    return read_run(run_file)


@pytest.fixture(scope="module")
def failed_run_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a run that the second job ends in round 1."""
    failing = WORKLOAD.replace("[MOTIF] allreduce -i 5", "[MOTIF] memory -f m --fail-call close --fail-rank 3")
    return stressbench_run(
        tmp_path_factory.mktemp("fault"), *SMALL, "--isolated", "0", workload=failing, status=ExitStatus.fault
    )


def test_every_line_of_the_engine_is_valid(run_file: Path, failed_run_file: Path) -> None:
    faults = [
        f"{file}, line {number}: {fault.json_path}: {fault.message[:200]}"
        for file in (run_file, failed_run_file)
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1)
        for fault in SCHEMA.iter_errors(json.loads(line))
    ]

    assert faults == []


def test_every_key_of_the_engine_is_documented(run_file: Path, failed_run_file: Path) -> None:
    for line in (run_file.read_text(encoding="utf-8") + failed_run_file.read_text(encoding="utf-8")).splitlines():
        record = json.loads(line)
        assert set(record) == set(SCHEMA.schema["$defs"][record["type"]]["properties"]), record["type"]


def test_a_fault_of_the_engine_is_read_with_all_that_is_known(failed_run_file: Path) -> None:
    run = read_run(failed_run_file)
    (launch,) = run.launches
    fault = launch.faults[0]

    assert not run.complete
    assert (fault.round, fault.job, fault.motif) == (1, 1, "memory")
    assert fault.rank == 3
    assert fault.host == run.header.nodes[1].host
    assert fault.cause is not None
    assert "close 'm'" in fault.cause


def test_the_engine_s_run_is_read_whole(run: Run) -> None:
    assert run.complete
    assert run.header.seed == 7
    assert [job.name for job in run.jobs] == ["talkers", "noise"]
    assert len(run.rounds) == run.planned_rounds == 4
    assert run.ignored_samples == 0


def test_the_engine_s_counts_are_the_samples(run: Run) -> None:
    """All repetitions, or where the engine says that it left some out, each n-th, beginning with the first."""
    thinned = {(event.round, event.job) for event in run.events if event.kind == "samples_thinned"}

    for found in run.rounds:
        for entry in found.jobs:
            samples = run.samples_of(job=entry.job)
            assert samples is not None
            counts = {Phase.warmup: entry.warmup, Phase.measured: entry.measured, Phase.extra: entry.extra}
            for phase, count in counts.items():
                there = samples.repetition[(samples.round == found.round) & samples.in_phases(phase)]
                strides = set(np.diff(there).tolist()) or {1}
                assert len(strides) == 1
                stride = strides.pop()
                assert stride == 1 or (found.round, entry.job) in thinned
                assert len(there) == -(-count // stride)


def test_the_header_has_the_workload_with_what_the_environment_gave(run_file: Path, run: Run) -> None:
    assert f"{run_file.parent}/out" in run.header.workload.text
    assert "SCRATCH" not in run.header.workload.text


def test_the_engine_names_the_slowest_rank_of_each_metric(run: Run) -> None:
    metrics = run.metrics_of(job=0, step=2)

    assert "open_time_s" in {metric.name for metric in metrics}
    assert all({0, 1}.issuperset(metric.slowest_rank.tolist()) for metric in metrics)


def test_the_engine_s_run_can_be_summarised(run: Run) -> None:
    talkers, noise = summarise(run).jobs

    assert talkers.timing.impact.ratio is not None
    assert talkers.timing.impact.paired_blocks == 2
    assert noise.timing.isolated_s is None
    assert all(step.timing.contended_s is not None for step in talkers.steps)


def run_ids(path: Path) -> list[str | None]:
    return [launch.header.run_id for launch in read_run(path).launches]


def test_a_run_has_the_id_that_it_was_given_and_keeps_it(tmp_path: Path) -> None:
    path = stressbench_run(tmp_path, *SMALL, "--run-id", "my_run-7", "--time-limit", "1ns")
    assert not read_run(path).complete

    stressbench_run(tmp_path, "--continue", str(path))

    assert read_run(path).complete
    assert run_ids(path) == ["my_run-7", "my_run-7"]


def test_a_file_without_an_id_is_continued_under_a_new_one(tmp_path: Path) -> None:
    path = stressbench_run(tmp_path, *SMALL, "--time-limit", "1ns")
    header, *rest = path.read_text(encoding="utf-8").splitlines()
    older = {key: value for key, value in json.loads(header).items() if key != "run_id"}
    path.write_text("".join(f"{line}\n" for line in (json.dumps(older), *rest)), encoding="utf-8")

    stressbench_run(tmp_path, "--continue", str(path))

    first, second = run_ids(path)
    assert first is None
    assert second is not None
