"""b_eff_io from its protocol: averages by hand, what is refused, and what is said of less than the definition."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.counted import Counted
from support.examples import examples
from support.io_protocols import MIB, MadeIO, first_ranks, version_1, write_lines

from stressbench.formats.errors import SuiteFileError
from stressbench.formats.protocols.beff_io import Access, read_io_protocols
from stressbench.formats.protocols.io_patterns import TABLE_2, TYPES
from stressbench.suites.beff_io import BEffIO, b_eff_io_of

# Bytes and seconds of the files of the worked example in docs/how-to/beff-io.md.
WORKED = {
    "write": ((600, 2), (300, 3), (200, 1), (400, 4), (100, 2)),
    "rewrite": ((800, 2), (300, 3), (200, 1), (400, 4), (100, 2)),
    "read": ((900, 1), (500, 1), (400, 1), (200, 1), (100, 1)),
}


def worked(folder: Path, *, release: int = 1, end: dict[str, Any] | None = None) -> Path:
    """Files only: the number needs no patterns."""
    head = MadeIO(head={"release": release}).records()[0]
    files = [
        {"type": "file", "partition": 0, "access": access, "pattern_type": number, "bytes": moved, "time_s": took}
        for access, files in WORKED.items()
        for number, (moved, took) in enumerate(files)
        if release == 1 or access != "rewrite" or number == 0
    ]
    last = {"type": "end", "b_eff_io_bytes_per_s": None, "elapsed_s": 1.0, **(end or {})}
    return write_lines(folder / "worked.jsonl", [head, *files, last])


def result_of(path: Path, **options: Any) -> BEffIO:
    return b_eff_io_of(read_io_protocols(path)[-1], **options)


def test_the_table_is_the_paper_s() -> None:
    assert sum(row.units for row in TABLE_2.values()) == 64
    assert [sum(row.units for row in TABLE_2.values() if row.pattern_type == number) for number in TYPES] == [
        22, 12, 10, 10, 10,
    ]  # fmt: skip
    assert [row.number for row in TABLE_2.values() if row.fills_segment] == [33, 42]
    assert [number for number, row in TABLE_2.items() if row.chunk.value == "M_PART"] == [1, 10, 18, 26, 35]


def test_lines_are_read_a_few_times_however_many_partitions_there_are(tmp_path: Path) -> None:
    (read,) = read_io_protocols(worked(tmp_path))
    counted = replace(read, patterns=Counted(read.patterns), files=Counted(read.files))

    assert b_eff_io_of(counted) == b_eff_io_of(read)
    assert (counted.patterns.reads, counted.files.reads) == (3, 2)


def test_the_number_is_the_one_that_the_definition_gives(tmp_path: Path) -> None:
    """Write (2*300 + 100 + 200 + 100 + 50) / 6 = 175; rewrite (2*400 + 450) / 6; read (2*900 + 1200) / 6 = 500."""
    found = result_of(worked(tmp_path))

    (only,) = found.partitions
    assert [one.value for one in only.accesses] == pytest.approx([175, 1250 / 6, 500], rel=1e-12)
    assert only.value == pytest.approx(0.25 * 175 + 0.25 * 1250 / 6 + 0.5 * 500, rel=1e-12)
    assert found.b_eff_io == only.value
    assert (found.best, found.missing, found.reduced, found.complete) == (4, None, (), True)


def test_release_2_writes_again_by_type_0_only(tmp_path: Path) -> None:
    found = result_of(worked(tmp_path, release=2))

    assert found.partitions[0].of(Access.rewrite).value == 400
    assert found.b_eff_io == pytest.approx(0.25 * 175 + 0.25 * 400 + 0.5 * 500, rel=1e-12)


rates = st.floats(min_value=1e-3, max_value=1e6)


@examples(30)
@given(st.lists(st.lists(rates, min_size=15, max_size=15), min_size=1, max_size=3), st.sampled_from([1, 2]))
def test_any_protocol_gives_what_exact_arithmetic_gives(
    tmp_path_factory: pytest.TempPathFactory, times: list[list[float]], release: int
) -> None:
    names = ("write", "rewrite", "read")
    made = MadeIO(
        head={"partitions": [first_ranks(1 + number) for number in range(len(times))], "release": release},
        times=lambda partition, access, kind: times[partition][5 * names.index(access) + kind],
    )
    path = made.write(tmp_path_factory.mktemp("exact"))

    values = []
    records = made.records()
    for partition in range(len(times)):
        means = {}
        for access in names:
            weighted = [
                (2 if one["pattern_type"] == 0 else 1, Fraction(one["bytes"]) / Fraction(one["time_s"]))
                for one in records
                if one["type"] == "file" and one["partition"] == partition and one["access"] == access
            ]
            means[access] = sum(weight * value for weight, value in weighted) / sum(weight for weight, _ in weighted)
        values.append((means["write"] + means["rewrite"] + 2 * means["read"]) / 4)

    found = result_of(path)
    assert [one.value for one in found.partitions] == pytest.approx([float(value) for value in values], rel=1e-12)
    assert found.b_eff_io == pytest.approx(float(max(values)), rel=1e-12)


def test_the_largest_partition_value_is_the_system_s(tmp_path: Path) -> None:
    partitions = [first_ranks(2), first_ranks(4)]
    made = MadeIO(head={"partitions": partitions}, times=lambda partition, access, kind: 2.0 - partition)

    found = result_of(made.write(tmp_path))

    assert (found.best, found.best_name) == (4, "4")
    assert found.b_eff_io == found.partitions[1].value == pytest.approx(2 * (found.partitions[0].value or 0))


@pytest.mark.parametrize("lines", [1, 2, 10, 60, 130, 145])
def test_without_an_end_no_number_is_claimed(tmp_path: Path, lines: int) -> None:
    records = MadeIO().records()
    found = result_of(write_lines(tmp_path / "cut.jsonl", records[:lines]))

    assert (found.b_eff_io, found.best, found.balance, found.complete) == (None, None, None, False)
    assert found.missing == "the benchmark was not completed"
    written = sum(one["type"] == "file" for one in records[:lines])
    assert sum(len(access.types) for access in found.partitions[0].accesses) == written


def test_types_that_are_left_out_leave_no_number(tmp_path: Path) -> None:
    found = result_of(MadeIO(head={"types": [0, 2]}).write(tmp_path))

    assert found.missing == "pattern types 1, 3, 4 left out"
    assert found.b_eff_io is None
    assert found.complete
    assert found.partitions[0].of(Access.write).value is None
    assert found.partitions[0].of(Access.write).of_type(2) is not None


def test_a_file_that_is_missing_although_it_ended_leaves_no_number(tmp_path: Path) -> None:
    records = [
        one
        for one in MadeIO().records()
        if (one["type"], one.get("access"), one.get("pattern_type")) != ("file", "read", 3)
    ]

    assert (
        result_of(write_lines(tmp_path / "r.jsonl", records)).missing
        == "not every type of read was measured on 4 ranks"
    )


@pytest.mark.parametrize(
    ("head", "said"),
    [
        ({"scheduled_s": 899}, "T is 899 s per partition instead of 900 s or more"),
        ({"scheduled_s": 900, "release": 2}, "T is 900 s in all instead of 1800 s or more"),
        ({"limit_bytes": 1000}, "files end at 1000 bytes, whatever time is left"),
        ({"shared_pointers": False}, "type 1 without shared file pointers"),
        ({"random": True}, "patterns were rewritten and read in random order"),
        ({"mpart_bytes": MIB}, "M_PART is 1 MiB instead of 2 MiB or more"),
    ],
)
def test_less_than_the_definition_is_said_and_the_number_is_there(tmp_path: Path, head: dict, said: str) -> None:
    found = result_of(MadeIO(head=head).write(tmp_path))

    assert found.reduced == (said,)
    assert found.b_eff_io is not None


def test_the_memory_is_written_at_the_best_partition_s_rate(tmp_path: Path) -> None:
    found = result_of(worked(tmp_path))

    assert found.balance is not None
    assert found.balance.memory_bytes == 2 * 1024 * MIB
    assert found.balance.write_s == pytest.approx(2 * 1024 * MIB / 175, rel=1e-12)
    assert not found.balance.holds
    assert result_of(MadeIO(head={"node_memory_bytes": None}).write(tmp_path)).balance is None


def test_what_was_written_is_held_against_the_cache_and_against_300_seconds(tmp_path: Path) -> None:
    path = worked(tmp_path)

    assert result_of(path).partitions[0].enough is None
    assert result_of(path).partitions[0].least_bytes == pytest.approx(300 * 175, rel=1e-12)
    assert result_of(path, cache_bytes=80).partitions[0].enough  # 1600 bytes in all
    corrupted = result_of(path, cache_bytes=81)
    assert not corrupted.partitions[0].enough
    assert any("4 ranks wrote 19.8 times the cache instead of 20" in one for one in corrupted.cautions)


def test_what_is_scheduled_is_of_each_partition_or_of_all(tmp_path: Path) -> None:
    three = [first_ranks(ranks) for ranks in (1, 2, 4)]
    each = result_of(MadeIO(head={"partitions": three}).write(tmp_path))
    in_all = result_of(MadeIO(head={"partitions": three, "release": 2}).write(tmp_path))

    assert (each.scheduled_s, in_all.scheduled_s) == (2700, 900)
    assert each.elapsed_s == 870.5


def test_doubts_are_said(tmp_path: Path) -> None:
    records = version_1(MadeIO(end={"b_eff_io_bytes_per_s": 7.0}).records())
    reading = next(one for one in records if one["type"] == "pattern" and one["access"] == "read")
    reading["again"] = True
    wrong = next(one for one in records if one["type"] == "file" and one["access"] == "rewrite")
    wrong["bytes"] += 1

    cautions = result_of(write_lines(tmp_path / "r.jsonl", records)).cautions

    assert [one.partition(":")[0][:30] for one in cautions] == [
        "1 reading pattern went through", "rewrite of type 0 on 4 ranks", "the engine made 7 bytes/s of t",
    ]  # fmt: skip


def test_a_protocol_of_version_1_gives_the_same_number(tmp_path: Path) -> None:
    new = result_of(MadeIO().write(tmp_path))
    old = result_of(write_lines(tmp_path / "old.jsonl", version_1(MadeIO().records())))

    assert old.b_eff_io == new.b_eff_io
    assert old.balance == new.balance
    assert [(one.name, one.nodes, one.label) for one in old.partitions] == [("4", None, "4 ranks")]


def test_partitions_have_the_names_by_which_they_were_chosen(tmp_path: Path) -> None:
    chosen = [{"name": "2x1", "ranks": 2, "nodes": 2}, {"name": "r2-3", "ranks": 2, "nodes": 1}]
    made = MadeIO(head={"partitions": chosen}, times=lambda partition, access, kind: 2.0 - partition)

    found = result_of(made.write(tmp_path))

    assert [(one.name, one.ranks, one.nodes) for one in found.partitions] == [("2x1", 2, 2), ("r2-3", 2, 1)]
    assert [one.label for one in found.partitions] == ["2 ranks (2x1)", "2 ranks (r2-3)"]
    assert (found.best, found.best_name) == (2, "r2-3")


def test_an_engine_that_agrees_is_not_mentioned(tmp_path: Path) -> None:
    number = 0.25 * 175 + 0.25 * 1250 / 6 + 0.5 * 500

    assert not any(
        "engine" in one for one in result_of(worked(tmp_path, end={"b_eff_io_bytes_per_s": number})).cautions
    )


HEAD, PATTERN, FILE = (
    next(one for one in MadeIO().records() if one["type"] == kind) for kind in ("b_eff_io", "pattern", "file")
)


@pytest.mark.parametrize(
    ("records", "said"),
    [
        ((), "holds no b_eff_io; expected a file that --protocol wrote"),
        ((PATTERN,), ':1: expected a line with "type": "b_eff_io" first'),
        (({**HEAD, "version": 3},), ":1: b_eff_io.version: input should be 1 or 2"),
        (({**HEAD, "release": 3},), ":1: b_eff_io.release: input should be 1 or 2"),
        (({**HEAD, "partitions": []},), ":1: b_eff_io.partitions: tuple should have at least 1 item"),
        (({**HEAD, "partitions": [2, 8]},), ":1: partitions: 8 is more than the 4 ranks"),
        (({**HEAD, "partitions": [first_ranks(8)]},), ":1: partitions: 8 is more than the 4 ranks"),
        (({**HEAD, "partitions": [{"name": "", "ranks": 1, "nodes": 1}]},), ":1: b_eff_io.partitions.0."),
        (({**HEAD, "types": [5]},), ":1: b_eff_io.types.0: input should be less than or equal to 4"),
        (({**HEAD, "colour": 1},), ":1: b_eff_io.colour: unexpected keyword argument"),
        ((HEAD, {**PATTERN, "access": "append"}), ":2: pattern.access: input should be 'write', 'rewrite' or 'read'"),
        ((HEAD, {**PATTERN, "number": 43}), ":2: pattern.number: input should be less than 43"),
        ((HEAD, {**PATTERN, "number": 9}), ":2: pattern 9 is of type 1, not 0"),
        ((HEAD, {**PATTERN, "partition": 1}), ":2: partition or type is none of those that line 1 names"),
        (({**HEAD, "types": [1]}, PATTERN), ":2: partition or type is none of those that line 1 names"),
        ((HEAD, {**PATTERN, "time_s": -1}), ":2: pattern.time_s: input should be greater than or equal to 0"),
        ((HEAD, {**FILE, "time_s": 0}), ":2: file.time_s: input should be greater than 0"),
        ((HEAD, PATTERN, FILE, FILE), ":4: a second file of the same partition, access and type"),
        ((HEAD, PATTERN, PATTERN), ":3: a second pattern of the same partition, access and type"),
        ((HEAD, {"type": "end", "b_eff_io_bytes_per_s": -1, "elapsed_s": 1}), ":2: end.b_eff_io_bytes_per_s: "),
        ((HEAD, {"type": "loop"}), ":2: input tag 'loop' found"),
    ],
)  # fmt: skip
def test_a_broken_protocol_is_refused_with_its_line(tmp_path: Path, records: tuple, said: str) -> None:
    with pytest.raises(SuiteFileError) as refused:
        read_io_protocols(write_lines(tmp_path / "r.jsonl", records))

    assert said in str(refused.value)


def test_what_is_no_number_is_no_time(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "r.jsonl", [HEAD])
    path.write_text(path.read_text() + json.dumps({**FILE, "time_s": float("inf")}) + "\n", encoding="utf-8")

    with pytest.raises(SuiteFileError, match=r":2: file\.time_s: input should be a finite number"):
        read_io_protocols(path)


def test_several_executions_and_a_torn_line(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "r.jsonl", [*MadeIO().records(), *MadeIO().records()[:-1]])
    path.write_text(path.read_text(encoding="utf-8") + '{"type":"end","b_eff_io_by', encoding="utf-8")

    assert [one.end is not None for one in read_io_protocols(path)] == [True, False]


def test_an_execution_that_was_cut_short_is_not_lost_behind_the_next(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "r.jsonl", [*MadeIO().records()[:7], *MadeIO().records()])

    assert [(len(one.patterns), one.end is not None) for one in read_io_protocols(path)] == [(6, False), (129, True)]


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(SuiteFileError, match="no such file"):
        read_io_protocols(tmp_path / "none.jsonl")
