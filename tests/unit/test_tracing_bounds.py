"""The work of trace commands is bounded over all ranks, since a file of a few KB can hold any number of calls."""

from collections.abc import Callable
from pathlib import Path

import pytest
from support.traces import WORLD, MadeRank, MadeTrace, allreduce, call, waitall

from stressbench.formats.trace import Trace, read_trace
from stressbench.tracing import grammar, reference
from stressbench.tracing.diff import diff
from stressbench.tracing.grammar import TooManyCalls
from stressbench.tracing.multigrid import levels_of
from stressbench.tracing.reference import reference_profile

SHARED_SLOT = [
    call("Send_init", comm=WORLD, peer=0, tag=0, bytes=8, unit=8, request=0),
    call("Send_init", comm=WORLD, peer=0, tag=0, bytes=16, unit=8, request=0),
    call("Start", requests=[0]),
    waitall(0),
]


def reductions(folder: Path, *, ranks: int, calls: int) -> Trace:
    return read_trace(MadeTrace([MadeRank([allreduce()], rules=[[[0, calls]]])] * ranks).write(folder))


def order_dependent(folder: Path, *, ranks: int, starts: int) -> Trace:
    rules = [[[0, 1], [1, 1], [-1, starts]], [[2, 1], [3, 1]]]
    return read_trace(MadeTrace([MadeRank(SHARED_SLOT, rules=rules)] * ranks).write(folder))


def export(trace: Trace) -> object:
    return reference_profile(trace, iteration=False)


@pytest.fixture
def a_limit_of_a_thousand_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grammar, "MAX_EXPANDED_CALLS", 1000)


@pytest.mark.usefixtures("a_limit_of_a_thousand_calls")
def test_levels_are_not_searched_in_more_calls_than_all_ranks_may_have(tmp_path: Path) -> None:
    with pytest.raises(TooManyCalls, match="the ranks made 1,200 or more calls in order"):
        levels_of(reductions(tmp_path, ranks=3, calls=600))


@pytest.mark.usefixtures("a_limit_of_a_thousand_calls")
@pytest.mark.parametrize("evaluated", [lambda trace: diff(trace, trace), export], ids=["diff", "export"])
def test_requests_that_share_a_handle_are_not_followed_beyond_the_limit(
    tmp_path: Path, evaluated: Callable[[Trace], object]
) -> None:
    evaluated(order_dependent(tmp_path, ranks=1, starts=100))  # 202 calls and 100 requests

    with pytest.raises(TooManyCalls, match="with the requests that they start; expected at most 1,000"):
        evaluated(order_dependent(tmp_path, ranks=5, starts=100))


@pytest.mark.usefixtures("a_limit_of_a_thousand_calls")
def test_calls_that_need_not_be_processed_one_by_one_have_no_limit(tmp_path: Path) -> None:
    trace = reductions(tmp_path, ranks=3, calls=10**6)

    assert diff(trace, trace).same
    assert reference_profile(trace, iteration=False).mpi_calls_all_ranks == {"Allreduce": 3 * 10**6}


@pytest.mark.parametrize(
    ("limit", "most", "kept"),
    [("MAX_EXPANDED_CALLS", 60, True), ("MAX_EXPANDED_CALLS", 59, False), ("_MAX_SEQUENCE_CHARACTERS", 100, False)],
)
def test_an_export_leaves_out_sequences_that_are_long_over_all_ranks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, most: int, kept: bool
) -> None:
    monkeypatch.setattr(reference, limit, most)

    profile = reference_profile(reductions(tmp_path, ranks=3, calls=20), iteration=False)

    assert (profile.sequence_all_ranks is not None) is kept
