"""Iterations of a program with the calls of a workload: where they are on each rank, or the first difference."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from support.traces import (
    MadeRank,
    MadeTrace,
    Record,
    allreduce,
    call,
    irecv,
    isend,
    rank_of,
    trace_of,
    waitall,
    write_lines,
)

from stressbench.formats.trace import RankTrace, read_trace
from stressbench.tracing.alphabet import NotComparable
from stressbench.tracing.excerpts import lines_of_step
from stressbench.tracing.grammar import expand
from stressbench.tracing.iteration_times import operations_in, times_in
from stressbench.tracing.iterations import (
    Boundaries,
    Iterations,
    IterationSpan,
    NoSuchCall,
    iterations_of,
    loop_of,
    runs_of,
)

BARRIER = call("Barrier", comm=0, bytes=0)
DOT, MINIMUM = allreduce(), allreduce(reduction="MIN")


def exchange(peer: int, size: int = 100) -> list[Record]:
    return [irecv(peer, size=size, request=0), isend(peer, size=size, request=1), waitall(0, 1)]


def found(
    folder: Path, program: Sequence[Sequence[Record]], iteration: Sequence[Sequence[Record]], *,
    boundaries: Boundaries | None = None, skip: int = 0,
) -> Iterations:  # fmt: skip
    workload = trace_of(folder, [[*calls, *calls] for calls in iteration], name="workload")
    return iterations_of(
        trace_of(folder, program, name="program"), workload, repetitions=2, boundaries=boundaries or Boundaries(),
        skip=skip,
    )  # fmt: skip


def exchange_with_tag(peer: int, tag: int, size: int = 100) -> list[Record]:
    return [{**one, "tag": tag} if "tag" in one else one for one in exchange(peer, size)]


CG = [[*exchange(1), DOT], [*exchange(0), DOT]]
"""Two ranks of a solver: an iteration of each."""


def test_the_longest_run_of_iterations_is_found_after_and_before_other_calls(tmp_path: Path) -> None:
    program = [[BARRIER, DOT, *calls, BARRIER, *(7 * calls), MINIMUM, *(2 * calls)] for calls in CG]

    result = found(tmp_path, program, CG)

    assert result.runs == (IterationSpan(start=7, calls=4, times=7), IterationSpan(start=7, calls=4, times=7))
    assert (result.found, result.skipped, result.differences) == (7, 0, ())


def test_of_several_long_runs_the_last_one_is_taken_on_all_ranks(tmp_path: Path) -> None:
    program = [[*(10 * calls), BARRIER, *(9 * calls), BARRIER, *(9 * calls), BARRIER, *(8 * calls)] for calls in CG]

    result = found(tmp_path, program, CG)

    assert [(run.start, run.times) for run in result.runs] == [(10 * 4 + 1 + 9 * 4 + 1, 9)] * 2
    assert result.found == 9


def test_an_iteration_may_begin_anywhere_in_the_loop_of_the_program(tmp_path: Path) -> None:
    loop_from_its_reduction = [[DOT, *calls[:-1]] * 6 for calls in CG]

    result = found(tmp_path, loop_from_its_reduction, CG)

    assert [(run.start, run.times) for run in result.runs] == [(1, 5), (1, 5)]


def test_ranks_with_different_numbers_of_calls_have_the_same_number_of_iterations(tmp_path: Path) -> None:
    iteration = [[*exchange(1), DOT], [*exchange(0), *exchange(2), DOT], [*exchange(1), DOT]]
    program = [[BARRIER, *(5 * calls)] for calls in iteration]
    program[2] += iteration[2]  # it goes on for one more

    result = found(tmp_path, program, iteration)

    assert [(run.start, run.calls, run.times) for run in result.runs] == [(1, 4, 5), (1, 7, 5), (1, 4, 5)]


def test_all_ranks_are_measured_in_the_same_one_of_several_loops(tmp_path: Path) -> None:
    program = [[*(3 * CG[0]), BARRIER, *(5 * CG[0])], [*(6 * CG[1]), BARRIER, *(4 * CG[1])]]

    result = found(tmp_path, program, CG)

    assert [(run.start, run.times) for run in result.runs] == [(13, 4), (25, 4)]


def test_the_first_iterations_are_left_out_if_as_many_remain(tmp_path: Path) -> None:
    result = found(tmp_path, [4 * calls for calls in CG], CG, skip=1)
    assert ([run.start for run in result.runs], result.times, result.skipped) == ([4, 4], 3, 1)

    single = found(tmp_path, CG, CG, skip=1)
    assert ([run.start for run in single.runs], single.times, single.skipped) == ([0, 0], 1, 0)


def test_at_most_so_many_iterations_are_measured(tmp_path: Path) -> None:
    result = found(tmp_path, [9 * calls for calls in CG], CG).limited(3)
    assert [(run.start, run.end, run.times) for run in result.runs] == [(0, 12, 3), (0, 12, 3)]


def test_a_test_that_completed_its_requests_counts_as_the_wait_for_them(tmp_path: Path) -> None:
    tested = call("Testall", requests=[0, 1])
    program = [[*calls[:2], tested, DOT, *calls, *calls[:2], tested, DOT] for calls in CG]

    assert found(tmp_path, program, CG).times == 3


def test_the_first_difference_names_rank_call_and_what_both_do(tmp_path: Path) -> None:
    program = [3 * CG[0], 3 * [*exchange(0, size=96), DOT]]

    result = found(tmp_path, program, CG)

    (difference,) = result.differences
    assert (difference.rank, difference.place, difference.calls) == (1, 0, 4)
    assert difference.workload[0] == "Ir<0:0:100"
    assert result.runs == ()


def test_the_difference_is_looked_for_where_most_calls_agree(tmp_path: Path) -> None:
    program = [[*calls[:1], BARRIER, *calls[:3], MINIMUM] for calls in CG]

    first, _ = found(tmp_path, program, CG).differences

    assert first.place == 3
    assert first.before == ("Ir<1:0:100", "Is>1:0:100", "Wa(2)")
    assert (first.program, first.workload) == (("Allreduce[MIN]:8@2",), ("Allreduce[SUM]:8@2",))


def test_a_program_that_ends_within_an_iteration_has_no_further_calls(tmp_path: Path) -> None:
    first, _ = found(tmp_path, [calls[:3] for calls in CG], CG).differences
    assert (first.place, first.program) == (3, ())


def test_calls_that_occur_once_beside_the_loop_of_the_program_are_no_match(tmp_path: Path) -> None:
    calls = [*exchange(1), DOT, MINIMUM]
    rules = [[[4, 1], [-1, 9]], [[0, 1], [1, 1], [2, 1], [3, 1], [4, 1]]]  # each pass ends as `accidental` begins
    program = read_trace(MadeTrace([MadeRank(calls, rules=rules)] * 2).write(tmp_path, "program.trace"))
    accidental = [MINIMUM, *exchange(1)]
    workload = trace_of(tmp_path, [2 * accidental] * 2, name="workload")

    result = iterations_of(program, workload, repetitions=2)
    assert (result.found, result.runs) == (1, ())
    assert result.differences[0].program[0] == "Allreduce[SUM]:8@2"
    assert result.differences[0].workload[0] == "Allreduce[MIN]:8@2"

    chosen = iterations_of(program, workload, repetitions=2, boundaries=Boundaries(first="Allreduce[MIN]*", last="Wa*"))
    assert (chosen.found, chosen.differences) == (1, ())


@pytest.mark.parametrize(("in_a_row", "is_found"), [(4, True), (3, False)])
def test_runs_of_an_inner_loop_are_found_if_together_they_are_most_of_the_outer_one(
    tmp_path: Path, in_a_row: int, is_found: bool
) -> None:
    calls = [*exchange(1), DOT, MINIMUM, BARRIER]
    inner = [[0, 1], [1, 1], [2, 1], [3, 1]]
    rules = [[[-1, 9]], [[-2, in_a_row], [4, 1], [5, 1]], inner]  # nine times: iterations, then two other calls
    program = read_trace(MadeTrace([MadeRank(calls, rules=rules)] * 2).write(tmp_path, "program.trace"))
    workload = trace_of(tmp_path, [2 * calls[:4]] * 2, name="workload")

    result = iterations_of(program, workload, repetitions=2, skip=0)

    assert result.found == in_a_row
    assert bool(result.differences) is not is_found


def test_tags_are_not_compared_on_request(tmp_path: Path) -> None:
    numbered = [[call for tag in range(5) for call in [*exchange_with_tag(peer, tag), DOT]] for peer in (1, 0)]
    program = trace_of(tmp_path, numbered, name="program")
    workload = trace_of(tmp_path, [2 * [*exchange_with_tag(peer, 7), DOT] for peer in (1, 0)], name="workload")

    assert iterations_of(program, workload, repetitions=2).differences[0].program[0] == "Ir<1:0:100"
    found = iterations_of(program, workload, repetitions=2, any_tag=True, skip=0)
    assert (found.found, found.differences) == (5, ())
    other = trace_of(tmp_path, [2 * [*exchange_with_tag(peer, 7, size=8), DOT] for peer in (1, 0)], name="other")
    assert iterations_of(program, other, repetitions=2, any_tag=True).differences


def test_boundaries_decide_what_an_iteration_is(tmp_path: Path) -> None:
    program = [[BARRIER, *calls, *calls, BARRIER, *calls, BARRIER, *calls] for calls in CG]
    iteration = [[BARRIER, *calls] for calls in CG]

    by_call = found(tmp_path, program, iteration, boundaries=Boundaries(first="Barrier"))
    assert [(run.start, run.times) for run in by_call.runs] == [(9, 2), (9, 2)]

    both = found(tmp_path, program, CG, boundaries=Boundaries(first="Ir<*", last="Allreduce*"))
    assert [(run.start, run.times) for run in both.runs] == [(1, 2), (1, 2)]

    by_end = found(tmp_path, program, CG, boundaries=Boundaries(last="Allreduce*"))
    assert [(run.start, run.times) for run in by_end.runs] == [(5, 1), (5, 1)]


def test_an_iteration_between_boundaries_holds_no_other_beginning(tmp_path: Path) -> None:
    twice = [[BARRIER, BARRIER, DOT], [BARRIER, BARRIER, DOT]]
    result = found(tmp_path, [3 * calls for calls in twice], twice, boundaries=Boundaries(first="Barrier", last="All*"))
    assert len(result.differences) == 2


def test_a_pass_of_the_loop_begins_where_no_request_is_pending(tmp_path: Path) -> None:
    rules = [[[0, 1], [1, 1], [-1, 8], [2, 1]], [[2, 1], [3, 1], [0, 1], [1, 1]]]  # posts, then waits, computes, posts
    ranks = [MadeRank([*exchange(peer), DOT], rules=rules) for peer in (1, 0)]

    result = loop_of(read_trace(MadeTrace(ranks).write(tmp_path, "program.trace")), skip=0)

    assert [(run.start, run.calls, run.times) for run in result.runs] == [(3, 4, 8)] * 2


def test_the_loop_of_a_program_is_the_outermost_one_with_most_calls(tmp_path: Path) -> None:
    calls = [BARRIER, *exchange(1), DOT]
    loops = [[[0, 1], [-1, 6], [0, 9]], [[1, 1], [2, 1], [3, 1], [4, 1]]]
    program = read_trace(MadeTrace([MadeRank(calls, rules=loops), MadeRank(calls, rules=loops)]).write(tmp_path))

    result = loop_of(program)

    assert [(run.start, run.calls, run.times) for run in result.runs] == [(5, 4, 5), (5, 4, 5)]
    assert (result.found, result.skipped) == (6, 1)


def test_a_program_without_a_loop_is_one_iteration(tmp_path: Path) -> None:
    result = loop_of(trace_of(tmp_path, [[BARRIER, DOT], [BARRIER, DOT, MINIMUM]], name="single"))
    assert [(run.start, run.end, run.times) for run in result.runs] == [(0, 2, 1), (0, 3, 1)]


def test_a_boundary_that_is_never_reached_is_refused_with_the_calls_there_are(tmp_path: Path) -> None:
    with pytest.raises(NoSuchCall, match=r"--from Bcast: rank 0 never makes this call; it makes Allreduce.*, Wa"):
        found(tmp_path, CG, CG, boundaries=Boundaries(first="Bcast"))


def test_captures_that_cannot_be_compared_say_why(tmp_path: Path) -> None:
    with pytest.raises(NotComparable, match="program ran on 1 ranks, the workload on 2"):
        found(tmp_path, CG[:1], CG)
    with pytest.raises(NotComparable, match="rank 1 of the workload makes no MPI call"):
        found(tmp_path, CG, [CG[0], []])
    changing = trace_of(tmp_path, [[DOT, BARRIER], [DOT, DOT]], name="changing")
    with pytest.raises(NotComparable, match="rank 0 of the workload: the calls of its 2 iterations differ"):
        iterations_of(trace_of(tmp_path, CG, name="program"), changing, repetitions=2)


def test_overlapping_matches_are_no_iterations() -> None:
    assert list(runs_of("xaaaaax", "aa")) == [IterationSpan(start=1, calls=2, times=2)]
    assert list(runs_of("abab", "ab", segments=[(2, 4)])) == [IterationSpan(start=2, calls=2, times=1)]


def test_times_are_those_of_one_iteration_mean_over_the_ranks(tmp_path: Path) -> None:
    made = MadeTrace([rank_of(5 * CG[0], wall_s=2.0), rank_of(5 * CG[1], wall_s=3.0)])
    for rank in made.ranks:
        for one in rank.calls:
            one["each_s"] = 0.05
    iterations = Iterations(runs=(IterationSpan(start=0, calls=4, times=5),) * 2, found=5, skipped=0, differences=())

    trace = read_trace(made.write(tmp_path))
    times = times_in(trace, iterations)

    assert (times.time_s, times.slowest_s) == (pytest.approx(0.5), pytest.approx(0.6))
    assert times.mpi_s == pytest.approx(4 * 0.05)
    assert {op: (one.calls, one.bytes) for op, one in operations_in(trace, 5).items()} == {
        "Allreduce": (2, 16), "Irecv": (2, 200), "Isend": (2, 200), "Waitall": (2, 0),
    }  # fmt: skip


def test_completed_tests_are_waits_and_others_do_not_count(tmp_path: Path) -> None:
    records = MadeTrace([rank_of(CG[0]), rank_of(CG[1])]).records()
    tests = {"op": "Testall", "calls": 9, "time_s": 0.1, "bytes": 0, "empty": 8}
    records[1]["totals"].append(tests)
    records[2]["totals"].append({**tests, "op": "Iprobe", "empty": 9})

    operations = operations_in(read_trace(write_lines(tmp_path / "made.trace", records)), 1)

    assert {op: one.calls for op, one in operations.items()} == {"Allreduce": 2, "Irecv": 2, "Isend": 2, "Waitall": 3}


def test_a_launch_with_other_calls_is_refused(tmp_path: Path) -> None:
    iterations = Iterations(runs=(IterationSpan(start=0, calls=4, times=6),) * 2, found=6, skipped=0, differences=())
    with pytest.raises(NotComparable, match="rank 0 made 20 of 24 expected calls"):
        times_in(trace_of(tmp_path, [5 * calls for calls in CG], name="short"), iterations)


def test_the_trace_of_a_step_has_its_calls_and_the_computation_before_and_between_them(tmp_path: Path) -> None:
    made = MadeTrace([rank_of(3 * CG[0]), rank_of(3 * CG[1])])
    records = made.records()
    for rank in records[1:3]:
        times = {(3, 0): 5.0, (-1, 0): 1.0, (0, 1): 0.25, (1, 2): 0.5, (2, 3): 2.0}
        rank["gaps"] = [
            [before, after, 2, total, 0.0, total, total**2, [[0, 2]]] for (before, after), total in times.items()
        ]
    trace = read_trace(write_lines(tmp_path / "whole.trace", records))
    iterations = Iterations(runs=(IterationSpan(start=0, calls=4, times=3),) * 2, found=3, skipped=0, differences=())

    steps = []
    for step in range(2):
        path = tmp_path / f"step-{step}.trace"
        path.write_bytes(b"".join(lines_of_step(trace, iterations, [(3, 1), (3, 1)], step=step)))
        steps.append(read_trace(path))

    for rank in steps[0].ranks():
        assert list(expand(rank.rules or ())) == 3 * [0, 1, 2]
        assert {(gap.before, gap.after): gap.sum_s for gap in rank.gaps or ()} == {
            (0, 1): 0.25, (1, 2): 0.5, (-1, 0): 5.0,
        }  # fmt: skip
    for rank in steps[1].ranks():
        assert list(expand(rank.rules or ())) == 3 * [3]
        assert {(gap.before, gap.after): gap.sum_s for gap in rank.gaps or ()} == {(-1, 3): 2.0}
        assert rank.sequence_calls == 3


def test_the_trace_of_a_step_has_the_times_before_its_calls_in_order(tmp_path: Path) -> None:
    records = MadeTrace([rank_of(3 * CG[0]), rank_of(3 * CG[1])]).records()
    for rank in records[1:3]:
        rank["gap_times_ns"] = list(range(10, 22))
    trace = read_trace(write_lines(tmp_path / "whole.trace", records))
    iterations = Iterations(runs=(IterationSpan(start=0, calls=4, times=3),) * 2, found=3, skipped=0, differences=())

    def step(number: int, **options: bool) -> RankTrace:
        path = tmp_path / "step.trace"
        path.write_bytes(b"".join(lines_of_step(trace, iterations, [(1, 3), (1, 3)], step=number, **options)))
        return next(iter(read_trace(path).ranks()))

    assert step(0).gap_times_ns == (10, 14, 18)
    assert step(1).gap_times_ns == (11, 12, 13, 15, 16, 17, 19, 20, 21)
    first = step(1, first_call_only=True)
    assert first.gap_times_ns == (11, 15, 19)
    assert list(expand(first.rules or ())) == [1, 1, 1]
    assert first.sequence_calls == 3


def sendrecv(to: int, origin: int, *, size: int = 8, tag: int = 0, receive_tag: int = 0) -> Record:
    return call(
        "Sendrecv", comm=0, peer=to, tag=tag, bytes=size, unit=8, source=origin, receive_tag=receive_tag,
        receive_bytes=size,
    )  # fmt: skip


def broadcast(root: int) -> Record:
    return call("Bcast", comm=0, bytes=8, unit=8, type="DOUBLE", root=root)


@pytest.mark.parametrize(
    ("changed", "is_same"),
    [({"tag": 5}, True), ({"receive_tag": 5}, True), ({"size": 16}, False), ({"origin": 0}, False), ({"to": 0}, False)],
)
def test_without_tags_messages_in_both_directions_have_the_same_peers_and_sizes(
    tmp_path: Path, changed: dict[str, int], is_same: bool
) -> None:
    program = trace_of(tmp_path, [3 * [sendrecv(1, 1), DOT]] * 2, name="program")
    iteration = [sendrecv(**{"to": 1, "origin": 1, **changed}), DOT]  # type: ignore[arg-type]
    workload = trace_of(tmp_path, [2 * iteration] * 2, name="workload")

    assert bool(iterations_of(program, workload, repetitions=2, any_tag=True, skip=0).differences) is not is_same


def test_tags_of_messages_in_both_directions_are_compared(tmp_path: Path) -> None:
    program = [3 * [sendrecv(1, 1), DOT]] * 2

    first, _ = found(tmp_path, program, [[sendrecv(1, 1, receive_tag=5), DOT]] * 2).differences

    assert first.workload[0] == "SR>1:0:8<1:5:8"


def test_roots_of_collectives_are_compared(tmp_path: Path) -> None:
    program = [3 * [DOT, broadcast(0)]] * 2

    first, _ = found(tmp_path, program, [[DOT, broadcast(1)]] * 2).differences

    assert (first.program[0], first.workload[0]) == ("Bcast:8@2,root=0", "Bcast:8@2,root=1")


@pytest.mark.parametrize("pattern", ["Waitall", "Wait*", "Wa", "Wa(2)", "Testall"])
def test_the_end_of_an_iteration_may_be_named_by_its_operation(tmp_path: Path, pattern: str) -> None:
    tested = [[*calls[:2], call("Testall", requests=[0, 1]), DOT, *(3 * calls)] for calls in CG]
    iteration = [[DOT, *calls[:3]] for calls in CG]

    result = found(tmp_path, tested, iteration, boundaries=Boundaries(last=pattern))

    assert (result.found, result.differences) == (3, ())


@pytest.mark.parametrize("pattern", ["Isend", "Is", "Is>*", "I*d"])
def test_the_beginning_of_an_iteration_may_be_named_by_its_operation(tmp_path: Path, pattern: str) -> None:
    program = [[isend(1), DOT, BARRIER] * 4, [isend(0), DOT, BARRIER] * 4]

    result = found(tmp_path, program, [calls[:3] for calls in program], boundaries=Boundaries(first=pattern))

    assert (result.found, result.differences) == (4, ())


def test_a_call_with_its_root_is_named_as_the_trace_shows_it(tmp_path: Path) -> None:
    calls = [broadcast(0), DOT]
    for pattern in ("Bcast:8@2", "Bcast:8@2,root=0", "Bcast"):
        assert found(tmp_path, [3 * calls] * 2, [calls] * 2, boundaries=Boundaries(first=pattern)).found == 3


def test_boundaries_in_the_wrong_order_are_refused(tmp_path: Path) -> None:
    with pytest.raises(NoSuchCall, match="rank 0 makes no call --to Barrier after --from Allreduce"):
        found(tmp_path, [[BARRIER, DOT]] * 2, [[DOT]] * 2, boundaries=Boundaries(first="Allreduce", last="Barrier"))


def test_ranks_that_make_the_calls_more_often_than_others_are_counted(tmp_path: Path) -> None:
    program = [5 * CG[0], [BARRIER, *(6 * CG[1])]]
    result = found(tmp_path, program, CG)
    assert (result.found, result.most_found) == (5, 6)


def test_a_launch_with_as_many_calls_in_another_order_is_refused(tmp_path: Path) -> None:
    iterations = found(tmp_path, [5 * calls for calls in CG], CG)
    turned = [5 * calls for calls in ([*CG[0][1:], CG[0][0]], CG[1])]

    times_in(trace_of(tmp_path, [5 * calls for calls in CG], name="same"), iterations)
    with pytest.raises(NotComparable, match=r"rank 0, call 1 of an iteration: another .* made Ir<1:0:100: the calls"):
        times_in(trace_of(tmp_path, turned, name="turned"), iterations)


def send_init(to: int, *, request: int, size: int = 8) -> Record:
    return call("Send_init", comm=0, peer=to, tag=0, bytes=size, unit=8, request=request)


def test_a_launch_may_start_requests_that_were_created_before_its_iterations(tmp_path: Path) -> None:
    iteration = [call("Start", requests=[0]), call("Wait", requests=[0])]
    program = [[send_init(1 - rank, request=0), *(6 * iteration)] for rank in range(2)]
    rules = [[[0, 1], [-1, 6]], [[1, 1], [2, 1]]]
    made = MadeTrace([MadeRank([calls[0], *iteration], rules=rules) for calls in program])
    iterations = loop_of(read_trace(made.write(tmp_path)), skip=0)

    times_in(trace_of(tmp_path, [6 * iteration] * 2, name="window"), iterations)
    with pytest.raises(NotComparable, match="differ from launch to launch"):
        times_in(trace_of(tmp_path, [6 * iteration[::-1]] * 2, name="other"), iterations)


@pytest.mark.parametrize(("size", "expected"), [(16, ()), (8, ("Start(>1:0:8)", "Start(>0:0:8)"))])
def test_requests_that_a_workload_creates_during_a_pause_are_compared_with_those_of_the_program(
    tmp_path: Path, size: int, expected: tuple[str, ...]
) -> None:
    def made(requests: list[int], rules: list[list[list[int]]], *, size: int, **started: object) -> MadeTrace:
        calls = [call("Start", requests=requests, **started), call("Wait", requests=requests)]
        return MadeTrace([MadeRank([send_init(1 - rank, request=0, size=size), *calls], rules) for rank in range(2)])

    each = [[1, 1], [2, 1]]
    program = made([0], [[[0, 1], [-1, 6]], each], size=16).write(tmp_path, "program.trace")
    workload = made([-2], [[[-1, 2]], each], size=size, inits=[0]).write(tmp_path, "workload.trace")

    result = iterations_of(read_trace(program), read_trace(workload), repetitions=2)

    assert tuple(difference.workload[0] for difference in result.differences) == expected
    assert result.found == (0 if expected else 6)


def test_a_loop_that_starts_requests_from_before_it_is_refused(tmp_path: Path) -> None:
    calls = [
        send_init(1, request=0), call("Start", requests=[0]), send_init(1, request=0, size=16),
        call("Wait", requests=[0]),
    ]  # fmt: skip
    rules = [[[0, 1], [1, 1], [2, 1], [-1, 5]], [[1, 1], [3, 1]]]
    program = read_trace(MadeTrace([MadeRank(calls, rules=rules)] * 2).write(tmp_path))
    with pytest.raises(NotComparable, match="rank 0: its loop starts persistent requests that were created before it"):
        loop_of(program)
