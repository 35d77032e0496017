"""`stressbench validate` on two hosts of a lab: calls and hosts of both sides, whatever time they take."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from support.example_files import TWO_HOSTS
from support.lab_bench import Bench
from support.programs import Outcome

from stressbench.formats.trace import read_trace

SCHEMA = json.loads((Path(__file__).parents[2] / "schema" / "validate.schema.json").read_text(encoding="utf-8"))
ITERATIONS = 20
TEALEAF = ("tealeaf", "-x", "64", "-y", "48")


@pytest.fixture(scope="module")
def pair(lab_up) -> Bench:
    return lab_up("validated", TWO_HOSTS)


@pytest.fixture
def program(pair) -> list[str]:
    """An application whose loop is that of TeaLeaf, between other calls: the engine's own."""
    once = ("-i", str(ITERATIONS), "--repetitions", "1", "--warmup", "0")
    return [str(pair.program), "motif", *TEALEAF, "--scale", "0.001", *once]


def validate(pair: Bench, *words: str, program: Sequence[str], status: int = 0) -> Outcome:
    """A validation with two ranks on each host, which must end with `status`."""
    settings = ("--on", f"lab:{pair.name}", "-n", "4", "--launches", "2")
    ended = pair.stressbench("validate", *settings, *words, "--", *program, timeout_s=600)
    assert ended.status == status, ended.text
    return ended


def found_by(ended: Outcome) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(ended.output)
    Draft202012Validator(SCHEMA).validate(found)
    return found


def test_both_sides_make_the_same_calls_on_the_same_hosts(pair, program) -> None:
    found = found_by(validate(pair, "--json", "-o", "kept", *TEALEAF, program=program))

    assert (found["verdict"], found["ranks"], found["hosts"]) == ("same calls", 4, 2)
    assert (found["found"], found["measured"], len(found["blocks"])) == (ITERATIONS, ITERATIONS - 1, 2)
    assert all(one["program"] == one["workload"] for one in found["operations"])
    for name in ("program", "iterations-01", "workload", "workload-01"):
        trace = read_trace(pair.folder / "kept" / f"{name}.trace")
        assert [rank.node for rank in trace.ranks()] == [0, 0, 2, 2], name


def test_a_program_is_compared_with_a_replay_of_its_own_loop(pair, program) -> None:
    found = found_by(validate(pair, "--json", program=program))

    assert (found["verdict"], found["workload"], found["hosts"]) == ("same calls", ["replay"], 2)
    assert found["found"] == ITERATIONS
    assert all(one["program"] == one["workload"] for one in found["operations"])


def test_other_calls_are_named_on_the_ranks_of_both_hosts(pair, program) -> None:
    other = ("tealeaf", "-x", "64", "-y", "50", "--solver", "jacobi")

    found = found_by(validate(pair, "--json", *other, program=program, status=1))

    assert (found["verdict"], found["blocks"]) == ("different calls", [])
    assert [one["rank"] for one in found["differences"]] == [0, 1, 2, 3]


def test_the_emitted_workload_runs_on_both_hosts(pair, program) -> None:
    validate(pair, "--emit", "emitted.sb", *TEALEAF, program=program)

    assert "[NODES] 2\n" in (pair.folder / "emitted.sb").read_text()
    rounds = ("--isolated", "1", "--contended", "1")
    ended = pair.stressbench("run", "emitted.sb", "--on", f"lab:{pair.name}", "-n", "4", *rounds)
    assert ended.status == 0, ended.text


def test_a_workload_of_one_host_is_not_compared_with_a_program_of_two(pair, program) -> None:
    (pair.folder / "half.sb").write_text(f"[JOB_NAME] half\n[NODES] 1\n[MOTIF] {' '.join(TEALEAF)}\n")

    ended = validate(pair, "half.sb", program=program, status=3)

    assert "half: its job has 2 of the 4 ranks; [NODES] 2 without [RANKS_PER_NODE] takes all of them" in ended.errors


def test_a_workload_that_does_not_fit_the_lab_is_refused_before_anything_starts(pair, program) -> None:
    (pair.folder / "wide.sb").write_text(f"[JOB_NAME] wide\n[NODES] 3\n[MOTIF] {' '.join(TEALEAF)}\n")

    ended = validate(pair, "wide.sb", program=program, status=2)

    assert "wide.sb:2:" in ended.errors
    assert "capturing" not in ended.text


def test_a_rank_that_dies_is_named_with_its_host_and_leaves_nothing_there(pair) -> None:
    patterns = pair.program.parent.parent / "tests" / "tracer" / "patterns"

    ended = validate(pair, *TEALEAF, program=[str(patterns), "killed", "5"], status=3)

    assert "rank 3 of patterns on host h1 was ended by SIGABRT" in ended.errors
    left = [pair.lab("exec", "--lab", pair.name, host, "--", "ls", "/dev/shm") for host in ("h0", "h1")]
    assert not any("stressbench-trace" in names for names in left)
