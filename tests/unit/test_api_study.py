"""`stressbench.study` and `read_study` with a real mpirun and a fake engine."""

import shutil
from pathlib import Path

import pytest
from support.builders import MadeJob, MadePlan, build_run
from support.fake_launcher import FAKE_ENGINE, LIBRARIES

import stressbench
from stressbench.exit_status import ExitStatus

JOBS = (MadeJob(name="CG", nodes="0", ranks=2, congestion=1.5), MadeJob(name="Incast", nodes="1", ranks=2))
STUDY = """\
[factors]
workload = "demo.sb"
ranks = 2
ranks_per_node = 1
placement = ["linear", "random:1"]
"""
pytestmark = pytest.mark.skipif(shutil.which("mpirun.openmpi") is None, reason="mpirun.openmpi is not installed")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("demo", "bad"):
        (tmp_path / f"{name}.sb").write_text("[JOB_NAME] CG\n[NODES] 1\n[MOTIF] allreduce\n")
        (tmp_path / f"{name}.toml").write_text(STUDY.replace("demo", name))
    build_run(jobs=JOBS, plan=MadePlan(blocks=6)).write(tmp_path, "complete.made")
    for name, value in {
        "STRESSBENCH_MPI": str(FAKE_ENGINE), "FAKE_LIBRARY": LIBRARIES["mpirun.openmpi"], "FAKE_ENGINE": "done",
        "FAKE_RUN": str(tmp_path / "complete.made"),
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_study_file_is_run_and_its_results_are_frames_over_all_runs(folder: Path) -> None:
    sentences: list[str] = []

    results = stressbench.study("demo.toml", output="made", progress=sentences.append)

    assert results.complete
    assert len(results.runs) == 2
    assert [sentence for sentence in sentences if "starts: placement = " in sentence]
    first = next(iter(results.runs.values()))
    impacts = results.impacts(library="polars")
    assert impacts.columns[:3] == ["run", "cell", "placement"]
    assert set(impacts["placement"]) == {"linear", "random:1"}
    assert impacts.height == 2 * first.impacts(library="polars").height
    assert results.samples(library="polars").height == 2 * first.samples(library="polars").height > 0
    assert results.rounds(library="pandas").shape[0] == 2 * first.rounds(library="pandas").shape[0] > 0
    assert results.links(library="polars").height == 0
    cells = results.cells(library="polars")
    assert list(zip(cells["placement"], cells["job"], strict=True)) == [
        ("linear", "CG"), ("linear", "Incast"), ("random:1", "CG"), ("random:1", "Incast"),
    ]  # fmt: skip
    assert cells["impact"][0] == pytest.approx(1.5, rel=0.1)


def test_a_directory_is_resumed_and_what_is_done_is_not_run_again(folder: Path) -> None:
    stressbench.study("demo.toml", output="made")
    sentences: list[str] = []

    results = stressbench.study("made", progress=sentences.append)

    assert results.complete
    assert not [sentence for sentence in sentences if "starts" in sentence]


def test_results_of_a_directory_are_read_without_running_anything(folder: Path) -> None:
    made = stressbench.study("demo.toml", output="made")

    read = stressbench.read_study(folder / "made")

    assert read.summary == made.summary
    assert "<td>CG</td>" in read._repr_html_()
    assert "placement" in read.report("made.csv", format="csv")
    assert (folder / "made.csv").is_file()
    with pytest.raises(ValueError, match="format: 'pdf' is not one of"):
        read.report(format="pdf")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"what": "gone.toml", "output": "made"}, "gone.toml: No such file"),
        ({"what": "demo.toml"}, "demo.toml: output is required unless an existing study"),
        ({"what": "demo.toml", "output": "made", "jobs": 2}, "--jobs 2: runs on local would share cores"),
        ({"what": "demo.toml", "output": "made", "share": True}, "--share: runs on local would share cores"),
        ({"what": "demo.toml", "output": "made", "jobs": 0}, "--jobs: 0 is not at least 1"),
        ({"what": "demo.toml", "output": "made", "retries": -1}, "--retries: -1 is not between 0 and 1000000"),
        ({"what": "demo.toml", "output": "made", "time_limit": "soon"}, "time_limit: 'soon' must be a time"),
        ({"what": "bad.toml", "output": "made"}, "the engine cannot run this workload"),
    ],
)
def test_what_is_wrong_is_one_error_before_any_run_starts(folder: Path, parameters: dict, message: str) -> None:
    with pytest.raises(stressbench.StressBenchError, match=message) as refused:
        stressbench.study(**parameters)

    assert refused.value.exit_status == ExitStatus.bad_input
    assert not list(folder.glob("made/runs/*"))


def test_runs_that_fail_are_named_and_the_others_stay(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_ENGINE", "fault")
    monkeypatch.delenv("FAKE_RUN")

    with pytest.raises(stressbench.StudyFailed, match=r"0 of 2 runs are done, 2 failed; .* failed \(status 3\)") as end:
        stressbench.study("demo.toml", output="made", retries=0)

    assert end.value.status == ExitStatus.fault
    assert not end.value.results.complete
    assert end.value.results.samples(library="polars").height == 0
