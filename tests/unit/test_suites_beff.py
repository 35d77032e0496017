"""b_eff from its protocol: averages by hand, what is refused, what is said of less than the definition."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.commands import invoke
from support.counted import Counted

from stressbench.formats.errors import SuiteFileError
from stressbench.formats.protocols.beff import read_protocols
from stressbench.suites.beff import b_eff_of

HEAD: dict[str, Any] = {
    "type": "b_eff", "version": 1, "round": 1, "ranks": 4, "lmax_bytes": 4096, "memory_bytes": None,
    "random": "uniform", "seed": 7, "attempts": 2, "sizes": [1, 4096],
    "patterns": [
        {"kind": "ring", "name": "ring 1", "messages": 4},
        {"kind": "ring", "name": "ring 6", "messages": 8},
        {"kind": "random", "name": "random 1", "messages": 8},
        {"kind": "extra", "name": "ping-pong", "messages": 1},
    ],
}  # fmt: skip
END = {"type": "end", "b_eff_bytes_per_s": 1.0, "timed_s": 1.0, "elapsed_s": 2.0}


def loop(pattern: int, size: int, method: str, attempt: int, loops: int, time_s: float) -> dict[str, Any]:
    return {
        "type": "loop", "pattern": pattern, "size_bytes": size, "method": method, "attempt": attempt, "loops": loops,
        "time_s": time_s,
    }  # fmt: skip


LOOPS = [
    loop(0, 1, "sendrecv", 0, 10, 2.0),
    loop(0, 1, "sendrecv", 1, 10, 1.0),  # the better attempt: 40 bytes/s
    loop(0, 1, "alltoallv", 0, 10, 4.0),
    loop(0, 4096, "sendrecv", 0, 1, 4.0),
    loop(0, 4096, "nonblocking", 0, 1, 1.0),  # the better method: 16384
    loop(1, 1, "sendrecv", 0, 1, 1.0),  # 8
    loop(1, 4096, "sendrecv", 0, 1, 1.0),  # 32768
    loop(2, 1, "sendrecv", 0, 1, 2.0),  # 4
    loop(2, 4096, "sendrecv", 0, 1, 2.0),  # 16384
    loop(3, 1, "pingpong", 0, 2, 1.0),
    loop(3, 4096, "pingpong", 0, 2, 1.0),  # 8192
]


def protocol(folder: Path, *records: dict[str, Any]) -> Path:
    path = folder / "protocol.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def test_loops_are_read_twice_however_many_patterns_there_are(tmp_path: Path) -> None:
    (read,) = read_protocols(protocol(tmp_path, HEAD, *LOOPS, END))
    loops = Counted(read.loops)

    assert b_eff_of(replace(read, loops=loops)) == b_eff_of(read)
    assert loops.reads == 2


def test_the_number_is_the_one_that_the_definition_gives(tmp_path: Path) -> None:
    (read,) = read_protocols(protocol(tmp_path, HEAD, *LOOPS, END))
    found = b_eff_of(read)

    assert found is not None
    rings = math.sqrt((40 + 16384) / 2 * (8 + 32768) / 2)
    polygons = (4 + 16384) / 2
    assert found.b_eff == pytest.approx(math.sqrt(rings * polygons), rel=1e-12)
    assert found.rings == pytest.approx(rings, rel=1e-12)
    assert found.polygons == pytest.approx(polygons, rel=1e-12)
    assert found.at_lmax == pytest.approx(math.sqrt(math.sqrt(16384 * 32768) * 16384), rel=1e-12)
    assert found.rings_at_lmax == pytest.approx(math.sqrt(16384 * 32768), rel=1e-12)
    assert found.per_rank == pytest.approx(found.b_eff / 4, rel=1e-12)
    assert found.pingpong == 8192
    assert found.reduced == (
        "2 message sizes instead of 21", "2 ring patterns instead of 6", "1 random pattern instead of 30",
        "2 attempts instead of 3",
    )  # fmt: skip


def test_where_a_size_is_missing_no_number_is_claimed(tmp_path: Path) -> None:
    (read,) = read_protocols(protocol(tmp_path, HEAD, *LOOPS[:-3]))

    assert read.end is None
    assert b_eff_of(read) is None


@pytest.mark.parametrize(
    ("records", "said"),
    [
        ((), "holds no b_eff"),
        ((LOOPS[0],), ":1: expected a line with"),
        ((HEAD, {**LOOPS[0], "time_s": 0}), ":2: loop.time_s: input should be greater than 0"),
        ((HEAD, {**LOOPS[0], "size_bytes": 2}), ":2: pattern or size is none of those"),
        ((HEAD, {**LOOPS[0], "pattern": 4}), ":2: pattern or size is none of those"),
    ],
)
def test_a_broken_protocol_is_refused_with_its_line(tmp_path: Path, records, said: str) -> None:
    with pytest.raises(SuiteFileError, match=said):
        read_protocols(protocol(tmp_path, *records))


def test_several_executions_and_a_torn_line(tmp_path: Path) -> None:
    path = protocol(tmp_path, HEAD, *LOOPS, END, HEAD, LOOPS[0])
    path.write_text(path.read_text(encoding="utf-8") + '{"type": "loo', encoding="utf-8")

    assert [one.end is not None for one in read_protocols(path)] == [True, False]


def test_the_command_evaluates_a_protocol(tmp_path: Path) -> None:
    path = protocol(tmp_path, HEAD, *LOOPS, END)

    shown = invoke(["beff", "--from", str(path), "--rmax", "2"])
    reported = json.loads(invoke(["beff", "--from", str(path), "--json", "--rmax", "2"]).output)

    assert "not comparable with published numbers: 1 random pattern instead of 30" in shown.output
    assert "balance:" in shown.output
    assert reported["balance_bytes_per_flop"] == pytest.approx(reported["b_eff"] / 2e9)


def test_the_command_refuses_what_is_no_protocol(tmp_path: Path) -> None:
    refused = invoke(["beff", "--from", str(tmp_path / "none.jsonl")])

    assert refused.exit_code == 2
    assert "no such file" in refused.output
