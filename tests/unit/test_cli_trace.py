"""`stressbench trace show|diff|export|levels` and `stressbench record`."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.commands import CommandResult, invoke
from support.fake_tracer import COPY, folder, stressbench
from support.multigrid import MadeLevel, VCycle
from support.traces import RULES, MadeRank, MadeTrace, allreduce, call, cg, ring, write_lines

from stressbench.errors import UserError
from stressbench.experiments.trace_outline import outline_document
from stressbench.experiments.traces import trace_difference
from stressbench.formats.trace import read_trace

__all__ = ["folder"]  # a fixture


def trace(*words: str | Path) -> CommandResult:
    return invoke(["trace", *map(str, words)])


def test_show_gives_the_header_a_line_a_rank_and_the_loops_of_rank_0(tmp_path: Path) -> None:
    ended = trace("show", cg().write(tmp_path))

    assert ended.exit_code == 0
    lines = ended.stdout.splitlines()
    assert "capture of cg, 3 ranks on 1 host" in ended.stdout
    place = lines.index("rank 0: 52 calls in order")
    assert lines[place + 1 : place + 5] == [
        "  Bcast:16@3",
        "  10 times, 5 calls each:",
        "    Ir<2:1:100  Is>1:1:100  Wa(2)  Ta(1)  Allreduce[SUM]:8@3".replace("Ta(1)", "T(1)"),
        "  Barrier:0@3",
    ]


def test_show_of_one_rank_stops_after_so_many_lines(tmp_path: Path) -> None:
    ended = trace("show", cg().write(tmp_path), "--rank", "2", "--lines", "2")

    assert ended.stdout.splitlines()[-3:] == ["  Bcast:16@3", "  10 times, 5 calls each:", "  ... (--lines shows more)"]
    assert "rank 2: 52 calls" in ended.stdout


@pytest.mark.parametrize("count", [0, 1_000_001, 2**63 - 1])
def test_lines_and_context_out_of_range_are_refused(tmp_path: Path, count: int) -> None:
    path = cg().write(tmp_path)

    for ended in (trace("show", path, "--lines", str(count)), trace("diff", path, path, "--context", str(count))):
        assert (ended.exit_code, ended.exception) == (2, None)
        assert "Invalid value for '--" in ended.stderr
    with pytest.raises(UserError, match=f"--lines: {count}: expected 1 to 1000000"):
        outline_document(read_trace(path), lines=count)
    with pytest.raises(UserError, match=f"--context: {count}: expected 1 to 1000"):
        trace_difference(path, path, context=count)


def test_show_profile_gives_the_tables_of_profile(tmp_path: Path) -> None:
    ended = trace("show", "--profile", cg().write(tmp_path))

    assert "% collective" in ended.stdout


def test_show_of_a_cut_off_file_warns(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "t.trace", cg().records()[:2])

    ended = trace("show", path)

    assert ended.exit_code == 0
    assert "stressbench: the file is cut off: 1 of 3 ranks are whole" in ended.stderr
    assert "rank 0: 52 calls in order" in ended.stdout


@pytest.mark.parametrize("command", [("show",), ("diff",), ("export", "--profile"), ("levels",)])
def test_a_foreign_file_is_refused_with_status_2(tmp_path: Path, command: tuple[str, ...]) -> None:
    path = tmp_path / "t.trace"
    path.write_text("nonsense\n")

    ended = trace(*command, path, *([path] if command == ("diff",) else []))

    assert ended.exit_code == 2
    assert f"stressbench: {path}:1: not a trace" in ended.stderr


@pytest.mark.parametrize("command", [("diff",), ("export", "--profile"), ("levels",)])
def test_a_cut_off_file_is_refused_where_a_part_would_mislead(tmp_path: Path, command: tuple[str, ...]) -> None:
    path = write_lines(tmp_path / "t.trace", cg().records()[:2])

    ended = trace(*command, path, *([path] if command == ("diff",) else []))

    assert ended.exit_code == 2
    assert "the file is cut off: 1 of 3 ranks are whole" in ended.stderr


def test_diff_of_the_same_is_status_0_and_says_so(tmp_path: Path) -> None:
    ended = trace("diff", cg().write(tmp_path, "a.trace"), cg().write(tmp_path, "b.trace"))

    assert ended.exit_code == 0
    assert "the same: 3 sequences, call by call, and all totals" in ended.stdout


def test_diff_names_the_place_and_the_calls_around_it(tmp_path: Path) -> None:
    other = cg(rules=[[[5, 1], [-1, 9], [4, 1]], RULES[1]])

    ended = trace("diff", cg().write(tmp_path, "a.trace"), other.write(tmp_path, "b.trace"), "--context", "2")

    assert ended.exit_code == 1
    assert "rank 1: equal up to call 46; A has 52 calls, B has 47" in ended.stdout
    assert "    before: T(1)  Allreduce[SUM]:8@3\n    A: Ir<0:1:100  Is>2:1:100\n    B: Barrier:0@3\n" in ended.stdout


def test_diff_as_json(tmp_path: Path) -> None:
    other = cg(rules=[[[5, 1], [-1, 9], [4, 1]], RULES[1]])

    ended = trace("diff", "--json", cg().write(tmp_path, "a.trace"), other.write(tmp_path, "b.trace"))

    assert [part["place"] for part in json.loads(ended.stdout)["sequences"]] == [46, 46, 46]


def test_export_leaves_out_what_is_not_known(tmp_path: Path) -> None:
    path = cg(rules=[[[5, 1], [-1, 10**6], [4, 1]], RULES[1]]).write(tmp_path)

    ended = trace("export", "--profile", path, "-o", tmp_path / "cg.json")

    assert ended.exit_code == 0
    found = json.loads((tmp_path / "cg.json").read_text())
    assert "sequence_all_ranks" not in found and "pipeline" not in found
    assert found["collectives"][1] == ["Barrier", None, 0, 3, -1, 1, 3, 1.0]


def test_export_wants_to_know_what(tmp_path: Path) -> None:
    assert trace("export", cg().write(tmp_path)).exit_code == 2


CYCLE = VCycle(ranks=2, levels=[MadeLevel(matrix={(0, 1): 8, (1, 0): 16}, interpolation={(0, 1): 8})], gathered={1: 2})


def test_levels_are_a_file_for_the_motif(tmp_path: Path) -> None:
    path = CYCLE.trace().write(tmp_path)

    ended = trace("levels", path, "-o", tmp_path / "cg.levels")

    assert (ended.exit_code, ended.stdout) == (0, f"{tmp_path / 'cg.levels'}\n")
    assert (tmp_path / "cg.levels").read_text().splitlines() == [
        "# The multigrid of cg on 2 ranks, from a capture with 4 V-cycles.",
        "# Written by `stressbench trace levels`; the format: docs/motifs/amg.md.",
        "matrix 0 0 1 8",
        "matrix 0 1 0 16",
        "interpolation 0 0 1 8",
        "coarsest 1 2",
    ]


def test_levels_without_a_file_are_printed_as_they_would_be_written(tmp_path: Path) -> None:
    path = CYCLE.trace().write(tmp_path)
    trace("levels", path, "-o", tmp_path / "cg.levels")

    assert trace("levels", path).stdout == (tmp_path / "cg.levels").read_text()


def test_levels_of_a_capture_without_a_cycle_are_refused_with_status_2(tmp_path: Path) -> None:
    path = cg().write(tmp_path)

    ended = trace("levels", path, "-o", tmp_path / "cg.levels")

    assert ended.exit_code == 2
    assert f"stressbench: {path}: no MPI_Startall starts messages" in ended.stderr
    assert not (tmp_path / "cg.levels").exists()


def test_levels_that_cannot_be_written_are_a_mistake(tmp_path: Path) -> None:
    ended = trace("levels", CYCLE.trace().write(tmp_path), "-o", tmp_path / "none" / "cg.levels")

    assert ended.exit_code == 2
    assert "--output: " in ended.stderr


def test_record_writes_a_workload_and_the_trace_beside_it(folder: Path) -> None:
    cg().write(folder)
    (folder / "runs").mkdir()

    ended = stressbench(folder, "record", "-o", "runs/my cg.sb", "--job", "CG $1", "sh", "-c", COPY)

    assert ended.returncode == 0, ended.stderr
    text = (folder / "runs" / "my cg.sb").read_text()
    assert '[JOB_NAME] "CG \\$1"\n[NODES] ${nodes}\n[MOTIF] replay -f "runs/my cg.trace"\n' in text
    assert "[SET] nodes=1\n" in text
    assert (folder / "runs" / "my cg.trace").exists()
    assert "next: stressbench run 'runs/my cg.sb' -n 3" in ended.stderr


def corrupted(**keys: Any) -> list[dict[str, Any]]:
    records = cg().records()
    records[2] |= keys
    return records


@pytest.mark.parametrize(
    ("records", "reason"),
    [
        (ring(2).records(), "ranks 0-1: statistics only; `stressbench capture` keeps the sequence"),
        (corrupted(streams=[{"calls": []}, {"calls": []}], threads=2), "rank 1: several threads called MPI"),
        (corrupted(rules=None, lost=[{"what": "sequence", "why": "no room"}]), "rank 1: no sequence (no room)"),
        (corrupted(ended="killed"), "rank 1: it did not reach MPI_Finalize"),
        ([*cg().records()[:3], {"type": "end", "ranks": 2, "complete": False}], "no line of rank 2"),
        (cg().records()[:3], "the file is cut off: 2 of 3 ranks are whole"),
        (
            MadeTrace([MadeRank([call("Win_create_dynamic", comm=0, window=0)], [[[0, 1]]])]).records(),
            "rank 0: dynamic windows (Win_create_dynamic) are not supported",
        ),
        (
            MadeTrace([MadeRank([call("Comm_spawn", comm=0)], [[[0, 1]]])]).records(),
            "rank 0: dynamic processes (Comm_spawn) are not supported",
        ),
        (
            MadeTrace(
                [MadeRank([allreduce()], [[[0, 1]]], extra={"comms": [{"size": 1}, {"size": 1, "inter": True}]})]
            ).records(),
            "rank 0: intercommunicators are not supported",
        ),
    ],
)
def test_record_refuses_what_cannot_be_replayed_with_the_reason(
    folder: Path, records: list[dict[str, Any]], reason: str
) -> None:
    write_lines(folder / "made.trace", records)

    ended = stressbench(folder, "record", "-o", "a.sb", "sh", "-c", COPY)

    assert ended.returncode == 3
    assert f"cannot be replayed: {reason}" in ended.stderr
    assert not (folder / "a.sb").exists() and (folder / "a.trace").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-o", "a.txt"), "--output: a.txt should end in .sb"),
        (("-o", "made.sb"), "--output: made.trace already exists"),
        (("-o", "a.sb", "--job", ""), "--job: '' is not a name"),
    ],
)
def test_mistakes_of_record_are_status_2(folder: Path, words: tuple[str, ...], message: str) -> None:
    ended = stressbench(folder, "record", *words, "true")

    assert ended.returncode == 2
    assert message in ended.stderr


def test_help_of_the_group_names_its_commands() -> None:
    text = trace("--help").stdout

    assert all(name in text for name in ("show", "diff", "export"))
