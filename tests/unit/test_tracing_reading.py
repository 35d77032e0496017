"""What `read_trace` takes and what it refuses: foreign, newer, corrupted, cut off, incomplete."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.builders import build_run
from support.traces import MadeRank, MadeTrace, allreduce, irecv, isend, line_of, waitall, write_lines

from stressbench.formats.trace import TraceFileError, TraceMode, read_trace

RULES = [[[-1, 3]], [[0, 1], [1, 1], [2, 1], [3, 1]]]


def made(ranks: int = 3) -> MadeTrace:
    return MadeTrace(
        [
            MadeRank([irecv((r - 1) % ranks), isend((r + 1) % ranks, request=1), waitall(0, 1), allreduce()], RULES)
            for r in range(ranks)
        ],
        symbols={"cg+0x1000": "main (cg.c:12)"},
    )


def corrupted(tmp_path: Path, **keys: Any) -> Path:
    """A trace whose rank 1 has these keys, with a checksum that is right."""
    records = made().records()
    records[2] |= keys
    return write_lines(tmp_path / "t.trace", records)


def test_a_trace_is_read_with_header_ranks_symbols_and_end(tmp_path: Path) -> None:
    trace = read_trace(made().write(tmp_path))

    assert (trace.header.mode, trace.header.ranks, trace.header.program) == (TraceMode.capture, 3, "cg")
    assert [rank.rank for rank in trace.ranks()] == [0, 1, 2]
    assert trace.rank(2).calls[1].peer == 0
    assert trace.rank(2).rules == (((-1, 3),), ((0, 1), (1, 1), (2, 1), (3, 1)))
    assert trace.symbols == {"cg+0x1000": "main (cg.c:12)"}
    assert not trace.truncated and trace.missing == ()
    trace.require_complete()


def test_key_order_does_not_matter(tmp_path: Path) -> None:
    records = [dict(reversed(record.items())) for record in made().records()]

    assert [rank.rank for rank in read_trace(write_lines(tmp_path / "t.trace", records)).ranks()] == [0, 1, 2]


def test_a_changed_byte_is_named_with_its_line_and_the_checksum(tmp_path: Path) -> None:
    path = made().write(tmp_path)
    path.write_bytes(path.read_bytes().replace(b'"rank":1,"node"', b'"rank":1,"nodf"'))

    with pytest.raises(TraceFileError, match=r"made\.trace:3: the checksum is wrong: the line says \w{8}, its bytes"):
        read_trace(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty; expected a trace"),
        (b"\x7fELF\x02\x01", "1: not a trace: begins with b'"),
        (b'{"a": 1}\n', "1: not a trace; expected a trace"),
        (line_of({"type": "end", "format": "stressbench-trace"}), "1: not a trace: type end"),
        (line_of({"type": "header", "format": "stressbench-trace", "version": 2}), "1: version 2: this StressBench"),
        (b'{"type":"header","format":"stressbench-trace","ver', "1: the only line was cut off"),
        (b'{"type":"header","format":"stressbench-trace"}\n', '1: broken line: it does not end in "crc32"'),
    ],
)
def test_a_foreign_file_is_refused_with_the_reason(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "t.trace"
    path.write_bytes(content)

    with pytest.raises(TraceFileError) as refused:
        read_trace(path)

    assert message in str(refused.value)


def test_a_run_file_is_recognised(tmp_path: Path) -> None:
    with pytest.raises(TraceFileError, match="a run file"):
        read_trace(build_run().write(tmp_path))


def test_no_file_is_a_trace_file_error(tmp_path: Path) -> None:
    with pytest.raises(TraceFileError, match="no such file"):
        read_trace(tmp_path / "gone.trace")


@pytest.mark.parametrize("left", ["within a line", "after a line"])
def test_a_cut_off_file_is_read_as_far_as_it_goes_and_says_how_far(tmp_path: Path, left: str) -> None:
    path = made().write(tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:3]) + (lines[3][:100] if left == "within a line" else b""))

    trace = read_trace(path)

    assert [rank.rank for rank in trace.ranks()] == [0, 1]
    assert (trace.truncated, trace.torn, trace.missing) == (True, left == "within a line", (2,))
    with pytest.raises(TraceFileError, match="the file is cut off: 2 of 3 ranks are whole"):
        trace.require_complete()


def test_a_missing_rank_is_named(tmp_path: Path) -> None:
    records = made().records()
    del records[2]
    records[-1]["ranks"] = 2
    trace = read_trace(write_lines(tmp_path / "t.trace", records))

    with pytest.raises(TraceFileError, match="2 of 3 ranks are whole; no line of rank 1"):
        trace.require_complete()
    with pytest.raises(TraceFileError, match="rank 1 is not in this file; it holds ranks 0,2"):
        trace.rank(1)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"rules": [[[-1, 1]]]}, "3: rank 1: rules.0: rule 1: expected a number below 1"),
        ({"rules": [[[9, 1]]]}, "3: rank 1: rules.0: call 9: expected a number below 4"),
        ({"rules": [[[-1, 1]], [[-2, 1]], [[-1, 2]]]}, "rule 1 holds itself"),
        ({"rules": []}, "expected rule 0, the whole sequence"),
        ({"sites": [[1, 5]]}, "sites.0: module 1: expected a number below 1, or -1"),
        ({"calls": [{"op": "Send", "n": 1, "time_s": 0.1, "comm": 7}], "rules": None, "gaps": None}, "calls.0.comm 7"),
        (
            {"calls": [{"op": "Start", "n": 1, "time_s": 0.1, "requests": [0], "inits": []}], "gaps": None},
            "calls.0.inits: 0 numbers: expected 1, one for each of `requests`",
        ),
        (
            {"calls": [{"op": "Start", "n": 1, "time_s": 0.1, "requests": [0], "inits": [0]}], "gaps": None},
            "calls.0.inits: call 0: expected the number of a call that creates a persistent request, or -1",
        ),
        ({"wall_s": -1.0}, "3: wall_s -1.0: input should be greater"),
        ({"totals": [{"op": "Send"}]}, "3: totals.0.calls: field required"),
    ],
)
def test_numbers_that_point_nowhere_are_named(tmp_path: Path, keys: dict[str, Any], message: str) -> None:
    trace = read_trace(corrupted(tmp_path, **keys))

    with pytest.raises(TraceFileError) as refused:
        trace.rank(1)

    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ([0, 2, 1, 3, 4, 5], "rank 0: expected more than 1"),
        ([0, 1, 2, 3, 4, 5, 1], "a rank line after the end"),
        ([0, 0], "a second header"),
        ([0, 1, 5], "end.ranks 3: the file has lines of 1 ranks"),
    ],
)
def test_lines_in_a_wrong_order_are_refused(tmp_path: Path, order: list[int], message: str) -> None:
    records = made().records()

    with pytest.raises(TraceFileError, match=message):
        read_trace(write_lines(tmp_path / "t.trace", [records[place] for place in order]))


def test_unknown_keys_and_types_belong_to_later_versions(tmp_path: Path) -> None:
    records = made().records()
    records[1]["energy_j"] = 3
    records.insert(2, {"type": "energy", "joules": 3})
    path = write_lines(tmp_path / "t.trace", records)

    assert len(list(read_trace(path).ranks())) == 3
    assert json.loads(path.read_bytes().splitlines()[1])["energy_j"] == 3
