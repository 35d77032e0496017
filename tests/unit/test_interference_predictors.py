"""Predictors on cases that can be computed by hand, and in a world in which co-runs are known."""

from collections.abc import Sequence
from dataclasses import replace
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples
from support.sensitivities import (
    SERVICE_S,
    Application,
    aggressor,
    co_run,
    level,
    profile,
    profile_in_world,
    sample,
    victim,
)

from stressbench.formats.profiles.profile import Profile
from stressbench.interference.lookup_tables import PDFLT, AverageLT, AverageStDevLT
from stressbench.interference.pace import Pace
from stressbench.interference.prediction import NOT_SLOWED, Composition, Predictor, combined_utilisation
from stressbench.interference.predictors import Monotone, PerLink, PhaseAware, Queue, QueueMapping
from stressbench.interference.slowdown_curve import monotone_curve

TABLES: tuple[Predictor, ...] = (AverageLT(), AverageStDevLT(), PDFLT())
PAPERS: tuple[Predictor, ...] = (*TABLES, Queue())
OURS: tuple[Predictor, ...] = (Monotone(), PhaseAware(), PerLink(), Pace())
RISING = ((0.2, 1.1), (0.4, 1.3), (0.6, 1.7))
by_name = {"ids": lambda model: model.name}
ANY = victim({0.2: 1.1, 0.4: 1.3, 0.6: 1.7, 0.8: 2.5}, links={"a": 0.5, "b": 0.0})
IDLE = aggressor(0.0, links={"a": 0.0, "b": 0.9})


def around(mean: float, deviation: float, *, count: int = 40) -> list[float]:
    """Half of them below, half above: exactly that mean, and that deviation (n - 1)."""
    step = deviation * ((count - 1) / count) ** 0.5
    return [mean - step, mean + step] * (count // 2)


def with_levels(levels: Sequence[Sequence[float]]) -> Profile:
    """The k-th level slows by k + 2."""
    made = [level(number, latencies, 2.0 + number) for number, latencies in enumerate(levels)]
    return profile("victim", idle_s=around(10, 1), levels=made)


def probed(latencies: Sequence[float]) -> Profile:
    return profile("aggressor", idle_s=around(10, 1), impact_s=latencies)


def test_average_takes_the_closest_mean() -> None:
    table = with_levels([around(11, 1), around(14, 1), around(20, 1)])

    assert AverageLT().predict(table, [probed(around(16, 5))]).slowdown == pytest.approx(3)
    assert AverageLT().predict(table, [probed(around(18, 5))]).slowdown == pytest.approx(4)
    assert AverageLT().predict(table, [probed(around(17, 5))]).slowdown == pytest.approx(3)  # as close to both


def test_average_and_deviation_take_the_longest_overlap() -> None:
    """[14, 20] against [15, 17] and [16, 26]: 2 and 4, though the first mean is closer."""
    table = with_levels([around(16, 1), around(21, 5)])
    wide = probed(around(17, 3))

    assert AverageLT().predict(table, [wide]).slowdown == pytest.approx(2)
    assert AverageStDevLT().predict(table, [wide]).slowdown == pytest.approx(3)


def test_of_equal_overlaps_the_closer_mean_is_taken() -> None:
    """[14, 16] lies within all three."""
    table = with_levels([around(12, 6), around(14.5, 6), around(20, 9)])

    assert AverageStDevLT().predict(table, [probed(around(15, 1))]).slowdown == pytest.approx(3)


def test_densities_take_the_largest_product() -> None:
    """Two peaks against two peaks at the same places, though a single peak in between has the same mean."""
    two_peaks = around(15, 4)
    table = with_levels([around(15, 1), around(15.5, 4.5), [*around(11, 0.5), *around(19, 0.5)]])
    lookalike = probed([value + shift for value in two_peaks for shift in (-0.1, 0.1)])

    assert AverageLT().predict(table, [lookalike]).slowdown == pytest.approx(2)
    assert PDFLT().predict(table, [lookalike]).slowdown == pytest.approx(3)


@pytest.mark.parametrize("model", TABLES[1:], **by_name)
def test_tables_without_overlap_are_inconclusive(model: Predictor) -> None:
    found = model.predict(with_levels([around(100, 1)]), [probed(around(10, 1))])

    assert found.slowdown is None
    assert "in common" in str(found.reason)


@pytest.mark.parametrize("model", TABLES, **by_name)
def test_the_table_is_the_victims_not_the_aggressors(model: Predictor) -> None:
    """IV-A.1 of the paper says otherwise, by a slip."""
    other = profile("aggressor", idle_s=sample(0.0), impact_s=sample(0.4), levels=[level(0, sample(0.4), 9.0)])

    assert model.predict(ANY, [other]).slowdown == pytest.approx(1.3)


@pytest.mark.parametrize("model", TABLES, **by_name)
def test_a_table_has_the_interval_of_its_compression(model: Predictor) -> None:
    noisy = profile("victim", idle_s=sample(0.0), levels=[
        level(0, sample(0.4), 1.3), level(1, sample(0.8), 2.5, runs=2)
    ])  # fmt: skip

    known, unknown = (model.predict(noisy, [aggressor(at)]) for at in (0.4, 0.8))

    assert (known.low, known.high) == pytest.approx((1.3, 1.3))
    assert (unknown.slowdown, unknown.low) == (pytest.approx(2.5), None)
    assert "too few runs" in str(unknown.reason)


@pytest.mark.parametrize("model", TABLES, **by_name)
def test_tables_know_one_aggressor(model: Predictor) -> None:
    assert "predicts for one aggressor, not for 2" in str(model.predict(ANY, [IDLE, IDLE]).reason)


def waiting(utilisation: float) -> list[float]:
    """Of a switch with constant service (M/D/1)."""
    return [SERVICE_S * (1 + utilisation / (1 - utilisation) / 2)] * 60


def test_queue_by_hand() -> None:
    service = [SERVICE_S] * 60
    made = [level(number, waiting(at), slow) for number, (at, slow) in enumerate(RISING)]
    table = profile("victim", idle_s=service, levels=made)
    at = {share: profile("aggressor", idle_s=service, impact_s=waiting(share)) for share in (0.0, 0.15, 0.3, 0.5, 0.9)}

    found = {share: Queue().predict(table, [one]).slowdown for share, one in at.items()}

    assert found[0.3] == pytest.approx(1.2)
    assert found[0.5] == pytest.approx(1.5)
    assert (found[0.0], found[0.9]) == pytest.approx((1.1, 1.7))  # it stays what it is at its ends
    assert Queue().predict(table, [at[0.15], at[0.15]]).slowdown == pytest.approx(1.2)  # rates add up
    # Least squares: slope 1.5 through the middle, (0.4, 1.3667).
    assert Queue(mapping=QueueMapping.line).predict(table, [at[0.5]]).slowdown == pytest.approx(1.3667 + 0.15, abs=1e-3)


@pytest.mark.parametrize("model", OURS, **by_name)
def test_an_idle_aggressor_causes_no_slowdown(model: Predictor) -> None:
    found = model.predict(ANY, [IDLE])

    assert found.slowdown == pytest.approx(1, abs=1e-6)
    assert found.low is not None
    assert found.low <= 1


@pytest.mark.parametrize("model", (*PAPERS, *OURS), **by_name)
def test_without_aggressors_there_is_no_slowdown(model: Predictor) -> None:
    assert model.predict(ANY, []) == NOT_SLOWED


@pytest.mark.parametrize("model", (*PAPERS, *OURS), **by_name)
def test_profiles_of_several_machines_do_not_mix(model: Predictor) -> None:
    other = profile("other", idle_s=sample(0.0), impact_s=sample(0.3), machine="elsewhere", links={})

    assert "several machines: elsewhere, lab" in str(model.predict(ANY, [other]).reason)


@pytest.mark.parametrize("model", (*PAPERS, Monotone(), PhaseAware()), **by_name)
def test_an_aggressor_without_an_impact_is_a_reason(model: Predictor) -> None:
    found = model.predict(ANY, [profile("silent", idle_s=sample(0.0))])

    assert (found.slowdown, found.reason) == (None, "the impact of silent was not measured")


@pytest.mark.parametrize("model", (*PAPERS, *OURS), **by_name)
def test_a_victim_without_congestion_levels_is_a_reason(model: Predictor) -> None:
    found = model.predict(aggressor(0.3, links={}), [IDLE])

    assert (found.slowdown, found.reason) == (None, "aggressor was not measured at any congestion level")


@pytest.mark.parametrize("model", (Monotone(), PhaseAware()), **by_name)
def test_an_aggressor_with_an_inconclusive_load_is_not_guessed(model: Predictor) -> None:
    faster = profile("odd", idle_s=sample(0.0), impact_s=[value / 2 for value in sample(0.0)])

    assert "odd: probes were faster under load" in str(model.predict(ANY, [faster]).reason)


def test_queue_predicts_as_published_where_this_work_has_no_utilisation() -> None:
    """Idle latencies that drift, and a load that saturates: the paper has no conditions."""
    drifting = [latency * (1 + number / 60) for number, latency in enumerate(sample(0.0))]
    odd = profile("odd", idle_s=drifting, impact_s=sample(0.97))

    assert PhaseAware().predict(ANY, [odd]).slowdown is None
    assert Queue().predict(ANY, [odd]).slowdown == pytest.approx(2.5)


def test_monotone_by_hand() -> None:
    """Logarithms go straight from (0, 0) through each compression; the pair that falls is levelled out."""
    table = victim({0.2: 1.2, 0.4: 1.6, 0.6: 1.4})
    model = Monotone()

    found = {at: model.predict(table, [aggressor(at)]).slowdown for at in (0.1, 0.2, 0.5)}

    assert found[0.1] == pytest.approx(1.2**0.5, abs=1e-3)
    assert found[0.2] == pytest.approx(1.2, abs=1e-3)
    assert found[0.5] == pytest.approx((1.6 * 1.4) ** 0.5, abs=1e-3)


def test_beyond_the_heaviest_compression_there_is_no_upper_bound() -> None:
    found = Monotone().predict(ANY, [aggressor(0.9)])

    assert found.slowdown == pytest.approx(2.5, abs=1e-3)
    assert found.low is not None
    assert (found.high, found.reason) == (None, "a load of 90% is beyond the heaviest congestion level, 80%")


shares = st.floats(min_value=0, max_value=0.94)


@examples(25)
@given(shares, shares)
def test_a_busier_aggressor_never_slows_less(one: float, other: float) -> None:
    low, high = sorted((one, other))
    for model in (Queue(), Monotone(), PhaseAware()):
        light, heavy = (model.predict(ANY, [aggressor(at)]).slowdown for at in (low, high))
        assert light is not None
        assert heavy is not None
        assert light <= heavy + 1e-9


@examples(20)
@given(st.floats(min_value=1e-6, max_value=1e6), st.sampled_from((*PAPERS, *OURS)))
def test_the_unit_of_time_does_not_matter(unit: float, model: Predictor) -> None:
    def scaled(latencies: Sequence[float]) -> list[float]:
        return [value * unit for value in latencies]

    table = profile("victim", idle_s=scaled(sample(0.0)), links={"a": 1.0}, levels=[
        level(number, scaled(sample(at)), slow) for number, (at, slow) in enumerate(RISING)
    ])  # fmt: skip
    busy = profile("busy", idle_s=scaled(sample(0.0)), impact_s=scaled(sample(0.38)), links={"a": 0.38})
    plain = victim(dict(RISING), links={"a": 1.0})

    here = model.predict(plain, [aggressor(0.38, links={"a": 0.38})])
    there = model.predict(table, [busy])

    assert there.slowdown == pytest.approx(here.slowdown, rel=1e-6)
    assert there.low == pytest.approx(here.low, rel=1e-6)


@given(
    st.lists(
        st.tuples(st.floats(min_value=0, max_value=1), st.floats(min_value=-0.5, max_value=2)), min_size=1, max_size=9
    )
)
def test_curves_begin_at_nothing_and_never_fall(points: list[tuple[float, float]]) -> None:
    curve = monotone_curve(*(np.array(part) for part in zip(*points, strict=True)))

    places = np.linspace(0, 1, 50)
    logs = curve.log_at(places)
    assert logs[0] == 0
    assert np.all(np.diff(logs) >= -1e-12)
    assert curve.top == max(place for place, _ in points)


def test_curves_keep_points_that_rise() -> None:
    curve = monotone_curve(np.array([0.2, 0.5, 0.5]), np.array([0.1, 0.2, 0.4]))

    assert curve.utilisations.tolist() == [0, 0.2, 0.5]
    assert curve.log_slowdowns.tolist() == pytest.approx([0, 0.1, 0.3])


@pytest.mark.parametrize(("composition", "expected"), [(Composition.added, 0.9), (Composition.left_over, 0.7)])
def test_loads_add_up(composition: Composition, expected: float) -> None:
    assert float(combined_utilisation([np.array(0.5), np.array(0.4)], composition)) == pytest.approx(expected)
    assert float(combined_utilisation([np.array(0.5), np.array(0.8)], composition)) <= 1
    assert float(combined_utilisation([np.array(0.5)], composition)) == 0.5


@pytest.mark.parametrize("model", (Queue(), Monotone(), PhaseAware(), PerLink()), **by_name)
def test_two_aggressors_slow_more_than_one(model: Predictor) -> None:
    one = aggressor(0.3, links={"a": 0.3})

    single, both = (model.predict(ANY, some).slowdown for some in ([one], [one, one]))

    assert single is not None
    assert both is not None
    assert single < both


def test_the_busiest_link_that_the_victim_uses_decides() -> None:
    table = victim(dict(RISING), links={"a": 0.5, "b": 0.1, "c": 0.0})
    busy = aggressor(0.9, links={"a": 0.2, "b": 0.4, "c": 0.9})

    assert PerLink().predict(table, [busy]).slowdown == pytest.approx(1.3, abs=0.01)
    assert PerLink().predict(table, [aggressor(0.9, links={"c": 0.9})]).slowdown == pytest.approx(1)
    assert PerLink().predict(table, [busy, busy]).slowdown == pytest.approx(1.7, abs=0.1)


def test_link_counters_of_congestion_levels_have_priority_over_probes() -> None:
    """Compressions of 10, 20 and 30 % by probes took 30, 50 and 70 % of link a."""
    made = victim({0.1: 1.1, 0.2: 1.3, 0.3: 1.7}, links={"a": 0.5})
    counted = tuple(
        replace(one, links={"a": share, "b": 0.9}) for one, share in zip(made.levels, (0.3, 0.5, 0.7), strict=True)
    )
    busy = aggressor(0.9, links={"a": 0.5})

    assert PerLink().predict(replace(made, levels=counted), [busy]).slowdown == pytest.approx(1.3, abs=0.01)
    assert PerLink().predict(made, [busy]).slowdown == pytest.approx(1.7, abs=0.01)
    some = (replace(counted[0], links=None), *counted[1:])
    assert PerLink().predict(replace(made, levels=some), [busy]).slowdown == pytest.approx(1.7, abs=0.01)


def test_missing_link_counters_are_a_reason() -> None:
    found = PerLink().predict(victim({0.2: 1.1}), [aggressor(0.3, links={})])

    assert (found.slowdown, found.reason) == (None, "no link counters of victim")


@pytest.mark.parametrize("model", (*PAPERS, *OURS), **by_name)
def test_probes_within_one_host_give_no_prediction(model: Predictor) -> None:
    blind = replace(ANY, provenance=replace(ANY.provenance, configuration={"pairs": "h0+h1 h2"}))

    aggressors = (IDLE, replace(IDLE, provenance=blind.provenance))
    for slowed, other, named in ((blind, aggressors[0], "victim"), (ANY, aggressors[1], "aggressor")):
        found = model.predict(slowed, [other])
        assert found.slowdown is None
        assert found.reason is not None
        assert found.reason.startswith(f"{named}: both ranks of a pair are on h2")


def test_phases_by_hand() -> None:
    """Three quarters of the time nothing, a quarter at 60 %: in 4 s the victim does the work of 3 + 1 / 1.7."""
    table = victim(dict(RISING))
    sometimes = profile("amg", idle_s=sample(0.0), impact_s=[*sample(0.0, count=180), *sample(0.6)])

    assert PhaseAware().predict(table, [sometimes]).slowdown == pytest.approx(4 / (3 + 1 / 1.7), abs=0.01)


BURSTY = Application(name="bursty", phases=((0.85, 0.02), (0.15, 0.85)), suffers=0.1, bend=1.0)
SENSITIVE = Application(name="sensitive", phases=((1.0, 0.5),), suffers=3.0, bend=1.2)


def test_where_load_comes_in_phases_queue_is_wrong_and_phases_are_right() -> None:
    """What the paper says of FFTW beside AMG (V-B), in a world where the truth is known."""
    truth = co_run(SENSITIVE, [BURSTY])
    table, bursty = profile_in_world(SENSITIVE, seed=1), profile_in_world(BURSTY, seed=2)

    queue, monotone_, phases = (model.predict(table, [bursty]) for model in (Queue(), Monotone(), PhaseAware()))

    assert queue.slowdown is not None
    assert monotone_.slowdown is not None
    assert queue.slowdown > truth + 0.5
    assert monotone_.slowdown > truth + 0.5
    assert phases.slowdown == pytest.approx(truth, abs=0.05)


def test_three_in_a_world_where_the_truth_is_known() -> None:
    others = [Application(name=str(busy), phases=((1.0, busy),), suffers=1.0, bend=1.0) for busy in (0.3, 0.5)]
    truth = co_run(SENSITIVE, others)

    found = PhaseAware().predict(
        profile_in_world(SENSITIVE, seed=1), [profile_in_world(one, seed=3 + n) for n, one in enumerate(others)]
    )

    assert found.slowdown == pytest.approx(truth, rel=0.05)
    assert found.low is not None
    assert found.high is not None
    assert found.low <= truth <= found.high


def test_intervals_contain_the_truth_at_their_nominal_rate() -> None:
    steady = Application(name="steady", phases=((1.0, 0.6),), suffers=1.0, bend=1.0)
    truth = co_run(SENSITIVE, [steady])
    held = 0
    for seed in range(25):
        found = Monotone().predict(profile_in_world(SENSITIVE, seed=seed), [profile_in_world(steady, seed=seed + 100)])
        assert found.low is not None
        assert found.high is not None
        held += found.low <= truth <= found.high
        assert log(found.high / found.low) < log(1.4)

    assert held >= 22


def test_waits_are_counted_in_packets_where_their_time_is_known() -> None:
    """Packets of 20 us at 50 % let probes wait 10 us, which in probes' own time would be a switch that is saturated."""
    idle, packet_s = sample(0.0), 20 * SERVICE_S
    waiting = {share: [one + share / (1 - share) * packet_s / 2 for one in idle] for share in (0.25, 0.5, 0.75)}
    levels = [level(number, latencies, 1 + share) for number, (share, latencies) in enumerate(waiting.items())]
    made = profile("victim", idle_s=idle, levels=levels, impact_s=waiting[0.5])
    knowing = replace(made, probe=replace(made.probe, packet_s=packet_s))

    assert Monotone().predict(knowing, [knowing]).slowdown == pytest.approx(1.5, rel=0.02)
    assert Monotone().predict(made, [made]).slowdown is None
