"""`stressbench run` as a person meets it, with a real mpirun and a stand-in for the engine."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support import forked
from support.builders import MadeJob, MadePlan, build_run
from support.commands import invoke
from support.fake_launcher import FAKE_ENGINE, LIBRARIES, put_mpirun_with_a_killed_rank

from stressbench.formats.run import read_run

JOBS = (MadeJob(name="CG", nodes="0", ranks=2, congestion=1.5), MadeJob(name="Incast", nodes="1", ranks=2))
needs_openmpi = pytest.mark.skipif(shutil.which("mpirun.openmpi") is None, reason="mpirun.openmpi is not installed")


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "STRESSBENCH_MPI": str(FAKE_ENGINE), "FAKE_LIBRARY": LIBRARIES["mpirun.openmpi"], **more}


def stressbench(folder: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    return forked.stressbench(*words, cwd=folder, environment=environment(**more))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "demo.sb").write_text("[JOB_NAME] CG\n[NODES] 1\n[MOTIF] allreduce\n")
    (tmp_path / "bad.sb").write_text("[MOTIF] AlReduce\n")
    (tmp_path / "there.jsonl").write_text("{}\n")
    build_run(jobs=JOBS).write(tmp_path, "complete.jsonl.made")
    build_run(jobs=JOBS, plan=MadePlan(blocks=2), complete=False).write(tmp_path, "partial.jsonl.made")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("run gone.sb -n 2", "gone.sb does not exist"),
        ("run . -n 2", ". is not a file"),
        (f"run {'long' * 100}.sb -n 2", "longlong.sb: file name too long"),
        ("run demo.sb", "-n is missing, for example -n 8"),
        ("run -n 2", "FILE is missing, for example workloads/demo.sb"),
        ("run demo.sb -n 0", "-n: 0 is not at least 1"),
        ("run demo.sb -n 2 --ranks-per-node 0", "--ranks-per-node: 0 is not at least 1"),
        ("run demo.sb -n 2 --ranks-per-node 2:1", "--ranks-per-node: '2:1' must be a number of ranks, such as 16, or"),
        ("run demo.sb bad.sb -n 2", "(bad.sb)"),
        ("run demo.sb -n 2 -o there.jsonl", "there.jsonl already exists; choose another name, or --continue it"),
        ("run demo.sb -n 2 -o gone/r.jsonl", "gone is not a directory"),
        ("run demo.sb -n 2 --engine gone", "--engine: gone does not exist"),
        ("run demo.sb -n 2 --mpirun gone", "--mpirun: gone does not exist"),
        ('run demo.sb -n 2 --mpirun-args "\'"', "no closing quotation"),
        (
            "run demo.sb -n 2 --grace soon",
            "--grace: 'soon' must be a time with its unit, such as 500ms, 30s, 10min or 2h",
        ),
        ("run demo.sb -n 2 --grace 0s", "--grace: '0s' must be a time"),
        ("run demo.sb -n 2 --time-limit 60", "--time-limit: '60' must be a time with its unit"),
        ("run demo.sb -n 2 --on slurm", "--on slurm: this is not a Slurm allocation"),
        ("run demo.sb -n 2 --on cray", "--on: 'cray': expected local, flux, pbs, slurm, lab:NAME"),
        ("run demo.sb -n 2 --emit", "--emit: --on flux or --on pbs or --on slurm says for which batch system"),
        ("run demo.sb -n 2 --nodes 2", "--nodes 2: only applies to a script (--emit); an allocation has its own"),
        ("run demo.sb -n 2 --on slurm --emit --walltime 60", "--walltime: '60' must be a time with its unit"),
        ("run demo.sb --on slurm --emit", "-n is missing"),
        ("run demo.sb -n 2 --requeue", "--requeue: only applies to a script (--emit); an allocation has its own"),
        (
            "run demo.sb -n 2 --on pbs --emit --requeue",
            "--requeue: --on pbs: scripts that continue their run are written for --on slurm only",
        ),
        ("run demo.sb --continue there.jsonl", "leave it out"),
        ("run --continue gone.jsonl", "--continue: gone.jsonl is not a file"),
        ("run --continue there.jsonl", "--continue: there.jsonl:1: not a run file"),
    ],
)
def test_a_mistake_gives_one_message_and_status_2(
    folder: Path, monkeypatch: pytest.MonkeyPatch, words: str, message: str
) -> None:
    monkeypatch.chdir(folder)
    for name, value in environment().items():
        monkeypatch.setenv(name, value)

    ended = invoke(words)

    assert ended.exit_code == 2
    assert message in " ".join(ended.stderr.split())


def test_help_teaches_by_example(folder: Path) -> None:
    text = stressbench(folder, "run", "--help").stdout

    assert "stressbench run demo.sb -n 8\n" in text
    assert "[-- MPIRUN OPTIONS]" in text


@needs_openmpi
def test_a_wrong_workload_is_refused_in_the_engine_s_words_before_a_rank_starts(folder: Path) -> None:
    ended = stressbench(folder, "run", "bad.sb", "-n", "2")

    assert ended.returncode == 2
    assert ended.stderr == "bad.sb:1:1: unknown motif 'AlReduce'; did you mean AllReduce?\n"
    assert ended.stdout == ""


@pytest.mark.parametrize(("system", "starts"), [("slurm", "SLURM_PMIX_FENCE=tree srun"), ("flux", "flux run")])
def test_a_script_for_a_batch_system_starts_the_engine_and_nothing_is_started(
    folder: Path, system: str, starts: str
) -> None:
    words = ("--emit", "--nodes", "2", "--walltime", "1h", "--partition", "debug", "-o", "r.jsonl")

    ended = stressbench(folder, "run", "demo.sb", "-n", "4", "--on", system, *words)

    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines()[-1].startswith(f"{starts} --ntasks=4 --nodes=2 ")
    assert ended.stdout.endswith(f"{FAKE_ENGINE} run demo.sb --quiet --output r.jsonl --time-limit 3480s\n")
    assert "=demo\n" in ended.stdout
    assert not (folder / "r.jsonl").exists()


def test_a_script_that_may_be_requeued_continues_the_run_with_what_its_file_does_not_hold(folder: Path) -> None:
    words = ("--emit", "--requeue", "--walltime", "1h", "--isolated", "5", "--telemetry", "off", "-o", "r.jsonl")

    ended = stressbench(folder, "run", "demo.sb", "-n", "4", "--on", "slurm", *words)

    assert ended.returncode == 0, ended.stderr
    _, continuing, _, first, *_ = ended.stdout.partition("-e r.jsonl")[2].splitlines()
    limits = "--time-limit 3480s --telemetry off"
    assert continuing.endswith(f"{FAKE_ENGINE} run --quiet --continue r.jsonl {limits}")
    assert first.endswith(f"{FAKE_ENGINE} run demo.sb --quiet --output r.jsonl --isolated 5 {limits}")


@needs_openmpi
def test_what_stands_behind_the_dashes_goes_to_mpirun(folder: Path) -> None:
    ended = stressbench(
        folder, "run", "demo.sb", "-n", "2", "--dry-run", "-o", "r.jsonl", "--mpirun-args", "-v", "--", "-x", "A B"
    )

    assert ended.returncode == 0
    assert f"-v -x 'A B' {FAKE_ENGINE} run demo.sb --quiet --output r.jsonl\n" in ended.stdout
    assert not (folder / "r.jsonl").exists()


@needs_openmpi
@pytest.mark.parametrize(
    ("words", "checked"),
    [
        (("-n", "8"), ["--ranks", "8"]),
        (("-n", "8", "--ranks-per-node", "2", "--", "--hostfile", "h"), ["--ranks", "8", "--ranks-per-node", "2"]),
        (("-n", "8", "--", "--hostfile", "h"), []),
    ],
)
def test_the_check_is_told_about_nodes_only_where_they_are_known(
    folder: Path, words: tuple[str, ...], checked: list[str]
) -> None:
    note = folder / "checked.json"

    stressbench(folder, "run", "demo.sb", "--dry-run", *words, FAKE_CHECK_NOTE=str(note))

    assert json.loads(note.read_text()) == ["demo.sb", *checked]


@pytest.mark.mpi
@pytest.mark.parametrize("mpirun", LIBRARIES)
def test_a_run_ends_with_its_table_and_the_next_command(folder: Path, mpirun: str) -> None:
    if shutil.which(mpirun) is None:
        pytest.skip(f"{mpirun} is not installed")

    ended = stressbench(
        folder,
        *["run", "demo.sb", "-n", "2", "-o", "r.jsonl", "--isolated", "3", "--seed", "7"],
        FAKE_LIBRARY=LIBRARIES[mpirun],
        FAKE_RUN="complete.jsonl.made",
    )

    assert ended.returncode == 0, ended.stderr
    words = next(json.loads(line) for line in ended.stdout.splitlines() if line.startswith("["))
    *words, option, run_id = words
    assert words == ["demo.sb", "--quiet", "--output", "r.jsonl", "--isolated", "3", "--seed", "7"]
    assert option == "--run-id"
    assert run_id
    assert "Incast" in ended.stdout
    assert "next: stressbench report r.jsonl -o r.html" in ended.stderr


@pytest.mark.mpi
@needs_openmpi
def test_the_default_name_has_the_workload_and_the_time(folder: Path) -> None:
    ended = stressbench(folder, "run", "demo.sb", "-n", "1", FAKE_RUN="complete.jsonl.made")

    assert ended.returncode == 0
    assert [path.name[:7] for path in folder.glob("demo-2*Z.jsonl")] == ["demo-20"]


@pytest.mark.mpi
@needs_openmpi
@pytest.mark.parametrize(("what", "status"), [("mistake", 2), ("fault", 3)])
def test_the_engine_s_own_status_is_passed_on(folder: Path, what: str, status: int) -> None:
    assert stressbench(folder, "run", "demo.sb", "-n", "2", FAKE_ENGINE=what).returncode == status


def test_a_killed_rank_is_named_with_its_job_and_what_is_left(folder: Path) -> None:
    put_mpirun_with_a_killed_rank(folder / "bin")
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"

    ended = stressbench(
        folder, *["run", "demo.sb", "-n", "4", "-o", "r.jsonl"], FAKE_RUN="partial.jsonl.made", PATH=path
    )

    assert ended.returncode == 3
    assert "rank 1 on host a1, job CG was ended by SIGKILL" in ended.stderr
    assert "6 rounds are complete in r.jsonl; `stressbench run --continue r.jsonl` continues" in ended.stderr
    (recorded,) = read_run(folder / "r.jsonl").launches[-1].faults
    assert (recorded.rank, recorded.host, recorded.job, recorded.cause) == (1, "a1", 0, "ended by SIGKILL")
    shown = stressbench(folder, "show", "r.jsonl")
    assert "the run ended with a fault: rank 1 on host a1, job CG: ended by SIGKILL" in shown.stdout


@pytest.mark.mpi
@needs_openmpi
def test_an_interrupted_run_is_status_130_and_shows_what_it_has(folder: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "stressbench", *["run", "demo.sb", "-n", "2", "-o", "r.jsonl"]],
        cwd=folder,
        env=environment(FAKE_ENGINE="wait", FAKE_RUN="partial.jsonl.made"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    ready = 0
    for line in process.stdout:
        ready += "ready in process" in line
        if ready == 2:
            break

    process.send_signal(signal.SIGTERM)

    output, errors = process.communicate(timeout=300)
    assert process.returncode == 130
    assert "SIGTERM: the engine finishes the current round" in errors
    assert "CG" in output
