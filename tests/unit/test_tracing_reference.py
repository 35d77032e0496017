"""Captures in the keys of the reference profiles: whole runs and single passes, against counting by hand."""

from pathlib import Path
from typing import Any

import pytest
from support.traces import RULES, MadeRank, MadeTrace, call, cg, send, waitall

from stressbench.formats.trace import Gap, Trace, TraceFileError, read_trace
from stressbench.tracing.gaps import deviation_s, mean_s, median_s
from stressbench.tracing.reference import ReferenceProfile, reference_profile


def trace_of(folder: Path, made: MadeTrace) -> Trace:
    return read_trace(made.write(folder))


def exported(folder: Path, made: MadeTrace, *, iteration: bool = False) -> ReferenceProfile:
    return reference_profile(trace_of(folder, made), iteration=iteration)


def test_the_whole_run_is_counted_without_being_expanded(tmp_path: Path) -> None:
    found = exported(tmp_path, cg())

    assert found.iteration_unit == "the whole run"
    assert found.p2p_matrix == [[0, 1, 10, 1000], [1, 2, 10, 1000], [2, 0, 10, 1000]]
    assert found.p2p_messages == [[0, 1, 100, 10], [1, 2, 100, 10], [2, 0, 100, 10]]
    assert found.p2p_size_histogram == [[100, 30]]
    assert (found.p2p_totals.messages, found.p2p_totals.bytes, found.p2p_totals.self_messages) == (30, 3000, 0)
    assert found.collectives == [
        ["Allreduce", "SUM", 8, 3, -1, 8, 30, 10.0],
        ["Barrier", None, 0, 3, -1, 1, 3, 1.0],
        ["Bcast", None, 16, 3, 1, 4, 3, 1.0],
    ]
    assert found.mpi_calls_all_ranks["Test"] == 30


def test_one_pass_has_the_sequence_of_the_most_repeated_outermost_loop_without_tests(tmp_path: Path) -> None:
    found = exported(tmp_path, cg(), iteration=True)

    assert found.iteration_unit.endswith("(10 passes of 5 calls)")
    assert found.sequence_all_ranks is not None
    assert found.sequence_all_ranks["1"] == "Ir<0:1:100 Is>2:1:100 Wa(2) Allreduce[SUM]:8@3"
    assert found.p2p_matrix == [[0, 1, 1, 100], [1, 2, 1, 100], [2, 0, 1, 100]]
    assert found.collectives == [["Allreduce", "SUM", 8, 3, -1, 8, 3, 1.0]]


def test_a_rank_whose_loop_lacks_a_pass_is_matched_all_the_same(tmp_path: Path) -> None:
    made = cg()
    peeled = [[[5, 1], [0, 1], [1, 1], [2, 1], [6, 1], [3, 1], [-1, 9], [4, 1]], RULES[1]]
    made.ranks[2].rules = peeled

    found = exported(tmp_path, made, iteration=True)

    assert found.sequence_all_ranks is not None
    assert found.sequence_all_ranks["2"] == "Ir<1:1:100 Is>0:1:100 Wa(2) Allreduce[SUM]:8@3"


def test_the_pipeline_has_times_in_microseconds_for_rank_0_and_the_busiest(tmp_path: Path) -> None:
    made = cg()
    made.ranks[1].calls = [*made.ranks[1].calls, send(0)]
    made.ranks[1].rules = [[*RULES[0], [7, 1]], RULES[1]]

    found = exported(tmp_path, made, iteration=True)

    assert found.pipeline is not None
    assert list(found.pipeline.ranks) == ["0"]
    assert exported(tmp_path, made).pipeline is not None
    assert list(exported(tmp_path, made).pipeline.ranks) == ["0", "1"]  # type: ignore[union-attr]
    assert found.pipeline.ranks["0"][1] == ["Is>1:1:100", 1000.0, 0.0, 1000.0, 1.0]


def test_long_sequences_are_left_out_and_counted_all_the_same(tmp_path: Path) -> None:
    found = exported(tmp_path, cg(rules=[[[5, 1], [-1, 10**7], [4, 1]], RULES[1]]))

    assert (found.sequence_all_ranks, found.pipeline) == (None, None)
    assert found.p2p_totals.messages == 3 * 10**7


def test_started_messages_count_as_sent(tmp_path: Path) -> None:
    made = [
        call("Send_init", comm=0, peer=0, tag=0, bytes=64, request=0),
        call("Recv_init", comm=0, peer=0, tag=0, bytes=64, request=1),
        call("Startall", requests=[0, 1]),
        waitall(0, 1),
    ]
    trace = MadeTrace([MadeRank(made, [[[0, 1], [1, 1], [-1, 5]], [[2, 1], [3, 1]]])])

    assert exported(tmp_path, trace).p2p_messages == [[0, 0, 64, 5]]


def test_started_messages_count_as_sent_where_their_requests_were_created_during_a_pause(tmp_path: Path) -> None:
    made = [
        call("Send_init", comm=0, peer=0, tag=0, bytes=64, request=0),
        call("Start", requests=[-2], inits=[0]),
        call("Wait", requests=[-2]),
    ]
    found = exported(tmp_path, MadeTrace([MadeRank(made, [[[-1, 5]], [[1, 1], [2, 1]]])]))

    assert found.p2p_messages == [[0, 0, 64, 5]]
    assert found.mpi_calls_all_ranks == {"Start": 5, "Wait": 5}


def test_started_messages_are_followed_where_a_slot_changes_hands(tmp_path: Path) -> None:
    made = [
        call("Send_init", comm=0, peer=0, tag=0, bytes=1, request=0),
        call("Start", requests=[0]),
        call("Request_free", requests=[0]),
        call("Send_init", comm=0, peer=0, tag=0, bytes=2, request=0),
    ]
    trace = MadeTrace([MadeRank(made, [[[0, 1], [1, 3], [2, 1], [3, 1], [1, 4]]])])

    assert exported(tmp_path, trace).p2p_messages == [[0, 0, 1, 3], [0, 0, 2, 4]]


@pytest.mark.parametrize(
    ("rules", "message"),
    [(None, "rank 0 has no sequence: it is a profile"), ([[[0, 1], [1, 1]]], "rank 0 has no loop")],
)
def test_what_is_not_there_is_refused(tmp_path: Path, rules: Any, message: str) -> None:
    with pytest.raises(TraceFileError, match=message):
        exported(tmp_path, cg(rules=rules), iteration=True)


def test_gaps_have_mean_deviation_and_a_median_within_their_bucket() -> None:
    # 3 of 100 us and 1 of 900 us: buckets [92.7, 131) and [741, 1049) us
    gap = Gap(0, 1, 4, 1.2e-3, 100e-6, 900e-6, 3 * 1e-8 + 81e-8, ((22, 3), (28, 1)))

    assert mean_s(gap) == pytest.approx(300e-6)
    assert deviation_s(gap) == pytest.approx(346.4e-6, rel=1e-3)
    assert median_s(gap) == pytest.approx(116e-6, rel=0.03)
