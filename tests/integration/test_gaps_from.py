"""--gaps-from: a motif computes as a captured program did, and makes the same calls as before."""

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

RANKS = 4
ITERATIONS = 4
TEALEAF = "tealeaf -x 300 -y 300 --solver-iterations 3"
MINIFE = "minife -x 12 -y 12 -z 12"  # makes the same calls each time: it tests for nothing


@pytest.fixture
def captured(engine, tmp_path) -> Callable[..., Path]:
    """Captures iterations of a motif, and nothing else."""

    def run(name: str, motif: str, *options: str | Path) -> Path:
        trace = tmp_path / name
        done = engine.traced(
            engine.program, "motif", *motif.split(), *options,
            "--repetitions", str(ITERATIONS), "--warmup", "0", "--pcontrol",
            ranks=RANKS, trace=trace, STRESSBENCH_TRACE_PAUSED="1",
        )  # fmt: skip
        assert done.status == 0, done.text
        return trace

    return run


@pytest.fixture
def announced(engine, tmp_path) -> Callable[..., float]:
    """The computation that `describe` announces for an iteration, in seconds a rank."""

    def run(motif: str, *options: str | Path) -> float:
        workload = tmp_path / "described.sb"
        workload.write_text(f"[JOB_NAME] a\n[NODES] 1\n[MOTIF] {motif} {' '.join(map(str, options))}\n")
        done = engine.run("describe", workload, "--nodes", "1", "--ranks-per-node", str(RANKS), "--json")
        assert done.status == 0, done.text
        return json.loads(done.output)["jobs"][0]["steps"][0]["traffic"]["compute_s"]

    return run


@pytest.fixture
def sequences(stressbench) -> Callable[[Path], dict[str, list[str]]]:
    """The calls of each rank. Tests are not among them; of two waits in a row, the first is left out, as it is where a
    test found its messages complete."""

    def run(trace: Path) -> dict[str, list[str]]:
        outcome = stressbench("trace", "export", "--profile", trace)
        assert outcome.status == 0, outcome.text
        by_rank = {rank: text.split() for rank, text in json.loads(outcome.output)["sequence_all_ranks"].items()}
        return {
            rank: [one for one, after in pairwise([*tokens, ""]) if not (one.startswith("Wa") and after == one)]
            for rank, tokens in by_rank.items()
        }

    return run


def ranks_of(trace: Path) -> list[dict[str, Any]]:
    return [line for line in map(json.loads, trace.read_text().splitlines()) if line["type"] == "rank"]


def mean_gaps(rank: dict[str, Any]) -> dict[tuple[str, str], float]:
    """Mean time before each call within an iteration, by the call before it and the call."""
    words = [
        json.dumps([call.get(key) for key in ("op", "peer", "tag", "bytes", "request", "requests")])
        for call in rank["calls"]
    ]
    first = next(after for before, after, *_ in rank["gaps"] if before == -1)
    return {(words[gap[0]], words[gap[1]]): gap[3] / gap[2] for gap in rank["gaps"] if gap[1] != first}


def test_a_motif_makes_the_calls_that_it_made(captured, sequences):
    first = captured("first.trace", TEALEAF)
    second = captured("second.trace", TEALEAF, "--gaps-from", first)
    assert sequences(first) == sequences(second)
    assert set(sequences(first)) == {str(rank) for rank in range(RANKS)}


def test_what_a_motif_announces_is_what_its_capture_holds(captured, announced):
    """All time of the capture outside MPI is computation of one of its iterations."""
    trace = captured("first.trace", MINIFE)
    seconds = [sum(gap[3] for gap in rank["gaps"]) + rank["tail_s"] for rank in ranks_of(trace)]
    expected = sum(seconds) / RANKS / ITERATIONS
    assert announced(MINIFE, "--gaps-from", trace) == pytest.approx(expected, rel=1e-6)
    assert announced(MINIFE, "--gaps-from", trace, "--scale", "0.5") == pytest.approx(expected / 2, rel=1e-6)


def test_a_second_capture_has_at_least_the_means_of_the_first(captured):
    """Computation lasts until its time is over. How much longer depends on the machine."""
    first = captured("first.trace", MINIFE)
    second = captured("second.trace", MINIFE, "--gaps-from", first, "--gaps", "mean")
    for one, other in zip(map(mean_gaps, ranks_of(first)), map(mean_gaps, ranks_of(second)), strict=True):
        assert one
        assert set(one) == set(other)
        assert [pair for pair in one if other[pair] < 0.999 * one[pair]] == []


def test_a_capture_of_another_motif_is_refused_before_anything_starts(captured, engine):
    trace = captured("first.trace", MINIFE)
    done = engine.run("motif", *TEALEAF.split(), "--gaps-from", trace, ranks=RANKS)
    assert done.status == 2
    words = f"--gaps-from: '{trace}', rank 0, call 1: the trace has Irecv, the motif calls Allreduce"
    assert words in done.errors


def test_the_parts_of_an_iteration_take_their_times_from_one_capture(captured, announced, engine, tmp_path):
    """TeaLeaf's iteration as a chain: what its parts compute is what the whole does."""
    trace = captured("first.trace", "tealeaf -x 300 -y 300")
    parts = [
        announced("compute", "--gaps-from", trace, "--call", "0"),
        announced("compute", "--gaps-from", trace, "--call", "1"),
        announced("halo2d -x 300 -y 300", "--gaps-from", trace, "--first-call", "2"),
    ]
    assert sum(parts) == pytest.approx(announced("tealeaf -x 300 -y 300", "--gaps-from", trace), rel=1e-6)
    workload = tmp_path / "chain.sb"
    workload.write_text(
        f"[JOB_NAME] a\n[NODES] 1\n[MOTIF] compute --gaps-from {trace}\n[MOTIF] allreduce\n"
        f"[MOTIF] compute --gaps-from {trace} --call 1\n[MOTIF] allreduce\n"
        f"[MOTIF] halo2d -x 300 -y 300 --gaps-from {trace} --first-call 2\n"
    )
    done = engine.run(
        "run", workload, "--ranks-per-node", str(RANKS), "--isolated", "1", "--contended", "1", "--repetitions", "2",
        "--output", "run.jsonl", ranks=RANKS, cwd=tmp_path,
    )  # fmt: skip
    assert done.status == 0, done.text
