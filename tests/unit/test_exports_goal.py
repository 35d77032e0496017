"""Traces as GOAL: messages with their dependencies, collectives as messages."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from support.goal import Schedule, executed, parsed, traffic
from support.traces import (
    MadeTrace,
    Record,
    allreduce,
    call,
    irecv,
    isend,
    rank_of,
    receive,
    send,
    trace_of,
    waitall,
)

from stressbench.formats.trace import read_trace
from stressbench.tracing.exports.goal import goal_text
from stressbench.tracing.schedules.refusal import ScheduleRefused
from stressbench.tracing.schedules.sources import of_program
from stressbench.tracing.schedules.survey import survey


def schedule(folder: Path, *ranks: Sequence[Record]) -> Schedule:
    return parsed(goal_text(survey(of_program(trace_of(folder, ranks, name="made"))), comments=("made",)))


def collective(folder: Path, op: str, size: int, **keys: object) -> Schedule:
    return schedule(folder, *[[call(op, comm=0, **keys)] for _ in range(size)])


def test_a_blocking_send_follows_the_computation_before_it_and_precedes_what_comes_next(tmp_path: Path) -> None:
    made = schedule(tmp_path, [send(1, tag=7, size=8), send(1, tag=8)], [receive(0, tag=7), receive(0, tag=8)])

    first = [(one.kind, one.amount, one.partner, one.tag, one.requires) for one in made[0].values()]
    assert first == [
        ("calc", 1_000_000, -1, 0, []), ("send", 8, 1, 7, [1]), ("calc", 1_000_000, -1, 0, [2]), ("send", 8, 1, 8, [3]),
    ]  # fmt: skip
    assert [one.kind for one in made[1].values()] == ["calc", "recv", "calc", "recv"]


def test_what_follows_a_nonblocking_call_waits_only_for_its_begin_until_the_wait(tmp_path: Path) -> None:
    calls = [irecv(1, request=0), isend(1, request=1), waitall(0, 1), send(1, tag=1)]
    made = schedule(tmp_path, calls, [irecv(0, request=0), isend(0, request=1), waitall(0, 1), receive(0, tag=1)])

    received, sent = (label for label, one in made[0].items() if one.kind in ("recv", "send") and one.tag == 0)
    after = made[0][received + 1]
    assert (after.kind, after.requires, after.irequires) == ("calc", [], [received])
    before_wait = made[0][sent + 1]
    assert (before_wait.requires, before_wait.irequires) == ([], [sent])
    joined = next(one for label, one in made[0].items() if label > sent + 1)
    assert sorted(joined.requires) == [received, sent, sent + 1]
    executed(made)


def test_a_receive_has_the_size_of_the_message_that_matches_it(tmp_path: Path) -> None:
    made = schedule(tmp_path, [send(1, size=8), send(1, size=24)], [receive(0, size=100), receive(0, size=50)])

    assert traffic(made, "recv") == traffic(made) == Counter({(0, 1, 8): 1, (0, 1, 24): 1})


def test_a_message_without_content_has_one_byte(tmp_path: Path) -> None:
    assert traffic(schedule(tmp_path, [send(1, size=0)], [receive(0, size=0)])) == Counter({(0, 1, 1): 1})


def test_a_cancelled_receive_is_left_out(tmp_path: Path) -> None:
    made = schedule(
        tmp_path, [send(1)], [irecv(0, request=0), irecv(0, request=1), call("Wait", requests=[0]),
                              call("Cancel", requests=[1]), call("Wait", requests=[1])],
    )  # fmt: skip

    assert traffic(made, "recv").total() == 1
    executed(made)


def test_persistent_requests_send_at_each_start(tmp_path: Path) -> None:
    starts = [call("Start", requests=[0]), call("Wait", requests=[0])] * 3
    made = schedule(
        tmp_path, [call("Send_init", comm=0, peer=1, tag=3, bytes=16, request=0), *starts],
        [call("Recv_init", comm=0, peer=0, tag=3, bytes=99, request=0), *starts],
    )  # fmt: skip

    assert traffic(made) == Counter({(0, 1, 16): 3})
    executed(made)


def test_messages_of_another_communicator_have_another_tag(tmp_path: Path) -> None:
    comms = [{"slot": 0, "size": 2, "members": [[0, 1, 2]], "inter": False}] * 3
    sends = [isend(1, tag=5), isend(1, tag=5, comm=2, size=16, request=1), waitall(0, 1)]
    ranks = sends, [receive(0, tag=5, comm=2), receive(0, tag=5)]
    trace = trace_of(tmp_path, ranks, name="made", extra={"comms": comms})

    made = parsed(goal_text(survey(of_program(trace))))

    assert len({one.tag for one in made[0].values() if one.kind == "send"}) == 2
    executed(made)


SIZES = (2, 3, 4, 5, 7, 8)
VECTOR = 1000


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("op", "keys", "messages", "bytes_each"),
    [
        ("Barrier", {"bytes": 0}, lambda n: n * (n - 1).bit_length(), lambda n: 1),
        ("Bcast", {"bytes": VECTOR, "root": 1}, lambda n: n - 1, lambda n: VECTOR),
        ("Reduce", {"bytes": VECTOR, "root": 1}, lambda n: n - 1, lambda n: VECTOR),
        ("Ireduce_scatter_block", {"bytes": 10, "request": 0}, lambda n: n * (n - 1), lambda n: 10),
        ("Alltoall", {"bytes": 10}, lambda n: n * (n - 1), lambda n: 10),
        ("Iallgather", {"bytes": 40_000, "request": 0}, lambda n: n * (n - 1), lambda n: 40_000),
        ("Scan", {"bytes": 10}, lambda n: sum(n - (1 << k) for k in range((n - 1).bit_length())), lambda n: 10),
    ],
)  # fmt: skip
def test_a_collective_is_messages_that_are_all_received(
    tmp_path: Path, size: int, op: str, keys: dict[str, object], messages: object, bytes_each: object
) -> None:
    made = collective(tmp_path, op, size, **keys)

    executed(made)
    sent = traffic(made)
    assert sent.total() == messages(size)  # type: ignore[operator]
    assert {amount for _, _, amount in sent} == {bytes_each(size)}  # type: ignore[operator]


@pytest.mark.parametrize("size", SIZES)
def test_small_and_large_allreduces_bring_every_part_to_every_rank(tmp_path: Path, size: int) -> None:
    small, large = (
        collective(tmp_path, "Allreduce", size, bytes=8),
        collective(tmp_path, "Allreduce", size, bytes=2**17),
    )

    power = 1 << (size.bit_length() - 1)
    executed(small)
    assert traffic(small).total() == power * (power.bit_length() - 1) + 2 * (size - power)
    executed(large)
    assert sum(amount * n for (_, _, amount), n in traffic(large).items()) == 2 * (size - 1) * 2**17


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("op", ["Gather", "Scatter"])
def test_a_tree_carries_the_blocks_of_whole_subtrees(tmp_path: Path, size: int, op: str) -> None:
    made = collective(tmp_path, op, size, bytes=10, root=size - 1)

    executed(made)
    ends = Counter[int]()
    for (source, destination, amount), n in traffic(made).items():
        ends[source] -= amount * n
        ends[destination] += amount * n
    gained = -10 if op == "Gather" else 10
    assert ends == Counter({rank: gained * (1 - size) if rank == size - 1 else gained for rank in range(size)})


@pytest.mark.parametrize("size", SIZES)
def test_small_allgathers_double_their_blocks(tmp_path: Path, size: int) -> None:
    made = collective(tmp_path, "Allgather", size, bytes=10)

    executed(made)
    received = Counter[int]()
    for (_, destination, amount), n in traffic(made).items():
        received[destination] += amount * n
    assert set(received.values()) == {10 * (size - 1)}


def test_blocks_of_different_sizes_go_where_they_are_expected(tmp_path: Path) -> None:
    counts = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    alltoallv = [
        [call("Alltoallv", comm=0, bytes=sum(row), counts=row, receive_counts=[one[rank] for one in counts])]
        for rank, row in enumerate(counts)
    ]
    made = schedule(tmp_path, *alltoallv)
    executed(made)
    assert traffic(made) == Counter({(a, b, counts[a][b]): 1 for a in range(3) for b in range(3) if a != b})

    gathered = [[call("Gatherv", comm=0, bytes=n, root=0, **({"receive_counts": [1, 2, 3]} if n == 1 else {}))]
                for n in (1, 2, 3)]  # fmt: skip
    made = schedule(tmp_path, *gathered)
    executed(made)
    assert traffic(made) == Counter({(1, 0, 2): 1, (2, 0, 3): 1})


def test_neighbours_on_a_grid_exchange(tmp_path: Path) -> None:
    comms = [{"slot": 0, "size": 4, "members": [[0, 1, 4]], "inter": False}] * 2
    comms.append({"slot": 2, "size": 4, "members": [[0, 1, 4]], "inter": False})
    ranks = [{"extra": {"comms": [{**comm, "rank": rank} for comm in comms]}} for rank in range(4)]
    calls = [call("Cart_create", comm=0, made=2, dims=[2, 2], periods=[False, True]),
             call("Neighbor_alltoall", comm=2, bytes=10)]  # fmt: skip
    path = MadeTrace([rank_of(calls, **keys) for keys in ranks]).write(tmp_path)
    made = parsed(goal_text(survey(of_program(read_trace(path)))))

    executed(made)
    assert traffic(made) == Counter({
        (0, 2, 10): 1, (2, 0, 10): 1, (1, 3, 10): 1, (3, 1, 10): 1,
        (0, 1, 10): 2, (1, 0, 10): 2, (2, 3, 10): 2, (3, 2, 10): 2,
    })  # fmt: skip


def test_two_collectives_at_once_keep_their_messages_apart(tmp_path: Path) -> None:
    calls = [call("Iallreduce", comm=0, bytes=8, request=0), call("Iallreduce", comm=0, bytes=16, request=1),
             waitall(1), waitall(0)]  # fmt: skip

    made = schedule(tmp_path, calls, calls, calls)

    executed(made)
    tags = {amount: {one.tag for one in made[0].values() if one.amount == amount} for amount in (8, 16)}
    assert len(tags[8]) == len(tags[16]) == 1
    assert tags[8] != tags[16]


def test_computation_overlaps_with_a_nonblocking_collective_until_its_wait(tmp_path: Path) -> None:
    begin, wait = call("Ibarrier", comm=0, bytes=0, request=0), call("Wait", requests=[0])
    sends = [begin, send(1, tag=5), wait, send(1, tag=6)]
    made = schedule(tmp_path, sends, [begin, receive(0, tag=5), wait, receive(0, tag=6)])

    messages = [label for label, one in made[0].items() if one.kind != "calc" and one.tag not in (5, 6)]
    overlapping = made[0][max(messages) + 1]
    assert (overlapping.kind, overlapping.requires, overlapping.irequires) == ("calc", [], messages)
    (sent,) = (label for label, one in made[0].items() if one.tag == 5)
    waited = [label for label, one in made[0].items() if set(messages) <= set(one.requires)]
    assert len(waited) == 1
    assert waited[0] > sent
    executed(made)


@pytest.mark.parametrize(
    ("ranks", "reason"),
    [
        (([send(1)], []), "rank 0 sends 1 messages with tag 0 to rank 1, which receives 0"),
        (([receive(1)], []), "rank 1 sends 0 messages with tag 0 to rank 0, which receives 1"),
        (([allreduce()], []), "rank 0 calls 1 collectives on a communicator of 2 ranks, rank 0 1"),
        (([send(5)], []), "rank 0: Send: its communicator has no rank 5"),
        (([call("Put", comm=0, peer=1, bytes=8)], []), "rank 0: Put: one-sided communication has no messages"),
        (([call("Gatherv", comm=0, bytes=8, root=0)],) * 2, "Gatherv: the trace has no sizes for each rank"),
        (([call("Neighbor_alltoall", comm=0, bytes=8)],) * 2, "rank 0: Neighbor_alltoall: the neighbours are unknown"),
    ],
)  # fmt: skip
def test_calls_without_a_schedule_are_refused(tmp_path: Path, ranks: Sequence[Sequence[Record]], reason: str) -> None:
    with pytest.raises(ScheduleRefused) as refused:
        schedule(tmp_path, *ranks)

    assert str(refused.value).startswith(reason)
