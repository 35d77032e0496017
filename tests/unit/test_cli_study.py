"""`stressbench study` as a person meets it, with a real mpirun and a stand-in for the engine."""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from support import forked
from support.builders import MadeJob, MadePlan, build_run
from support.commands import invoke
from support.fake_launcher import FAKE_ENGINE, LIBRARIES
from support.programs import wait_until

JOBS = (MadeJob(name="CG", nodes="0", ranks=2, congestion=1.5), MadeJob(name="Incast", nodes="1", ranks=2))
WORKLOAD = "[JOB_NAME] {}\n[NODES] 1\n[MOTIF] allreduce\n"
STUDY = (
    'repetitions = {}\n[factors]\nworkload = "{}"\nranks = 2\nranks_per_node = 1\nplacement = ["linear", "random:1"]\n'
)
needs_openmpi = pytest.mark.skipif(shutil.which("mpirun.openmpi") is None, reason="mpirun.openmpi is not installed")
needs_zstd = pytest.mark.skipif(shutil.which("zstd") is None, reason="zstd is not installed")


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "STRESSBENCH_MPI": str(FAKE_ENGINE), "FAKE_LIBRARY": LIBRARIES["mpirun.openmpi"], **more}


def started(folder: Path, *words: str, **more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "stressbench", "study", *words],
        cwd=folder,
        env=environment(FAKE_RUN=str(folder / "made"), **more),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def study(folder: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    return forked.stressbench(
        "study", *words, cwd=folder, environment=environment(FAKE_RUN=str(folder / "made"), **more)
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("one", "two", "bad"):
        (tmp_path / f"{name}.sb").write_text(WORKLOAD.format(name))
    (tmp_path / "study.toml").write_text(STUDY.format(1, "one.sb"))
    (tmp_path / "larger.toml").write_text(STUDY.format(2, "one.sb"))
    (tmp_path / "bad.toml").write_text(STUDY.format(1, "bad.sb"))
    (tmp_path / "typo.toml").write_text("repetitons = 1\n")
    build_run(jobs=JOBS, plan=MadePlan(blocks=6, repetitions=2)).write(tmp_path, "made")
    build_run(jobs=JOBS, plan=MadePlan(blocks=2, repetitions=2), complete=False).write(tmp_path, "part")
    (tmp_path / "empty").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("plan gone.toml", "gone.toml: No such file"),
        ("plan smal", "unknown study 'smal'; did you mean 'small'? known: quickstart, small, cluster/full-system"),
        ("run smal -o d", "unknown study 'smal'; did you mean 'small'?"),
        ("plan typo.toml", "typo.toml:1: unknown key 'repetitons'; did you mean 'repetitions'?"),
        ("run typo.toml -o d", "typo.toml:1: unknown key"),
        ("run study.toml -o d --time-limit 60", "--time-limit: '60': expected a time with its unit"),
        ("run study.toml -o d --retries -1", "Invalid value for '--retries'"),
        ("run study.toml -o d --jobs 2", "--jobs 2: runs on local would share cores and links and measure each other"),
        ("run study.toml -o one.sb", "one.sb/runs: not a directory"),
        ("resume gone", "gone is not a directory; `stressbench study run FILE.toml -o gone` makes it"),
        ("resume empty", "empty holds no study (no study-1.toml)"),
        ("status empty", "empty holds no study"),
        ("report empty", "empty holds no study"),
        ("report empty --format pdf", "--format: unknown format 'pdf'; known: csv, html, json, latex, md"),
        ("pack empty -o p.tar.gz", "empty holds no study"),
        ("verify gone", "gone does not exist"),
        ("verify empty", "empty holds no study"),
        ("verify one.sb", "one.sb: expected a name that ends in .tar.gz or .tar.zst"),
        ("matrix one.sb -o d", "a matrix needs two workloads, or one and --self"),
        ("matrix one.sb one.sb -o d", "one.sb: its job is called one, as that of another workload"),
        ("matrix one.sb two.sb -o d --triple one,two", "--triple: 'one,two': expected three names of jobs or more"),
        ("matrix one.sb two.sb -o d --triple one,two,tow", "unknown job 'tow'; did you mean 'two'?"),
        ("matrix one.sb two.sb -n 2 -o d --place up", "expected linear, interleaved or random:SEED"),
        ("matrix one.sb two.sb -n 2 -o .", ". contains files that are not a matrix"),
        ("matrix one.sb gone.sb -o d", "gone.sb: no such file"),
    ],
)
def test_a_mistake_gives_one_message_and_status_2(
    folder: Path, monkeypatch: pytest.MonkeyPatch, words: str, message: str
) -> None:
    monkeypatch.chdir(folder)
    for name, value in environment().items():
        monkeypatch.setenv(name, value)

    ended = invoke(f"study {words}")

    assert ended.exit_code == 2
    assert message in " ".join(ended.stderr.split())


def test_plan_lists_runs_in_their_order_and_starts_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)

    text = invoke("study plan larger.toml").stdout
    values = json.loads(invoke("study plan larger.toml --json").stdout)

    assert "2 cells, 4 runs, in the order of seed 1" in text
    assert [run["run"] for run in values["runs"]] == [line.split()[0] for line in text.splitlines() if "-r" in line]
    assert values["least_s"] is None
    assert not list(folder.glob("*.jsonl"))


@needs_openmpi
def test_a_study_is_run_told_packed_and_verified(folder: Path) -> None:
    ended = study(folder, "run", "study.toml", "-o", "made-up")
    assert ended.returncode == 0, ended.stderr
    assert "2 of 2 runs are done" in ended.stderr

    status = json.loads(study(folder, "status", "made-up", "--json").stdout)
    assert [run["state"] for run in status["runs"]] == ["done", "done"]
    report = json.loads(study(folder, "report", "made-up", "--format", "json").stdout)
    assert [[job["name"] for job in cell["jobs"]] for cell in report["cells"]] == [["CG", "Incast"]] * 2
    assert report["cells"][0]["jobs"][0]["impact"]["ratio"] == pytest.approx(1.5, rel=0.1)
    assert "| linear | CG |" in study(folder, "report", "made-up").stdout
    assert study(folder, "report", "made-up", "--format", "csv").stdout.count("\n") == 5
    assert r"\toprule" in study(folder, "report", "made-up", "--format", "latex").stdout

    assert study(folder, "pack", "made-up", "-o", "p.tar.gz").returncode == 0
    assert study(folder, "verify", "p.tar.gz").returncode == 0
    assert study(folder, "verify", "made-up").returncode == 0
    with tarfile.open(folder / "p.tar.gz") as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
        archive.extractall(folder / "unpacked", filter="data")
    assert {"study-1.toml", "manifest.jsonl", "environment.json", "SHA256SUMS", "workloads/one.sb"} <= names
    assert {"schema/study.schema.json", "schema/run.schema.json"} <= names
    sums = subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=folder / "unpacked" / "p", check=False)
    assert sums.returncode == 0

    larger = study(folder, "run", "larger.toml", "-o", "made-up")
    assert larger.returncode == 0
    assert larger.stderr.count(" starts: ") == 2
    victim = next((folder / "made-up" / "runs").iterdir())
    victim.write_text(victim.read_text().replace("0.9", "0.8", 1))
    reported = study(folder, "verify", "made-up")
    assert reported.returncode == 3
    assert f"{victim.name}: has changed since its run finished" in reported.stderr


@needs_openmpi
def test_a_workload_that_the_engine_refuses_stops_all_before_a_run(folder: Path) -> None:
    ended = study(folder, "run", "bad.toml", "-o", "d")

    assert ended.returncode == 2
    assert "bad.sb:1:1: unknown motif 'AlReduce'" in ended.stderr
    assert not (folder / "d").exists()


@needs_openmpi
def test_status_and_resume_go_by_the_retries_that_were_typed(folder: Path) -> None:
    assert study(folder, "run", "study.toml", "-o", "d", "--retries", "0", FAKE_ENGINE="fault").returncode == 3
    assert study(folder, "status", "d").stdout.count("failed 1 time, given up") == 2
    assert json.loads(study(folder, "status", "d", "--json").stdout)["failed"] == 2

    assert study(folder, "resume", "d", FAKE_ENGINE="fault").stderr.count(" starts: ") == 0
    assert study(folder, "resume", "d", "--retries", "1", FAKE_ENGINE="fault").stderr.count(" starts: ") == 2
    assert study(folder, "status", "d").stdout.count("failed 2 times, given up") == 2


@needs_openmpi
def test_runs_that_fail_for_good_are_named_and_give_status_3(folder: Path) -> None:
    ended = study(folder, "run", "study.toml", "-o", "d", "--retries", "1", FAKE_ENGINE="fault")

    assert ended.returncode == 3
    assert ended.stderr.count(" failed (status 3)") == 4
    assert "0 of 2 runs are done, 2 failed" in ended.stderr
    assert "failed 2 times, given up: status 3" in study(folder, "status", "d").stdout
    assert study(folder, "resume", "d", "--retries", "2").returncode == 0


def wait_for_a_run(folder: Path) -> None:
    wait_until(lambda: any(folder.glob("d/runs/*.jsonl")), "a run has a file")
    wait_until(lambda: len(list(folder.glob("ready-*"))) == 2, "its ranks hear requests")


@needs_openmpi
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)])
def test_a_study_that_is_stopped_or_killed_goes_on(folder: Path, number: int, status: int) -> None:
    shutil.copyfile(folder / "part", folder / "made")
    process = started(folder, "run", "study.toml", "-o", "d", FAKE_ENGINE="wait", FAKE_READY=str(folder))
    wait_for_a_run(folder)
    os.kill(process.pid, number)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == status, errors

    build_run(jobs=JOBS, plan=MadePlan(blocks=6, repetitions=2)).write(folder, "made")
    resumed = study(folder, "resume", "d", FAKE_CONTINUES="yes")

    assert resumed.stderr.count(" continues: ") == 1
    assert len(list((folder / "d" / "runs").iterdir())) == 2
    assert "2 done" in study(folder, "status", "d").stdout


def test_help_teaches_by_example(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for command in ("list", "plan", "run", "resume", "status", "report", "pack", "verify", "matrix"):
        text = invoke(f"study {command} --help").stdout
        assert f"    stressbench study {command} " in text
        assert "Exit status:" in text


@needs_zstd
@needs_openmpi
def test_a_pack_of_zstd_that_is_changed_or_cut_off_is_noticed(folder: Path) -> None:
    study(folder, "run", "study.toml", "-o", "d")
    assert study(folder, "pack", "d", "-o", "p.tar.zst").returncode == 0
    assert study(folder, "verify", "p.tar.zst").returncode == 0
    whole = (folder / "p.tar.zst").read_bytes()
    (folder / "cut.tar.zst").write_bytes(whole[: len(whole) // 2])

    assert study(folder, "verify", "cut.tar.zst").returncode == 2


@needs_openmpi
def test_a_matrix_is_a_study_with_a_workload_a_pair(folder: Path) -> None:
    build_run(jobs=(MadeJob(name="one", nodes="0", congestion=1.8), MadeJob(name="two", nodes="1"))).write(
        folder, "made"
    )

    ended = study(folder, "matrix", "one.sb", "two.sb", "-n", "2", "--ranks-per-node", "1", "-o", "pairs")

    assert ended.returncode == 0, ended.stderr
    assert (folder / "pairs" / "workloads" / "one+two.sb").read_text().count("[JOB_NAME]") == 2
    text = study(folder, "report", "pairs").stdout
    assert "Aggressor: two. Victim: one." in text
    assert "Advice: keep one away from two" in text


@needs_openmpi
def test_a_disk_that_is_full_is_one_message_and_leaves_a_study_that_goes_on(folder: Path) -> None:
    (folder / "many.toml").write_text(STUDY.format(40, "one.sb"))
    words = [sys.executable, "-m", "stressbench", "study", "run", "many.toml", "-o", "many"]

    full = subprocess.run(
        words, cwd=folder, env=environment(), capture_output=True, text=True, timeout=300, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000)),
    )  # fmt: skip
    status = study(folder, "status", "many")

    assert full.returncode == 3
    assert full.stderr == (
        "stressbench: many/manifest.jsonl: file too large; completed runs are recorded; `study resume` continues\n"
    )
    assert (status.returncode, status.stderr) == (0, "")  # no line is broken
    assert "80 runs: 80 " in status.stdout
