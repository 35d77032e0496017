"""`--on slurm` under a real Slurm, whose nodes are the hosts of a lab."""

import json
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from support.lab_bench import descendants_marked, job
from support.programs import CHECKOUT, ENGINES, LIMIT_S, Started, require, send, wait_for_rounds
from support.slurm_lab import PLACES, Slurm, start_slurm

from stressbench.formats.ranges import parse_ranges
from stressbench.formats.run import read_run

HOSTS = ("h0", "h1", "h2", "h3")
NIGHTLY = CHECKOUT / "packaging" / "nightly"
PAIRS = job("one", "0,1", "bandwidth -s 64KiB -w 4") + job("two", "2,3", "bandwidth -s 64KiB -w 4")
BRIEF = ("--isolated", "1", "--contended", "1", "--repetitions", "2")
LONG = ("--isolated", "10000", "--contended", "10000", "--repetitions", "3")


@pytest.fixture(scope="module")
def slurm(lab_up) -> Slurm:
    found = start_slurm(lab_up("tiny"), HOSTS)
    (found.lab.folder / "w.sb").write_text(PAIRS, encoding="utf-8")
    return found


def hosts_of(run_file: Path) -> list[str]:
    return [node.host for node in read_run(run_file).header.nodes]


def test_srun_starts_each_rank_on_its_host_under_both_mpis(slurm, any_engine) -> None:
    target = slurm.lab.folder / f"{any_engine.library.replace(' ', '')}.jsonl"

    words = ("run", "w.sb", "--on", "slurm", "-o", target, "--engine", any_engine.program, *BRIEF)
    ended = slurm.on("h0", *slurm.allocate("-N4", "-n4"), *words)

    assert ended.status == 0, ended.text
    assert hosts_of(target) == list(HOSTS)
    assert read_run(target).complete


def test_ranks_spread_over_an_allocation_and_consecutive_ones_share_a_node(slurm) -> None:
    target = slurm.lab.folder / "spread.jsonl"
    (slurm.lab.folder / "two.sb").write_text(job("pair", "0,1", "pingpong -s 8"), encoding="utf-8")

    words = ("run", "two.sb", "--on", "slurm", "-n", "4", "-o", target, "--engine", mpich(), *BRIEF)
    ended = slurm.on("h0", *slurm.allocate("-N2"), *words)

    assert ended.status == 0, ended.text
    assert [parse_ranges(node.ranks) for node in read_run(target).header.nodes] == [(0, 1), (2, 3)]


def test_a_script_that_was_emitted_runs_as_a_job(slurm) -> None:
    folder, target = slurm.lab.folder, slurm.lab.folder / "batch.jsonl"
    asks = ("--emit", "--nodes", "4", "--walltime", "5min", "--queue", "all", "-o", target)

    words = ("run", "w.sb", "--on", "slurm", "-n", "4", *asks, *BRIEF)
    written = slurm.on("h0", sys.executable, "-m", "stressbench", *words)
    assert written.status == 0, written.text
    (folder / "job.sh").write_text(written.output, encoding="utf-8")
    ended = slurm.on("h1", "sbatch", "--wait", "--output", "job.out", "job.sh")

    assert ended.status == 0, (folder / "job.out").read_text()
    assert hosts_of(target) == list(HOSTS)
    assert read_run(target).complete


def test_a_night_of_a_regression_test_runs_as_a_job(slurm) -> None:
    """packaging/nightly: the status of the night is that of the job."""
    folder = slurm.lab.folder
    program = folder / "bin" / "stressbench"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m stressbench "$@"\n')
    program.chmod(0o755)
    measured = ("--on", "slurm", "--quick", "--only", "bandwidth")
    baseline = slurm.on("h0", *slurm.allocate("-N4", "-n4"), "machine", "run", *measured, "-o", "baseline")
    assert baseline.status == 0, baseline.text

    path = f"PATH={program.parent}:{NIGHTLY}:{PLACES}"
    script = NIGHTLY / "stressbench-nightly-slurm.sh"
    jobs = {
        "night": ("--baseline", "baseline", "--archive", "nights", "--within", "50%", "--", *measured),
        "refused": ("--fast",),
    }
    ended = {
        name: slurm.on("h1", "env", path, "sbatch", "--wait", "-N4", "-n4", "--output", f"{name}.out", script, *words)
        for name, words in jobs.items()
    }

    said = {name: (folder / f"{name}.out").read_text() for name in jobs}
    assert {name: one.status for name, one in ended.items()} == {"night": 0, "refused": 2}, said
    assert "no figure is worse: nights/" in said["night"]
    assert "'--fast': expected --baseline" in said["refused"]


def test_a_validation_starts_both_sides_with_srun(slurm) -> None:
    tealeaf = ("tealeaf", "-x", "64", "-y", "48")
    once = ("-i", "20", "--repetitions", "1", "--warmup", "0")
    program = (slurm.lab.program, "motif", *tealeaf, "--scale", "0.001", *once)

    words = ("validate", "--on", "slurm", "--launches", "2", "--json", *tealeaf, "--", *program)
    ended = slurm.on("h0", *slurm.allocate("-N2", "-n2"), *words)

    assert ended.status == 0, ended.text
    found = json.loads(ended.output)
    assert (found["verdict"], found["ranks"], found["hosts"], found["found"]) == ("same calls", 2, 2, 20)


def test_programs_of_a_corun_get_nodes_of_their_own(slurm) -> None:
    """Each execution says on which hosts it ran."""
    brief = ("--blocks", "1", "--executions", "1", "--min-overlap", "1%", "--json")
    program = ("sh", "-c", 'hostname >>"$0"; sleep 1')

    words = ("corun", "--on", "slurm", "-n", "2", *brief, "--", *program, "first", "++", *program, "second")
    ended = slurm.on("h0", *slurm.allocate("-N4", "-n4"), *words)

    assert ended.status == 0, ended.text
    assert json.loads(ended.output)["complete"]
    hosts = [set((slurm.lab.folder / name).read_text().split()) for name in ("first", "second")]
    assert hosts == [{"h0", "h1"}, {"h2", "h3"}]


def test_outside_of_an_allocation_one_message_says_what_to_do(slurm) -> None:
    ended = slurm.on("h0", sys.executable, "-m", "stressbench", "run", "w.sb", "--on", "slurm", "-n", "4")

    assert ended.status == 2
    assert "`salloc -N 4` gives one, and --emit writes a script for sbatch" in ended.errors


def test_a_rank_that_is_killed_ends_the_run_and_is_named(slurm) -> None:
    target = slurm.lab.folder / "killed.jsonl"

    with running(slurm, target) as run:
        wait_for_rounds(target)
        send(signal.SIGKILL, [slurm.ranks()["1"]])
        errors = run.communicate(timeout=LIMIT_S)[1]

    assert run.returncode == 3
    assert "rank 1 on host h1, job one" in errors
    assert "was ended by SIGKILL" in errors


@pytest.mark.parametrize("requests", [(signal.SIGTERM,), (signal.SIGINT, signal.SIGTERM)])
def test_a_run_that_is_stopped_leaves_no_rank(slurm, wait_for, requests) -> None:
    """srun hands SIGUSR1 to every rank, and ends them all on SIGTERM."""
    target = slurm.lab.folder / f"stopped{len(requests)}.jsonl"

    with running(slurm, target) as run:
        wait_for_rounds(target)
        if len(requests) > 1:
            send(signal.SIGSTOP, slurm.ranks().values())  # they do not end at the first request
        heard = ""
        for request in requests:
            os.kill(launcher_of(target), request)
            while "the engine finishes the current round" not in heard:
                heard += run.stderr.readline()
        errors = heard + run.communicate(timeout=LIMIT_S)[1]

    assert run.returncode == 130, errors
    assert f"{requests[0].name}: the engine finishes the current round" in errors
    wait_for(lambda: not slurm.ranks(), "no rank is left")
    assert read_run(target).rounds


def test_slurm_is_gone_with_the_lab(slurm, wait_for) -> None:
    """The last of this file: the others share the lab."""
    folder = slurm.lab.folder / "labs"
    names = set()
    for pid in descendants_marked(folder):
        with suppress(OSError):
            names.add(Path(f"/proc/{pid}/comm").read_text().strip())

    slurm.lab.lab("down", "tiny")

    assert names >= {"munged", "slurmctld", "slurmd"}
    wait_for(lambda: not descendants_marked(folder), "no process is left")


def mpich() -> Path:
    """The engine of the shorter tests."""
    return require(ENGINES[1]).program


def running(slurm: Slurm, target: Path) -> Started:
    """A long run in an allocation."""
    run = ("run", "w.sb", "--on", "slurm", "-o", target, "--engine", mpich(), *LONG)
    command = slurm.command("h0", *slurm.allocate("-N4", "-n4"), *run)
    return Started(command, cwd=slurm.lab.folder, environment=slurm.lab.environment)


def launcher_of(target: Path) -> int:
    """The `stressbench run` itself, which stands behind `lab exec` and salloc."""
    start = f"{sys.executable}\0-m\0stressbench\0run\0"
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_text(errors="replace")
        except OSError:
            continue
        if words.startswith(start) and str(target) in words.split("\0"):
            return int(process.name)
    raise AssertionError(f"nobody writes {target}")
