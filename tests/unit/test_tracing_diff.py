"""Two captures compared: rank by rank, with context, with totals; and what a replay is forgiven."""

from pathlib import Path
from typing import Any

import pytest
from support.traces import MadeRank, MadeTrace, allreduce, call, irecv, isend, waitall, write_lines

from stressbench.formats.trace import Trace, read_trace
from stressbench.tracing.diff import Difference, diff
from stressbench.tracing.tokens import TokenStyle

LOOP = [[[-1, 1000], [4, 1]], [[0, 1], [1, 1], [2, 1], [3, 1]]]
UNROLLED = [[[0, 1], [1, 1], [2, 1], [3, 1], [-1, 333], [-1, 666], [4, 1]], LOOP[1]]


def calls(**keys: Any) -> list[dict[str, Any]]:
    return [
        irecv(1, **keys),
        isend(1, request=1),
        waitall(0, 1),
        allreduce(),
        call("Barrier", comm=0, bytes=0),
    ]


def trace_of(folder: Path, name: str, made: list[MadeRank]) -> Trace:
    return read_trace(MadeTrace(made).write(folder, name))


def compared(folder: Path, a: list[MadeRank], b: list[MadeRank], **options: Any) -> Difference:
    return diff(trace_of(folder, "a.trace", a), trace_of(folder, "b.trace", b), **options)


def test_the_same_calls_are_the_same_however_they_are_compressed(tmp_path: Path) -> None:
    a = [MadeRank(calls(), LOOP)] * 2
    b = [MadeRank(calls(), UNROLLED, wall_s=9.0)] * 2

    found = compared(tmp_path, a, b)

    assert found.same and found.sequences_compared == 2


def test_operations_that_are_left_out_are_not_compared(tmp_path: Path) -> None:
    some = [call("Testsome", requests=[0, 1], done=[0]), call("Testsome", requests=[0, 1], done=[0, 1])]
    a = [MadeRank([*calls(), *some], [[[-1, 10], [4, 1]], [[0, 1], [5, 1], [1, 1], [5, 1], [2, 1], [3, 1]]])]
    b = [MadeRank([*calls(), *some], [[[-1, 10], [4, 1]], [[0, 1], [1, 1], [6, 1], [2, 1], [3, 1]]])]
    c = [MadeRank([*calls(), *some], [[[-1, 9], [4, 1]], [[0, 1], [1, 1], [6, 1], [2, 1], [3, 1]]])]

    (kept,) = compared(tmp_path, a, b).sequences
    assert kept.place == 1
    assert compared(tmp_path, a, b, left_out={"Testsome"}).same
    (part,) = compared(tmp_path, a, c, left_out={"Testsome"}).sequences
    assert (part.place, part.a_calls, part.b_calls) == (36, 41, 37)


def test_the_numbers_of_calls_do_not_matter_their_words_do(tmp_path: Path) -> None:
    reordered = [*reversed(calls())]
    rules = [[[-1, 1000], [0, 1]], [[4, 1], [3, 1], [2, 1], [1, 1]]]

    assert compared(tmp_path, [MadeRank(calls(), LOOP)], [MadeRank(reordered, rules)]).same


def test_a_difference_is_told_with_its_place_and_what_stands_around_it(tmp_path: Path) -> None:
    other = [*calls(), isend(0, size=9)]
    rules = [[[-1, 500], [5, 1], [-1, 500], [4, 1]], LOOP[1]]

    found = compared(
        tmp_path, [MadeRank(calls(), LOOP)] * 2, [MadeRank(calls(), LOOP), MadeRank(other, rules)], context=2
    )

    (part,) = found.sequences
    assert (part.rank, part.place, part.a_calls, part.b_calls) == (1, 2000, 4001, 4002)
    assert part.before == ("Wa(2)", "Allreduce[SUM]:8@2")
    assert part.a == ("Ir<1:0:8", "Is>1:0:8")
    assert part.b == ("Is>0:0:9", "Ir<1:0:8")
    (total,) = found.totals
    assert (total.op, total.a_calls, total.b_calls, total.b_bytes - total.a_bytes) == ("Isend", 2000, 2001, 9)


def test_a_sequence_that_ends_early_differs_at_its_end(tmp_path: Path) -> None:
    shorter = [[[-1, 1000]], LOOP[1]]

    (part,) = compared(tmp_path, [MadeRank(calls(), LOOP)], [MadeRank(calls()[:4], shorter)]).sequences

    assert (part.place, part.a, part.b) == (4000, ("Barrier:0@1",), ())


@pytest.mark.parametrize(("style", "same"), [(TokenStyle.replayed, True), (TokenStyle.exact, False)])
def test_an_any_source_receive_equals_one_from_the_sender_that_came(
    tmp_path: Path, style: TokenStyle, same: bool
) -> None:
    a, b = calls(any="source"), calls()

    assert compared(tmp_path, [MadeRank(a, LOOP)] * 2, [MadeRank(b, LOOP)] * 2, style=style).same is same


@pytest.mark.parametrize(("style", "same"), [(TokenStyle.replayed, True), (TokenStyle.exact, False)])
def test_makers_of_communicators_are_equal_when_the_sizes_are(tmp_path: Path, style: TokenStyle, same: bool) -> None:
    a = [MadeRank([call("Cart_create", comm=0, made=0)], [[[0, 1]]])]
    b = [MadeRank([call("Comm_split", comm=0, made=0)], [[[0, 1]]])]

    assert compared(tmp_path, a, b, style=style).same is same


def test_makers_of_communicators_of_other_sizes_differ(tmp_path: Path) -> None:
    a = [MadeRank([call("Comm_dup", comm=0, made=0)], [[[0, 1]]])] * 2
    b = [MadeRank([call("Comm_dup", comm=0, made=1)], [[[0, 1]]])] * 2

    assert [part.b for part in compared(tmp_path, a, b).sequences] == [("Comm:1",)] * 2


def test_persistent_requests_that_take_turns_in_a_slot_are_followed(tmp_path: Path) -> None:
    made = [
        call("Send_init", comm=0, peer=0, tag=0, bytes=1, request=0),
        call("Start", requests=[0]),
        call("Request_free", requests=[0]),
        call("Send_init", comm=0, peer=0, tag=0, bytes=2, request=0),
    ]
    first = [[[0, 1], [1, 1], [2, 1], [3, 1], [1, 1]]]
    other = [made[0], made[1], made[2], {**made[3], "bytes": 3}]

    assert compared(tmp_path, [MadeRank(made, first)], [MadeRank(made, first)]).same
    (part,) = compared(tmp_path, [MadeRank(made, first)], [MadeRank(other, first)]).sequences
    assert (part.place, part.a[0], part.b[0]) == (3, "Send_init>0:0:2", "Send_init>0:0:3")


def test_what_cannot_be_compared_is_noted_and_is_not_the_same(tmp_path: Path) -> None:
    found = compared(tmp_path, [MadeRank(calls(), LOOP)] * 2, [MadeRank(calls())])

    assert not found.same
    assert found.notes == (
        "2 and 1 ranks; ranks present in both are compared",
        "rank 0: no sequence in one of them",
        f"rank 1 is only in {tmp_path / 'a.trace'}",
    )


def test_tests_that_found_nothing_are_no_difference(tmp_path: Path) -> None:
    made = MadeTrace([MadeRank(calls(), LOOP)]).records()
    made[1]["totals"].append({"op": "Test", "calls": 70, "time_s": 0.1, "bytes": 0, "max_s": 0.1, "empty": 70})
    a = read_trace(write_lines(tmp_path / "a.trace", made))

    assert diff(a, trace_of(tmp_path, "b.trace", [MadeRank(calls(), LOOP)])).same
