"""Exports of LULESH and of a workload, as the tools of each format read them: the messages are those of the trace."""

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest
from support.export_readers import (
    Messages,
    messages_in,
    messages_of,
    read_by_loggopsim,
    read_by_otf2_print,
    read_by_smpirun,
    require_otf2,
    slices_and_arrows,
)
from support.programs import Engine, Outcome

from stressbench.formats.trace import read_trace
from stressbench.tracing.schedules.sources import of_program
from stressbench.tracing.schedules.survey import survey

RANKS = 8
PLACED = ("-n", str(RANKS), "--ranks-per-node", "1")


@pytest.fixture(scope="module")
def lulesh(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The calls of the motif lulesh on 8 ranks, three iterations."""
    path = tmp_path_factory.mktemp("lulesh") / "lulesh.trace"
    done = engine.run("calls", "lulesh", "-s", "4", "-i", "3", "--ranks", str(RANKS), "--computation", "--output", path)
    assert done.status == 0, done.text
    return path


DEMO: Messages = Counter({(7, 6, 4 << 20): 4})
"""Point-to-point messages of workloads/demo.sb: an incast, and the halos of 4000 x 4000 cells on 2 x 2 ranks."""
for a, b in ((0, 1), (2, 3), (0, 2), (1, 3)):
    for pair in ((a, b), (b, a)):
        DEMO[(*pair, 2002 * 8)] += 10
DEMO_ALLTOALL: Messages = Counter({(4, 5, 1 << 20): 10, (5, 4, 1 << 20): 10})


@pytest.fixture
def exported(stressbench: Callable[..., Outcome], checkout: Path, tmp_path: Path) -> Callable[..., Path]:
    """Exports a trace, or workloads/demo.sb, in a format."""

    def run(trace: Path | None, export_format: str, *options: str) -> Path:
        output = tmp_path / f"exported.{export_format}"
        subject = (checkout / "workloads" / "demo.sb", *PLACED) if trace is None else (trace,)
        done = stressbench("trace", "export", *subject, "--format", export_format, "-o", output, *options)
        assert done.status == 0, done.text
        return output

    return run


def test_the_trace_itself_has_the_messages_that_the_export_counts(lulesh, stressbench):
    done = stressbench("trace", "export", "--profile", lulesh)

    profile = orjson.loads(done.output)
    by_pair: dict[tuple[int, int], list[int]] = {}
    for (a, b, size), n in messages_in(of_program(read_trace(lulesh)), collectives=False).items():
        sums = by_pair.setdefault((a, b), [0, 0])
        sums[0] += n
        sums[1] += n * size
    assert [[*pair, *sums] for pair, sums in sorted(by_pair.items())] == profile["p2p_matrix"]


def test_loggopsim_sends_and_receives_the_messages_of_lulesh(lulesh, exported):
    sent, received = read_by_loggopsim(exported(lulesh, "goal"))

    assert sent == received == messages_in(of_program(read_trace(lulesh)), collectives=True)


def test_loggopsim_sends_and_receives_the_messages_of_a_workload(exported):
    sent, received = read_by_loggopsim(exported(None, "goal"))

    assert sent == received
    assert {key: n for key, n in sent.items() if key[2] > 8} == DEMO + DEMO_ALLTOALL
    assert sum(n for (_, _, size), n in sent.items() if size == 8) == 20 * 4 * 2  # reductions of 4 ranks


def test_smpi_replays_the_messages_of_lulesh(lulesh, exported, tmp_path):
    sent, received = read_by_smpirun(exported(lulesh, "simgrid-ti"), ranks=RANKS, scratch=tmp_path)

    assert sent == received == messages_in(of_program(read_trace(lulesh)), collectives=True)


def test_smpi_replays_the_messages_of_a_workload(exported, tmp_path):
    sent, received = read_by_smpirun(exported(None, "simgrid-ti"), ranks=RANKS, scratch=tmp_path)

    assert sent == received
    assert {key: n for key, n in sent.items() if key[2] > 8} == DEMO + DEMO_ALLTOALL


def test_otf2_print_shows_the_messages_and_collectives_of_lulesh(lulesh, exported):
    require_otf2()
    sent, received, collectives = read_by_otf2_print(exported(lulesh, "otf2"))

    source = of_program(read_trace(lulesh))
    assert sent == received == messages_in(source, collectives=False)
    assert collectives == survey(source).traffic.collectives.total() > 0


def test_otf2_print_shows_the_messages_and_collectives_of_a_workload(exported):
    require_otf2()
    sent, received, collectives = read_by_otf2_print(exported(None, "otf2", "--repetitions", "2"))

    assert sent == received == DEMO + DEMO
    assert collectives == 2 * (4 * 20 + 2 * 10)


@pytest.mark.parametrize("subject", ["lulesh", "workload"])
def test_each_message_of_a_timeline_is_an_arrow_between_two_calls(subject, lulesh, exported):
    trace = lulesh if subject == "lulesh" else None
    slices, arrows = slices_and_arrows(exported(trace, "perfetto"))

    expected = DEMO if trace is None else messages_in(of_program(read_trace(trace)), collectives=False)
    assert messages_of(slices, "to") == messages_of(slices, "from") == expected
    assert len(arrows) == expected.total()
    for ends in arrows.values():
        begin, end = sorted(ends, key=lambda one: str(one["ph"]), reverse=True)
        assert (begin["ph"], end["ph"], end["bp"]) == ("s", "f", "e")
        assert begin["ts"] < end["ts"], "no message is received before it is sent"
        for one in ends:
            around = [
                piece for piece in slices
                if piece["tid"] == one["tid"] and piece["ts"] <= one["ts"] <= piece["ts"] + piece["dur"]
            ]  # fmt: skip
            assert around


def test_ranks_are_numbered_as_in_the_launch(exported, stressbench, checkout, tmp_path):
    output = tmp_path / "summary.goal"
    done = stressbench(
        "trace", "export", checkout / "workloads" / "demo.sb", "-n", "16", "--ranks-per-node", "2", "--place",
        "interleaved", "--format", "goal", "-o", output, "--json",
    )  # fmt: skip

    jobs = {job["name"]: job["ranks"] for job in orjson.loads(done.output)["jobs"]}
    assert jobs == {"TeaLeaf_CG": "0-1,6-7,12-15", "Transpose": "2-3,8-9", "Incast": "4-5,10-11"}


@pytest.mark.parametrize(
    ("motif", "reason"),
    [
        ("posix -s 1MiB", "posix: its calls are not known without a launch"),
        ("permutation", "permutation: its peers are drawn in a run"),
        ("gather", "gather: lists of calls have no MPI_Gather"),
        ("bcast -r rotate", "bcast: --root: another rank is the root of each call; expected a rank"),
        ("allreduce --late 1ms", "allreduce: --late: the ranks that are late are drawn in a run"),
        ("incast --call gather", "incast: --call: lists of calls have no gather; expected send"),
    ],
)
def test_a_motif_without_a_list_of_calls_is_refused_with_its_line(motif, reason, stressbench, tmp_path):
    workload = tmp_path / "app.sb"
    workload.write_text(f"[JOB_NAME] app\n[NODES] 1\n[MOTIF] barrier\n[MOTIF] {motif}\n")

    done = stressbench("trace", "export", workload, "-n", "4", "--format", "goal", "-o", tmp_path / "x.goal")

    assert (done.status, done.output) == (2, "")
    assert f"app.sb:4: {reason}" in done.errors
    assert sorted(path.name for path in tmp_path.iterdir()) == ["app.sb"]


def test_a_job_that_replays_a_trace_has_the_messages_of_the_trace(engine, stressbench, tmp_path):
    trace, workload, output = (tmp_path / f"app.{ending}" for ending in ("trace", "sb", "goal"))
    listed = engine.run("calls", "lulesh", "-s", "4", "-i", "3", "--ranks", str(RANKS), "--output", trace)
    assert listed.status == 0, listed.text
    workload.write_text(f"[JOB_NAME] app\n[NODES] 8\n[MOTIF] replay -f {trace}\n", encoding="utf-8")

    done = stressbench("trace", "export", workload, *PLACED, "--format", "goal", "-o", output)

    assert done.status == 0, done.text
    found: Messages = Counter()
    for rank, block in enumerate(output.read_text(encoding="ascii").split("\nrank ")[1:]):
        for size, partner in re.findall(r": send (\d+)b to (\d+)", block):
            found[rank, int(partner), int(size)] += 1
    assert found == messages_in(of_program(read_trace(trace)), collectives=True)


MOTIFS = (
    "barrier", "bcast -r 1 -s 100KiB", "reduce -r 2 -c 10 --op prod", "allreduce -c 100000", "reduce_scatter_block",
    "allgather", "allgatherv --skew 0.5", "alltoall", "alltoall --call pairwise", "alltoallv --skew 0.5",
    "allreduce --nonblocking --compute 10us", "incast", "incast --roots 2 --spread 0.5", "outcast", "shift -d 2",
    "tornado", "bisection", "pingpong -s 1KiB", "pingping", "bandwidth -w 3", "bandwidth -w 3 --direction both",
    "exchange", "sendrecv", "halo3d", "tealeaf",
)  # fmt: skip


@pytest.mark.parametrize("motif", MOTIFS)
def test_the_list_of_a_motif_has_the_messages_that_it_announces(motif, engine, tmp_path):
    workload, trace = tmp_path / "app.sb", tmp_path / "app.trace"
    workload.write_text(f"[JOB_NAME] app\n[NODES] 1\n[MOTIF] {motif} -i 1\n")
    described = engine.run("describe", workload, "--json", "--ranks", "4")
    announced = orjson.loads(described.output)["jobs"][0]["steps"][0]["traffic"]

    done = engine.run("calls", workload, "--ranks", "4", "--computation", "--output", trace)

    assert done.status == 0, done.text
    traffic = survey(of_program(read_trace(trace))).traffic
    assert traffic.messages.total() == announced["messages"]
    assert traffic.bytes.total() == announced["message_bytes"]
    assert traffic.collectives.total() == 4 * announced["collectives"]
