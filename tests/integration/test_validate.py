"""`stressbench validate`: a workload beside a program, with real ranks. The programs are motifs and test patterns."""

import json
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from support.programs import LIMIT_S, Started

SCHEMA = json.loads((Path(__file__).parents[2] / "schema" / "validate.schema.json").read_text(encoding="utf-8"))
ITERATIONS = 30
TEALEAF = ["tealeaf", "-x", "64", "-y", "48"]


@pytest.fixture
def program(engine) -> list[str]:
    """An application whose loop is that of TeaLeaf, between other calls: the engine's own."""
    return [
        str(engine.program), "motif", *TEALEAF, "--scale", "0.001", "-i", str(ITERATIONS), "--repetitions", "1",
        "--warmup", "0",
    ]  # fmt: skip


@pytest.fixture
def validated(stressbench, program, tmp_path) -> Callable[..., dict]:
    """The JSON of a validation of the program on 2 ranks. It must end with `status`, or that of its verdict if None."""

    def run(*words: str, status: int | None = 0, launches: int = 1, application: list[str] | None = None) -> dict:
        outcome = stressbench(
            "validate", "-n", "2", "--launches", str(launches), "--json", *words, "--", *(application or program),
            cwd=tmp_path,
        )  # fmt: skip
        assert outcome.status in ((0, 1) if status is None else (status,)), outcome.text
        found = json.loads(outcome.output)
        if status is None:
            assert outcome.status == (1 if found["verdict"] == "outside tolerance" else 0)
        Draft202012Validator(SCHEMA).validate(found)
        return found

    return run


def test_a_motif_with_the_calls_of_the_program_is_found_and_measured(validated, tmp_path):
    found = validated("--figures", "figures", *TEALEAF, launches=2)

    (times,) = json.loads((tmp_path / "figures" / "figures.json").read_text(encoding="utf-8"))["figures"]
    assert (times["name"], times["data"]["rows"]) == ("times-by-launch", 2)
    assert found["verdict"] == "same calls"
    assert (found["found"], found["measured"]) == (ITERATIONS, ITERATIONS - 1)
    assert found["calls"] == 2 * 6
    assert [one["op"] for one in found["operations"]] == ["Allreduce", "Irecv", "Isend", "Waitall"]
    assert all(one["program"] == one["workload"] for one in found["operations"])
    assert len(found["blocks"]) == 2
    for block in found["blocks"]:
        for side in (block["program"], block["workload"]):
            assert 0 < side["mpi_s"] <= side["time_s"]
        assert block["program"]["time_s"] <= block["program"]["slowest_s"] * 1.001
        assert block["workload"]["slowest_s"] is None  # the engine keeps no times of single ranks
    assert found["ratio"]["low"] is None  # two launches
    notes = [note for note in found["notes"] if "the measured iterations of the program take " not in note]
    assert ["the place of waits among other calls is not compared" in note for note in notes] == [True]
    assert found["any_wait_place"]


def test_the_ratio_of_times_decides_the_exit_status(validated):
    found = validated("--within", "5%", *TEALEAF, status=None, launches=2)

    is_within = abs(found["ratio"]["value"] - 1) <= 0.05
    assert found["verdict"] == ("within tolerance" if is_within else "outside tolerance")


@pytest.fixture
def described(engine) -> Callable[[Path], float]:
    """Computation in an iteration of a workload of one job on 2 ranks, as the engine reads it: s, mean over ranks."""

    def describe(workload: Path) -> float:
        outcome = engine.run("describe", workload, "--ranks", "2", "--json")
        assert outcome.status == 0, outcome.text
        (job,) = json.loads(outcome.output)["jobs"]
        return sum(step["traffic"]["compute_s"] for step in job["steps"])

    return describe


def gaps_of(trace: Path) -> list[list[list[float]]]:
    """The gaps of each rank."""
    lines = [json.loads(line) for line in trace.open()]
    return [line["gaps"] for line in lines if line["type"] == "rank"]


def test_the_workload_computes_for_as_long_as_the_program_did(validated, described, tmp_path):
    found = validated("-o", "kept", *TEALEAF, launches=2)

    gaps = gaps_of(tmp_path / "kept" / "iterations-02.trace")
    outside_mpi_s = sum(gap[3] for rank in gaps for gap in rank) / len(gaps) / found["measured"]
    assert described(tmp_path / "kept" / "workload.sb") == pytest.approx(outside_mpi_s, abs=1e-7)


@pytest.mark.parametrize("computation", ["measured", "mean"])
def test_times_that_are_drawn_are_not_kept_in_order(validated, tmp_path, computation):
    found = validated("-o", "kept", "--computation", computation, *TEALEAF)

    assert found["computation"] == computation
    assert f"--gaps {computation}" in (tmp_path / "kept" / "workload.sb").read_text()
    assert "gap_times_ns" not in (tmp_path / "kept" / "iterations-01.trace").read_text()


def test_a_motif_with_other_calls_ends_with_the_first_difference_and_status_1(stressbench, program, tmp_path):
    outcome = stressbench(
        "validate", "-n", "2", "tealeaf", "-x", "64", "-y", "50", "--solver", "jacobi", "--", *program, cwd=tmp_path
    )
    assert outcome.status == 1, outcome.text
    assert "calls: 2 ranks of 2 never make the calls of tealeaf" in outcome.output
    assert "launch 1 of" not in outcome.text


def test_the_emitted_workload_has_the_computation_of_the_program(validated, stressbench, tmp_path):
    validated("--emit", "tea.sb", *TEALEAF)

    assert re.fullmatch(
        r"\[JOB_NAME\] tealeaf\n\[NODES\] 1\n"
        r"\[MOTIF\] tealeaf -x 64 -y 48 --gaps-from tea.trace --gaps sequence --working-set [1-9][0-9]+\n",
        (tmp_path / "tea.sb").read_text(),
    )
    outcome = stressbench("run", "tea.sb", "-n", "2", "--isolated", "1", "--contended", "1", cwd=tmp_path)
    assert outcome.status == 0, outcome.text


def test_a_recorded_workload_is_compared_with_its_program(validated, stressbench, engine, tmp_path):
    application = [str(engine.build / "tests" / "tracer" / "patterns"), "cg", "8"]
    recorded = stressbench("record", "-o", "cg.sb", "--", *engine.launch(*application, ranks=2), cwd=tmp_path)
    assert recorded.status == 0, recorded.text

    found = validated("cg.sb", application=application)

    assert (found["verdict"], found["found"], found["computation"]) == ("same calls", 1, "own")


def test_a_program_is_compared_with_a_replay_of_its_own_loop(validated):
    found = validated(launches=2)  # only the first one captures calls

    assert (found["verdict"], found["workload"], found["found"]) == ("same calls", ["replay"], ITERATIONS)
    assert found["computation"] == "sequence"
    assert all(one["program"] == one["workload"] for one in found["operations"])


def test_an_emitted_workload_is_compared_again(validated, tmp_path):
    validated("--emit", "tea.sb", *TEALEAF)

    found = validated("tea.sb")

    assert (found["verdict"], found["found"]) == ("same calls", ITERATIONS)


SHIFTS = """
#include <mpi.h>
int main(int argc, char** argv) {
  char out[8] = {0}, in[8];
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < 20; ++i) {
    MPI_Sendrecv(out, 8, MPI_BYTE, (rank + 1) % ranks, 100 + i, in, 8, MPI_BYTE, (rank + ranks - 1) % ranks, 100 + i,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  return MPI_Finalize();
}
"""


def test_tags_of_messages_in_both_directions_count_unless_they_are_left_out(validated, engine, tmp_path):
    (tmp_path / "shifts.cpp").write_text(SHIFTS)
    subprocess.run([engine.compiler, "-o", "shifts", "shifts.cpp"], cwd=tmp_path, check=True)
    application = [str(tmp_path / "shifts")]
    motif = ["sendrecv", "-s", "8", "-i", "1"]

    with_tags = validated(*motif, application=application, status=1)
    without_tags = validated("--any-tag", *motif, application=application)
    other_size = validated("--any-tag", "sendrecv", "-s", "16", "-i", "1", application=application, status=1)

    assert with_tags["verdict"] == other_size["verdict"] == "different calls"
    assert (without_tags["verdict"], without_tags["found"], without_tags["any_tag"]) == ("same calls", 20, True)


def test_a_motif_that_takes_no_computation_between_its_calls_is_only_compared_with_its_own(
    validated, stressbench, engine, tmp_path
):
    pingpong = ["pingpong", "-s", "8"]
    application = [
        str(engine.program), "motif", *pingpong, "-i", "20", "--repetitions", "1", "--warmup", "0"
    ]  # fmt: skip
    refused = stressbench("validate", "-n", "2", *pingpong, "-i", "1", "--", *application, cwd=tmp_path)

    assert refused.status == 3, refused.text
    assert "pingpong makes 2 calls and takes no --gaps-from; use --computation own" in refused.text
    assert validated("--computation", "own", *pingpong, "-i", "1", application=application)["computation"] == "own"


def test_boundaries_and_a_limit_decide_what_is_measured(validated):
    found = validated("--from", "Allreduce*", "--to", "Allreduce[SUM]*", "--iterations", "7", *TEALEAF, status=1)
    assert found["verdict"] == "different calls"

    found = validated("--iterations", "7", "--computation", "own", *TEALEAF)
    assert (found["found"], found["measured"]) == (ITERATIONS, 7)


def test_only_what_lies_between_calls_of_pcontrol_counts(validated, program):
    found = validated("--pcontrol", *TEALEAF, application=[*program, "--pcontrol"])
    assert found["found"] == ITERATIONS


def test_persistent_requests_are_compared_though_the_motif_creates_them_before_its_iterations(validated, engine):
    amg = ["amg", "-n", "8x8x8"]
    application = [
        str(engine.program), "motif", *amg, "--scale", "0.001", "-i", str(ITERATIONS), "--repetitions", "1",
        "--warmup", "0",
    ]  # fmt: skip

    found = validated(*amg, application=application)
    other = validated("amg", "-n", "8x8x9", application=application, status=1)

    assert (found["verdict"], found["found"]) == ("same calls", ITERATIONS)
    started = next(one for one in found["operations"] if one["op"] == "Startall")
    assert started["program"] == started["workload"]
    assert started["program"]["bytes"] == 6744  # docs/motifs/amg.md
    assert other["differences"][0]["workload"][0].startswith("St(<1:0:")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["tealeaf"], "the program is missing; write it after --"),
        (["tealeav", "--", "true"], "'tealeav' is not a motif"),
        (["tealeaf", "-x", "0", "--", "true"], "x"),
        (["missing.sb", "--", "true"], "missing.sb"),
        (["cg.sb", "-x", "3", "--", "true"], "-x: cg.sb is a workload, which takes no options"),
        (["--within", "0", "tealeaf", "--", "true"], "--within 0:"),
        (["--launches", "0", "tealeaf", "--", "true"], "--launches"),
        (["--computation", "fast", "tealeaf", "--", "true"], "--computation"),
        (["--seed", "-1", "tealeaf", "--", "true"], "--seed"),
        (["-n", "0", "tealeaf", "--", "true"], "-n 0: expected 1 or more"),
        (["--any-tag", "--", "true"], "--any-tag: a replay has the tags of the program"),
        (["--from", "Bcast", "--", "true"], "--from Bcast: a replay repeats the program's own loop"),
        (["tealeaf", "--scale", "0.5", "--", "true"], "--scale: tealeaf would not compute for as long as the program"),
        (["--within", "5%", "--computation", "own", "tealeaf", "--", "true"], "--within: with --computation own"),
        (["--on", "simgrid:tiny", "tealeaf", "--", "true"], "a simulation cannot run true"),
    ],
)
def test_what_is_wrong_is_reported_before_any_rank_starts(stressbench, tmp_path, words, message):
    outcome = stressbench("validate", "-n", "2", *words, cwd=tmp_path)
    assert outcome.status == 2, outcome.text
    assert message in outcome.text
    assert "capturing" not in outcome.text
    assert list(tmp_path.iterdir()) == []


def test_a_directory_that_is_in_use_is_not_written_to(stressbench, tmp_path):
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "file").touch()
    outcome = stressbench("validate", "-n", "2", "-o", "used", "tealeaf", "--", "true", cwd=tmp_path)
    assert outcome.status == 2
    assert "--output: used already exists" in outcome.text


def test_a_program_that_fails_ends_the_validation_with_what_it_printed(stressbench, tmp_path):
    outcome = stressbench("validate", "-n", "2", *TEALEAF, "--", "sh", "-c", "echo no input file; exit 7", cwd=tmp_path)
    assert outcome.status == 3
    assert "sh ended with status 7" in outcome.text
    assert "no input file" in outcome.text


def test_a_program_without_mpi_leaves_no_trace(stressbench, tmp_path):
    outcome = stressbench("validate", "-n", "2", *TEALEAF, "--", "true", cwd=tmp_path)
    assert outcome.status == 3
    assert "true left no trace" in outcome.text


def test_an_interrupt_keeps_the_launches_that_are_done(engine, program, tmp_path, wait_for):
    command = [
        sys.executable, "-m", "stressbench", "validate", "-n", "2", "--launches", "1000", "-o", "kept", *TEALEAF,
        "--", *program,
    ]  # fmt: skip
    with Started(command, cwd=tmp_path, environment={"STRESSBENCH_MPI": str(engine.program)}) as running:
        journal = tmp_path / "kept" / "launches.jsonl"
        wait_for(
            lambda: journal.exists() and journal.read_text().count('"side":"workload"') >= 2, "two pairs of launches"
        )
        running.send_signal(signal.SIGINT)
        output, errors = running.communicate(timeout=LIMIT_S)

    assert running.returncode == 130, errors
    assert "stopped after" in output
    assert "tealeaf takes" in output
    assert (tmp_path / "kept" / "report.html").exists()


def test_each_motif_of_a_chain_computes_as_the_program_does_there(validated, described, engine, tmp_path, monkeypatch):
    chain = "[JOB_NAME] solver\n[NODES] 1\n[MOTIF] halo2d -x 64 -y 48\n[MOTIF] Compute -m 20us\n[MOTIF] AllReduce\n"
    (tmp_path / "chain.sb").write_text(chain)
    application = [
        str(engine.program), "run", str(tmp_path / "chain.sb"), "--quiet", "--output", str(tmp_path / "app.jsonl"),
        "--overwrite", "--isolated", "1", "--contended", "0", "--repetitions", "20", "--warmup", "0",
    ]  # fmt: skip

    found = validated("-o", "kept", "--emit", "emitted.sb", "chain.sb", application=application)

    assert found["found"] >= 20
    text = (tmp_path / "kept" / "workload.sb").read_text()
    assert text.count("--gaps-from") == 2
    assert "-m 20us" not in text
    gaps = gaps_of(tmp_path / "kept" / "iterations-01.trace")
    between_calls_s = sum(gap[3] / gap[2] for rank in gaps for gap in rank if gap[0] != -1) / len(gaps)
    assert described(tmp_path / "kept" / "workload.sb") == pytest.approx(between_calls_s, abs=1e-7)
    emitted = (tmp_path / "emitted.sb").read_text()
    traces = re.findall(r"--gaps-from (\S+)", emitted)
    assert len(traces) == 2
    assert all((tmp_path / trace).exists() for trace in traces)
    shutil.rmtree(tmp_path / "kept")
    monkeypatch.chdir(tmp_path)
    assert described(tmp_path / "emitted.sb") > 0
