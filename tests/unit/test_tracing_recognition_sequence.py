"""What a program does one after the other: runs of motifs, the parts between them, and loops of both."""

from pathlib import Path

import pytest
from support.traces import MadeRank, MadeTrace, allreduce, call, irecv, isend, waitall

from stressbench.formats.trace import RankTrace, read_trace
from stressbench.tracing.excerpts import part_of_rank
from stressbench.tracing.iterations import IterationSpan
from stressbench.tracing.recognition.occurrences import Amount, ProgramCalls
from stressbench.tracing.recognition.sequence import Loop, Part, RankRuns, Run, folded, sequence_of


def span(start: int, calls: int, times: int) -> IterationSpan:
    return IterationSpan(start=start, calls=calls, times=times)


def test_parts_are_between_runs_and_have_the_call_before_them() -> None:
    ranks = [
        RankRuns(numbers=[0, 1, 1, 1, 2, 3, 3], runs=[(span(5, 1, 2), 1), (span(1, 1, 3), 0)]),
        RankRuns(numbers=[5, 5, 5, 6, 6, 7, 8], runs=[(span(0, 1, 3), 0), (span(3, 1, 2), 1)]),
    ]

    assert sequence_of(ranks) == (
        Part(numbers=((0,), ()), before=(None, None)),
        Run(motif=0, times=3),
        Part(numbers=((2,), ()), before=(1, 5)),
        Run(motif=1, times=2),
        Part(numbers=((), (7, 8)), before=(3, 6)),
    )


def test_there_is_no_sequence_if_ranks_run_motifs_differently() -> None:
    one = RankRuns(numbers=[0, 0, 1], runs=[(span(0, 1, 2), 0)])

    assert sequence_of([one, RankRuns(numbers=[0, 0, 1], runs=[(span(0, 1, 1), 0)])]) is None
    assert sequence_of([one, RankRuns(numbers=[0, 0, 1], runs=[(span(0, 1, 2), 1)])]) is None


def test_a_part_is_split_at_calls_that_all_ranks_make() -> None:
    part = Part(numbers=((1, 9, 9, 2), (9, 9, 3, 4)), before=(0, None))

    def is_nine(number: int) -> bool:
        return number == 9

    assert list(part.split([is_nine, is_nine])) == [part]  # before the nines, only one rank has calls
    assert list(Part(numbers=((1, 9, 2), (3, 9, 4)), before=(0, None)).split([is_nine, is_nine])) == [
        Part(numbers=((1,), (3,)), before=(0, None)),
        Part(numbers=((9,), (9,)), before=(1, 3)),
        Part(numbers=((2,), (4,)), before=(9, 9)),
    ]


def test_equal_items_are_folded_into_nested_loops() -> None:
    assert list(folded("abbabbc")) == [Loop(times=2, items=("a", Loop(times=2, items=("b",)))), "c"]
    assert list(folded("abab", lambda part: "".join(part) != "ab")) == ["a", "b", "a", "b"]
    assert list(folded("")) == []


def rank_with(folder: Path, *calls: dict[str, object]) -> RankTrace:
    made = MadeRank(calls=calls, rules=[[[number, 1] for number in range(len(calls))]])
    (rank,) = read_trace(MadeTrace([made]).write(folder)).ranks()
    return rank


def test_a_part_of_a_rank_has_its_calls_and_the_time_before_them(tmp_path: Path) -> None:
    rank = rank_with(tmp_path, allreduce(), irecv(0), isend(0, request=1), waitall(0, 1, -1), allreduce(size=16))

    part = part_of_rank(rank, (1, 2, 3), before=0)

    assert part is not None
    assert (part.rules, part.sequence_calls) == ((((1, 1), (2, 1), (3, 1)),), 3)
    assert [(gap.before, gap.after) for gap in part.gaps or ()] == [(1, 2), (2, 3), (-1, 1)]
    assert part.calls == rank.calls


@pytest.mark.parametrize("members", [[[0, 1, 1]], None], ids=["known members", "unknown members"])
def test_a_communicator_that_is_created_before_a_part_exists_before_it(tmp_path: Path, members: object) -> None:
    comms = [{"slot": slot, "size": 1, "rank": 0, "members": members, "inter": False} for slot in range(3)]
    calls = [call("Comm_dup", comm=0, made=2), allreduce(comm=2), call("Comm_free", comm=2)]
    made = MadeRank(calls=calls, rules=[[[number, 1] for number in range(3)]], extra={"comms": comms})
    (rank,) = read_trace(MadeTrace([made]).write(tmp_path)).ranks()

    whole, without = part_of_rank(rank, (0, 1, 2), before=None), part_of_rank(rank, (1, 2), before=0)

    assert whole is not None
    assert without is not None
    assert (whole.calls[0].made, without.calls[0].made) == (2, None if members else 2)


def test_a_part_that_needs_what_is_before_it_or_leaves_requests_pending_cannot_stand_by_itself(tmp_path: Path) -> None:
    rank = rank_with(
        tmp_path, irecv(0), waitall(0), call("Send_init", comm=0, peer=0, tag=0, bytes=8, unit=8, request=2),
        call("Startall", requests=[2]), waitall(2),
    )  # fmt: skip

    assert part_of_rank(rank, (0,), before=None) is None
    assert part_of_rank(rank, (1,), before=0) is None
    assert part_of_rank(rank, (3, 4), before=2) is None
    assert part_of_rank(rank, (2, 3, 4), before=1) is not None


def test_a_part_has_the_messages_that_its_persistent_requests_send(tmp_path: Path) -> None:
    init = {"comm": 0, "peer": 1, "tag": 0, "bytes": 800, "unit": 8}
    calls = [
        call("Send_init", request=0, **init), call("Recv_init", request=1, **init), call("Startall", requests=[0, 1]),
        waitall(0, 1), isend(1, size=40, request=2), isend(-1, size=40, request=3), waitall(2, 3), allreduce(size=16),
    ]  # fmt: skip
    ranks = [MadeRank(calls=calls, rules=[[[number, 1] for number in range(len(calls))]]) for _ in range(2)]
    program = ProgramCalls(read_trace(MadeTrace(ranks).write(tmp_path)))
    part = Part(numbers=(tuple(range(len(calls))), (2, 3)), before=(None, 1))

    assert program.amount_of_part(part) == Amount(calls=10, messages=3, bytes=800 + 40 + 16 + 800)


def test_a_program_computes_before_its_first_call(tmp_path: Path) -> None:
    made = MadeRank(calls=[allreduce(), allreduce(size=16)], rules=[[[0, 1], [1, 1]]])
    trace = read_trace(MadeTrace([made]).write(tmp_path))
    (rank,) = trace.ranks()
    before_first = next(gap.sum_s for gap in rank.gaps or () if (gap.before, gap.after) == (-1, 0))

    (events,) = ProgramCalls(trace).events(Part(numbers=((0, 1),), before=(None,)))

    assert events[0].computed_s == before_first > 0
