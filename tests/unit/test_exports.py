"""`stressbench trace export --format`: what is refused, what is left behind, and times without a recording."""

import json
import signal
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from support.commands import CommandResult, invoke
from support.programs import Started
from support.traces import (
    MadeTrace,
    Record,
    allreduce,
    call,
    cg,
    irecv,
    isend,
    rank_of,
    receive,
    ring,
    send,
    waitall,
    write_lines,
)

from stressbench.experiments.exporting import otf2_archive
from stressbench.experiments.exporting.output_directory import new_output_directory
from stressbench.formats.trace import read_trace
from stressbench.tracing.exports.simgrid_ti import RankActions
from stressbench.tracing.schedules.events import Event
from stressbench.tracing.schedules.refusal import ScheduleRefused
from stressbench.tracing.schedules.sources import Job, Source, of_program
from stressbench.tracing.schedules.survey import Survey, survey
from stressbench.tracing.schedules.tags import Tags
from stressbench.tracing.schedules.timeline import CALL_S, LATENCY_S, MODELLED, RECORDED, timeline, timing_of


def export(*words: str | Path) -> CommandResult:
    return invoke(["trace", "export", *map(str, words)])


def surveyed(folder: Path, *ranks: Sequence[Record], timed: bool = True, repetitions: int = 1) -> Survey:
    header: Record = {} if timed else {"timed": False}
    keys: Record = {} if timed else {"extra": {"gaps": []}}
    path = MadeTrace([rank_of(calls, **keys) for calls in ranks], header=header).write(folder)
    trace = read_trace(path)
    job = Job(name="made", trace=trace, ranks=range(len(ranks)), repetitions=repetitions)
    return survey(Source(jobs=(job,), ranks=len(ranks)))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("made.trace",), "expected either --format, one of goal, otf2, perfetto, simgrid-ti, or --profile"),
        (("made.trace", "--format", "goal", "--profile"), "expected either --format"),
        (("made.trace", "--format", "goal"), "-o/--output is missing: name what --format goal writes"),
        (("made.trace", "--format", "goal", "-o", "x", "--iteration"), "--iteration: expected --profile"),
        (("made.trace", "--profile", "--json"), "--json: the profile is JSON already; expected --format"),
        (("made.trace", "--format", "goal", "-o", "x", "-n", "4"), "--ranks: made.trace is a trace"),
        (("made.trace", "--format", "goal", "-o", "x", "--repetitions", "4"), "--repetitions: made.trace is a trace"),
        (("app.sb", "--format", "goal", "-o", "x"), "-n/--ranks is missing"),
        (("app.sb", "--profile"), "--profile: app.sb is a workload; expected a trace"),
        (("app.sb", "--format", "goal", "-o", "x", "-n", "0"), "--ranks: 0: expected 1 to 2097152"),
        (("app.sb", "--format", "goal", "-o", "x", "-n", "2", "--repetitions", "0"), "--repetitions: 0: expected 1 or"),
        (("gone.trace", "--format", "goal", "-o", "x"), "gone.trace: no such file"),
        (("made.trace", "--format", "goal", "-o", "none/x"), "--output: none/x: no such"),
        (("made.trace", "--format", "simgrid-ti", "-o", "none/x"), "--output: none/x: no such directory: none"),
        (("made.trace", "--format", "simgrid-ti", "-o", "made.trace"), "--output: made.trace already exists"),
        (("ring.trace", "--format", "goal", "-o", "x"), "ranks 0-3: statistics only"),
    ],
)  # fmt: skip
def test_what_cannot_be_exported_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: Sequence[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    cg().write(tmp_path)
    ring(4).write(tmp_path, "ring.trace")
    before = sorted(path.name for path in tmp_path.iterdir())

    ended = export(*words)

    assert (ended.exit_code, ended.stdout) == (2, "")
    assert message in ended.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_an_unknown_format_is_refused_with_those_that_there_are(tmp_path: Path) -> None:
    ended = export(cg().write(tmp_path), "--format", "paje", "-o", tmp_path / "x")

    assert ended.exit_code == 2
    assert "'paje' is not one of 'goal', 'otf2', 'perfetto', 'simgrid-ti'" in ended.stderr


def test_json_tells_what_an_export_contains(tmp_path: Path) -> None:
    ended = export(cg().write(tmp_path), "--format", "perfetto", "-o", tmp_path / "x.json", "--json")

    summary = json.loads(ended.stdout)
    assert (summary["format"], summary["ranks"], summary["calls"]) == ("perfetto", 3, 3 * 52)
    assert (summary["messages"], summary["bytes"]) == (30, 3000)
    assert summary["collective_calls"] == {"Allreduce": 30, "Barrier": 3, "Bcast": 3}
    assert summary["jobs"] == [{"name": "cg", "ranks": "0-2"}]
    assert summary["times"] == RECORDED
    assert "3 ranks, 156 calls, 30 messages of 3,000 bytes in all, 36 calls of collectives" in ended.stderr


def test_an_empty_directory_is_filled_and_a_failed_export_leaves_nothing(tmp_path: Path) -> None:
    output = tmp_path / "out"
    output.mkdir()

    assert export(cg().write(tmp_path), "--format", "simgrid-ti", "-o", output).exit_code == 0
    assert sorted(path.name for path in output.iterdir()) == [*(f"rank-{rank}.txt" for rank in range(3)), "ranks.txt"]

    with pytest.raises(RuntimeError), new_output_directory(tmp_path / "other") as folder:
        (folder / "half").write_text("")
        raise RuntimeError
    assert sorted(path.name for path in tmp_path.iterdir()) == ["made.trace", "out"]


def test_a_machine_without_otf2_is_told_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(otf2_archive, "_candidates", list)

    ended = export(cg().write(tmp_path), "--format", "otf2", "-o", tmp_path / "x")

    assert ended.exit_code == 2
    assert "no Python on this machine has the module otf2" in ended.stderr
    assert "apt install python3-otf2" in ended.stderr


def test_a_writer_that_fails_is_reported_with_its_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failing = tmp_path / "writer.py"
    failing.write_text("import sys; sys.exit('no space')")
    monkeypatch.setattr(otf2_archive, "WRITER", failing)
    monkeypatch.setattr(otf2_archive, "_has_bindings", lambda python: python == sys.executable)

    ended = export(cg().write(tmp_path), "--format", "otf2", "-o", tmp_path / "x")

    assert ended.exit_code == 3
    assert "the OTF2 writer ended with status 1: no space" in ended.stderr
    assert not (tmp_path / "x").exists()


def test_an_interrupted_export_leaves_nothing(tmp_path: Path) -> None:
    long = MadeTrace([rank_of([allreduce()]), rank_of([allreduce()])])
    records = long.records()
    for record in records[1:3]:
        record["rules"], record["sequence_calls"] = [[[0, 200_000]]], 200_000
        record["calls"][0]["n"] = 200_000
    trace = write_lines(tmp_path / "long.trace", records)
    command = [
        sys.executable,
        "-m",
        "stressbench",
        "trace",
        "export",
        str(trace),
        "--format",
        "perfetto",
        "-o",
        "x.json",
    ]

    with Started(command, cwd=tmp_path, environment=None) as process:
        while not any(path.name.startswith(".stressbench-") for path in tmp_path.iterdir()):
            assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        process.communicate()

    assert process.returncode != 0
    assert [path.name for path in tmp_path.iterdir()] == ["long.trace"]


def test_recorded_times_are_those_between_calls_and_in_them(tmp_path: Path) -> None:
    found = surveyed(tmp_path, [send(1, each_s=2e-3)], [receive(0, each_s=3e-3)])

    assert timing_of(found) == RECORDED
    times = {timed.rank.number: (timed.enter_s, timed.leave_s) for timed in timeline(found)}
    assert times[0] == pytest.approx((1e-3, 3e-3))
    assert times[1] == pytest.approx((1e-3, 4e-3))  # the message is there after 3 ms


def test_by_recorded_times_no_message_is_received_before_it_is_sent(tmp_path: Path) -> None:
    late = [call("Barrier", comm=0, bytes=0, each_s=9e-3), send(1, each_s=2e-3)]
    found = surveyed(tmp_path, late, [call("Barrier", comm=0, bytes=0, each_s=1e-3), receive(0, each_s=1e-4)])

    ends = {(timed.rank.number, timed.event.call.op): timed for timed in timeline(found)}
    assert ends[0, "Barrier"].leave_s == pytest.approx(10e-3)
    assert ends[1, "Barrier"].leave_s == pytest.approx(2e-3)
    assert ends[1, "Recv"].enter_s == pytest.approx(3e-3)
    assert ends[1, "Recv"].leave_s == pytest.approx(ends[0, "Send"].leave_s) == pytest.approx(13e-3)


def test_without_recorded_times_a_message_arrives_after_it_was_sent(tmp_path: Path) -> None:
    compute = call("Compute", each_s=1e-3)
    found = surveyed(tmp_path, [compute, send(1, size=0)], [receive(0, size=0)], timed=False)

    assert timing_of(found) == MODELLED
    ends = {(timed.rank.number, timed.event.call.op): timed.leave_s for timed in timeline(found)}
    assert ends[0, "Compute"] == pytest.approx(1e-3)
    assert ends[0, "Send"] == pytest.approx(1e-3 + CALL_S)
    assert ends[1, "Recv"] == pytest.approx(1e-3 + CALL_S + LATENCY_S)


def test_a_modelled_collective_ends_after_the_last_rank_entered_it(tmp_path: Path) -> None:
    slow = [call("Compute", each_s=1e-3), call("Barrier", comm=0, bytes=0)]
    found = surveyed(tmp_path, [call("Barrier", comm=0, bytes=0)], slow, timed=False)

    ends = [timed.leave_s for timed in timeline(found) if timed.event.call.op == "Barrier"]
    assert ends == [pytest.approx(1e-3 + CALL_S + LATENCY_S)] * 2


def test_ranks_that_wait_for_each_other_have_no_modelled_times(tmp_path: Path) -> None:
    found = surveyed(
        tmp_path, [receive(1, tag=0), send(1, tag=1)], [receive(0, tag=1), send(0, tag=0)], timed=False
    )  # fmt: skip

    with pytest.raises(ScheduleRefused, match="2 ranks wait for each other, the first of them 0"):
        list(timeline(found))


def test_a_wait_in_the_model_ends_when_the_message_has_arrived(tmp_path: Path) -> None:
    found = surveyed(
        tmp_path, [call("Compute", each_s=1e-3), isend(1, size=0, request=0), call("Wait", requests=[0])],
        [irecv(0, size=0, request=0), waitall(0)], timed=False,
    )  # fmt: skip

    ends = {(timed.rank.number, timed.event.call.op): timed.leave_s for timed in timeline(found)}
    assert ends[1, "Irecv"] < 1e-4
    assert ends[1, "Waitall"] == pytest.approx(1e-3 + CALL_S + LATENCY_S)


def test_repetitions_repeat_the_whole_sequence(tmp_path: Path) -> None:
    found = surveyed(tmp_path, [send(1), send(1, tag=2)], [receive(0), receive(0, tag=2)], repetitions=3)

    assert found.traffic.messages == {(0, 1): 6}
    tags = [one.transfers[0].tag for one in _events(found, 0)]
    assert tags == [0, 2] * 3


def _events(found: Survey, number: int) -> Iterator[Event]:
    return (event for rank in found.source.of_jobs() if rank.number == number for event in found.events(rank))


def actions(found: Survey) -> dict[int, list[str]]:
    tags = Tags()
    return {
        rank.number: [line.strip() for line in RankActions(rank, tags).lines(found)] for rank in found.source.of_jobs()
    }


def test_actions_of_simgrid_name_a_request_by_its_ranks_and_tag(tmp_path: Path) -> None:
    found = surveyed(
        tmp_path, [irecv(1, tag=4, size=99, request=0), isend(1, tag=5, request=1), waitall(1, 0)],
        [isend(0, tag=4, size=16, request=0), irecv(0, tag=5, request=1), waitall(0, 1)],
    )  # fmt: skip

    assert [line for line in actions(found)[0] if "compute" not in line] == [
        "0 init", "0 irecv 1 4 16", "0 isend 1 5 8", "0 wait 0 1 5", "0 wait 1 0 4", "0 finalize",
    ]  # fmt: skip
    assert actions(found)[0].count("0 compute 1000000") == 3


def test_actions_of_simgrid_complete_a_nonblocking_collective_in_its_wait(tmp_path: Path) -> None:
    calls = [call("Ibarrier", comm=0, bytes=0, request=0), isend(1, request=1), call("Wait", requests=[0]),
             call("Wait", requests=[1])]  # fmt: skip
    found = surveyed(tmp_path, calls, [calls[0], receive(0), calls[2]])

    verbs = [line.split()[1] for line in actions(found)[0] if "compute" not in line]
    assert verbs == ["init", "isend", "irecv", "isend", "wait", "wait", "wait", "finalize"]


def test_ranks_of_two_jobs_never_match(tmp_path: Path) -> None:
    trace = read_trace(MadeTrace([rank_of([send(1)]), rank_of([receive(0)])]).write(tmp_path))
    jobs = (Job(name="a", trace=trace, ranks=(3, 0)), Job(name="b", trace=trace, ranks=(1, 4)))

    found = survey(Source(jobs=jobs, ranks=6))

    assert found.traffic.messages == {(3, 0): 1, (1, 4): 1}
    by_rank: dict[int, list[str]] = defaultdict(list)
    for rank in found.source.in_order():
        by_rank[rank if isinstance(rank, int) else rank.number].append("idle" if isinstance(rank, int) else "job")
    assert by_rank == {0: ["job"], 1: ["job"], 2: ["idle"], 3: ["job"], 4: ["job"], 5: ["idle"]}


def test_a_program_has_its_ranks_in_order(tmp_path: Path) -> None:
    source = of_program(read_trace(cg().write(tmp_path)))

    assert [rank.number for rank in source.of_jobs()] == [0, 1, 2]
