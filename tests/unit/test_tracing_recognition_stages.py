"""Loops over stages in captures: what is one, what only looks like one, and what captures leave open."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from support.traces import Record, allreduce, call, irecv, isend, receive, send, trace_of, waitall

from stressbench.tracing.grammar import expand
from stressbench.tracing.recognition.candidate import Candidate
from stressbench.tracing.recognition.stencils.candidates import stencil
from stressbench.tracing.recognition.stencils.passes import Event, NoStencil, events_of
from stressbench.tracing.recognition.stencils.stage_laws import size_law, tag_law
from stressbench.tracing.recognition.stencils.stage_structure import Structure

Pass = tuple[tuple[Event, ...], ...]
Program = Callable[[int, int], list[Record]]
"""The calls of a rank among so many."""


def pass_of(folder: Path, program: Program, ranks: int) -> Pass:
    trace = trace_of(folder, [program(rank, ranks) for rank in range(ranks)], name=f"pass-{ranks}")
    return tuple(
        tuple(replace(event, computed_s=0.0) for event in events_of(rank, list(expand(rank.rules or ())), ranks=ranks))
        for rank in trace.ranks()
    )


def recognised(folder: Path, program: Program, *ranks: int) -> Candidate:
    return stencil([pass_of(folder, program, one) for one in ranks])


def calls_of(candidate: Candidate) -> str:
    return dict(candidate.options)["calls"]


def stages_of(ranks: int) -> range:
    return range((ranks - 1).bit_length())


def sendrecv(peer: int, size: int, tag: int = 0) -> Record:
    return call(
        "Sendrecv", comm=0, peer=peer, tag=tag, bytes=size, unit=8, source=peer, receive_tag=tag, receive_bytes=size
    )


def exchange(peer: int, size: int, tag: int = 0) -> list[Record]:
    return [irecv(peer, size=size, tag=tag), isend(peer, size=size, tag=tag, request=1), waitall(0, 1)]


def doubling(rank: int, ranks: int) -> list[Record]:
    return [sendrecv(rank ^ 1 << k, 800, tag=3 + k) for k in stages_of(ranks)]


def test_stages_across_bits(tmp_path: Path) -> None:
    assert calls_of(recognised(tmp_path, doubling, 8)) == "stages; sendrecv ^ 800 ^ 800 tag 3+k; end"


def test_stages_with_the_farthest_partner_first(tmp_path: Path) -> None:
    found = recognised(tmp_path, lambda rank, ranks: doubling(rank, ranks)[::-1], 8)

    assert calls_of(found) == "stages down; sendrecv ^ 800 ^ 800 tag 3+k; end"


@pytest.mark.parametrize(
    ("waits", "written"),
    [
        ([waitall(0, 1)], "waitall"),
        ([call("Wait", requests=[0]), call("Wait", requests=[1])], "wait; wait"),
    ],
)
def test_stages_of_nonblocking_calls(tmp_path: Path, waits: list[Record], written: str) -> None:
    found = recognised(
        tmp_path,
        lambda rank, ranks: [
            one
            for k in stages_of(ranks)
            for one in (irecv(rank ^ 1 << k, tag=1 << k), isend(rank ^ 1 << k, tag=1 << k, request=1), *waits)
        ],
        8,
    )

    assert calls_of(found) == f"stages; irecv ^ 8 tag S; isend ^ 8 tag S; {written}; end"


def test_ranks_with_the_bit_may_have_another_order(tmp_path: Path) -> None:
    """Blocking calls: one of two ranks sends first."""

    def ordered(rank: int, ranks: int) -> list[Record]:
        found: list[Record] = []
        for k in stages_of(ranks):
            own = [send(rank ^ 1 << k), receive(rank ^ 1 << k)]
            found += own[::-1] if rank >> k & 1 else own
        return found

    assert calls_of(recognised(tmp_path, ordered, 8)) == "stages; recv -^ 8; send -^ 8; send +^ 8; recv +^ 8; end"


def test_stages_with_two_messages_in_each(tmp_path: Path) -> None:
    def two(rank: int, ranks: int) -> list[Record]:
        return [one for k in stages_of(ranks) for one in (sendrecv(rank ^ 1 << k, 8), sendrecv(rank ^ 1 << k, 40))]

    assert calls_of(recognised(tmp_path, two, 8)) == "stages; sendrecv ^ 8 ^ 8; sendrecv ^ 40 ^ 40; end"


def halving_then_doubling(rank: int, ranks: int) -> list[Record]:
    whole = 4096
    halving = [sendrecv(rank ^ 1 << k, (whole << k) // ranks) for k in stages_of(ranks)]
    return [*halving[::-1], *halving]


def test_sizes_that_halve_and_double_are_shares_of_one_whole(tmp_path: Path) -> None:
    """Farthest first they are taken for those of a reduce-scatter, and then of the allgather after it."""
    one, two = recognised(tmp_path, halving_then_doubling, 4), recognised(tmp_path, halving_then_doubling, 4, 8)

    written = "stages down; sendrecv ^ 8*X*S/P ^ 8*X*S/P; end; stages; sendrecv ^ 8*X*S/P ^ 8*X*S/P; end"
    assert [calls_of(one), calls_of(two)] == [written.replace("8*", "16*")] * 2
    assert dict(one.options)["mesh"] == "256"
    assert any("sizes in stages are 4096*S/P" in text for text in one.assumed)
    assert not two.assumed


def test_sizes_that_double_are_multiples_of_what_a_rank_has(tmp_path: Path) -> None:
    def allgather(rank: int, ranks: int) -> list[Record]:
        return [sendrecv(rank ^ 1 << k, 40 << k) for k in stages_of(ranks)]

    assert calls_of(recognised(tmp_path, allgather, 4)) == "stages; sendrecv ^ 40*S ^ 40*S; end"


def tree(rank: int, ranks: int, *, root: int, highest: bool) -> list[tuple[int, bool]]:
    """Partners of a rank in a broadcast, with its parent first, and whether it is the parent."""
    place = (rank - root) % ranks
    bits = stages_of(ranks)
    own = place.bit_length() - 1 if highest else (place & -place).bit_length() - 1
    above = range(own + 1, len(bits)) if highest else range((own if place else len(bits)) - 1, -1, -1)
    children = [place + (1 << k) for k in above if place + (1 << k) < ranks]
    parent = [(place - (1 << own), True)] if place else []
    return [((one + root) % ranks, is_parent) for one, is_parent in (*parent, *((c, False) for c in children))]


def bcast(rank: int, ranks: int, *, root: int = 0, highest: bool = False) -> list[Record]:
    return [
        receive(other, size=24) if is_parent else send(other, size=24)
        for other, is_parent in tree(rank, ranks, root=root, highest=highest)
    ]


def reduction(rank: int, ranks: int, *, root: int = 0, highest: bool = False) -> list[Record]:
    return [
        send(other, size=16, tag=1) if is_parent else receive(other, size=16, tag=1)
        for other, is_parent in tree(rank, ranks, root=root, highest=highest)[::-1]
    ]


@pytest.mark.parametrize("ranks", [4, 6, 8, 13])
@pytest.mark.parametrize("root", [0, 3])
@pytest.mark.parametrize("highest", [False, True])
def test_broadcast_and_reduction_in_a_binomial_tree(tmp_path: Path, ranks: int, root: int, highest: bool) -> None:
    def both(rank: int, ranks: int) -> list[Record]:
        options = {"root": root, "highest": highest}
        return [*reduction(rank, ranks, **options), *bcast(rank, ranks, **options), allreduce()]  # type: ignore[arg-type]

    found = recognised(tmp_path, both, ranks)

    tree = f"{' highest' if highest else ''}{f' root {root}' if root else ''}"
    up, down = (f" down{tree}", tree) if highest else (tree, f" down{tree}")
    assert calls_of(found) == (
        f"stages{up}; recv child 16 tag 1; send parent 16 tag 1; end; "
        f"stages{down}; recv parent 24; send child 24; end; allreduce 8 sum"
    )


def test_stages_follow_messages_in_a_grid(tmp_path: Path) -> None:
    def both(rank: int, ranks: int) -> list[Record]:
        others = [one for one in (rank - 1, rank + 1) if 0 <= one < ranks]
        halo = [
            *(irecv(one, size=80, request=k) for k, one in enumerate(others)),
            *(isend(one, size=80, request=2 + k) for k, one in enumerate(others)),
        ]
        return [*halo, waitall(*(one["request"] for one in halo)), *doubling(rank, ranks), *bcast(rank, ranks)]

    assert calls_of(recognised(tmp_path, both, 8)) == (
        "irecv -x 8*y; irecv +x 8*y; isend -x 8*y; isend +x 8*y; waitall; "
        "stages; sendrecv ^ 800 ^ 800 tag 3+k; end; stages down; recv parent 24; send child 24; end"
    )


@pytest.mark.parametrize("deviation", ["peer", "size", "tag", "missing", "order"])
def test_a_hypercube_with_one_deviating_rank_is_none(tmp_path: Path, deviation: str) -> None:
    def deviating(rank: int, ranks: int) -> list[Record]:
        calls = doubling(rank, ranks)
        if deviation == "peer" and rank in (1, 2, 5, 6):  # 1 and 6, 2 and 5 instead of 1 and 5, 2 and 6
            calls[2] = sendrecv(7 - rank, 800, tag=5)
        if rank in (6, 7):  # partners in stage 0
            changed = {
                "size": [sendrecv(13 - rank, 808, tag=3)],
                "tag": [sendrecv(13 - rank, 800, tag=9)],
                "missing": [],
            }
            calls[:1] = changed.get(deviation, calls[:1])
        if deviation == "order" and rank in (4, 5, 6, 7):
            calls[:2] = calls[1::-1]
        return calls

    with pytest.raises(NoStencil):
        recognised(tmp_path, deviating, 8)


def halo_by_dimension(rank: int, ranks: int) -> list[Record]:
    """On ranks / 2 x 2 ranks with 200 x 200 cells, first along y and then along x, with one tag in all directions."""
    found: list[Record] = []
    for others, size in (
        ([rank ^ 1], 8 * 400 // ranks),
        ([one for one in (rank - 2, rank + 2) if 0 <= one < ranks], 800),
    ):
        requests = range(2 * len(others))
        found += [irecv(one, size=size, request=k) for k, one in enumerate(others)]
        found += [isend(one, size=size, request=len(others) + k) for k, one in enumerate(others)]
        found.append(waitall(*requests))
    return found


def test_layers_of_cells_on_2_x_2_ranks_are_no_stages_but_may_be(tmp_path: Path) -> None:
    found = recognised(tmp_path, halo_by_dimension, 4)

    assert calls_of(found).startswith("irecv -y 8*x; irecv +y 8*x; isend -y 8*x; isend +y 8*x; waitall; irecv -x 8*y")
    assert (
        "calls: messages are taken for those of a grid with two ranks in each dimension; on 4 ranks, they would also "
        "fit stages (^)"
    ) in found.assumed


def test_two_captures_decide_between_a_grid_and_stages(tmp_path: Path) -> None:
    def in_stages(rank: int, ranks: int) -> list[Record]:
        return [one for k in stages_of(ranks) for one in exchange(rank ^ 1 << k, 800)]

    assert "irecv -y 8*x" in calls_of(recognised(tmp_path, in_stages, 4))  # the same calls as those of layers
    found = recognised(tmp_path, in_stages, 4, 8)
    assert calls_of(found) == "stages; irecv ^ 800; isend ^ 800; waitall; end"
    assert not found.assumed
    grid = recognised(tmp_path, halo_by_dimension, 4, 8)
    assert "stages" not in calls_of(grid)
    assert not any("stages" in text for text in grid.assumed)


def test_short_messages_on_4_ranks_are_no_layers_but_may_be(tmp_path: Path) -> None:
    found = recognised(tmp_path, lambda rank, _: [*exchange(rank ^ 1, 8), *exchange(rank ^ 2, 8)], 4)

    assert calls_of(found) == "stages; irecv ^ 8; isend ^ 8; waitall; end"
    assert any("they would also fit a grid with two ranks in each dimension" in text for text in found.assumed)


def test_a_periodic_grid_of_2_x_2_ranks_is_no_hypercube(tmp_path: Path) -> None:
    """Both neighbours in a dimension are the same rank, which gets two messages."""

    def periodic(rank: int, _: int) -> list[Record]:
        return [
            one
            for other in (rank ^ 1, rank ^ 2)
            for one in (
                irecv(other, size=800, tag=1), irecv(other, size=800, tag=2, request=1),
                isend(other, size=800, tag=2, request=2), isend(other, size=800, tag=1, request=3),
                waitall(0, 1, 2, 3),
            )
        ]  # fmt: skip

    found = recognised(tmp_path, periodic, 4)

    assert dict(found.options)["periodic"] == "xy"
    assert "stages" not in calls_of(found)


@pytest.mark.parametrize("ranks", [4, 8])
def test_other_structures_have_no_stages(tmp_path: Path, ranks: int) -> None:
    def ring(rank: int, ranks: int) -> list[Record]:
        return [irecv((rank - 1) % ranks, size=80), isend((rank + 1) % ranks, size=80, request=1), waitall(0, 1)]

    def pipeline(rank: int, ranks: int) -> list[Record]:
        return [*([receive(rank - 1)] if rank else []), *([send(rank + 1)] if rank + 1 < ranks else [])]

    def star(rank: int, ranks: int) -> list[Record]:
        return [receive(0)] if rank else [send(other) for other in range(1, ranks)]

    assert "stages" not in calls_of(recognised(tmp_path, ring, ranks))
    assert calls_of(recognised(tmp_path, pipeline, ranks)) == "recv -x 8; send +x 8"
    with pytest.raises(NoStencil):
        recognised(tmp_path, star, ranks)


def test_trees_of_which_ranks_wait_for_all_children_at_once_are_refused(tmp_path: Path) -> None:
    def at_once(rank: int, ranks: int) -> list[Record]:
        partners = tree(rank, ranks, root=0, highest=False)
        children = [other for other, is_parent in partners if not is_parent]
        received = [receive(other) for other, is_parent in partners if is_parent]
        sends = [isend(other, request=k) for k, other in enumerate(children)]
        return [*received, *sends, *([waitall(*range(len(sends)))] if sends else [])]

    with pytest.raises(NoStencil):
        recognised(tmp_path, at_once, 8)


def test_stages_are_not_written_where_waits_may_have_been_moved(tmp_path: Path) -> None:
    program = pass_of(tmp_path, lambda rank, _: [*exchange(rank ^ 1, 8), *exchange(rank ^ 2, 8)], 4)

    assert "stages" not in calls_of(stencil([program], moved_waits=True))


def test_computation_in_stages_is_before_them(tmp_path: Path) -> None:
    program = tuple(
        tuple(replace(event, computed_s=1e-6 * (1 + place)) for place, event in enumerate(events))
        for events in pass_of(tmp_path, doubling, 8)
    )

    assert calls_of(stencil([program])).startswith("compute 6000ns; stages; ")


@pytest.mark.parametrize(
    ("tags", "text"),
    [
        ([7, 7, 7], "7"), ([0, 1, 2], "k"), ([5, 6, 7], "5+k"), ([1, 2, 4], "S"), ([11, 12, 14], "10+S"),
        ([1, 2], "S"), ([2, 3], "2+k"), ([2, 1, 0], None), ([0, 2, 4], None), ([0, 1, 3], None),
    ],
)  # fmt: skip
def test_tags_are_constant_or_grow_with_the_stage(tags: Sequence[int], text: str | None) -> None:
    law = tag_law({(1 << len(tags), stage): tag for stage, tag in enumerate(tags)})

    assert (law.text if law else None) == text
    assert law is None or law.is_open == (len(tags) == 2)


@pytest.mark.parametrize(
    ("sizes", "text"),
    [
        ({4: [8, 8], 8: [8, 8, 8]}, "8"), ({4: [8, 16], 8: [8, 16, 32]}, "8*S"),
        ({4: [16, 32], 8: [8, 16, 32]}, "64*S/P"), ({4: [32, 16], 8: [32, 16, 8]}, "32/S"),
        ({4: [16, 16], 8: [8, 8, 8]}, "64/P"), ({4: [32, 16], 8: [16, 8, 4]}, "128/S/P"),
        ({4: [8, 24]}, None), ({4: [8, 16], 8: [8, 16, 24]}, None), ({4: [8, 8], 8: [12, 12, 12]}, None),
    ],
)  # fmt: skip
def test_sizes_follow_the_stage_and_the_number_of_ranks(sizes: dict[int, list[int]], text: str | None) -> None:
    law = size_law(
        {(ranks, stage): size for ranks, own in sizes.items() for stage, size in enumerate(own)}, shares=False
    )  # fmt: skip

    assert (law.text if law else None) == text


@pytest.mark.parametrize("highest", [False, True])
def test_each_rank_but_the_root_has_one_parent(highest: bool) -> None:
    structure = Structure(in_tree=True, down=False, highest=highest, root=2)
    for ranks in range(1, 20):
        root = 2 % ranks
        own = replace(structure, root=root)
        orders = [own.exchanges(rank, ranks) for rank in range(ranks)]
        parents = [[one.partner for one in order if one.role == "parent"] for order in orders]
        assert [len(one) for one in parents] == [int(rank != root) for rank in range(ranks)]
        assert all(a.stage < b.stage for order in orders for a, b in pairwise(order))
