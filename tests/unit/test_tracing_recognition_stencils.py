"""Stencils in captures: process grids, the calls of a pass, templates, sizes of messages, and the text of calls."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from support.traces import Record, allreduce, call, irecv, isend, receive, send, trace_of, waitall

from stressbench.tracing.grammar import expand
from stressbench.tracing.recognition.candidate import Candidate
from stressbench.tracing.recognition.stencils.candidates import stencil
from stressbench.tracing.recognition.stencils.grids import (
    Grid,
    balanced,
    balanced_grids,
    offset_text,
    other_grids,
    reversed_offset,
)
from stressbench.tracing.recognition.stencils.passes import Event, NoStencil, events_of
from stressbench.tracing.recognition.stencils.sizes import shares_of_ranks

Pass = tuple[tuple[Event, ...], ...]


def grid(*sides: int, periodic: Sequence[bool] = (), first_fastest: bool = False) -> Grid:
    return Grid(
        sides=sides, periodic=tuple(periodic) or tuple(False for _ in sides), first_fastest=first_fastest
    )  # fmt: skip


def pass_of(folder: Path, ranks: Sequence[Sequence[Record]]) -> Pass:
    """The events of these calls, of which each rank makes all in order, without computation."""
    trace = trace_of(folder, ranks, name="pass.trace")
    return tuple(
        tuple(
            replace(event, computed_s=0.0)
            for event in events_of(rank, list(expand(rank.rules or ())), ranks=len(ranks))
        )
        for rank in trace.ranks()
    )


def options(candidate: Candidate) -> dict[str, str]:
    return dict(candidate.options)


def halo(coordinates: tuple[int, int], sides: tuple[int, int], cells: tuple[int, int]) -> list[Record]:
    """Irecv and Isend with the four neighbours in a grid whose last dimension is fastest, as in most programs."""
    x, y = coordinates
    found: list[Record] = []
    for make in (irecv, isend):
        for dx, dy, size in ((-1, 0, 8 * cells[1]), (1, 0, 8 * cells[1]), (0, -1, 8 * cells[0]), (0, 1, 8 * cells[0])):
            if 0 <= x + dx < sides[0] and 0 <= y + dy < sides[1]:
                found.append(make((x + dx) * sides[1] + y + dy, size=size, request=len(found)))
    return [*found, waitall(*range(len(found)))]


def test_ranks_are_numbered_in_the_last_or_the_first_dimension() -> None:
    assert grid(2, 3).coordinates == ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2))
    assert grid(2, 3, first_fastest=True).coordinates == ((0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (1, 2))


@pytest.mark.parametrize(
    ("one", "rank", "other", "offsets"),
    [
        (grid(4), 1, 2, [(1,)]),
        (grid(4), 0, 3, []),  # three steps
        (grid(5), 0, 2, [(2,)]),
        (grid(4, periodic=[True]), 0, 3, [(-1,)]),
        (grid(2, periodic=[True]), 0, 1, [(-1,), (1,)]),
        (grid(3, 3), 4, 0, [(-1, -1)]),
        (grid(2, 2, periodic=[True, False]), 0, 3, [(-1, 1), (1, 1)]),
        (grid(2, 1, periodic=[False, True]), 1, 1, [(0, -1), (0, 1)]),
        (grid(2, 2), 1, 1, []),
    ],
)
def test_offsets_are_the_shortest_ways_to_another_rank(one: Grid, rank: int, other: int, offsets: list[object]) -> None:
    assert list(one.offsets(rank, other)) == offsets


def test_a_line_is_of_ranks_that_differ_in_one_dimension() -> None:
    assert grid(2, 3).line(4, (1,)) == (3, 4, 5)
    assert grid(2, 3).line(4, (0,)) == (1, 4)
    assert grid(2, 3).line(4, (0, 1)) == tuple(range(6))


def test_sides_are_those_of_mpi_dims_create() -> None:
    assert [balanced(72, 2), balanced(12, 3), balanced(4, 3), balanced(7, 2)] == [(9, 8), (3, 2, 2), (2, 2, 1), (7, 1)]


def test_grids_divide_all_dimensions_in_some_capture() -> None:
    assert {tuple(one.sides for one in grids) for grids in balanced_grids([4, 8], undivided=False)} == {
        ((4,), (8,)), ((2, 2), (4, 2)), ((2, 2, 1), (2, 2, 2))
    }  # fmt: skip
    undivided = [grids[0] for grids in balanced_grids([2], undivided=True)]
    assert {one.sides for one in undivided} == {(2,), (2, 1), (2, 1, 1), (2, 1, 1, 1)}
    assert all(one.periodic[1:] == (True,) * (len(one.sides) - 1) for one in undivided)
    assert {grids[0].sides for grids in other_grids(8)} == {(2, 4)}
    assert {grids[0].sides for grids in other_grids(12)} >= {(3, 4), (2, 6), (6, 2), (2, 2, 3)}


def test_offsets_as_text() -> None:
    assert [offset_text(one) for one in ((1, 0), (-1, 2), (0, 0, -3))] == ["+x", "-x+2y", "-3z"]
    assert reversed_offset((1, -2)) == (-1, 2)


@pytest.mark.parametrize(
    ("calls", "reason"),
    [
        ([call("Gather", bytes=8, comm=0, root=0)], "motif stencil has no MPI_Gather"),
        ([irecv(0, any="source"), waitall(0)], "MPI_Irecv with a wildcard"),
        ([irecv(0)], "requests are pending at the end of a pass"),
        ([irecv(0), irecv(0, request=1), waitall(1)], "a wait is for some of several pending requests"),
        (
            [irecv(0), isend(0, request=1), call("Wait", requests=[1])],
            "it waits for its requests in another order than that in which they were started",
        ),
        (
            [irecv(0), isend(0, request=1), call("Wait", requests=[0]), allreduce()],
            "it waits for some of its requests one by one, with other calls between",
        ),
        ([call("Iallreduce", bytes=8, comm=0, request=0)], "motif stencil has no MPI_Iallreduce"),
    ],
)
def test_calls_that_a_stencil_cannot_make_are_refused(tmp_path: Path, calls: list[Record], reason: str) -> None:
    with pytest.raises(NoStencil) as refused:
        pass_of(tmp_path, [calls])

    assert str(refused.value) == reason


def test_blocks_of_a_mesh_that_is_not_divisible(tmp_path: Path) -> None:
    """7 x 5 cells on 3 x 2 ranks: columns of 3, 2 and 2 cells, rows of 3 and 2."""
    columns, rows = (3, 2, 2), (3, 2)
    ranks = [halo((x, y), (3, 2), (columns[x], rows[y])) for x in range(3) for y in range(2)]

    found = stencil([pass_of(tmp_path, ranks)])

    assert options(found)["mesh"] == "7x5"
    assert options(found)["calls"].split("; ")[:2] == ["irecv -x 8*y", "irecv +x 8*y"]


def test_blocks_that_are_divided_otherwise_are_refused(tmp_path: Path) -> None:
    columns, rows = (2, 2, 3), (3, 2)  # the larger block of columns is the last one
    ranks = [halo((x, y), (3, 2), (columns[x], rows[y])) for x in range(3) for y in range(2)]

    with pytest.raises(NoStencil, match="not those of a mesh that is divided evenly in x"):
        stencil([pass_of(tmp_path, ranks)])


def test_sizes_that_are_no_layers_are_refused(tmp_path: Path) -> None:
    ranks = [halo((x, y), (3, 2), (4, 4)) for x in range(3) for y in range(2)]
    for rank, peer in ((2, 0), (0, 2)):  # to the next in x
        for one in ranks[rank]:
            if one.get("peer") == peer:
                one["bytes"] += 8

    with pytest.raises(NoStencil, match="sizes of its messages"):
        stencil([pass_of(tmp_path, ranks)])


def test_two_messages_with_one_tag_to_the_only_neighbour_are_two_fields(tmp_path: Path) -> None:
    """With other tags, they are for both sides of a periodic grid."""
    fields = [
        [irecv(1 - r, request=0), irecv(1 - r, request=1), isend(1 - r, request=2), isend(1 - r, request=3)]
        for r in range(2)
    ]
    sides = [
        [
            irecv(1 - r, request=0),
            irecv(1 - r, tag=1, request=1),
            isend(1 - r, tag=1, request=2),
            isend(1 - r, request=3),
        ]
        for r in range(2)
    ]

    closed, periodic = (
        stencil([pass_of(tmp_path, [[*own, waitall(0, 1, 2, 3)] for own in ranks])]) for ranks in (fields, sides)
    )

    assert "periodic" not in options(closed)
    assert options(closed)["calls"].count("isend +x 8") == 2
    assert options(periodic)["periodic"] == "x"
    assert "periodic: x; its messages would also fit another choice" in periodic.assumed


def test_a_pipeline_has_the_order_in_which_ranks_receive_and_send(tmp_path: Path) -> None:
    last = 3
    ranks = [
        [*([receive(r - 1, size=40)] if r else []), *([send(r + 1, size=40)] if r < last else [])]
        for r in range(last + 1)
    ]

    found = stencil([pass_of(tmp_path, ranks)])

    assert options(found)["calls"] == "recv -x 40; send +x 40"


def test_equal_parts_are_written_as_loops(tmp_path: Path) -> None:
    ring = [
        [*([irecv((r - 1) % 5, size=64), isend((r + 1) % 5, size=64, request=1), waitall(0, 1)] * 3), allreduce()]
        for r in range(5)
    ]

    found = stencil([pass_of(tmp_path, ring)])

    assert "repeat 3; irecv -x 8*y; isend +x 8*y; waitall; end; " in options(found)["calls"]


def test_the_sizes_of_collectives_follow_a_law_of_the_number_of_ranks() -> None:
    assert list(shares_of_ranks({4: 64, 8: 64})) == ["64"]
    assert list(shares_of_ranks({4: 64, 8: 32})) == ["256/P"]
    assert list(shares_of_ranks({4: 64, 8: 16})) == ["1024/P/P"]
    assert list(shares_of_ranks({4: 64, 8: 40})) == []


def test_a_known_mesh_settles_which_margin_layers_have(tmp_path: Path) -> None:
    """Layers of 8 (30 + 2) and 8 (20 + 1) bytes: without it, of 32 and 21 cells; the other way round, of 20 + 12."""
    ranks = [halo((x, y), (2, 2), (21, 32)) for x in range(2) for y in range(2)]
    passes = [pass_of(tmp_path, ranks)]

    unknown, known = stencil(passes), stencil(passes, known=[(60, 40), (40, 60)])

    assert options(unknown)["mesh"] == "42x64"
    assert options(known)["mesh"] == "40x60"
    assert options(known)["calls"].startswith("irecv -x 8*(y+2); irecv +x 8*(y+2); irecv -y 8*(x+1)")
    assert any("divides more of them" in text for text in unknown.assumed)
    assert not any("divides more of them" in text for text in known.assumed)


def test_what_several_captures_on_as_many_ranks_leave_open_is_said_once(tmp_path: Path) -> None:
    ranks = [halo((x, y), (2, 2), (21, 32)) for x in range(2) for y in range(2)]

    found = stencil([pass_of(tmp_path, ranks), pass_of(tmp_path, ranks)])

    assert found.assumed[0].endswith("a program that divides more of them has the same messages on 4 ranks")


def test_ranks_without_some_requests_wait_for_the_same_ones_as_others(tmp_path: Path) -> None:
    """In a chain that sends up only, the first rank waits for sends only and the last one for receives only."""
    null = call("Waitall", requests=[-1, -1])
    ranks = [
        [isend(1, size=40), waitall(0, -1), null],
        [irecv(0, size=40, request=1), isend(2, size=40), waitall(0, -1), waitall(1)],
        [irecv(1, size=40, request=1), null, waitall(1)],
    ]

    found = stencil([pass_of(tmp_path, ranks)])

    assert options(found)["calls"] == "irecv -x 40; isend +x 40; waitall sends; waitall"


def test_waits_that_may_have_been_moved_must_follow_the_sends(tmp_path: Path) -> None:
    ring = [[irecv((r - 1) % 5), waitall(0), isend((r + 1) % 5, request=1), waitall(1)] for r in range(5)]
    passes = [pass_of(tmp_path, ring)]

    assert options(stencil(passes))["calls"] == "irecv -x 8; waitall; isend +x 8; waitall"
    with pytest.raises(NoStencil, match="where its waits are among other calls is not known"):
        stencil(passes, moved_waits=True)
