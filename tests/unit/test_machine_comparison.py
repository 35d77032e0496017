"""Comparison of two machines: verdicts on intervals of ratios, and figures that did not measure the same."""

import pytest
from support.machines import made_bandwidth, made_figure, made_result, spread_around

from stressbench.errors import UserError
from stressbench.formats.machines import MachineFigure
from stressbench.results.machine_comparison import FigureComparison, MachineVerdict, compare_results

TIME = spread_around(40e-6)


def compared(a: MachineFigure, b: MachineFigure, *, within: float = 0.05) -> FigureComparison:
    comparison = compare_results(made_result(a), made_result(b), within=within)
    assert len(comparison.figures) == 1
    return comparison.figures[0]


def times(factor: float, *, width: float = 0.01) -> MachineFigure:
    return made_figure(values=spread_around(40e-6 * factor, width=width))


@pytest.mark.parametrize(
    ("factor", "verdict"),
    [(1.5, MachineVerdict.worse), (1 / 1.5, MachineVerdict.better), (1.0, MachineVerdict.same)],
)
def test_a_longer_time_is_worse(factor: float, verdict: MachineVerdict) -> None:
    found = compared(times(1.0), times(factor))

    assert found.verdict is verdict
    assert found.ratio == pytest.approx(factor, rel=1e-3)
    assert found.low is not None and found.high is not None and found.low < factor < found.high


def test_a_higher_bandwidth_is_better() -> None:
    high, low = made_bandwidth(spread_around(20e6)), made_bandwidth(spread_around(10e6))

    assert compared(low, high).verdict is MachineVerdict.better
    assert compared(high, low).verdict is MachineVerdict.worse


def test_a_wide_interval_is_undecided() -> None:
    assert compared(times(1.0, width=0.5), times(1.05, width=0.5)).verdict is MachineVerdict.undecided


def test_too_few_rounds_are_undecided_with_the_reason() -> None:
    few = made_figure(values=(1e-6, 2e-6), low=None, high=None)

    found = compared(few, few)

    assert found.verdict is MachineVerdict.undecided
    assert found.reason == "2 and 2 rounds: too few for a 95 % interval (4 and 4 suffice)"


def test_within_moves_the_verdict() -> None:
    assert compared(times(1.0), times(1.08), within=0.05).verdict is MachineVerdict.worse
    assert compared(times(1.0), times(1.08), within=0.2).verdict is MachineVerdict.same


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        ({"ranks": 4}, "ranks: 2 and 4"),
        ({"nodes": 3}, "nodes: 2 and 3"),
        ({"motif": "pingpong --size 16"}, "motif: pingpong --size 8 and pingpong --size 16"),
        ({"placement": "linear"}, "placement: None and linear"),
        ({"beside": "alltoall"}, "beside: None and alltoall"),
    ],
)
def test_other_measurements_are_not_comparable(other: dict[str, object], reason: str) -> None:
    found = compared(made_figure(values=TIME), made_figure(values=TIME, **other))

    assert (found.verdict, found.reason, found.ratio) == (MachineVerdict.not_comparable, reason, None)


def test_another_version_of_the_suite_is_not_comparable() -> None:
    comparison = compare_results(made_result(version=1), made_result(version=2))

    assert {(one.verdict, one.reason) for one in comparison.figures} == {
        (MachineVerdict.not_comparable, "suite 1 and suite 2")
    }


def test_a_figure_of_one_machine_is_listed() -> None:
    first = compare_results(made_result(made_figure(), made_bandwidth()), made_result(made_figure()))
    second = compare_results(made_result(made_figure()), made_result(made_figure(), made_bandwidth()))

    assert (first.figures[1].reason, first.figures[1].b) == ("B does not have it", None)
    assert (second.figures[1].reason, second.figures[1].a) == ("A does not have it", None)


def test_other_conditions_and_incomplete_results_are_stated() -> None:
    comparison = compare_results(made_result(), made_result(complete=False, mpi="MPICH 4.0", label=None))

    assert comparison.differences == ("MPI: Open MPI v4.1.4 and MPICH 4.0",)
    assert comparison.notes[-1] == "B is incomplete"
    assert (comparison.a, comparison.b) == ("made", "lab:tiny")


@pytest.mark.parametrize("within", [-0.1, 1.0, float("nan")])
def test_within_is_a_share(within: float) -> None:
    with pytest.raises(UserError, match="--within"):
        compare_results(made_result(), made_result(), within=within)


def test_simultaneous_intervals_share_their_confidence_over_what_is_compared() -> None:
    """Two of three figures are compared: each interval has 97.5 %, and is wider than one of 95 %."""
    only = made_figure("latency.network.0B")
    a, b = made_result(times(1.0), made_bandwidth(), only), made_result(times(1.02), made_bandwidth())

    each, joint = compare_results(a, b), compare_results(a, b, simultaneous=True)

    assert (each.confidence, joint.confidence) == (0.95, pytest.approx(0.975))
    for narrow, wide in zip(each.figures[:2], joint.figures[:2], strict=True):
        assert wide.ratio == narrow.ratio
        assert wide.low is not None and narrow.low is not None and wide.low < narrow.low
        assert wide.high is not None and narrow.high is not None and wide.high > narrow.high


def test_simultaneous_intervals_need_more_rounds() -> None:
    """The widest interval of four and four values misses with a probability of 2 / 70 = 2.9 %, more than 2.5 %."""
    few = made_figure(values=spread_around(40e-6, count=4)), made_bandwidth(spread_around(12e6, count=4))
    a, b = made_result(*few), made_result(*few)

    assert compare_results(a, b).figures[0].low is not None
    assert compare_results(a, b, simultaneous=True).figures[0].reason == (
        "4 and 4 rounds: too few for a 97.5 % interval (5 and 5 suffice)"
    )


@pytest.mark.parametrize(
    ("first", "again", "verdict", "reason"),
    [
        (1.5, 1.4, MachineVerdict.worse, None),
        (1 / 1.5, 1 / 1.4, MachineVerdict.better, None),
        (1.5, 1.0, MachineVerdict.undecided, "worse in B, same in C"),
        (1.5, 1 / 1.5, MachineVerdict.undecided, "worse in B, better in C"),
        (1.0, 1.5, MachineVerdict.same, None),
    ],
)
def test_a_difference_has_to_be_in_the_second_measurement_too(
    first: float, again: float, verdict: MachineVerdict, reason: str | None
) -> None:
    second = made_result(times(again))

    comparison = compare_results(made_result(times(1.0)), made_result(times(first)), confirmation=second)

    assert (comparison.figures[0].verdict, comparison.figures[0].reason) == (verdict, reason)
    assert comparison.sha256_confirmation == second.sha256


def test_a_figure_that_was_not_measured_again_is_undecided() -> None:
    second = made_result(made_bandwidth())

    comparison = compare_results(made_result(times(1.0)), made_result(times(1.5)), confirmation=second)

    assert comparison.figures[0].reason == "worse in B, not comparable in C"
    assert not comparison.is_worse


def test_a_result_does_not_confirm_itself() -> None:
    b = made_result(times(1.5))

    with pytest.raises(UserError, match="--confirm: expected a second measurement of B, not B itself"):
        compare_results(made_result(), b, confirmation=b)


def test_two_machines_without_a_common_measurement_compare_nothing() -> None:
    assert compare_results(made_result(), made_result()).compares_any
    assert not compare_results(made_result(version=1), made_result(version=2), simultaneous=True).compares_any
