"""The profile of made-up traces: what is added, shared out, reduced to hosts, and doubted."""

import io
import re
import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from support.traces import MadeTrace, ring, write_lines

from stressbench.formats.trace import read_trace
from stressbench.formats.trace.records import Peer
from stressbench.report.renderers import render
from stressbench.report.renderers.text import show
from stressbench.report.traffic import document
from stressbench.tracing.matrix import MatrixAccumulator, MatrixUnit
from stressbench.tracing.operations import OperationClass, class_of
from stressbench.tracing.phases import PhaseAccumulator, regrid
from stressbench.tracing.profile import Profile, Quantity, RankRows, profile_of


def profiled(folder: Path, made: MadeTrace) -> Profile:
    return profile_of(read_trace(made.write(folder)))


def test_wall_time_is_shared_out_between_the_application_and_classes_of_mpi(tmp_path: Path) -> None:
    profile = profiled(tmp_path, ring(2))

    split = profile.ranks[1].split
    assert (split.p2p_s, split.wait_s, split.coll_s, split.io_s) == pytest.approx((0.03, 0.03, 0.04, 0.05))
    assert (split.mpi_s, split.application_s) == pytest.approx((0.15, 0.35))
    assert profile.total.wall_s == 1.0
    assert profile.facts.wall_s == 0.5


def test_the_paper_s_columns_count_waits_as_point_to_point(tmp_path: Path) -> None:
    columns = profiled(tmp_path, ring(2)).columns

    assert columns.p2p_percent == pytest.approx(12.0)
    assert columns.coll_percent == pytest.approx(8.0)
    assert (columns.mean_send_bytes, columns.mean_coll_bytes) == (1000.0, 8.0)


def test_operations_and_call_sites_are_added_over_the_ranks_most_time_first(tmp_path: Path) -> None:
    profile = profiled(tmp_path, ring(3))

    assert [row.op for row in profile.operations] == ["File_write", "Allreduce", "Waitall", "Isend", "Irecv"]
    send = profile.operations[3]
    assert (send.kind, send.calls, send.bytes, send.mean_bytes) == (OperationClass.p2p, 30, 30_000, 1000.0)
    assert (send.time_s, send.max_s) == pytest.approx((0.06, 2e-3))
    site = profile.sites[0]
    assert (site.site, site.function, site.op, site.ranks) == ("cg+0x1000", "exchange (cg.c:12)", "File_write", 3)


def test_sizes_are_counted_between_powers_of_two(tmp_path: Path) -> None:
    profile = profiled(tmp_path, ring(2))

    found = {(row.kind.value, row.at_least, row.below): row.calls for row in profile.sizes}
    assert found == {("p2p", 512, 1024): 20, ("coll", 8, 16): 20, ("io", 64, 128): 2}


def test_communicators_are_counted_once_not_once_a_rank(tmp_path: Path) -> None:
    made = ring(4)
    for number, rank in enumerate(made.ranks):
        half = {"size": 2, "rank": number % 2, "members": [[number // 2 * 2, 1, 2]], "inter": False}
        world = {"size": 4, "rank": number, "members": [[0, 1, 4]]}
        rank.extra["comms"] = [world, {"size": 1, "rank": 0, "members": [[number, 1, 1]]}, half]

    found = profiled(tmp_path, made).communicators

    assert [(row.size, row.communicators, row.calls) for row in found] == [(4, 1, 120), (2, 2, 0)]


def test_the_slow_rank_is_named_with_its_ratio(tmp_path: Path) -> None:
    application, mpi = profiled(tmp_path, ring(4, slow=2)).imbalances

    assert (application.quantity, application.rank) == (Quantity.application, 2)
    assert application.ratio == pytest.approx(0.39 / 0.36)
    assert mpi.rank != 2


def test_the_matrix_is_sparse_and_by_rank(tmp_path: Path) -> None:
    profile = profiled(tmp_path, ring(3))

    assert profile.matrix.unit is MatrixUnit.rank
    found = [(pair.source, pair.destination, pair.messages, pair.bytes) for pair in profile.matrix.pairs]
    assert found == [(0, 1, 10, 10_000), (1, 2, 10, 10_000), (2, 0, 10, 10_000)]
    assert [(pair.source, pair.destination) for pair in profile.pairs] == [(0, 1), (1, 2), (2, 0)]


def test_the_matrix_of_many_ranks_is_one_of_hosts(tmp_path: Path) -> None:
    matrix = profiled(tmp_path, ring(300, nodes=3)).matrix

    assert (matrix.unit, matrix.labels) == (MatrixUnit.host, (0, 100, 200))
    within, across = (
        {(p.source, p.destination): p.messages for p in matrix.pairs}[pair] for pair in ((0, 0), (0, 100))
    )
    assert (within, across) == (990, 10)
    assert sum(pair.messages for pair in matrix.pairs) == 3000


def test_without_hosts_many_ranks_are_folded_into_blocks(tmp_path: Path) -> None:
    made = ring(512)
    for rank in made.ranks:
        rank.node = None

    matrix = profiled(tmp_path, made).matrix

    assert (matrix.unit, len(matrix.labels), matrix.labels[1]) == (MatrixUnit.block, 256, 2)
    assert sum(pair.messages for pair in matrix.pairs) == 5120


def test_phases_add_ranks_whose_slices_differ_in_width(tmp_path: Path) -> None:
    made = ring(2)
    made.ranks[1].extra["timeline"] = {
        "width_s": 0.125, **{kind: [0.0] * 4 for kind in ("p2p", "coll", "wait", "other")}, "io": [0.0, 0.1, 0.0, 0.0],
    }  # fmt: skip

    phases = profiled(tmp_path, made).phases

    assert phases is not None and phases.width_s == 0.25
    assert phases.io[0] == pytest.approx(0.05 / 4 + 0.1)
    assert phases.application[0] == pytest.approx(2 * 0.25 - 0.15 / 4 - 0.1)
    assert phases.application[2] == 0.0  # both ranks are through by then


@given(
    rows=st.lists(st.floats(0, 10), min_size=1, max_size=40),
    width=st.floats(0.01, 1.0),
    wider=st.floats(1.0, 50.0),
)
def test_time_is_neither_lost_nor_made_when_slices_widen(rows: list[float], width: float, wider: float) -> None:
    assert regrid(np.array([rows]), width_s=width, to_s=width * wider).sum() == pytest.approx(sum(rows))


def test_what_a_rank_lost_and_how_it_ended_become_warnings(tmp_path: Path) -> None:
    made = ring(4)
    for rank in made.ranks[1:3]:
        rank.extra |= {"ended": "killed", "lost": [{"what": "calls", "after_calls": 9}]}

    warnings = profiled(tmp_path, made).warnings

    assert "ranks 1-2: ended by a signal; counted up to its last call" in warnings
    assert any(text.startswith("ranks 1-2: too many distinct calls") for text in warnings)


def objects(*, comms: int, types: int = 2) -> dict[str, list[dict[str, object]]]:
    """Of 7 communicators and 2 datatypes that a rank made, so many are released."""
    kinds = {"communicators": (7, comms), "datatypes": (2, types)}
    return {"objects": [{"kind": kind, "made": made, "released": done} for kind, (made, done) in kinds.items()]}


def test_what_is_left_is_told_by_kind_with_the_rank_that_left_most(tmp_path: Path) -> None:
    made = ring(4)
    for rank, released in zip(made.ranks, (7, 4, 5, 4), strict=True):
        rank.extra |= objects(comms=released)

    comms, types = profiled(tmp_path, made).objects or ()

    assert (comms.kind, comms.made, comms.left, comms.ranks) == ("communicators", 28, 8, 4)
    assert (comms.least, comms.most, comms.most_rank) == (0, 3, 1)
    assert (types.left, types.made) == (0, 8)


def test_a_rank_that_releases_what_nobody_saw_being_made_hides_nothing_of_others(tmp_path: Path) -> None:
    made = ring(2)
    made.ranks[0].extra |= objects(comms=9)
    made.ranks[1].extra |= objects(comms=6)

    comms, _ = profiled(tmp_path, made).objects or ()

    assert (comms.left, comms.least, comms.most, comms.most_rank) == (1, 0, 1, 1)


def test_of_ranks_that_were_killed_and_of_older_traces_nothing_is_known(tmp_path: Path) -> None:
    made = ring(3)
    assert profiled(tmp_path, made).objects is None
    made.ranks[1].extra |= objects(comms=5)

    comms, _ = profiled(tmp_path, made).objects or ()

    assert (comms.ranks, comms.least, comms.most, comms.most_rank) == (1, 2, 2, 1)


def test_tables_and_page_show_only_kinds_of_which_something_is_left(tmp_path: Path) -> None:
    made = ring(2)
    for rank in made.ranks:
        rank.extra |= objects(comms=7)
    assert "left open" not in shown(profiled(tmp_path, made))
    made.ranks[1].extra |= objects(comms=4)

    found = profiled(tmp_path, made)

    assert re.search(r"left open at the end .*\n─+\ncommunicators +3 +0 +3 +1 +14\n\n", shown(found))
    assert "left open at the end" in render("html", document.page(found))


def shown(profile: Profile) -> str:
    console = Console(file=io.StringIO(), width=120)
    show(document.brief(profile), console=console)
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


def test_a_cut_off_file_is_profiled_as_far_as_it_goes(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "t.trace", ring(3).records()[:3])

    profile = profile_of(read_trace(path))

    assert (profile.facts.ranks, profile.facts.ranks_read) == (3, 2)
    assert profile.warnings == ("the file is cut off: 2 of 3 ranks are whole",)


@pytest.mark.parametrize(
    ("op", "kind"),
    [
        ("Sendrecv_replace", "p2p"), ("Startall", "p2p"), ("Recv_init", "p2p"), ("Imrecv", "p2p"), ("Improbe", "wait"),
        ("Testsome", "wait"), ("Ineighbor_alltoallw", "coll"), ("Ibarrier", "coll"), ("File_iwrite_at", "io"),
        ("Win_fence", "other"), ("Comm_split", "other"), ("Request_free", "other"), ("Unheard_of", "other"),
    ],
)  # fmt: skip
def test_every_operation_has_its_class(op: str, kind: str) -> None:
    assert class_of(op).value == kind


def test_of_many_ranks_pairs_of_hosts_and_ranks_are_held_never_all_pairs_of_ranks(tmp_path: Path) -> None:
    made = ring(300, nodes=3)
    for rank in made.ranks:
        rank.extra["peers"] = [[to, 1, 8] for to in range(300)]
    found = MatrixAccumulator(300)

    for rank in read_trace(made.write(tmp_path)).ranks():
        found.add(rank)

    assert len(found._sums) == 3 * 150  # blocks of two ranks
    assert (len(found._by_host), len(found._unresolved)) == (9, 0)
    assert len(found.finish().pairs) == 9


def test_a_rank_of_a_profile_takes_a_few_numbers_and_no_objects(tmp_path: Path) -> None:
    rank = read_trace(ring(3).write(tmp_path)).rank(0)
    ranks = 4000
    rows, matrix, phases = RankRows(), MatrixAccumulator(ranks), PhaseAccumulator()
    tracemalloc.start()
    try:
        for number in range(ranks):
            peers = (Peer((number + 1) % ranks, 1, 8), Peer((number - 1) % ranks, 1, 8))
            one = replace(rank, rank=number, node=number // 50 * 50, peers=peers)
            rows.add(one)
            matrix.add(one)
            phases.add(one)
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert held / ranks < 250
    assert len(matrix.finish().pairs) == 3 * 80


def test_rows_of_ranks_are_made_when_they_are_asked_for(tmp_path: Path) -> None:
    ranks = profiled(tmp_path, ring(5)).ranks

    assert [row.rank for row in ranks] == [row.rank for row in ranks[:]] == [0, 1, 2, 3, 4]
    parts = [getattr(ranks[4].split, f"{kind.value}_s") for kind in OperationClass]
    assert ranks[-1].split.mpi_s == pytest.approx(sum(parts))
