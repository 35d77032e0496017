"""`stressbench.run` with a real mpirun and a fake engine."""

import json
import os
from inspect import signature
from pathlib import Path

import pytest
from support.builders import MadeJob, MadePlan, build_run
from support.fake_launcher import FAKE_ENGINE, LIBRARIES, put_mpirun_with_a_killed_rank

import stressbench

JOBS = (MadeJob(name="CG", nodes="0", ranks=2, congestion=1.5), MadeJob(name="Incast", nodes="1", ranks=2))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "demo.sb").write_text("[JOB_NAME] CG\n[NODES] 1\n[MOTIF] allreduce\n")
    (tmp_path / "bad.sb").write_text("[MOTIF] AlReduce\n")
    build_run(jobs=JOBS).write(tmp_path, "complete.made")
    build_run(jobs=JOBS, plan=MadePlan(blocks=2), complete=False).write(tmp_path, "partial.made")
    for name, value in {
        "STRESSBENCH_MPI": str(FAKE_ENGINE), "FAKE_LIBRARY": LIBRARIES["mpirun.openmpi"], "FAKE_ENGINE": "done",
        "FAKE_RUN": str(tmp_path / "complete.made"), "FAKE_CHECK_NOTE": str(tmp_path / "check.json"),
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_results_are_those_of_the_run_file(folder: Path) -> None:
    results = stressbench.run("demo.sb", ranks=2, ranks_per_node=1, output="out.jsonl", sets={"size": 8})

    assert results.complete
    assert results.path == Path("out.jsonl")
    assert results.summary.jobs[0].timing.impact.ratio == pytest.approx(1.5, rel=0.1)
    assert stressbench.read("out.jsonl").summary == results.summary
    checked = json.loads((folder / "check.json").read_text())
    assert checked[checked.index("--set") + 1] == "size=8"
    assert checked[checked.index("--ranks") + 1] == "2"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"workload": "gone.sb", "ranks": 2}, "gone.sb does not exist"),
        ({"workload": "demo.sb"}, "-n is missing"),
        ({"workload": "demo.sb", "ranks": 2, "on": "moon"}, "--on: 'moon': expected local"),
        ({"workload": "demo.sb", "ranks": 2, "time_limit": "soon"}, "time_limit: 'soon' must be a time with its unit"),
    ],
)
def test_a_wrong_parameter_is_one_error_and_nothing_starts(folder: Path, parameters: dict, message: str) -> None:
    with pytest.raises(stressbench.StressBenchError, match=message):
        stressbench.run(**parameters)

    assert not list(folder.glob("*.jsonl"))


def test_a_workload_that_the_engine_refuses_starts_nothing(folder: Path) -> None:
    with pytest.raises(stressbench.StressBenchError) as refused:
        stressbench.run("bad.sb", ranks=2)

    assert refused.value.exit_status == 2
    assert not list(folder.glob("*.jsonl"))


def test_a_run_that_fails_keeps_the_rounds_that_it_completed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_mpirun_with_a_killed_rank(folder / "bin")
    monkeypatch.setenv("PATH", f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("FAKE_RUN", str(folder / "partial.made"))

    with pytest.raises(stressbench.RunFailed, match="rank 1") as failed:
        stressbench.run("demo.sb", ranks=2, output="out.jsonl")

    assert failed.value.status == 3
    assert failed.value.results is not None
    assert len(failed.value.results.data.rounds) == len(stressbench.read("out.jsonl").data.rounds) > 0


def test_a_prepared_run_has_its_command_and_starts_nothing(folder: Path) -> None:
    prepared = stressbench.prepare_run("demo.sb", ranks=2, output="out.jsonl", isolated=3, stall_limit="5min")

    assert "--isolated 3 --stall-limit 5min" in prepared.command
    assert prepared.script is None
    assert not list(folder.glob("*.jsonl"))
    assert prepared.run().complete


def test_a_run_can_be_prepared_as_a_batch_script(folder: Path) -> None:
    job = stressbench.BatchJob(nodes=2, walltime="1h", queue="debug")

    script = stressbench.prepare_run("demo.sb", ranks=4, on="slurm", output="out.jsonl", batch_job=job).script

    assert script is not None
    assert "#SBATCH --nodes=2" in script
    assert "debug" in script
    assert "requeue" not in script


def test_a_batch_script_may_be_made_for_a_job_that_is_requeued(folder: Path) -> None:
    job = stressbench.BatchJob(nodes=2, requeue=True)

    script = stressbench.prepare_run("demo.sb", ranks=4, on="slurm", output="out.jsonl", batch_job=job).script

    assert script is not None
    assert "#SBATCH --requeue" in script
    assert "--continue out.jsonl" in script


def test_an_incomplete_run_is_continued_in_its_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build_run(jobs=JOBS, plan=MadePlan(blocks=2), complete=False).write(folder, "out.jsonl")

    prepared = stressbench.prepare_run(continue_from="out.jsonl", ranks=2)

    assert "--continue out.jsonl" in prepared.command


def test_ranks_of_a_batch_script_start_by_the_script_only(folder: Path) -> None:
    job = stressbench.BatchJob(nodes=2)
    prepared = stressbench.prepare_run("demo.sb", ranks=4, on="slurm", output="out.jsonl", batch_job=job)

    with pytest.raises(stressbench.StressBenchError, match="prepared for a batch script: submit the script"):
        prepared.run()
    with pytest.raises(TypeError, match="batch_job"):
        stressbench.run("demo.sb", ranks=4, on="slurm", output="out.jsonl", batch_job=job)
    assert not list(folder.glob("*.jsonl"))


def test_a_prepared_run_starts_once(folder: Path) -> None:
    prepared = stressbench.prepare_run("demo.sb", ranks=2, output="out.jsonl")
    prepared.run()
    written = Path("out.jsonl").read_bytes()

    with pytest.raises(stressbench.StressBenchError, match=r"--output: out\.jsonl already exists"):
        prepared.run()

    assert Path("out.jsonl").read_bytes() == written


def test_run_has_the_parameters_of_prepare_run_except_the_batch_job() -> None:
    run, prepare = signature(stressbench.run), signature(stressbench.prepare_run)

    assert [*run.parameters.values()] == [one for one in prepare.parameters.values() if one.name != "batch_job"]
    assert run.return_annotation is stressbench.RunResults
