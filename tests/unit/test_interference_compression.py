"""Which compressions there are, and which to run when all of them are too many."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressbench.formats.profiles.profile import Configuration, PauseAfter
from stressbench.interference.compression import configurations, next_configuration, spread_over_utilisation

PAPER = configurations()
FORTY = tuple(replace(one, pause_after=PauseAfter.round) for one in PAPER)
"""Their loads differ more: with a pause for each partner, the number of partners does not change the load."""


def load_of(one: Configuration) -> float:
    """A machine of our own: saturates like a queue fed with 1 GB/s at most."""
    return one.offered_bytes_per_s / (one.offered_bytes_per_s + 1e9)


def test_the_paper_has_forty() -> None:
    assert len(set(FORTY)) == 40
    assert {one.partners for one in FORTY} == {1, 4, 7, 14, 17}
    assert {one.messages for one in FORTY} == {1, 10}
    assert {one.pause_after for one in PAPER} == {PauseAfter.partner}
    assert sorted({one.pause_s * 2.6e9 for one in PAPER}) == pytest.approx([2.5e4, 2.5e5, 2.5e6, 2.5e7])
    assert {one.message_bytes for one in FORTY} == {40960}


@pytest.mark.parametrize(
    ("nodes", "partners"), [(18, {1, 4, 7, 14, 17}), (40, {1, 4, 7, 14, 17}), (6, {1, 4, 5}), (2, {1})]
)
def test_no_ring_has_more_partners_than_other_nodes(nodes: int, partners: set[int]) -> None:
    found = configurations(nodes=nodes)

    assert {one.partners for one in found} == partners
    assert len(set(found)) == len(found) == 8 * len(partners)


@pytest.mark.parametrize(("wrong", "said"), [({"nodes": 1}, "nodes 1"), ({"clock_hz": 0.0}, "clock_hz 0.0")])
def test_impossible_machines_are_refused(wrong: dict[str, float], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        configurations(**wrong)


def test_bubbles_follow_the_clock() -> None:
    assert min(one.pause_s for one in configurations(clock_hz=1e9)) == pytest.approx(25e-6)


def test_loads_chosen_lie_far_apart() -> None:
    calibrated = {one: load_of(one) for one in FORTY}

    chosen = spread_over_utilisation(calibrated, count=6)

    loads = [calibrated[one] for one in chosen]
    assert loads == sorted(loads)
    assert loads[0] == min(calibrated.values())
    assert loads[-1] == max(calibrated.values())
    # The nearest two of six are nowhere nearer than half of what even spacing would give.
    assert min(high - low for low, high in pairwise(loads)) > (loads[-1] - loads[0]) / 5 / 2


@given(st.lists(st.floats(min_value=0, max_value=1), min_size=1, max_size=12), st.integers(min_value=1, max_value=15))
def test_spread_gives_as_many_as_there_are(loads: list[float], count: int) -> None:
    calibrated = dict(zip(FORTY, loads, strict=False))

    chosen = spread_over_utilisation(calibrated, count=count)

    assert len(set(chosen)) == min(count, len(loads))


def test_spread_over_nothing() -> None:
    assert spread_over_utilisation({}, count=3) == ()
    with pytest.raises(ValueError, match="count 0"):
        spread_over_utilisation({}, count=0)


def test_the_lightest_and_the_heaviest_come_first_and_then_the_largest_gap() -> None:
    measured: dict[Configuration, float] = {}
    order = []
    while (following := next_configuration(measured, FORTY, gap_limit=0.2)) is not None:
        order.append(load_of(following))
        measured[following] = load_of(following)

    assert order[0] == min(map(load_of, FORTY))
    assert order[1] == max(map(load_of, FORTY))
    assert len(order) < 15
    assert widest_gap(order) == pytest.approx(max(0.2, widest_gap([load_of(one) for one in FORTY])), abs=0.02)


def widest_gap(loads: list[float]) -> float:
    return max(high - low for low, high in pairwise(sorted(loads)))


def test_a_gap_that_nothing_can_fill_is_left() -> None:
    light, heavy = (Configuration(partners=1, messages=1, pause_s=pause) for pause in (1.0, 1e-6))

    assert next_configuration({light: 0.1, heavy: 0.9}, [light, heavy]) is None
    assert next_configuration({}, []) is None


def test_gaps_that_are_small_enough_are_left() -> None:
    light, middle, heavy = (Configuration(partners=1, messages=1, pause_s=pause) for pause in (1.0, 1e-3, 1e-6))

    assert next_configuration({light: 0.50, heavy: 0.54}, [light, middle, heavy]) is None
    assert next_configuration({light: 0.50, heavy: 0.56}, [light, middle, heavy]) is middle


@pytest.mark.parametrize("capacity", [3e5, 3e6, 3e7, 3e9], ids="{:g}".format)
def test_pauses_are_changed_until_the_curve_from_idle_to_the_heaviest_load_is_known(capacity: float) -> None:
    """A link of `capacity` that loses no load until it is full. A full one leaves no probes, and counts as 1."""
    measured: dict[Configuration, float] = {}
    while (following := next_configuration(measured, PAPER, gap_limit=0.2, changes_pauses=True)) is not None:
        assert following not in measured
        measured[following] = min(1.0, following.offered_bytes_per_s / capacity)
        assert len(measured) <= 16

    assert widest_gap([0.0, *measured.values()]) <= 0.2
    assert max(measured.values()) == min(1.0, max(one.offered_bytes_per_s for one in PAPER) / capacity)


def test_a_pause_between_two_loads_is_the_one_of_the_middle() -> None:
    light, heavy = (
        Configuration(partners=4, messages=10, pause_s=pause, pause_after=PauseAfter.partner) for pause in (1e-2, 1e-4)
    )

    found = next_configuration({light: 0.1, heavy: 0.9}, [light, heavy], changes_pauses=True)

    assert found == replace(heavy, pause_s=1e-3)
    not_monotone = next_configuration({light: 0.9, heavy: 0.1}, [light, heavy], changes_pauses=True)
    assert not_monotone == replace(light, pause_s=2e-2)


def test_a_pause_for_each_partner_offers_as_much_with_any_number_of_partners() -> None:
    few, many = (
        Configuration(partners=count, messages=2, pause_s=1e-3, message_bytes=100, pause_after=PauseAfter.partner)
        for count in (1, 7)
    )

    assert few.offered_bytes_per_s == many.offered_bytes_per_s == 2e5
    assert replace(many, pause_after=PauseAfter.round).offered_bytes_per_s == pytest.approx(7 * 2e5)
