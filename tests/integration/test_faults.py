"""What is left of a run when something goes wrong in the middle: its finished rounds, a message, a status."""

import fcntl
import json
import signal
from collections.abc import Callable
from pathlib import Path
from subprocess import Popen

import pytest
from support.programs import LIMIT_S, own_copy, ranks_of, send

WORKLOAD = """\
[JOB_NAME] left
[NID_LIST] 0
[REPEAT] 20
[MOTIF] Compute -m 1ms --mode sleep
[MOTIF] AllReduce
[JOB_NAME] right
[NID_LIST] 1
[REPEAT] 20
[MOTIF] Compute -m 1ms --mode sleep
"""
RANKS = 2
ROUNDS = 180
ENDLESS = ("--ranks-per-node", "1", "--isolated", "10000", "--contended", "10000")  # for tests that end the run
PLAN = ("--ranks-per-node", "1", "--isolated", "60", "--contended", "60")  # 60 blocks of three rounds


@pytest.fixture
def workload(tmp_path: Path) -> Path:
    file = tmp_path / "workload.sb"
    file.write_text(WORKLOAD)
    return file


def records(run: Path) -> list[dict]:
    """Whole lines only, as docs/records.md has it."""
    text = run.read_text() if run.exists() else ""
    return [json.loads(line) for line in text.split("\n")[:-1]]


def rounds(run: Path) -> list[int]:
    return [record["round"] for record in records(run) if record["type"] == "round"]


def ends(run: Path) -> list[dict]:
    return [record for record in records(run) if record["type"] == "end"]


def test_a_killed_rank_leaves_the_rounds_before_it(any_engine, stressbench, workload, tmp_path, wait_for):
    run = tmp_path / "run.jsonl"
    mine = own_copy(any_engine, tmp_path)

    with mine.started("run", workload, *ENDLESS, "--output", run, ranks=RANKS) as process:
        wait_for(lambda: len(rounds(run)) >= 3, "three rounds")
        send(signal.SIGKILL, ranks_of(mine.program)[-1:])
        output, errors = process.communicate(timeout=LIMIT_S)

    done = rounds(run)
    assert process.returncode != 0
    assert "kill" in (output + errors).lower()
    assert done == list(range(1, len(done) + 1))
    assert len(done) >= 3
    assert not ends(run)

    shown = stressbench("show", run)
    assert shown.status == 0, shown.text
    assert "left" in shown.output
    assert "incomplete" in shown.text.lower() or "not complete" in shown.text.lower()


def test_an_interrupted_run_ends_properly_and_can_be_continued(any_engine, stressbench, workload, tmp_path, wait_for):
    run = tmp_path / "run.jsonl"
    with any_engine.started("run", workload, *ENDLESS, "--output", run, ranks=RANKS) as process:
        interrupt_after_three(process, run, wait_for)

    (end,) = ends(run)
    assert (end["reason"], end["complete"]) == ("interrupted", False)
    before = rounds(run)

    with any_engine.started("run", "--continue", run, ranks=RANKS) as process:
        interrupt_after_three(process, run, wait_for, before=len(before))

    done = rounds(run)
    assert done == list(range(1, len(done) + 1))
    assert len(done) >= len(before) + 3
    assert [end["rounds"] for end in ends(run)] == [len(before), len(done)]
    first, second = (record for record in records(run) if record["type"] == "header")
    assert [first["launch"], second["launch"]] == [0, 1]
    assert first["run_id"] == second["run_id"]
    assert stressbench("show", run).status == 0


def interrupt_after_three(process: Popen[str], run: Path, wait_for: Callable[..., None], *, before: int = 0) -> None:
    """Interrupt the launch when it has three rounds, with the signal that launchers hand on to ranks.

    After SIGINT, Open MPI kills its ranks when a second has passed.
    """
    wait_for(lambda: len(rounds(run)) >= before + 3, "three rounds")
    process.send_signal(signal.SIGUSR1)
    process.communicate(timeout=LIMIT_S)


@pytest.mark.parametrize("option", ["--continue", "--output"])
def test_a_file_that_another_launch_writes_to_is_refused_and_stays_as_it_is(engine, workload, tmp_path, option):
    run = tmp_path / "run.jsonl"
    short = (workload, "--output", run, "--ranks-per-node", "1", "--isolated", "1", "--contended", "1")
    assert engine.run("run", *short, ranks=RANKS).status == 0
    before = run.read_bytes()

    with run.open("ab") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        words = ("--continue", run) if option == "--continue" else (*short, "--overwrite")
        outcome = engine.run("run", *words, ranks=RANKS)

    assert outcome.status == 2
    assert f"{option}: '{run}' is being written by another launch" in outcome.errors
    assert run.read_bytes() == before


def test_a_killed_run_can_be_continued(engine, workload, tmp_path, wait_for):
    run = tmp_path / "run.jsonl"
    mine = own_copy(engine, tmp_path)
    with mine.started("run", workload, *ENDLESS, "--output", run, ranks=RANKS) as process:
        wait_for(lambda: len(rounds(run)) >= 2, "two rounds")
        send(signal.SIGKILL, ranks_of(mine.program))
        process.communicate(timeout=LIMIT_S)
    wait_for(lambda: not ranks_of(mine.program), "all ranks are gone")
    before = rounds(run)
    # What a kill in the middle of a line leaves behind.
    with run.open("a") as file:
        file.write('{"type": "sample", "round": 99, "jo')

    with engine.started("run", "--continue", run, ranks=RANKS) as process:
        interrupt_after_three(process, run, wait_for, before=len(before))

    done = rounds(run)
    assert done == list(range(1, len(done) + 1))
    assert len(done) >= len(before) + 3


def test_a_time_limit_ends_the_run_whole(engine, workload, tmp_path):
    run = tmp_path / "run.jsonl"
    outcome = engine.run(
        "run", workload, "--ranks-per-node", "1", "--isolated", "10000", "--contended", "10000", "--time-limit", "2s",
        "--output", run, ranks=RANKS,
    )  # fmt: skip
    assert outcome.status == 0, outcome.text
    (end,) = ends(run)
    assert end["reason"] == "time_limit"
    assert end["rounds"] == len(rounds(run)) > 0


def test_a_full_disk_leaves_the_rounds_that_fitted(any_engine, stressbench, workload, small_disk):
    run = small_disk / "run.jsonl"
    outcome = any_engine.run("run", workload, *PLAN, "--output", run, ranks=RANKS)
    left_behind(outcome, run, stressbench)


def test_a_disk_that_is_full_from_the_start_is_named(engine, workload):
    outcome = engine.run("run", workload, *PLAN, "--output", "/dev/full", "--overwrite", ranks=RANKS)
    assert outcome.status == 3, outcome.text
    assert "/dev/full" in outcome.errors
    assert "No space left" in outcome.errors


def left_behind(outcome, run: Path, stressbench) -> None:
    assert outcome.status == 3, outcome.text
    assert "run.jsonl" in outcome.errors
    done = rounds(run)
    assert done == list(range(1, len(done) + 1))
    assert 0 < len(done) < ROUNDS
    shown = stressbench("show", run)
    assert shown.status == 0, shown.text
    assert "left" in shown.output
