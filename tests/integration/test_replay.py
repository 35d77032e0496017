"""What was captured is what is replayed: capture, replay under the tracer, capture again, compare; under both MPIs."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

RANKS = 3  # MPICH spins while it waits
PATTERNS = [
    "cg", "sweep", "neighbours", "persistent", "ring", "collectives", "derived", "communicators", "any_source",
    "probes", "large", "graphs", "planes", "windows", "epochs", "files",
]  # fmt: skip


@pytest.fixture
def traced(any_engine, tmp_path) -> Callable[..., Path]:
    """Captures a launch, which must end well; gives the file."""

    def run(name: str, *program: str | Path, **environment: str) -> Path:
        trace = tmp_path / name
        done = any_engine.traced(*program, ranks=RANKS, trace=trace, **environment)
        assert done.status == 0, done.text
        return trace

    return run


@pytest.fixture
def replayed(traced, any_engine, tmp_path) -> Callable[[Path], Path]:
    """Captures one replay of a trace, without what the engine does around it."""

    def run(trace: Path) -> Path:
        scratch = tmp_path / "scratch"
        scratch.mkdir()
        return traced(
            "replayed.trace", any_engine.program, "motif", "replay", "-f", trace, "--files", scratch,
            "--compute", "off", "--repetitions", "1", "--warmup", "0", "--pcontrol", STRESSBENCH_TRACE_PAUSED="1",
        )  # fmt: skip

    return run


@pytest.mark.parametrize("name", PATTERNS)
def test_a_replay_makes_the_calls_that_were_captured(traced, replayed, patterns, stressbench, name):
    captured = traced("captured.trace", patterns, name, "6")
    outcome = stressbench("trace", "diff", captured, replayed(captured))
    assert outcome.status == 0, outcome.text
    assert f"the same: {RANKS} sequences" in outcome.output


def test_communicators_from_before_the_captured_part_are_there(traced, replayed, patterns, stressbench):
    captured = traced("captured.trace", patterns, "parts", "6", STRESSBENCH_TRACE_PAUSED="1")
    outcome = stressbench("trace", "diff", captured, replayed(captured))
    assert outcome.status == 0, outcome.text


def calls_of(trace: Path) -> list[dict[str, Any]]:
    """The distinct calls of all ranks."""
    ranks = [line for line in map(json.loads, trace.read_text().splitlines()) if line["type"] == "rank"]
    return [call for rank in ranks for call in rank["calls"]]


def test_what_one_sided_calls_need_is_known(traced, patterns):
    calls = calls_of(traced("windows.trace", patterns, "windows", "6"))
    assert {(call["size"], call["unit"]) for call in calls if call["op"] == "Win_allocate"} == {(512, 8)}
    assert {call["displacement"] for call in calls if "displacement" in call} == {0, 16, 32, 33}
    fences = [call.get("assertion") for call in calls if call["op"] == "Win_fence"]
    assert fences == [["NOPRECEDE"], ["NOSTORE"], None] * RANKS
    calls = calls_of(traced("epochs.trace", patterns, "epochs", "6"))
    assert [call["lock"] for call in calls if call["op"] == "Win_lock"] == ["exclusive"] * RANKS
    starts = [call["destinations"] for call in calls if call["op"] == "Win_start"]
    assert starts == [[(rank + 1) % RANKS] for rank in range(RANKS)]


def test_places_in_a_window_that_are_too_many_are_left_out(traced, replayed, patterns, stressbench):
    captured = traced("captured.trace", patterns, "scattered", "200")
    puts = [call for call in calls_of(captured) if call["op"] == "Put"]
    assert {call.get("displacement") for call in puts} == {None, *range(64)}
    assert sum(call["n"] for call in puts) == 200 * RANKS
    outcome = stressbench("trace", "diff", captured, replayed(captured))
    assert outcome.status == 0, outcome.text


def test_what_is_computed_at_the_end_of_a_part_is_known(traced, patterns):
    captured = traced("captured.trace", patterns, "parts", "6", STRESSBENCH_TRACE_PAUSED="1")
    for line in map(json.loads, captured.read_text().splitlines()):
        if line["type"] != "rank":
            continue
        # It spins for 4 ms at the end of the first part, for 3 ms at the end of the second.
        assert max(longest for _, _, _, _, _, longest, _, _ in line["gaps"]) >= 4e-3
        assert line["tail_s"] >= 3e-3


def test_a_difference_is_found(traced, patterns, stressbench):
    outcome = stressbench(
        "trace", "diff", traced("a.trace", patterns, "cg", "6"), traced("b.trace", patterns, "cg", "7")
    )
    assert outcome.status == 1
    assert "sequences differ" in outcome.output


def test_another_number_of_ranks_is_refused(traced, patterns, any_engine):
    captured = traced("captured.trace", patterns, "cg", "6")
    outcome = any_engine.run("motif", "replay", "-f", captured, ranks=2)
    assert outcome.status == 2
    assert f"captured on {RANKS} ranks" in outcome.text


@pytest.fixture
def looking_at(any_engine, patterns, tmp_path) -> Callable[..., Any]:
    """A command of `stressbench` that looks at a pattern, as a user has it."""

    def run(command: Sequence[str | Path], *pattern: str) -> Any:
        launch = any_engine.launch(patterns, *pattern, ranks=RANKS)
        return any_engine.stressbench(*command, "--", *launch, cwd=tmp_path)

    return run


def test_profile_shows_what_a_program_spends_its_time_on(looking_at):
    done = looking_at(["profile"], "cg", "50")
    assert done.status == 0, done.text
    assert "loop " in done.output  # the program's own output
    for word in ("Allreduce", "Waitall", "% p2p", "collective", "cg"):
        assert word in done.output


def test_profile_as_json_adds_up(looking_at, tmp_path):
    output = tmp_path / "profile.json"
    done = looking_at(["profile", "-o", output], "ring", "50")
    assert done.status == 0, done.text
    text = output.read_text()
    assert '"Sendrecv"' in text
    assert json.loads(text)


def test_a_program_s_exit_status_passes_through(looking_at):
    assert looking_at(["profile"], "nothing").status == 2


def test_what_a_killed_program_had_is_kept(looking_at, tmp_path, monkeypatch):
    monkeypatch.setenv("STRESSBENCH_TRACE_POOL", str(tmp_path))
    output = tmp_path / "killed.trace"
    done = looking_at(["capture", "-o", output], "killed", "100")
    assert done.status != 0
    assert output.exists(), done.text
    lines = [json.loads(line) for line in output.read_text().splitlines()]
    assert sum(line["type"] == "rank" for line in lines) == RANKS
    assert not lines[-1]["complete"]
    assert not list(tmp_path.glob("*.pool")), "a pool was left behind"


def test_a_recorded_program_runs_beside_another(looking_at, any_engine, tmp_path):
    done = looking_at(["record", "-o", "app.sb"], "cg", "20")
    assert done.status == 0, done.text
    workload = tmp_path / "app.sb"
    workload.write_text(workload.read_text() + "\n[JOB_NAME] other\n[NODES] 1\n[MOTIF] Compute -m 1ms\n")
    outcome = any_engine.run(
        "run", workload, "--set", f"nodes={RANKS}", "--ranks-per-node", "1",
        "--isolated", "1", "--contended", "1", "--repetitions", "2",
        "--output", "run.jsonl", ranks=RANKS + 1, cwd=tmp_path,
    )  # fmt: skip
    assert outcome.status == 0, outcome.text
    records = [json.loads(line) for line in (tmp_path / "run.jsonl").read_text().splitlines()]
    assert records[-1]["complete"]
