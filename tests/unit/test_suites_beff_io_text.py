"""b_eff_io as text files of other tools: rows and blocks have the bandwidths and times of the protocol."""

import re
from pathlib import Path

from support.io_protocols import CHUNKS, MadeIO, first_ranks, write_lines

from stressbench.formats.protocols.beff_io import read_io_protocols
from stressbench.formats.protocols.io_patterns import Chunk
from stressbench.report.suites.beff_io_text import skampi_text, summary_text
from stressbench.suites.beff_io import BEffIO, b_eff_io_of

ROW = re.compile(r" *(\d+) PEs +(\d+) +(\d+|-) (write|rewrite|read) +([\d. ]+)")


def result_of(path: Path) -> BEffIO:
    return b_eff_io_of(read_io_protocols(path)[-1])


def test_the_summary_has_a_row_for_each_chunk_and_access_with_the_bandwidths_of_the_types(tmp_path: Path) -> None:
    result = result_of(MadeIO(head={"partitions": [first_ranks(2), first_ranks(4)]}).write(tmp_path))

    lines = summary_text(result).splitlines()
    rows = [match.groups() for line in lines if (match := ROW.fullmatch(line))]

    assert [(row[0], row[3], row[1]) for row in rows] == [
        (ranks, access, str(position))
        for ranks in ("2", "4")
        for access in ("write", "rewrite", "read")
        for position in range(1, 8)
    ]
    assert [int(row[2]) for row in rows[:7]] == [CHUNKS[chunk] for chunk in Chunk]
    # Eight calls of 1 kB by each pattern, in a ninth, eighth or ninth of the 1 to 5 s of its file.
    times = ((1, 9), (2, 8), (3, 8), (4, 9), (5, 9))
    assert [float(value) for value in rows[0][4].split()] == [
        round(8 * 1024 / (seconds / patterns) / 1e6, 3) for seconds, patterns in times
    ]
    assert f"b_eff_io = {(result.b_eff_io or 0) / 1e6:.3f} MB/s on {result.best} processes, scheduled" in lines[-1]


def test_without_a_number_the_summary_says_that_it_is_undefined(tmp_path: Path) -> None:
    result = result_of(write_lines(tmp_path / "cut.jsonl", MadeIO().records()[:1]))

    lines = summary_text(result).splitlines()

    assert lines[-1].startswith("b_eff_io = undefined, scheduled time")
    assert all(float(value) == 0 for line in lines if (row := ROW.fullmatch(line)) for value in row[5].split())


def test_blocks_have_the_time_and_number_of_calls_of_each_pattern(tmp_path: Path) -> None:
    text = skampi_text(result_of(MadeIO().write(tmp_path)))

    blocks = re.findall(r'begin result "([^"]+)"\n#[^\n]*\n(.*?)end result "\1"\n', text, re.DOTALL)

    assert [name for name, _ in blocks] == [
        f"b_eff_io-{access}-type{number}-4" for access in ("write", "rewrite", "read") for number in range(5)
    ]
    rows = [line.split() for line in dict(blocks)["b_eff_io-read-type2-4"].splitlines()]
    assert [row[0] for row in rows] == ["chunk="] * 8
    assert [int(row[1]) for row in rows] == sorted(int(row[1]) for row in rows)
    # A rank makes 2 of the 8 calls in an eighth of the 3 s.
    assert {(float(row[2]), int(row[3])) for row in rows} == {(3 / 8 / 2, 8)}


def test_what_was_not_measured_has_no_block(tmp_path: Path) -> None:
    text = skampi_text(result_of(write_lines(tmp_path / "cut.jsonl", MadeIO().records()[:4])))

    assert re.findall(r'begin result "([^"]+)"', text) == ["b_eff_io-write-type0-4"]
