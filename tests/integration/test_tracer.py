"""libstressbench-trace.so in real programs, under both MPIs: what it writes, and that it changes nothing."""

import os
import shlex
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from support.trace_lines import lines_of

from stressbench.tracing.grammar import expand

PATTERNS = Path(__file__).resolve().parent.parent / "tracer"
RANKS = 3
NAMES = [
    "cg", "sweep", "neighbours", "persistent", "ring", "collectives", "derived", "communicators", "any_source",
    "probes", "large",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_every_kind_of_program_is_captured_whole(traced, patterns, name, tmp_path):
    run = traced([patterns, name, "5"])
    assert run.status == 0, run.text
    assert [line["type"] for line in run.lines] == ["header", *["rank"] * RANKS, "end"]
    assert run.lines[-1]["complete"]
    for rank in run.ranks:
        assert rank["ended"] == "finalize"
        assert rank["lost"] is None
        assert rank["sequence_calls"] == sum(total["calls"] - total["empty"] for total in rank["totals"])
    assert not list(tmp_path.glob("*.pool")), "a pool was left behind"


def test_what_is_sent_is_what_is_received(traced, patterns):
    run = traced([patterns, "cg", "7"])
    pairs = 2 * (RANKS - 1)
    assert sum(messages for rank in run.ranks for _, messages, _ in rank["peers"]) == 7 * pairs
    assert sum(size for rank in run.ranks for _, _, size in rank["peers"]) == 7 * pairs * 4000
    assert run.total("Allreduce") == 7 * RANKS
    assert run.total("Allreduce", "bytes") == 7 * RANKS * 8


def test_a_receive_from_any_source_names_the_sender_that_came(traced, patterns):
    run = traced([patterns, "any_source", "4"])
    received = [call for call in run.ranks[0]["calls"] if call["op"] in ("Recv", "Irecv")]
    assert {call["any"] for call in received} == {"both", "source"}
    assert {call["peer"] for call in received} == {1, 2}
    assert all(call["tag"] == call["peer"] for call in received if call["any"] == "both")


def test_tests_that_find_nothing_are_counted_and_in_no_sequence(traced, patterns):
    run = traced([patterns, "collectives", "20"])
    assert run.total("Test") - run.total("Test", "empty") == 20 * RANKS


def test_a_million_iterations_are_one_loop(traced, patterns):
    run = traced([patterns, "small", "1000000"], ranks=1)
    (rank,) = run.ranks
    assert rank["rules"] == [[[-1, 5_000_000]], [[0, 1], [1, 1]]]
    assert rank["sequence_calls"] == 10_000_000


def windows(folder: Path, *spans: tuple[int, int]) -> dict[str, str]:
    """The variable that limits the recording of each rank to calls `first` to `end` - 1."""
    file = folder / "calls.window"
    file.write_text("".join(f"{first} {end}\n" for first, end in spans))
    return {"STRESSBENCH_TRACE_WINDOW": str(file)}


CG_CALLS = 6  # of an iteration of the pattern, on each rank


def first_slice_of(timeline: dict[str, Any]) -> int:
    """The first slice of the timeline that has time in MPI. The timeline begins with the window."""
    classes = [times for name, times in timeline.items() if name != "width_s"]
    return next(k for k, slices in enumerate(zip(*classes, strict=True)) if any(slices))


def test_a_window_holds_these_calls_of_each_rank_and_nothing_else(traced, patterns, tmp_path):
    whole = traced([patterns, "cg", "20"])
    before = whole.ranks[0]["sequence_calls"] - 20 * CG_CALLS
    first, end = before + 3 * CG_CALLS, before + 12 * CG_CALLS
    run = traced([patterns, "cg", "20"], **windows(tmp_path, *[(first, end)] * RANKS))

    assert run.status == 0, run.text
    for rank, uncut in zip(run.ranks, whole.ranks, strict=True):
        assert rank["sequence_calls"] == 9 * CG_CALLS
        assert {total["op"]: total["calls"] for total in rank["totals"]} == {
            "Irecv": 18, "Isend": 18, "Waitall": 9, "Allreduce": 9,
        }  # fmt: skip
        in_window = sum(total["time_s"] for total in rank["totals"]) + sum(gap[3] for gap in rank["gaps"])
        assert in_window <= rank["wall_s"]
        before_first_call_ns = round(1e9 * next(gap[3] for gap in rank["gaps"] if gap[0] == -1))
        assert first_slice_of(rank["timeline"]) == before_first_call_ns // round(1e9 * rank["timeline"]["width_s"])
        assert rank["tail_s"] == 0
        assert sum(messages for _, messages, _ in rank["peers"]) == 9 * (1 if rank["rank"] in (0, 2) else 2)
        assert rank["comms"] == uncut["comms"]


def test_a_window_may_differ_from_rank_to_rank_and_begin_with_the_first_call(traced, patterns, tmp_path):
    run = traced([patterns, "cg", "5"], **windows(tmp_path, (0, 2), (1, 4), (2, 1000)))
    calls = [rank["sequence_calls"] for rank in run.ranks]
    whole = traced([patterns, "cg", "5"]).ranks[2]["sequence_calls"]
    assert calls == [2, 3, whole - 2]


def test_a_pause_within_a_window_changes_none_of_its_calls(traced, patterns, tmp_path):
    """tests/tracer/recording_test.cpp has its times."""
    run = traced([patterns, "paused", "20"], **windows(tmp_path, *[(2, 18)] * RANKS))

    for rank in run.ranks:
        assert rank["sequence_calls"] == 16
        assert rank["tail_s"] == 0  # what was before the pause is in a gap


def test_a_program_that_is_paused_until_its_window_begins_is_recorded_from_there(traced, patterns, tmp_path):
    run = traced(
        [patterns, "paused", "2"], STRESSBENCH_TRACE_PAUSED="1", **windows(tmp_path, *[(0, 1)] * RANKS)
    )  # fmt: skip

    for rank in run.ranks:
        assert rank["sequence_calls"] == 1


def test_nothing_is_recorded_after_a_window_even_if_the_program_asks_for_it(traced, patterns, tmp_path):
    run = traced([patterns, "parts", "4"], **windows(tmp_path, *[(0, 1)] * RANKS))
    assert [rank["sequence_calls"] for rank in run.ranks] == [1] * RANKS


def messages_started(rank: dict[str, Any]) -> list[list[tuple[str, int, int, int]]]:
    """What each call that starts requests from outside of the sequence starts, as the calls that created them say."""
    return [
        [tuple(rank["calls"][number][key] for key in ("op", "peer", "tag", "bytes")) for number in call["inits"]]
        for call in rank["calls"]
        if "inits" in call and call["op"].startswith("Start")
    ]


def test_a_call_that_starts_requests_which_were_created_during_a_pause_shows_their_messages(traced, patterns):
    run = traced([patterns, "started", "5"], STRESSBENCH_TRACE_PAUSED="1")

    assert run.status == 0, run.text
    for rank in run.ranks:
        left, right = (rank["rank"] - 1) % RANKS, (rank["rank"] + 1) % RANKS
        assert messages_started(rank) == [
            [("Recv_init", left, 3, 8), ("Send_init", right, 3, size), ("Send_init", -1, 4, 4)] for size in (4, 8)
        ]
        created = [call for call in rank["calls"] if call["op"].endswith("_init")]
        assert {(call["comm"], call["n"]) for call in created} == {(0, 0)}  # ranks are those of MPI_COMM_WORLD
        assert {(call["op"], *call["requests"]) for call in rank["calls"] if call not in created} == {
            ("Startall", -2, -2, -2), ("Waitall", -2, -2, -2)
        }  # fmt: skip
        assert rank["sequence_calls"] == 2 * 2 * 5
        assert rank["peers"] == [[right, 2 * 5, 5 * 4 + 5 * 8]]


def test_a_profile_counts_the_messages_of_requests_that_were_created_during_a_pause(traced, patterns):
    run = traced([patterns, "started", "5"], mode="profile", STRESSBENCH_TRACE_PAUSED="1")

    assert run.status == 0, run.text
    for rank in run.ranks:
        assert {call["op"] for call in rank["calls"]} == {"Startall", "Waitall"}
        assert not messages_started(rank)
        assert rank["peers"] == [[(rank["rank"] + 1) % RANKS, 2 * 5, 5 * 4 + 5 * 8]]


def test_a_window_shows_the_messages_of_requests_that_were_created_before_it(traced, patterns, tmp_path):
    run = traced([patterns, "persistent", "9"], **windows(tmp_path, *[(2, 12)] * RANKS))

    assert run.status == 0, run.text
    for rank in run.ranks:
        left, right = (rank["rank"] - 1) % RANKS, (rank["rank"] + 1) % RANKS
        assert messages_started(rank) == [[("Recv_init", left, 3, 4), ("Send_init", right, 3, 4)]]
        assert {(call["op"], call["n"]) for call in rank["calls"]} == {
            ("Recv_init", 0), ("Send_init", 0), ("Startall", 5), ("Waitall", 5)
        }  # fmt: skip
        assert [call["requests"] for call in rank["calls"] if call["op"] == "Startall"] == [[0, 1]]


def test_requests_that_the_sequence_creates_are_only_named_by_their_slots(traced, patterns):
    run = traced([patterns, "persistent", "5"])
    assert not any(messages_started(rank) for rank in run.ranks)


@pytest.mark.parametrize("text", ["", "0 5\n0 5\n", "0 5\n5 5\n0 5\n", "0 5\nx 5\n0 5\n"])
def test_nothing_is_recorded_with_a_file_that_has_no_window_for_each_rank(traced, patterns, tmp_path, text):
    file = tmp_path / "calls.window"
    file.write_text(text)
    run = traced([patterns, "cg", "5"], STRESSBENCH_TRACE_WINDOW=str(file))
    line = {"": 1, "0 5\n0 5\n": 3}.get(text, 2)
    assert run.status == 0
    assert [rank["sequence_calls"] for rank in run.ranks] == [0] * RANKS
    assert f"STRESSBENCH_TRACE_WINDOW: '{file}', line {line}: expected FIRST END, one line per rank" in run.text


def test_times_before_calls_are_kept_in_order_on_request(traced, patterns, tmp_path):
    whole = traced([patterns, "cg", "20"])
    assert not any("gap_times_ns" in rank for rank in whole.ranks)
    before = whole.ranks[0]["sequence_calls"] - 20 * CG_CALLS
    spans = windows(tmp_path, *[(before, before + 20 * CG_CALLS)] * RANKS)
    run = traced([patterns, "cg", "20"], STRESSBENCH_TRACE_GAP_TIMES="1", **spans)

    assert run.status == 0, run.text
    for rank in run.ranks:
        times = rank["gap_times_ns"]
        assert len(times) == rank["sequence_calls"] == 20 * CG_CALLS
        sums: dict[tuple[int, int], int] = {}
        calls = list(expand(tuple(tuple(map(tuple, rule)) for rule in rank["rules"])))
        for pair, time_ns in zip(pairwise([-1, *calls]), times, strict=True):
            sums[pair] = sums.get(pair, 0) + time_ns
        exact = {(gap[0], gap[1]): round(1e9 * gap[3]) for gap in rank["gaps"]}
        assert sums.keys() == exact.keys()
        for pair, time_ns in exact.items():
            assert abs(sums[pair] - time_ns) <= time_ns >> 24  # times have 24 binary digits: up to 16 ms exactly


@pytest.mark.parametrize("cpu_time", [False, True])
def test_times_between_calls_are_elapsed_or_processor_time(traced, patterns, cpu_time):
    times = 20
    run = traced([patterns, "sleeps", str(times)], STRESSBENCH_TRACE_CPU_TIME="1" if cpu_time else "0", ranks=1)

    assert run.lines[0].get("gap_clock") == ("cpu" if cpu_time else None)
    (rank,) = run.ranks
    barrier = next(number for number, call in enumerate(rank["calls"]) if call["op"] == "Barrier")
    between_s = sum(gap[3] for gap in rank["gaps"] if gap[:2] == [barrier, barrier])
    computed_s, slept_s = (times - 1) * 1e-3, (times - 1) * 5e-3
    assert between_s >= computed_s + (0 if cpu_time else slept_s)
    assert not cpu_time or between_s < computed_s + slept_s / 2


def test_the_working_set_is_the_memory_that_is_used_in_the_recorded_part(traced, patterns, tmp_path):
    wanted = {"STRESSBENCH_TRACE_WORKING_SET": "1"}
    whole = traced([patterns, "remembers", "5"], **wanted)
    part = traced([patterns, "remembers", "5"], **wanted, **windows(tmp_path, *[(1, 5)] * RANKS))

    assert (whole.status, part.status) == (0, 0), part.text
    unit = 1 << 20
    for rank in whole.ranks:
        assert 48 * unit <= rank["working_set_bytes"] < 56 * unit
    for rank in part.ranks:
        assert 16 * unit <= rank["working_set_bytes"] < 24 * unit
    assert all("working_set_bytes" not in rank for rank in traced([patterns, "remembers", "5"]).ranks)


def test_times_before_calls_are_those_of_the_first_calls_where_there_are_too_many(traced, patterns):
    run = traced([patterns, "small", "100000"], STRESSBENCH_TRACE_GAP_TIMES="1", ranks=1)
    (rank,) = run.ranks
    assert rank["sequence_calls"] == 1_000_000
    assert len(rank["gap_times_ns"]) == 1 << 18


def test_a_program_that_repeats_nothing_degrades_to_statistics(traced, patterns):
    run = traced([patterns, "irregular", "100000"], ranks=1)
    assert run.status == 0, run.text
    (rank,) = run.ranks
    assert rank["rules"] is None
    assert {loss["what"] for loss in rank["lost"]} >= {"sequence", "calls"}
    assert run.total("Sendrecv") == 100_000
    assert sum(rank["sizes"]["p2p"]) == 100_000


def test_mode_profile_keeps_no_sequence(traced, patterns):
    run = traced([patterns, "cg", "5"], mode="profile")
    assert run.lines[0]["mode"] == "profile"
    assert all(rank["rules"] is None and rank["lost"] is None for rank in run.ranks)
    assert run.total("Waitall") == 5 * RANKS


@pytest.mark.parametrize(("name", "ended"), [("killed", "killed"), ("aborted", "abort")])
def test_what_a_killed_rank_had_can_be_saved(traced, patterns, any_engine, tmp_path, name, ended):
    run = traced([patterns, name, "1000"])
    assert run.status != 0
    assert not run.lines
    pools = sorted(tmp_path.glob("*.pool"))
    assert len(pools) == RANKS
    salvage = any_engine.tracer.with_name("stressbench-trace-salvage")
    saved = tmp_path / "saved.trace"
    subprocess.run([salvage, saved, *pools], check=True)
    lines = lines_of(saved)
    assert lines[-1] == {"type": "end", "ranks": RANKS, "complete": False, "crc32": lines[-1]["crc32"]}
    ranks = [line for line in lines if line["type"] == "rank"]
    assert ended in {rank["ended"] for rank in ranks}
    assert all(rank["totals"][0]["calls"] >= 999 for rank in ranks)  # the last one may not have come back
    assert not any("objects" in rank for rank in ranks)  # what was left is known at the end only


PLANTS = ("link", "writable by others", "pipe", "somebody else's")


def plant(pool: Path, kind: str) -> None:
    """Puts in the pool's place what another user could have put there."""
    moved = pool.rename(pool.with_suffix(".moved"))
    if kind == "link":
        pool.symlink_to(moved)
    elif kind == "pipe":
        os.mkfifo(pool, 0o600)
    else:
        shutil.copy(moved, pool)
        pool.chmod(0o622 if kind == "writable by others" else 0o600)
        if kind == "somebody else's":
            os.chown(pool, 65534, 65534)


@pytest.mark.parametrize("kind", PLANTS)
def test_pools_that_others_may_have_written_are_left_out(traced, patterns, any_engine, tmp_path, kind):
    if kind == "somebody else's" and os.geteuid() != 0:
        pytest.skip("only root can give a file away")
    traced([patterns, "killed", "1000"])
    pools = sorted(tmp_path.glob("*.pool"))
    plant(pools[1], kind)
    salvage = any_engine.tracer.with_name("stressbench-trace-salvage")

    done = subprocess.run(
        [salvage, tmp_path / "saved.trace", *pools], capture_output=True, text=True, timeout=60, check=True
    )

    assert f"{pools[1]}: " in done.stderr
    assert [line["rank"] for line in lines_of(tmp_path / "saved.trace") if line["type"] == "rank"] == [0, 2]


def test_what_stands_where_a_pool_should_is_neither_used_nor_removed(traced, patterns, tmp_path):
    precious = tmp_path / "precious"
    precious.write_text("mine")
    taken = tmp_path / f"stressbench-trace-{tmp_path.name}-0.pool"
    taken.symlink_to(precious)
    other = tmp_path / f"stressbench-trace-{tmp_path.name}-1.pool"
    other.write_text("mine")

    run = traced([patterns, "cg", "5"])

    assert run.status == 0, run.text
    assert len(run.ranks) == RANKS
    assert (taken.is_symlink(), precious.read_text(), other.read_text()) == (True, "mine", "mine")


def test_the_list_of_modules_follows_no_link(traced, patterns, tmp_path):
    precious = tmp_path / "precious"
    precious.write_text("mine")
    modules = tmp_path / "made.trace.modules"
    modules.symlink_to(precious)

    run = traced([patterns, "cg", "5"])

    assert run.status == 0, run.text
    assert precious.read_text() == "mine"
    assert not modules.is_symlink()
    assert modules.stat().st_mode & 0o077 == 0


def test_the_trace_is_not_written_through_a_link(traced, patterns, tmp_path):
    precious = tmp_path / "precious"
    precious.write_text("mine")
    (tmp_path / "linked.trace").symlink_to(precious)

    run = traced([patterns, "cg", "5"], STRESSBENCH_TRACE_OUTPUT=str(tmp_path / "linked.trace"))

    assert run.status == 0
    assert "the trace could not be written: cannot open" in run.text
    assert precious.read_text() == "mine"


def test_a_window_from_a_fifo_is_refused_before_anybody_writes_to_it(traced, patterns, tmp_path):
    os.mkfifo(tmp_path / "window\x1b[31m")

    run = traced([patterns, "cg", "5"], STRESSBENCH_TRACE_WINDOW=str(tmp_path / "window\x1b[31m"))

    assert run.status == 0
    assert "STRESSBENCH_TRACE_WINDOW: cannot open" in run.text
    assert "it is not a regular file" in run.text
    assert "window\\u001b[31m" in run.text
    assert "\x1b" not in run.text


def test_saved_calls_go_into_a_new_file_only(traced, patterns, any_engine, tmp_path):
    traced([patterns, "killed", "1000"])
    pools = sorted(tmp_path.glob("*.pool"))
    before = pools[0].read_bytes()
    salvage = any_engine.tracer.with_name("stressbench-trace-salvage")

    done = subprocess.run([salvage, *pools], capture_output=True, text=True, timeout=60, check=False)

    assert (done.returncode, done.stderr) == (
        2, f"stressbench-trace-salvage: {pools[0]}: it exists; give the name of a new file\n"
    )  # fmt: skip
    assert pools[0].read_bytes() == before


def test_a_file_that_cannot_be_written_is_said_and_harms_nothing(traced, patterns):
    run = traced([patterns, "cg", "5"], STRESSBENCH_TRACE_OUTPUT="/proc/nowhere/x.trace")
    assert run.status == 0
    assert "the trace could not be written" in run.text


@pytest.mark.parametrize("first", ["cg", "killed"])
def test_only_the_first_program_of_a_launch_is_captured(patterns, any_engine, tmp_path, first):
    commands = [any_engine.launch(patterns, first, "1000", ranks=2), any_engine.launch(patterns, "ring", "5", ranks=3)]

    done = any_engine.stressbench(
        "capture", "-o", "a.trace", "--", "sh", "-c", "; ".join(map(shlex.join, commands)), cwd=tmp_path
    )

    assert done.text.count("a second MPI program is not traced") == 1
    lines = lines_of(tmp_path / "a.trace")
    assert lines[0]["ranks"] == 2
    assert lines[-1]["complete"] == (first == "cg")


def below_size_limit(blocks: int, *program: str | Path) -> list[str | Path]:
    """The program under a limit on file sizes, in blocks of 512 bytes. MPICH itself needs more than 4 MiB."""
    return ["sh", "-c", f'ulimit -f {blocks}; exec "$0" "$@"', *program]


def test_a_size_limit_that_is_too_small_for_pools_is_said_and_harms_nothing(traced, patterns):
    run = traced(below_size_limit(16384, patterns, "cg", "5"))
    assert run.status == 0, run.text
    assert run.lines[-1]["complete"]
    assert run.text.count("the limit on file sizes (ulimit -f) is too small for a recording") == 1


def test_a_trace_that_exceeds_the_size_limit_is_said_and_harms_nothing(traced, patterns, tmp_path):
    output = tmp_path / "long.trace"  # not read, since it ends within a line
    run = traced(
        below_size_limit(12000, patterns, "irregular", "100000"), ranks=1, STRESSBENCH_TRACE_OUTPUT=str(output)
    )
    assert run.status == 0, run.text
    assert f"the trace could not be written: cannot write '{output}': File too large" in run.text


def test_programs_without_mpi_are_left_alone(any_engine):
    untraced = {**os.environ, "LD_PRELOAD": str(any_engine.tracer)}
    done = subprocess.run(["/bin/echo", "x"], env=untraced, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "x\n", "")


@pytest.mark.parametrize("source", ["ring.f90", "ring08.f90"])
def test_fortran_programs_are_seen(traced, fortran, source):
    run = traced([fortran(source)])
    assert run.status == 0, run.text
    calls = {call["op"]: call for call in run.ranks[0]["calls"]}
    assert calls["Allreduce"]["in_place"]
    assert calls["Allreduce"]["type"] == "INTEGER"
    assert calls["Irecv"]["bytes"] == 800
    assert {call["peer"] for call in run.ranks[0]["calls"] if call["op"] == "Recv"} == {1, 2}
    assert run.total("Waitall") == 20 * RANKS


def test_python_programs_are_seen(traced, any_engine, tmp_path):
    if (
        any_engine.library != "Open MPI"
        or subprocess.run(["/usr/bin/python3", "-c", "import mpi4py"], capture_output=True).returncode
    ):
        pytest.skip("Debian's mpi4py is for Open MPI, and is not installed everywhere")
    script = tmp_path / "sum.py"
    script.write_text(
        "from mpi4py import MPI\nimport array\nworld = MPI.COMM_WORLD\n"
        "for _ in range(10):\n  assert world.allreduce(1) == world.size\n"
        "world.Bcast(array.array('d', [0] * 100), root=1)\n"
    )
    run = traced(["/usr/bin/python3", script])
    assert run.status == 0, run.text
    assert [call["n"] for rank in run.ranks for call in rank["calls"] if call.get("bytes") == 800] == [1] * RANKS


def test_hpcc_is_captured_and_its_own_count_agrees(traced, any_engine, tmp_path):
    if any_engine.library != "Open MPI" or shutil.which("hpcc") is None:
        pytest.skip("Debian's hpcc is for Open MPI, and is not installed everywhere")
    (tmp_path / "hpccinf.txt").write_text((PATTERNS / "hpccinf.txt").read_text())
    run = traced(["hpcc"], ranks=4)
    assert run.status == 0, run.text
    assert "Success=1" in (tmp_path / "hpccoutf.txt").read_text()
    assert len(run.ranks) == 4
    assert all(rank["lost"] is None for rank in run.ranks)
