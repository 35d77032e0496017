"""Which compressions there are, and which to run when all of them are too many."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressbench.formats.profiles.profile import Configuration, PauseAfter
from stressbench.interference.compression import (
    RingWaits,
    configurations,
    mean_queue_bytes,
    next_configuration,
    spread_over_utilisation,
)

IDLE_S = 1e-5
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


def probed(waits_s: Mapping[Configuration, float]) -> RingWaits:
    return RingWaits(idle_s=IDLE_S, waits_s=waits_s)


def wait_behind(one: Configuration, *, bytes_per_s: float) -> float:
    """A link of our own, whose queue takes this long to drain."""
    return mean_queue_bytes(one, bytes_per_s=bytes_per_s) / bytes_per_s


def widest_gap(congestion: Sequence[float]) -> float:
    return max(high - low for low, high in pairwise(sorted(congestion)))


def test_the_lightest_and_the_heaviest_come_first_and_then_the_largest_gap() -> None:
    waits_s: dict[Configuration, float] = {}
    while (following := next_configuration(probed(waits_s), FORTY, gap_limit=0.15)) is not None:
        waits_s[following] = wait_behind(following, bytes_per_s=1e9)

    first, second, *_ = waits_s
    assert first.offered_bytes_per_s == min(one.offered_bytes_per_s for one in FORTY)
    assert second == max(FORTY, key=lambda one: (one.offered_bytes_per_s, one.partners))
    assert len(waits_s) < 15
    every = probed({one: wait_behind(one, bytes_per_s=1e9) for one in FORTY}).congestion
    assert widest_gap([*probed(waits_s).congestion.values()]) <= max(0.15, widest_gap([*every.values()])) + 0.02


def test_congestion_is_on_a_logarithmic_scale_from_the_idle_machine_to_the_longest_wait() -> None:
    light, middle, heavy, stuck = FORTY[:4]
    found = probed({light: -IDLE_S, middle: 3 * IDLE_S, heavy: 63 * IDLE_S, stuck: inf}).congestion

    assert found == pytest.approx({light: 0.0, middle: 2 / 6, heavy: 1.0, stuck: 1.0})
    assert probed({light: 0.0, stuck: inf}).congestion == {light: 0.0, stuck: 1.0}


def test_rings_that_keep_more_bytes_queued_on_a_full_link_are_told_apart() -> None:
    """All of them use all of a slow link; what differs is how long its queue is."""
    pause_s = 1e-5
    full = [replace(one, pause_s=pause_s) for one in PAPER if one.pause_s == min(one.pause_s for one in PAPER)]
    shortest, longest = (pick(full, key=lambda one: (one.partners * one.messages, one)) for pick in (min, max))
    waits_s = {one: wait_behind(one, bytes_per_s=1e7) for one in (shortest, longest)}

    found = next_configuration(probed(waits_s), full)

    assert found is not None
    assert found.partners * found.messages in {10, 14, 17}  # outstanding messages: 1 and 170 at the ends
    assert wait_behind(found, bytes_per_s=1e7) == pytest.approx(np.sqrt(np.prod([*waits_s.values()])), rel=0.4)


def test_a_gap_that_nothing_can_fill_is_left() -> None:
    light, heavy = (Configuration(partners=1, messages=1, pause_s=pause) for pause in (1.0, 1e-6))

    assert next_configuration(probed({light: 1e-5, heavy: 1e-3}), [light, heavy]) is None
    assert next_configuration(probed({}), []) is None


def test_gaps_that_are_small_enough_are_left() -> None:
    light, middle, heavy = (Configuration(partners=1, messages=1, pause_s=pause) for pause in (1.0, 1e-3, 1e-6))

    assert next_configuration(probed({light: 0.8e-3, heavy: 1e-3}), [light, middle, heavy]) is None
    assert next_configuration(probed({light: 0.6e-3, heavy: 1e-3}), [light, middle, heavy]) is middle


@pytest.mark.parametrize("bytes_per_s", [3e5, 3e6, 3e7, 3e9], ids="{:g}".format)
def test_pauses_are_changed_until_the_curve_from_idle_to_the_heaviest_load_is_known(bytes_per_s: float) -> None:
    waits_s: dict[Configuration, float] = {}
    while (following := next_configuration(probed(waits_s), PAPER, gap_limit=0.2, changes_pauses=True)) is not None:
        assert following not in waits_s
        waits_s[following] = wait_behind(following, bytes_per_s=bytes_per_s)
        assert len(waits_s) <= 16

    assert widest_gap([0.0, *probed(waits_s).congestion.values()]) <= 0.2


def test_a_pause_between_two_rings_is_the_one_with_the_queue_of_the_middle() -> None:
    light, heavy = (
        Configuration(partners=4, messages=10, pause_s=pause, pause_after=PauseAfter.partner) for pause in (1e-1, 1e-3)
    )
    waits_s = {one: wait_behind(one, bytes_per_s=1e8) for one in (light, heavy)}

    found = next_configuration(probed(waits_s), [light, heavy], changes_pauses=True)

    assert found is not None and replace(found, pause_s=heavy.pause_s) == heavy
    assert 1e-3 < found.pause_s < 1e-1
    rate = probed(waits_s).bytes_per_s
    queues = [mean_queue_bytes(one, bytes_per_s=rate) for one in (light, found, heavy)]
    assert queues[1] == pytest.approx(np.sqrt(queues[0] * queues[2]), rel=0.02)
    not_monotone = next_configuration(probed({light: 1e-2, heavy: 1e-5}), [light, heavy], changes_pauses=True)
    assert not_monotone is not None and not_monotone.pause_s > light.pause_s


def test_rings_that_never_kept_a_probe_waiting_are_told_apart_by_what_they_offer() -> None:
    light, middle, heavy = (Configuration(partners=1, messages=1, pause_s=pause) for pause in (1.0, 1e-3, 1e-6))

    assert next_configuration(probed({light: 0.0, heavy: inf}), [light, middle, heavy]) is middle


def test_pauses_are_too_short_to_drain_the_queue_of_a_slow_link() -> None:
    one = Configuration(
        partners=4, messages=2, pause_s=1e-3, message_bytes=1000, pause_after=PauseAfter.partner
    )  # fmt: skip
    full, drained = (mean_queue_bytes(one, bytes_per_s=rate) for rate in (1e3, 1e9))

    assert full == pytest.approx(4 * 2000, rel=0.01)
    assert drained == pytest.approx(2000 * 0.002, rel=0.01)
    assert mean_queue_bytes(replace(one, pause_after=PauseAfter.round), bytes_per_s=1e3) == pytest.approx(
        8000, rel=0.01
    )


def test_a_pause_for_each_partner_offers_as_much_with_any_number_of_partners() -> None:
    few, many = (
        Configuration(partners=count, messages=2, pause_s=1e-3, message_bytes=100, pause_after=PauseAfter.partner)
        for count in (1, 7)
    )

    assert few.offered_bytes_per_s == many.offered_bytes_per_s == 2e5
    assert replace(many, pause_after=PauseAfter.round).offered_bytes_per_s == pytest.approx(7 * 2e5)
