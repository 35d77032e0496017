"""Recognition of motifs: estimates from messages, occurrences of a motif's calls, scaling, and the workload."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
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
    send,
    trace_of,
    waitall,
    write_lines,
)

from stressbench.errors import UserError
from stressbench.formats.trace import Trace, read_trace
from stressbench.tracing.iterations import IterationSpan
from stressbench.tracing.recognition.candidate import Candidate, Mesh, candidate
from stressbench.tracing.recognition.communication import CollectiveCall, Communication, SentMessage
from stressbench.tracing.recognition.estimates import candidates
from stressbench.tracing.recognition.estimates.bricks import cubic, nekbone
from stressbench.tracing.recognition.estimates.classes import npb
from stressbench.tracing.recognition.estimates.fourier import fft2d, fft3d, swfft, vpfft
from stressbench.tracing.recognition.estimates.halos import cloverleaf, lulesh, tealeaf
from stressbench.tracing.recognition.estimates.matrices import ptrans
from stressbench.tracing.recognition.estimates.multigrid import amg
from stressbench.tracing.recognition.estimates.numbers import divisors, root
from stressbench.tracing.recognition.estimates.phases import phases
from stressbench.tracing.recognition.estimates.sweeps import sweep3d
from stressbench.tracing.recognition.estimates.transport import umt
from stressbench.tracing.recognition.occurrences import Amount, ProgramCalls, is_enough
from stressbench.tracing.recognition.recognised import (
    RecognisedCaptures,
    RecognisedMotif,
    Recognition,
    Scaled,
    ScaledMotif,
    recognised_workload,
)
from stressbench.tracing.recognition.sequence import Part, Run
from stressbench.tracing.recognition.shortening import shortened

Sent = Mapping[SentMessage, int]
SQUARE = Mesh(options=("columns", "rows"), dimensions=2)


def communication(
    sent: Sequence[Sequence[tuple[int, int, int]]], collectives: Mapping[tuple[str, int], int] = {}, *,
    orders: Sequence[tuple[int, ...]] = (), persistent: Iterable[tuple[int, int, int]] = (),
    tokens: Sequence[str] = (),
) -> Communication:  # fmt: skip
    """Each rank sends these messages (destination, tag, bytes) once. `persistent` and `tokens` are those of rank 0."""
    return Communication(
        sent=tuple(Counter(SentMessage(*message) for message in messages) for messages in sent),
        collectives=Counter({CollectiveCall(*name): times for name, times in collectives.items()}),
        orders=tuple(orders), persistent=tuple(SentMessage(*message) for message in persistent),
        tokens=lambda: iter(tokens),
    )  # fmt: skip


def halos(
    *, columns: Sequence[int], rows: Sequence[int], rank_of: Callable[[int, int], int], margin: int, fields: int = 1
) -> Communication:
    """Layers of one and of `fields` fields with TeaLeaf's tags; `rank_of` takes the place across and down."""
    sent: list[list[tuple[int, int, int]]] = [[] for _ in range(len(columns) * len(rows))]
    for x, width in enumerate(columns):
        for y, height in enumerate(rows):
            for dx, dy, tag, cells in ((-1, 0, 1, height), (1, 0, 2, height), (0, -1, 3, width), (0, 1, 4, width)):
                if 0 <= x + dx < len(columns) and 0 <= y + dy < len(rows):
                    for number in (1, fields):
                        size = 8 * number * (cells + margin)
                        sent[rank_of(x, y)].append((rank_of(x + dx, y + dy), tag, size))
    return communication(sent)


def words(candidates_: Sequence[Candidate]) -> list[str]:
    return [" ".join(one.words) for one in candidates_]


def test_messages_of_ranks_to_themselves_are_no_halo_of_an_application() -> None:
    assert words(list(tealeaf(communication([[(0, 1, 96), (0, 4, 96)]])))) == []


def test_a_mesh_of_tealeaf_is_the_sum_of_its_blocks() -> None:
    made = halos(columns=(51, 50, 50), rows=(20, 19), rank_of=lambda x, y: 2 * x + y, margin=2, fields=2)

    found = list(tealeaf(made))

    assert "tealeaf --solver cg --columns 151 --rows 39" in words(found)
    assert all(one.assumed == () for one in found)


def test_what_two_ranks_do_not_show_is_assumed_and_said() -> None:
    made = halos(columns=(50, 50), rows=(80,), rank_of=lambda x, y: x + y, margin=2)

    found = list(tealeaf(made))

    assert words(found)[0] == "tealeaf --solver cg --columns 80 --rows 80"
    assert found[0].assumed == ("columns: as many as rows, since no rank has a neighbour above or below",)


def test_deep_halos_of_two_fields_are_those_of_ppcg() -> None:
    messages = [[(1, 2, 8 * (30 + 2)), (1, 2, 16 * 3 * (30 + 6))], [(0, 1, 8 * (30 + 2)), (0, 1, 16 * 3 * (30 + 6))]]

    assert "tealeaf --solver ppcg --depth 3 --columns 30 --rows 30" in words(list(tealeaf(communication(messages))))


def test_ranks_of_cloverleaf_follow_one_another_across() -> None:
    made = halos(columns=(60, 60), rows=(40, 40, 39), rank_of=lambda x, y: x + 2 * y, margin=5)

    assert words(list(cloverleaf(made))) == [
        "cloverleaf --columns 120 --rows 119", "cloverleaf --columns 120 --rows 119 --grid 2x3"
    ]  # fmt: skip


def test_elements_of_lulesh_follow_from_the_largest_face() -> None:
    made = communication([[(1, 1024, 24 * 23 * 23), (2, 1024, 24 * 23), (3, 3072, 24 * 22 * 22)]])

    assert words(list(lulesh(made))) == ["lulesh --elements 22"]


def test_sweeps_show_the_mesh_but_for_planes_and_angles() -> None:
    # 2 x 1 ranks, 50 rows, blocks of 10 planes and 3 angles: 10 blocks in an octant, 12 iterations
    east = {SentMessage(1, 1000 * q, 8 * 50 * 30): 120 for q in (5, 6, 7, 8)}
    west = {SentMessage(0, 3000 * q, 8 * 50 * 30): 120 for q in (1, 2, 3, 4)}
    made = Communication(sent=(east, west), collectives={CollectiveCall("Allreduce", 4): 12})

    found = list(sweep3d(made))

    assert words(found)[0] == "sweep3d --it-g 50 --jt-g 50 --kt 50 --mk 10 --mmi 3 --mm 6"
    assert found[0].assumed


def bricks(ranks: int, *shared: Mapping[int, int], first_stage: int | None = None) -> Communication:
    """Nekbone's messages of rank 0, by destination and points; and one in the first stage of its set-up."""
    sent = {SentMessage(to, 0, 8 * points): 200 for one in shared for to, points in one.items()}
    if first_stage is not None:
        sent[SentMessage(ranks - 1, 1, first_stage)] = 1
    return Communication(sent=(sent, *[{}] * (ranks - 1)), collectives={})


def test_elements_of_nekbone_are_those_that_it_divides_into_a_brick_with_these_faces() -> None:
    # 4 x 4 x 2 elements with 10 points: 37 x 37 x 19 points of a rank
    square = bricks(4, {1: 37 * 19, 2: 37 * 19, 3: 19})
    cube = bricks(8, {1: 37 * 19, 2: 37 * 19, 3: 19, 4: 37 * 37, 5: 37, 6: 37, 7: 1})

    for made in (square, cube):
        (found,) = nekbone(made)
        assert words([found]) == ["nekbone --elements 32 --points 10"]
        assert found.assumed == ("elements, points: messages do not show how many points an element has",)


def test_all_numbers_of_elements_with_which_nekbone_was_run_are_candidates() -> None:
    made = bricks(4, {1: 100, 2: 100, 3: 10}, {1: 190, 2: 190, 3: 10}, {1: 190, 2: 190, 3: 19})

    found = words(list(nekbone(made)))

    assert {f"nekbone --elements {elements} --points 10" for elements in (1, 2, 4)} <= set(found)


def test_the_length_of_bricks_in_a_row_of_ranks_follows_from_the_set_up_of_nekbone_or_is_assumed() -> None:
    face = {1: 37 * 19}  # two ranks beside one another, 5 x 4 x 2 elements
    points = 46 * 37 * 19

    (assumed,) = nekbone(bricks(2, face))
    (shown,) = nekbone(bricks(2, face, first_stage=12 * (points // 2) + 12))

    assert words([assumed, shown]) == ["nekbone --elements 32 --points 10", "nekbone --elements 40 --points 10"]
    assert "nor the length of bricks in x" in assumed.assumed[0]
    assert "length" not in shown.assumed[0]


def test_messages_of_other_tags_or_sizes_are_no_faces_of_nekbone() -> None:
    sent = {SentMessage(1, 5, 8 * 37 * 19): 200, SentMessage(1, 0, 8 * 37 * 19): 1, SentMessage(1, 0, 5623): 200}

    assert list(nekbone(Communication(sent=(sent, {}), collectives={}))) == []
    assert list(nekbone(communication([[]]))) == []


@pytest.mark.parametrize(
    ("number", "sides"),
    [
        (1, (1, 1, 1)),
        (2, (2, 1, 1)),
        (6, (3, 2, 1)),
        (12, (3, 2, 2)),
        (30, (5, 3, 2)),
        (32, (4, 4, 2)),
        (64, (4, 4, 4)),
    ],
)
def test_bricks_of_nekbone_are_as_even_as_can_be(number: int, sides: tuple[int, int, int]) -> None:
    assert cubic(number) == sides


def test_phases_have_the_options_of_their_motif_and_stand_in_the_order_of_the_search() -> None:
    mesh = Mesh(options=("nx",), dimensions=3)

    assert words(list(phases(candidate("minife", mesh, nx=8)))) == [
        "minife --nx 8 --phase setup", "minife --nx 8 --phase start", "minife --nx 8"
    ]  # fmt: skip
    assert words(list(phases(candidate("lulesh", mesh, nx=8)))) == ["lulesh --nx 8"]


def test_points_of_swfft_follow_from_the_share_of_a_message() -> None:
    made = communication([[(0, 0, 16 * 32**3 // 4 // 2), (1, 0, 16 * 32**3 // 4)]] * 4)

    assert "swfft --ngx 32 --driver --dfft-timing 2" in words(list(swfft(made)))


PART = 8 * 30 * 30


@pytest.mark.parametrize(
    ("sent", "order", "expected"),
    [
        ([[], [(2, 0, PART)], [(1, 0, PART)], []], (0, 1, 2, 3), "ptrans --matrix 60 --block 1"),
        # position 0 has rank 2, position 3 rank 0
        (
            [[], [(3, 0, PART)], [], [(1, 0, PART)]], (2, 3, 1, 0),
            "ptrans --matrix 60 --block 1 --positions 2,3,1,0",
        ),
        # one column: parts for all ranks
        (
            [[(to, 0, PART) for to in range(3) if to != rank] for rank in range(3)], (0, 1, 2),
            "ptrans --matrix 90 --block 1",
        ),
    ],
)  # fmt: skip
def test_the_grid_of_a_transposition_follows_from_who_exchanges_parts(
    sent: Sequence[Sequence[tuple[int, int, int]]], order: tuple[int, ...], expected: str
) -> None:
    found = list(ptrans(communication(sent, orders=[order])))

    assert words(found)[0] == expected
    assert found[0].is_particular
    assert "block: 1" in found[0].assumed[0]


@pytest.mark.parametrize(
    "sent",
    [
        [[], [(2, 0, PART)], [], []],  # no answer
        [[], [(2, 0, PART)], [(1, 1, PART)], []],  # another tag
        [[], [(2, 0, PART + 8)], [(1, 0, PART + 8)], []],  # no square
        [[(1, 0, PART)], [(0, 0, PART)], [(3, 0, PART)], [(2, 0, PART)]],  # pairs that are not across a diagonal
        [[], [], [], []],
    ],
)
def test_other_messages_are_no_transposition(sent: Sequence[Sequence[tuple[int, int, int]]]) -> None:
    assert words(list(ptrans(communication(sent, orders=[(0, 1, 2, 3)])))) == []


def test_matrices_are_taken_as_square_if_they_can_be() -> None:
    made = communication([[(1, 0, 16 * 125 * 125)], [(0, 0, 16 * 125 * 125)]])

    found = list(fft2d(made))

    assert words(found)[0] == "fft2d --nx 250 --ny 250 --call pairwise"
    assert not found[0].assumed
    assert all(one.assumed for one in found if "--nx 250" not in " ".join(one.words))


def test_rows_that_do_not_divide_are_those_of_the_last_rank() -> None:
    rows, columns = (7, 7, 6), (6, 6, 5)
    made = communication(
        [[(d, 0, 16 * rows[s] * columns[d]) for d in range(3) if d != s] for s in range(3)]
    )  # fmt: skip

    assert "fft2d --nx 20 --ny 17 --call pairwise" in words(list(fft2d(made)))


def test_alltoall_is_tried_only_where_it_is_called() -> None:
    made = communication([[], []], {("Alltoall", 16 * 50 * 50): 4})

    assert {dict(one.options)["call"] for one in fft2d(made)} == {"alltoall"}
    assert "fft3d --nx 32 --call pairwise" in words(
        list(fft3d(communication([[(1, 0, 16 * 16 * 32 * 16)], [(0, 0, 16 * 16 * 32 * 16)]])))
    )


def slabs(side: int, *, ranks: int, iterations: Sequence[int]) -> Communication:
    """Messages of VPFFT's transposes, and the calls of rank 0 in strain steps with so many solver iterations."""
    size = 16 * -(-side // ranks) * -(-side * side // ranks)
    one_sum, transform = "Allreduce[SUM]:8@4", "Is>1:0:8"
    tokens = [
        token
        for number in iterations
        for token in (*[one_sum] * 25, *[transform, *[one_sum] * 12] * number, transform, "Barrier:0@4")
    ]
    return communication([[(1, 0, size)]] * ranks, {("Allreduce", 8): tokens.count(one_sum)}, tokens=tokens)


def test_strain_steps_of_vpfft_have_as_many_solver_iterations_as_runs_of_their_sums() -> None:
    found = words(list(vpfft(slabs(15, ranks=4, iterations=(4, 4, 7)))))

    assert found == [
        "vpfft --nx 15 --solver-iterations 4 --call pairwise",
        "vpfft --nx 15 --solver-iterations 7 --call pairwise",
    ]  # blocks differ, so that FFTW has no other calls to choose
    assert list(vpfft(slabs(15, ranks=4, iterations=()))) == []


@pytest.mark.parametrize(
    ("side", "ranks", "calls"),
    [
        (16, 4, 15),  # equal blocks both ways: 9 pairs, and 6 of one choice forwards and another one backwards
        (18, 4, 3),  # 18 planes are not divided by 4, their 324 lines are
        (14, 8, 1),  # 8 divides neither 14 planes nor 196 lines
        (15, 3, 1),  # no groups of ranks
        (64, 4, 1),  # its messages are long
    ],
)
def test_transposes_in_stages_are_tried_where_fftw_does(side: int, ranks: int, calls: int) -> None:
    found = list(vpfft(slabs(side, ranks=ranks, iterations=(2,))))

    assert len(found) == calls
    assert dict(found[0].options)["call"] == "pairwise"


FAR_FACES = {"x": (1, 4, 5, 8), "y": (1, 2, 5, 6), "z": (1, 2, 3, 4)}
"""Octants that leave through them."""


def umt_box(
    *, faces: Mapping[str, tuple[int, int]], angles: int, groups: int, ranks: int, tokens: Sequence[str] = ()
) -> Communication:
    """Messages of UMT's rank 0; `faces`: by axis, the neighbour and the zones of the face."""
    exits, fluxes = [], []
    for axis, (to, zones) in faces.items():
        exits += [(to, 400, 16 * 4 * zones * angles), (to, 400, 16 * 4 * zones)]
        fluxes += [(to, 700 + octant, 8 * 4 * zones * angles * groups) for octant in FAR_FACES[axis]]
    return communication([exits, *[[]] * (ranks - 1)], persistent=fluxes, tokens=tokens)


def time_step(*iterations: Sequence[Sequence[int]]) -> list[str]:
    """Calls of rank 0 in a time step with these octants in the flux iterations of each temperature iteration."""
    tokens = []
    for sweeps in iterations:
        for octants in sweeps:
            tokens += [*(f"Start(>1:{700 + octant}:64)" for octant in octants), "W(1)", "Allreduce[MAX]:64@8"]
        tokens += ["Allreduce[MAX]:8@8", "Allreduce[MAX]:4@8"]
    return [*tokens, "Allreduce[SUM]:64@8", "Request_free", "Request_free", "Allreduce[MAX]:4@8"]


ALL = range(1, 9)


def test_zones_angles_and_groups_of_umt_follow_from_its_faces_and_the_iterations_from_the_order() -> None:
    often, once = time_step([ALL, ALL], [ALL], [ALL]), time_step([ALL, (1, 2, 5, 6)], [ALL])
    made = umt_box(
        faces={"z": (1, 3 * 5), "y": (2, 3 * 7), "x": (4, 5 * 7)}, angles=32, groups=16, ranks=8,
        tokens=[*once, *often * 2],
    )  # fmt: skip

    found = list(umt(made))

    same = "umt --zones 3x5x7 --groups 16 --polar 8 --azimuthal 4 --temperature-iterations"
    assert words(found) == [
        f"{same} 3 --sweeps all,all/all", f"{same} 3 --sweeps all,all/all --grid 2x2x2",
        f"{same} 2 --sweeps all,1256/all", f"{same} 2 --sweeps all,1256/all --grid 2x2x2",
    ]  # fmt: skip
    assert [text.split(":")[0] for text in found[0].assumed] == ["polar, azimuthal"]


@pytest.mark.parametrize(
    ("faces", "ranks", "grid"),
    [
        ({"y": (1, 8), "x": (2, 12)}, 4, "2x2x1"),
        ({"z": (1, 6), "x": (2, 12)}, 4, "2x1x2"),
        ({"z": (1, 6), "y": (3, 8)}, 6, "1x2x3"),
        ({"z": (1, 6)}, 3, "1x1x3"),
        ({"x": (1, 12)}, 3, "3x1x1"),
    ],
)
def test_octants_of_a_face_show_its_direction_and_what_no_face_shows_is_assumed(
    faces: Mapping[str, tuple[int, int]], ranks: int, grid: str
) -> None:
    made = umt_box(faces=faces, angles=4, groups=2, ranks=ranks, tokens=time_step([ALL]))

    _, found = umt(made)

    options = dict(found.options)
    assert options["grid"] == grid
    x, y, z = map(int, options["zones"].split("x"))
    assert all({"x": y * z, "y": x * z, "z": x * y}[axis] == zones for axis, (_, zones) in faces.items())
    assert any(text.startswith("zones: the most even box") for text in found.assumed)
    if len(faces) == 2:
        assert (x, y, z) == (2, 3, 4)


@pytest.mark.parametrize(
    "faces",
    [
        {"z": (1, 6), "y": (1, 6)},  # both through the same neighbour
        {"x": (1, 12), "y": (2, 8)},  # y varies faster than x
        {"z": (2, 6)},  # z varies fastest
        {"x": (4, 3), "y": (2, 5), "z": (1, 7)},  # no box has these faces
    ],
)
def test_faces_of_no_grid_are_not_those_of_umt(faces: Mapping[str, tuple[int, int]]) -> None:
    assert list(umt(umt_box(faces=faces, angles=4, groups=2, ranks=8, tokens=time_step([ALL])))) == []


def test_a_neighbour_without_a_face_is_not_one_of_umt() -> None:
    made = umt_box(faces={"z": (1, 6)}, angles=4, groups=2, ranks=2, tokens=time_step([ALL]))

    other = replace(made, persistent=(*made.persistent, SentMessage(3, 701, 64)))

    assert list(umt(made)) != []
    assert list(umt(other)) == []


def box_of_points(points: tuple[int, int, int], strides: tuple[int, int, int]) -> list[tuple[int, int, int]]:
    """Borders of rank 0 in AMG's finest matrix, by the distances in x, y and z (0: not divided), by neighbours."""
    borders = {}
    for steps in [(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)][1:]:
        if all(stride for stride, step in zip(strides, steps, strict=True) if step):
            to = sum(stride * step for stride, step in zip(strides, steps, strict=True))
            size = 8
            for side, step in zip(points, steps, strict=True):
                size *= 1 if step else side
            borders[to] = (to, 0, size)
    return [borders[to] for to in sorted(borders)]


@pytest.mark.parametrize(
    ("strides", "ranks", "expected"),
    [
        ((1, 2, 4), 8, ["4x5x6", "4x5x6 --grid 2x2x2"]),
        ((1, 3, 6), 12, ["4x5x6", "4x5x6 --grid 3x2x2"]),
        ((1, 2, 0), 4, ["4x5x6", "4x5x6 --grid 2x2x1", "4x6x5 --grid 2x1x2", "6x4x5 --grid 1x2x2"]),
        ((0, 1, 2), 4, ["5x6x4", "5x6x4 --grid 2x2x1", "5x4x6 --grid 2x1x2", "4x5x6 --grid 1x2x2"]),
    ],
)
def test_points_of_amg_follow_from_the_borders_of_its_finest_matrix(
    strides: tuple[int, int, int], ranks: int, expected: Sequence[str]
) -> None:
    coarser = [(1, 0, 8), (max(strides) + 1, 0, 8)]
    made = communication([[]] * ranks, persistent=[*box_of_points((4, 5, 6), strides), *coarser])

    assert words(list(amg(made))) == [f"amg --points {options}" for options in expected]


def test_points_that_borders_in_one_direction_do_not_show_are_assumed() -> None:
    found = next(amg(communication([[]] * 3, persistent=box_of_points((7, 7, 7), (1, 0, 0)))))

    assert words([found]) == ["amg --points 7x7x7"]
    assert found.assumed == ("points: a cube, since ranks have neighbours in one direction only",)
    assert list(amg(communication([[]] * 4, persistent=[(1, 0, 8), (3, 0, 8)]))) == []


def test_benchmarks_that_send_in_collectives_only_are_tried_where_these_are_called() -> None:
    def benchmarks(made: Communication) -> set[str]:
        return {dict(one.options)["benchmark"] for one in npb(made)}

    assert benchmarks(communication([[(1, 0, 8)], []])) == {"cg", "mg", "lu", "bt", "sp"}
    assert benchmarks(communication([[], []], {("Alltoallv", 8): 1})) == {"is"}
    assert benchmarks(communication([[], []], {("Reduce", 16): 1})) == {"ft"}


def test_messages_of_no_motif_give_no_candidate_that_any_of_them_contradicts() -> None:
    made = communication([[(1, 77, 12)], [(0, 77, 20)]])

    assert {one.motif for one in candidates(made, lambda one: None)} == {"npb"}  # whose classes are all tried
    assert list(candidates(communication([[]]), lambda one: None)) == []


def test_a_capture_counts_messages_of_equal_calls_together(tmp_path: Path) -> None:
    calls = [send(1, size=16, tag=3), send(1, size=16, tag=3, each_s=2e-6), allreduce(), allreduce()]
    trace = trace_of(tmp_path, [calls, [allreduce(), allreduce()]], name="p")

    found = Communication.of(trace)

    assert found.sent == (Counter({SentMessage(1, 3, 16): 2}), Counter())
    assert (found.calls("Allreduce"), found.calls("Allreduce", size=4), found.calls("Bcast")) == (2, 0, 0)


def test_orders_of_ranks_are_those_of_communicators_of_all_ranks(tmp_path: Path) -> None:
    def comm(*members: list[int], size: int, inter: bool = False) -> Record:
        return {"slot": 0, "size": size, "rank": 0, "members": list(members), "inter": inter}

    comms = [
        comm([0, 1, 4], size=4), comm([2, 1, 2], [1, -1, 2], size=4), comm([3, -1, 4], size=4, inter=True),
        comm([1, 1, 2], size=2), {"slot": 0, "size": 4, "rank": 0, "members": None, "inter": False},
    ]  # fmt: skip
    ranks = [MadeRank(calls=[allreduce()], rules=[[[0, 1]]], extra={"comms": comms})] * 4

    found = Communication.of(read_trace(MadeTrace(ranks=ranks).write(tmp_path)))

    assert found.orders == ((0, 1, 2, 3), (2, 3, 1, 0))


def test_persistent_messages_and_the_order_of_calls_are_those_of_rank_0(tmp_path: Path) -> None:
    init = {"comm": 0, "unit": 8, "tag": 0}
    first = [
        call("Send_init", peer=1, bytes=24, request=0, **init), call("Recv_init", peer=1, bytes=8, request=1, **init),
        call("Send_init", peer=1, bytes=16, request=2, **init), call("Start", requests=[2]), waitall(2),
    ]  # fmt: skip
    found = Communication.of(trace_of(tmp_path, [first, [allreduce()]], name="p"))

    assert found.persistent == (SentMessage(1, 0, 24), SentMessage(1, 0, 16))
    assert found.sent == (Counter(), Counter())
    assert list(found.tokens())[3:] == ["Start(>1:0:16)", "Wa(1)"]


def exchange(rank: int, *, size: int = 800) -> list[Record]:
    return [isend(1 - rank, size=size), irecv(1 - rank, size=size, request=1), waitall(0, 1)]


def program(folder: Path, *parts: Callable[[int], list[Record]], name: str = "program") -> Trace:
    """Two ranks that make the calls of all parts."""
    return trace_of(folder, [[one for part in parts for one in part(rank)] for rank in range(2)], name=name)


def barrier(_: int) -> list[Record]:
    return [call("Barrier", comm=0, bytes=0)]


def other_exchange(rank: int) -> list[Record]:
    return [*exchange(rank, size=808), *barrier(rank)]


def whole(made: ProgramCalls) -> tuple[Part]:
    """The only part of a program without motifs."""
    sequence = made.sequence()
    assert sequence is not None
    (part,) = sequence
    assert isinstance(part, Part)
    return (part,)


def test_all_runs_of_a_motif_count_together(tmp_path: Path) -> None:
    made = program(tmp_path, barrier, *[exchange] * 5, barrier, *[exchange] * 4, barrier)
    motif = program(tmp_path, exchange, name="motif")

    found = ProgramCalls(made).occurrences(motif)

    assert found is not None
    assert (found.times, [len(runs) for runs in found.runs], found.in_row) == (9, [2, 2], 5)
    assert found.explained == Amount(calls=54, messages=18, bytes=14400)
    assert found.computed_s == pytest.approx(3e-3)  # 1 ms before each call


def test_the_rank_that_computes_most_determines_the_time_of_an_iteration(tmp_path: Path) -> None:
    even = MadeTrace([rank_of(exchange(rank) * 5) for rank in range(2)]).records()
    for gap in even[2]["gaps"]:
        gap[3:6] = [3 * time_s for time_s in gap[3:6]]  # rank 1 computes for 3 ms before each call
    made = read_trace(write_lines(tmp_path / "uneven.trace", even))

    found = ProgramCalls(made).occurrences(program(tmp_path, exchange, name="motif"))

    assert found is not None
    assert found.computed_s == pytest.approx(9e-3)


def test_single_iterations_beside_long_runs_are_of_another_loop(tmp_path: Path) -> None:
    made = program(tmp_path, *[exchange] * 5, barrier, exchange, barrier, *[exchange] * 3)

    found = ProgramCalls(made).occurrences(program(tmp_path, exchange, name="motif"))

    assert found is not None
    assert (found.times, found.in_row) == (5, 5)


def test_iterations_between_runs_are_cut_out_of_a_part_in_the_order_of_the_motifs(tmp_path: Path) -> None:
    made = ProgramCalls(program(tmp_path, barrier, exchange, exchange, barrier, other_exchange, exchange, barrier))
    (part,) = whole(made)
    motifs = {7: program(tmp_path, other_exchange, name="other"), 3: program(tmp_path, exchange, name="motif")}

    items = made.cut(part, {number: made.iteration(motif) for number, motif in motifs.items()})

    assert [item if isinstance(item, Run) else item.calls for item in items] == [
        2, Run(motif=3, times=2), 2, Run(motif=7, times=1), Run(motif=3, times=1), 2
    ]  # fmt: skip
    assert isinstance(items[0], Part)
    assert items[0].before == (None, None)
    assert isinstance(items[2], Part)
    assert items[2].before == tuple(numbers[6] for numbers in part.numbers)  # the wait of the second exchange


def test_the_first_piece_of_a_part_has_the_call_before_the_part(tmp_path: Path) -> None:
    part = Part(numbers=((4, 5, 6), (5, 6)), before=(3, 2))
    iteration = IterationSpan(start=1, calls=1, times=1)

    items = part.cut([[(iteration, 0)], [(replace(iteration, start=0), 0)]])

    assert items == (
        Part(numbers=((4,), ()), before=(3, 2)), Run(motif=0, times=1), Part(numbers=((6,), (6,)), before=(5, 5))
    )  # fmt: skip


def test_iterations_that_ranks_have_differently_often_are_not_cut_out_and_others_are(tmp_path: Path) -> None:
    ranks = [
        [*barrier(0), *exchange(0), *barrier(0), *other_exchange(0)],
        [*barrier(1), *exchange(1), *exchange(1), *barrier(1), *other_exchange(1)],
    ]
    made = ProgramCalls(trace_of(tmp_path, ranks, name="program"))
    (part,) = whole(made)
    motif, other = (made.iteration(program(tmp_path, one, name=one.__name__)) for one in (exchange, other_exchange))

    assert made.cut(part, {0: motif}) == (part,)
    assert [isinstance(item, Run) for item in made.cut(part, {0: motif, 1: other})] == [False, True]


def test_a_loop_with_iterations_of_a_motif_is_no_loop_of_its_own(tmp_path: Path) -> None:
    # five exchanges, and six times two exchanges and a barrier
    rules = [[[-1, 5], [3, 2], [-2, 6]], [[0, 1], [1, 1], [2, 1]], [[-1, 2], [3, 1]]]
    ranks = [MadeRank([*exchange(rank), *barrier(rank)], rules=rules) for rank in range(2)]
    made = ProgramCalls(read_trace(MadeTrace(ranks).write(tmp_path, "program.trace")))
    assert 6 in [loop.times for loop in made.loops()]
    found = made.occurrences(program(tmp_path, exchange, name="motif"))
    assert found is not None

    made.take(found)

    assert (found.times, list(made.loops())) == (5, [])


def test_a_motif_is_not_found_where_one_rank_deviates(tmp_path: Path) -> None:
    calls = [exchange(0) * 5, [*exchange(1) * 4, *exchange(1, size=808)]]
    made = trace_of(tmp_path, calls, name="program")

    assert ProgramCalls(made).occurrences(program(tmp_path, exchange, name="motif")) is None


def test_passes_that_are_left_out_are_counted() -> None:
    # (a b*7)*5 c with at most 3 passes: the middle one stands for the others
    rules = (((-1, 5), (2, 1)), ((0, 1), (1, 7)))

    short = shortened(rules, most=3)

    assert short.rules == [((-1, 3), (2, 1)), ((0, 1), (1, 3))]
    assert short.stands_for is not None
    assert short.stands_for.tolist() == [1, 1, 5, 1, 3, 3, 15, 3, 1, 1, 5, 1, 1]
    assert sum(short.stands_for.tolist()) == 5 * 8 + 1
    assert shortened(rules, most=7).stands_for is None


@pytest.mark.parametrize("tested", [False, True], ids=["waits", "tests"])
def test_a_million_passes_are_found_without_expanding_them(tmp_path: Path, tested: bool) -> None:
    ranks = []
    for rank in range(2):
        one, other, wait = exchange(rank)
        test = [call("Test", requests=[7], n=0)] * tested
        # a first iteration and the last one are outside of the loop, whose passes begin with the second call
        rules = [[[0, 1], [-1, 1_000_000], [1, 1], [2, 1]], [[1, 1], [2, 1], [0, 1]]]
        extra = {"totals": [{"op": "Test", "calls": 1, "time_s": 0.0, "empty": 1}]} if tested else {}
        ranks.append(MadeRank([one, other, wait, *test], rules=rules, extra=extra))
    program_ = ProgramCalls(read_trace(MadeTrace(ranks).write(tmp_path, "program.trace")))

    found = program_.occurrences(program(tmp_path, exchange, name="motif"))

    assert found is not None
    assert (found.times, found.in_row) == (1_000_001, 1_000_001)
    assert found.explained.calls == program_.total.calls


@pytest.mark.parametrize("in_row", [1, 3, 5])
def test_an_outer_loop_repeats_the_runs_of_an_inner_one(tmp_path: Path, in_row: int) -> None:
    rules = [[[-1, 5000]], [[3, 1], [-2, in_row]], [[0, 1], [1, 1], [2, 1]]]
    ranks = [MadeRank([*exchange(rank), *barrier(rank)], rules=rules) for rank in range(2)]
    program_ = ProgramCalls(read_trace(MadeTrace(ranks).write(tmp_path, "program.trace")))

    found = program_.occurrences(program(tmp_path, exchange, name="motif"))

    assert found is not None
    assert (found.times, found.in_row, found.most_runs) == (5000 * in_row, in_row, 5000)


def test_what_a_motif_has_taken_is_not_found_again(tmp_path: Path) -> None:
    made = ProgramCalls(program(tmp_path, *[exchange] * 5, barrier))
    motif = program(tmp_path, exchange, name="motif")
    found = made.occurrences(motif)
    assert found is not None

    made.take(found)

    assert made.occurrences(motif) is None
    assert made.occurrences(program(tmp_path, barrier, name="other")) is not None


def test_further_iterations_of_a_motif_are_counted_with_those_that_were_taken_before(tmp_path: Path) -> None:
    made = ProgramCalls(program(tmp_path, exchange, barrier, *[exchange] * 5, barrier))
    motif = program(tmp_path, exchange, name="motif")
    long = made.occurrences(motif)
    assert long is not None
    made.take(long)

    single = made.occurrences(motif)
    assert single is not None
    made.take(single, more_of=0)

    sequence = made.sequence()
    assert sequence is not None
    assert [(one.motif, one.times) for one in sequence if isinstance(one, Run)] == [(0, 1), (0, 5)]
    both = long + single
    assert (both.times, both.in_row, both.most_runs) == (6, 5, 2)
    assert [(run.start, run.times) for run in both.runs[0]] == [(0, 1), (4, 5)]
    assert made.occurrences(motif) is None


@pytest.mark.parametrize("keeps", [True, False])
def test_iterations_that_are_elsewhere_on_each_rank_do_not_keep_the_order(tmp_path: Path, keeps: bool) -> None:
    def sums(_: int) -> list[Record]:
        return [allreduce()] * 5

    before = [barrier, exchange, sums]
    parts = [before, before if keeps else [barrier, sums, exchange]]
    calls = [[one for part in own for one in part(rank)] for rank, own in enumerate(parts)]
    made = ProgramCalls(trace_of(tmp_path, calls, name="program"))
    long = made.occurrences(program(tmp_path, lambda _: [allreduce()], name="sums"))
    assert long is not None
    made.take(long)

    single = made.occurrences(program(tmp_path, exchange, name="motif"))

    assert single is not None
    assert made.keeps_order(single) is keeps


def test_a_rank_may_have_no_part_in_a_motif(tmp_path: Path) -> None:
    motif = trace_of(tmp_path, [barrier(0), []], name="motif")
    made = trace_of(tmp_path, [barrier(0) * 3, exchange(1)], name="program")

    found = ProgramCalls(made).occurrences(motif)

    assert found is not None
    assert (found.times, found.runs[1]) == (3, ())


def test_times_of_a_capture_without_them_are_unknown(tmp_path: Path) -> None:
    ranks = [MadeRank(barrier(0), rules=[[[0, 4]]], extra={"gaps": []}) for _ in range(2)]
    made = read_trace(MadeTrace(ranks).write(tmp_path))

    found = ProgramCalls(made).occurrences(program(tmp_path, barrier, name="motif"))

    assert found is not None
    assert found.computed_s is None


@pytest.mark.parametrize(
    ("times", "messages", "enough"), [(4, 1000, True), (3, 1000, False), (3, 6, True), (1, 20, True), (1, 21, False)]
)
def test_few_iterations_are_enough_only_if_they_are_much_of_the_program(
    tmp_path: Path, times: int, messages: int, enough: bool
) -> None:
    made = ProgramCalls(program(tmp_path, *[exchange] * times))

    found = made.occurrences(program(tmp_path, exchange, name="motif"))

    assert found is not None
    assert is_enough(found, Amount(calls=9999, messages=messages, bytes=10**9)) is enough


def test_meshes_of_jobs_grow_with_the_size_and_those_of_ranks_with_the_cells_of_a_rank() -> None:
    job = candidate("tealeaf", SQUARE, solver="cg", columns=100, rows=50)
    rank = candidate("lulesh", Mesh(options=("elements",), dimensions=3, of_rank=True), elements=20)

    assert job.scaled(from_ranks=4, ranks=64, size=4).words == (
        "tealeaf", "--solver", "cg", "--columns", "200", "--rows", "100"
    )  # fmt: skip
    assert rank.scaled(from_ranks=8, ranks=64, size=8).words == ("lulesh", "--elements", "20")
    assert rank.scaled(from_ranks=8, ranks=64, size=1).words == ("lulesh", "--elements", "10")


def test_positions_that_a_program_chose_by_chance_are_others_on_other_ranks() -> None:
    listed = candidate("ptrans", Mesh(options=("matrix",), dimensions=2), matrix=100, positions="2,3,1,0")
    another = candidate("ptrans", Mesh(options=("matrix",), dimensions=2), matrix=100, positions="2,3,0,1")

    assert dict(listed.scaled(from_ranks=4, ranks=4, size=4).options) == {"matrix": "200", "positions": "2,3,1,0"}
    larger = [dict(one.scaled(from_ranks=4, ranks=8, size=1).options)["positions"] for one in (listed, another)]
    assert all(positions.startswith("random:") for positions in larger)
    assert larger[0] != larger[1]
    assert dict(listed.scaled(from_ranks=4, ranks=8, size=1).options)["positions"] == larger[0]


def test_the_whole_mesh_has_the_cells_of_a_rank_for_each_rank_of_the_grid() -> None:
    of_rank = Mesh(options=("zones",), dimensions=3, of_rank=True)

    assert candidate("umt", of_rank, zones="2x3x4").sides(16) == (8, 6, 8)  # 4x2x2
    assert candidate("umt", of_rank, zones="2x3x4", grid="1x1x16").sides(16) == (2, 3, 64)


def test_what_cannot_be_scaled_is_refused_with_the_reason() -> None:
    fixed = candidate("sweep3d", SQUARE, columns=100, rows=50, grid="4x1")

    assert fixed.scaled(from_ranks=4, ranks=4, size=4).options[0] == ("columns", "200")
    with pytest.raises(UserError, match=r"--ranks: sweep3d divides 4 ranks as 4x1.*expected 4"):
        fixed.scaled(from_ranks=4, ranks=8, size=1)
    with pytest.raises(UserError, match="--size: 1e-06 times the cells of sweep3d are less than one on a side"):
        fixed.scaled(from_ranks=4, ranks=4, size=1e-6)


def recognition(*motifs: RecognisedMotif, rest: int = 0) -> Recognition:
    explained = sum((motif.explained for motif in motifs), start=Amount())
    return Recognition(
        program="app\n", ranks=4, nodes=2, motifs=motifs, total=explained + Amount(calls=rest, messages=0, bytes=0)
    )


def motif(times: int = 30, **options: object) -> RecognisedMotif:
    return RecognisedMotif(
        candidate=candidate("tealeaf", SQUARE, solver="cg", columns=100, rows=50, **options),  # type: ignore[arg-type]
        times=times, runs=1, of_one=Amount(calls=10, messages=4, bytes=400), computed_s=1e-3,
        scale=1.23456,
    )  # fmt: skip


def test_the_workload_repeats_each_motif_and_says_how_much_it_has() -> None:
    result = RecognisedCaptures(captures=(recognition(motif(), motif(1, assumed=("rows: guessed",)), rest=310),))

    assert recognised_workload(result, job="my job") == (
        "# app on 4 ranks as motifs.\n"
        "# Written by `stressbench recognise` from a capture, of which it has 50.0% of calls, 100.0% of messages, "
        "100.0% of bytes.\n"
        "# Not shown by the messages: rows: guessed.\n"
        "\n"
        "[SET] nodes=2\n"
        "\n"
        '[JOB_NAME] "my job"\n'
        "[NODES] ${nodes}\n"
        "[LOOP] 30\n"
        "  [MOTIF] tealeaf --solver cg --columns 100 --rows 50 --scale 1.235\n"
        "[END]\n"
        "[MOTIF] tealeaf --solver cg --columns 100 --rows 50 --scale 1.235\n"
    )


def test_a_scaled_workload_has_the_scaled_motifs() -> None:
    scaled = ScaledMotif(name="", words=("tealeaf", "-x", "400"), times=30, of_one=Amount(), computed_s=None)
    result = RecognisedCaptures(
        captures=(recognition(motif()),), scaled=Scaled(ranks=64, size=16, motifs=(scaled,))
    )  # fmt: skip

    text = recognised_workload(result, job="app")

    assert "# Scaled to 64 ranks, 16 times the cells.\n" in text
    assert "[LOOP] 30\n  [MOTIF] tealeaf -x 400\n[END]\n" in text
    assert "--scale" not in text


@pytest.mark.parametrize(("number", "expected"), [(1, [1]), (36, [1, 2, 3, 4, 6, 9, 12, 18, 36]), (7, [1, 7])])
def test_divisors_are_ascending_and_each_once(number: int, expected: list[int]) -> None:
    assert list(divisors(number)) == expected


def test_roots_are_of_integers() -> None:
    assert (root(32**3, 3), root(33**3 - 1, 3), root(0, 3)) == (32, 33, 0)
