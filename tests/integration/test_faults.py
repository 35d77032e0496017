"""What is left of a run when something goes wrong in the middle: its finished rounds, a message, a status."""

import fcntl
import json
import os
import signal
from pathlib import Path

import pytest
from support.programs import own_copy, ranks_of

# At least 20 ms a round, since sleeps last no shorter: there are 3.5 s between the third round and the last, and a test
# that sees the third needs a moment of them to send its signal.
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
ENDLESS = ("--ranks-per-node", "1", "--isolated", "10000", "--contended", "10000")
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
        os.kill(ranks_of(mine.program)[-1], signal.SIGKILL)
        output, errors = process.communicate(timeout=120)

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
    with any_engine.started("run", workload, *PLAN, "--output", run, ranks=RANKS) as process:
        wait_for(lambda: len(rounds(run)) >= 3, "three rounds")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=120)

    (end,) = ends(run)
    assert end["reason"] == "interrupted"
    assert not end["complete"]
    stopped_after = rounds(run)
    assert len(stopped_after) < ROUNDS

    outcome = any_engine.run("run", "--continue", run, ranks=RANKS)

    assert outcome.status == 0, outcome.text
    assert rounds(run) == list(range(1, ROUNDS + 1))
    assert [end["complete"] for end in ends(run)] == [False, True]
    first, second = (record for record in records(run) if record["type"] == "header")
    assert [first["launch"], second["launch"]] == [0, 1]
    assert first["run_id"] == second["run_id"]
    assert stressbench("show", run).status == 0


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
    with mine.started("run", workload, *PLAN, "--output", run, ranks=RANKS) as process:
        wait_for(lambda: len(rounds(run)) >= 2, "two rounds")
        for rank in ranks_of(mine.program):
            os.kill(rank, signal.SIGKILL)
        process.communicate(timeout=300)
    wait_for(lambda: not ranks_of(mine.program), "all ranks are gone")
    # What a kill in the middle of a line leaves behind.
    with run.open("a") as file:
        file.write('{"type": "sample", "round": 99, "jo')

    outcome = engine.run("run", "--continue", run, ranks=RANKS)

    assert outcome.status == 0, outcome.text
    lines = [line for line in run.read_text().split("\n") if not line.startswith('{"type": "sample", "round": 99')]
    done = [json.loads(line)["round"] for line in lines if line.startswith("{") and json.loads(line)["type"] == "round"]
    assert done == list(range(1, ROUNDS + 1))


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
