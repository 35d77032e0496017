"""Programs that test for messages: their calls come in another order from launch to launch, and are compared anyway."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from support.traces import Record, allreduce, call, irecv, isend, trace_of, waitall

from stressbench.formats.trace import Call, Trace
from stressbench.tracing.alphabet import NotComparable
from stressbench.tracing.completions import makes_tests, with_early_completions
from stressbench.tracing.iteration_times import times_in
from stressbench.tracing.iterations import Iterations, iterations_of, loop_of

DOT, MINIMUM, BARRIER = allreduce(), allreduce(reduction="MIN"), call("Barrier", comm=0, bytes=0)


def messages(peer: int, size: int, first_slot: int) -> list[Record]:
    return [irecv(peer, size=size, request=first_slot), isend(peer, size=size, request=first_slot + 1)]


def iteration(rank: int, *, arrives: bool) -> list[Record]:
    """TeaLeaf's: it tests for the messages across before it starts those down, and waits if they had not arrived."""
    peer = 1 - rank
    if arrives:
        across = [*messages(peer, 100, 0), call("Testall", requests=[0, 1])]
        return [DOT, DOT, *across, *messages(peer, 200, 0), waitall(0, 1)]
    return [DOT, DOT, *messages(peer, 100, 0), *messages(peer, 200, 2), waitall(0, 1), waitall(2, 3)]


def launch(folder: Path, arrivals: Sequence[str], *, name: str, around: Sequence[Record] = ()) -> Trace:
    """Iterations of each rank by letters, `a`: the messages across had arrived when the rank tested, `l`: later."""
    ranks = [
        [*around, *(one for letter in letters for one in iteration(rank, arrives=letter == "a")), *around]
        for rank, letters in enumerate(arrivals)
    ]
    return trace_of(folder, ranks, name=name)


def found(folder: Path, program: Sequence[str], workload: Sequence[str]) -> Iterations:
    return iterations_of(
        launch(folder, program, name="program", around=[BARRIER]), launch(folder, workload, name="workload"),
        repetitions=2, skip=1,
    )  # fmt: skip


@pytest.mark.parametrize("workload", [("aa", "ll"), ("al", "la"), ("ll", "ll")])
def test_the_iterations_are_found_whenever_messages_arrive(tmp_path: Path, workload: Sequence[str]) -> None:
    result = found(tmp_path, ("allaal", "llalal"), workload)

    assert (result.found, result.times, result.differences) == (6, 5, ())
    assert [(run.start, run.calls) for run in result.runs] == [(9, 8), (9, 8)]


def test_other_launches_may_receive_their_messages_at_other_times(tmp_path: Path) -> None:
    result = found(tmp_path, ("allaal", "llalal"), ("aa", "aa"))

    times_in(launch(tmp_path, ("aaaal", "lllll"), name="other"), result)
    with pytest.raises(NotComparable, match="rank 0, call 1 of an iteration: another launch of the program made Allr"):
        times_in(trace_of(tmp_path, [5 * [MINIMUM, *iteration(0, arrives=True)[1:]]] * 2, name="wrong"), result)
    with pytest.raises(NotComparable, match=r"rank 0, call 4 of an iteration: .* made Is>1:0:100"):
        swapped = iteration(0, arrives=True)
        swapped[3] = isend(1, size=101, request=1)
        times_in(trace_of(tmp_path, [5 * swapped] * 2, name="swapped"), result)


def test_the_own_loop_of_a_program_is_found_between_its_collective_calls(tmp_path: Path) -> None:
    program = launch(tmp_path, ("laallaalal", "alalllalaa"), name="program", around=[DOT, MINIMUM])

    result = loop_of(program)

    assert (result.found, result.times) == (10, 9)
    assert [(run.start, run.calls) for run in result.runs] == [(10, 8), (10, 8)]
    times_in(launch(tmp_path, ("aaaallaal", "lllllllll"), name="other"), result)


def test_the_loop_of_ranks_that_make_it_less_often_is_as_long_on_all(tmp_path: Path) -> None:
    ranks = [[one for letter in "alaal" for one in iteration(rank, arrives=letter == "a")] for rank in range(2)]
    ranks[1][-3] = isend(0, size=201, request=3)  # in its last iteration

    result = loop_of(trace_of(tmp_path, ranks, name="program"), skip=0)

    assert (result.found, [run.times for run in result.runs]) == (4, [4, 4])


def test_the_place_of_a_wait_counts_if_the_program_never_tests(tmp_path: Path) -> None:
    result = found(tmp_path, ("llll", "llll"), ("aa", "aa"))
    assert not result.differences  # the workload tests

    early = [[DOT, *messages(1 - rank, 100, 0), waitall(0, 1), MINIMUM] for rank in range(2)]
    late = [[DOT, *messages(1 - rank, 100, 0), MINIMUM, waitall(0, 1)] for rank in range(2)]
    program = trace_of(tmp_path, [4 * calls for calls in early], name="waits")
    other = iterations_of(program, trace_of(tmp_path, [2 * calls for calls in late], name="later"), repetitions=2)
    assert [one.program[0] for one in other.differences] == ["Wa(2)", "Wa(2)"]


def test_waits_follow_the_call_that_started_the_last_of_their_requests() -> None:
    calls = [
        Call(op="Irecv", n=1, time_s=0, request=0), Call(op="Isend", n=1, time_s=0, request=1),
        Call(op="Barrier", n=1, time_s=0), Call(op="Waitall", n=1, time_s=0, requests=(0, 1)),
        Call(op="Wait", n=1, time_s=0, requests=(7,)), Call(op="Waitany", n=1, time_s=0, requests=(0, 1)),
        Call(op="Send_init", n=1, time_s=0, request=4), Call(op="Start", n=1, time_s=0, requests=(4,)),
        Call(op="Test", n=1, time_s=0, requests=(4,)), Call(op="Wait", n=1, time_s=0, requests=(-1,)),
        Call(op="Wait", n=1, time_s=0, requests=(1,)), Call(op="Wait", n=1, time_s=0, requests=(0,)),
    ]  # fmt: skip

    def order(*numbers: int) -> list[int]:
        return [numbers[place] for place in with_early_completions(numbers, calls)]

    assert order(0, 1, 2, 3) == [0, 1, 3, 2]
    assert order(1, 0, 2, 11, 2, 10) == [1, 10, 0, 11, 2, 2]
    assert order(2, 4, 0, 5, 9) == [2, 4, 0, 5, 9]  # of a request from before, of any of several, and of none
    assert order(6, 2, 7, 2, 8, 7, 2, 8) == [6, 2, 7, 8, 2, 7, 8, 2]


def test_ranks_that_test_in_vain_make_tests(tmp_path: Path) -> None:
    program = launch(tmp_path, ("al", "ll"), name="program")
    assert [makes_tests(rank) for rank in program.ranks()] == [True, False]

    totals = [{"op": "Testall", "calls": 3, "time_s": 1e-3, "bytes": 0, "max_s": 1e-3, "empty": 3}]
    in_vain = trace_of(tmp_path, [[BARRIER]], name="in_vain", extra={"totals": totals})
    assert [makes_tests(rank) for rank in in_vain.ranks()] == [True]
