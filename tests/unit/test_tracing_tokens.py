"""Words of calls: those of the reference profiles, and those in which a replay is compared."""

from pathlib import Path
from typing import Any

import pytest
from support.traces import MadeRank, MadeTrace, allreduce, call, irecv, isend, receive, send, waitall

from stressbench.formats.trace import RankTrace, read_trace
from stressbench.tracing.grammar import expand
from stressbench.tracing.tokens import CallTokenizer, Message, TokenStyle

HALF = 2
COMMS = [
    {"slot": 0, "size": 8, "rank": 5, "members": [[0, 1, 8]], "inter": False},
    {"slot": 1, "size": 1, "rank": 0, "members": [[5, 1, 1]], "inter": False},
    {"slot": 2, "size": 4, "rank": 2, "members": [[1, 2, 3], [0, 1, 1]], "inter": False},
    {"slot": 3, "size": 4, "rank": 2, "members": None, "inter": False},
]


def rank_of(folder: Path, calls: list[dict[str, Any]], rules: list[list[list[int]]] | None = None) -> RankTrace:
    rows = rules or [[[number, 1] for number in range(len(calls))]]
    made = MadeTrace([MadeRank(calls, rows, extra={"comms": COMMS, "timeline": None})] + [MadeRank([])] * 7)
    return read_trace(made.write(folder)).rank(0)


def tokens(folder: Path, calls: list[dict[str, Any]], *, style: TokenStyle = TokenStyle.exact) -> list[str]:
    rank = rank_of(folder, calls)
    return list(CallTokenizer(rank, rank.streams_by_thread()[0], style).tokens(expand(rank.rules or ())))


@pytest.mark.parametrize(
    ("made", "token"),
    [
        (isend(1, tag=2, size=19400), "Is>1:2:19400"),
        (irecv(1, tag=1, size=19400), "Ir<1:1:19400"),
        (irecv(1, tag=3, size=8, any="source"), "Ir<*:3:8"),
        (irecv(1, tag=3, size=8, any="tag"), "Ir<1:*:8"),
        (irecv(1, tag=3, size=8, any="both"), "Ir<*:*:8"),
        (send(-1, tag=0, size=8), "S>-1:0:8"),
        (receive(3, tag=3000, size=24000), "R<3:3000:24000"),
        (send(0, comm=HALF), "S>1:0:8"),
        (send(2, comm=HALF), "S>5:0:8"),
        (send(3, comm=HALF), "S>0:0:8"),
        (send(3, comm=3), "S>3@c3:0:8"),
        (call("Issend", comm=0, peer=1, tag=0, bytes=4), "Iss>1:0:4"),
        (call("Sendrecv", comm=0, peer=1, tag=9, bytes=33600, source=2, receive_bytes=580608), "SR>1:33600<2:580608"),
        (call("Sendrecv_replace", comm=0, peer=1, bytes=8, source=2), "SRr>1:8<2:8"),
        (call("Wait", requests=[3]), "W(1)"),
        (waitall(0, -1, 2), "Wa(3)"),
        (waitall(), "Wa(0)"),
        (call("Waitany", requests=[0, 1], done=[1]), "Wy(2)"),
        (call("Waitsome", requests=[0, 1], done=[1]), "Ws(2)"),
        (call("Testall", requests=[0, 1]), "Ta(2)"),
        (allreduce(size=8, comm=HALF), "Allreduce[SUM]:8@4"),
        (call("Barrier", comm=0, bytes=0), "Barrier:0@8"),
        (call("Bcast", comm=0, bytes=64, root=1), "Bcast:64@8"),
        (call("Gather", comm=0, bytes=64, root=0, in_place=True), "Gather:0@8"),
        (call("Iallgatherv", comm=0, bytes=64, counts=[64] * 8), "Iallgatherv:64@8"),
        (call("Comm_split", comm=0, made=2, colour=1, key=0), "Comm_split"),
        (call("File_open", comm=0, file=0, amode=5), "File_open@8"),
        (call("File_write_at_all", file=0, offset=4096, bytes=100), "File_write_at_all:4096:100"),
        (call("File_close", file=0), "File_close"),
        (call("Win_fence", window=0), "Win_fence"),
        (call("Win_allocate", comm=0, window=0, size=4096, unit=8), "Win_allocate:4096@8"),
        (call("Put", window=0, peer=3, bytes=64, displacement=8), "Put>3:64"),
        (
            call("Get_accumulate", window=0, peer=3, bytes=0, receive_bytes=8, reduction="NO_OP"),
            "Get_accumulate[NO_OP]>3:8",
        ),
        (call("Win_lock", window=0, peer=3, lock="shared"), "Win_lock>3"),
    ],
)
def test_a_call_is_spelled_as_in_the_reference_profiles(tmp_path: Path, made: dict[str, Any], token: str) -> None:
    assert tokens(tmp_path, [made]) == [token]


PERSISTENT = [
    call("Recv_init", comm=0, peer=1, tag=0, bytes=2048, request=0),
    call("Send_init", comm=0, peer=2, tag=0, bytes=128, request=1),
    call("Startall", requests=[0, 1]),
    waitall(0, 1),
    call("Request_free", requests=[1]),
    call("Send_init", comm=0, peer=3, tag=0, bytes=64, request=1),
]


def test_startall_names_what_its_slots_hold(tmp_path: Path) -> None:
    assert tokens(tmp_path, PERSISTENT[:3]) == [
        "Recv_init<1:0:2048",
        "Send_init>2:0:128",
        "St(<1:0:2048,>2:0:128)",
    ]


def test_a_slot_that_changes_hands_changes_what_startall_starts(tmp_path: Path) -> None:
    rules = [[[0, 1], [1, 1], [2, 1], [3, 1], [4, 1], [5, 1], [2, 1]]]
    rank = rank_of(tmp_path, PERSISTENT, rules)
    tokenizer = CallTokenizer(rank, rank.streams_by_thread()[0], TokenStyle.exact)

    assert tokenizer.is_order_dependent
    found = list(tokenizer.tokens(expand(rank.rules or ())))
    assert (found[2], found[6]) == ("St(<1:0:2048,>2:0:128)", "St(<1:0:2048,>3:0:64)")


def test_startall_names_requests_that_the_sequence_does_not_create(tmp_path: Path) -> None:
    before = PERSISTENT[:2]  # during a pause: in the same slots as the requests of the sequence later
    calls = [
        call("Recv_init", comm=0, peer=3, tag=0, bytes=64, request=0),
        *before,
        call("Startall", requests=[-2, -2], inits=[1, 2]),
        call("Startall", requests=[0, -2, -2], inits=[-1, 2, -1]),
    ]
    rank = rank_of(tmp_path, calls, [[[3, 1], [0, 1], [4, 1]]])
    tokenizer = CallTokenizer(rank, rank.streams_by_thread()[0], TokenStyle.exact)
    expected = ["St(<1:0:2048,>2:0:128)", "Recv_init<3:0:64", "St(<3:0:64,>2:0:128,?)"]

    assert not tokenizer.is_order_dependent
    assert list(tokenizer.tokens(expand(rank.rules or ()))) == expected
    tokenizer.assign_slots()
    assert [tokenizer.token(number) for number in range(5)][3:] == [expected[0], expected[2]]
    assert tokenizer.messages(4) == (Message(to=2, bytes=128),)


def test_for_a_replay_the_sender_that_came_and_the_size_of_what_is_made_count(tmp_path: Path) -> None:
    made = [irecv(1, any="both", tag=7), call("Cart_create", comm=0, made=2), call("Comm_split", comm=0)]

    assert tokens(tmp_path, made, style=TokenStyle.replayed) == ["Ir<1:7:8", "Comm:4", "Comm:0"]


def test_a_rank_of_a_communicator_that_is_not_known_stays_unknown(tmp_path: Path) -> None:
    assert tokens(tmp_path, [call("Send", peer=2, tag=0, bytes=8)]) == ["S>2@c?:0:8"]
