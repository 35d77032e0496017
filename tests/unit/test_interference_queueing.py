"""The queue's formulas, and utilisations from probes, against a simulation that knows no formula."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.queues import (
    MEAN_S,
    Law,
    Traffic,
    constant,
    exponential,
    gamma,
    idle_latencies,
    loaded_latencies,
    two_sizes,
)

from stressbench.interference.errors import Inconclusive
from stressbench.interference.phases import constant_load_segments, phases_of
from stressbench.interference.queueing import (
    Service,
    arrival_rate,
    mean_time,
    mean_wait,
    own_load,
    utilisation_of_wait,
)
from stressbench.interference.utilisation import (
    DEFAULT_ESTIMATOR,
    PAPER_ESTIMATOR,
    Estimator,
    ServiceTime,
    estimate_utilisation,
    point_estimate,
    probes_needed,
    service_estimate,
)

SERVICES = 400_000
LAWS = [pytest.param(law, id=law.__name__) for law in (exponential, constant, gamma, two_sizes)]
LOADS = (0.1, 0.3, 0.5, 0.7)

utilisations = st.floats(min_value=0, max_value=0.99)
services = st.builds(
    Service, mean_s=st.floats(min_value=1e-9, max_value=10), variance_s2=st.floats(min_value=0, max_value=100)
)


def lognormal(mean: float, spread: float, count: int, seed: int) -> np.ndarray:
    return mean * np.random.default_rng(seed).lognormal(-spread * spread / 2, spread, count)


@pytest.mark.parametrize(("variance_s2", "wait_s"), [(4.0, 2.0), (0.0, 1.0), (12.0, 4.0)])
def test_waits_are_those_of_the_textbook(variance_s2: float, wait_s: float) -> None:
    """At half load: as long as a service for M/M/1, half of it for M/D/1."""
    service = Service(mean_s=2.0, variance_s2=variance_s2)

    assert mean_wait(0.5, service) == pytest.approx(wait_s)
    assert mean_time(0.5, service) == pytest.approx(wait_s + 2)


def test_the_inversion_is_the_equation_of_the_paper() -> None:
    """Equation (3), as printed, for mu = 0.5, Var(S) = 3 and W = 7."""
    service = Service(mean_s=2.0, variance_s2=3.0)
    rate = (2 - 2 * 7 * 0.5) / (-2 * 7 + 2 / 0.5 - 0.5 * 3 - 1 / 0.5)

    assert arrival_rate(7.0, service) == pytest.approx(rate)
    assert utilisation_of_wait(5.0, service) == pytest.approx(rate / 0.5)


@given(utilisations, services)
def test_the_inversion_undoes_the_formula(rho: float, service: Service) -> None:
    assert utilisation_of_wait(mean_wait(rho, service), service) == pytest.approx(rho, abs=1e-9)


@given(utilisations, utilisations, services)
def test_more_load_waits_longer(one: float, other: float, service: Service) -> None:
    low, high = sorted((one, other))

    assert mean_wait(low, service) <= mean_wait(high, service)


@pytest.mark.parametrize("rho", [-0.1, 1.0, 1.5])
def test_a_queue_that_is_overrun_has_no_mean_wait(rho: float) -> None:
    with pytest.raises(ValueError, match=f"utilisation {rho}"):
        mean_wait(rho, Service(mean_s=1, variance_s2=0))


def test_a_time_below_the_service_is_no_wait() -> None:
    with pytest.raises(Inconclusive, match="is negative"):
        arrival_rate(1.0, Service(mean_s=2, variance_s2=0))


@pytest.mark.parametrize(("mean_s", "variance_s2"), [(0, 1), (-1, 1), (1, -1), (float("nan"), 1), (1, float("nan"))])
def test_an_impossible_service_is_refused(mean_s: float, variance_s2: float) -> None:
    with pytest.raises(ValueError, match="expected"):
        Service(mean_s=mean_s, variance_s2=variance_s2)


def test_probes_own_load_counts_both_messages() -> None:
    assert own_load(pairs=9, interval_s=0.1, service=Service(mean_s=1e-6, variance_s2=0)) == pytest.approx(180e-6)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("load", LOADS)
def test_a_simulated_load_is_read_within_a_point(law: Law, load: float) -> None:
    idle = idle_latencies(law, count=50_000)
    loaded = loaded_latencies([(Traffic(load=load, law=law), SERVICES)])

    read = estimate_utilisation(idle, loaded)

    assert read.reason is None
    assert read.value == pytest.approx(load, abs=0.01)


@pytest.mark.parametrize("law", LAWS)
def test_an_idle_machine_reads_as_less_than_three_points_with_as_many_probes_as_that_takes(law: Law) -> None:
    enough = probes_needed(idle_latencies(law, count=1000), half_width=0.03)
    readings = []
    for seed in range(40):
        idle, loaded = (idle_latencies(law, count=enough, seed=2 * seed + part) for part in (0, 1))
        readings.append(point_estimate(idle, loaded))

    assert np.quantile(readings, 0.9) < 0.03
    assert enough == 30 or max(readings) > 0.01  # no more than needed


def test_the_least_latency_as_service_lets_an_idle_machine_look_busy() -> None:
    """Why the mean is ours: with the paper's minimum an idle switch of gently varying latency reads a third."""
    idle = lognormal(1e-6, 0.15, 1000, seed=1)
    again = lognormal(1e-6, 0.15, 1000, seed=2)

    assert point_estimate(idle, again, estimator=PAPER_ESTIMATOR) > 0.3
    assert point_estimate(idle, again, estimator=DEFAULT_ESTIMATOR) < 0.03


def test_limits_ninety_percent_is_read_roughly_and_full_not_at_all() -> None:
    idle = idle_latencies(exponential, count=50_000)
    at_ninety = estimate_utilisation(idle, loaded_latencies([(Traffic(load=0.9, law=exponential), SERVICES)]))
    at_ninety_eight = estimate_utilisation(idle, loaded_latencies([(Traffic(load=0.98, law=exponential), SERVICES)]))

    assert at_ninety.value == pytest.approx(0.9, abs=0.02)
    assert at_ninety_eight.value is None
    assert at_ninety_eight.high is None
    assert at_ninety_eight.low is not None
    assert at_ninety_eight.low > 0.9
    assert "saturated" in str(at_ninety_eight.reason)


def test_limits_bursts_read_as_more_load_than_there_is() -> None:
    """Packets that come ten at a time wait for each other: no Poisson stream, and 50 % reads as over 80 %."""
    idle = idle_latencies(constant, count=1000)
    bursts = loaded_latencies([(Traffic(load=0.5, law=constant, burst=10), SERVICES)])

    assert point_estimate(idle, bursts) > 0.8
    assert point_estimate(idle, bursts, packets=Service(mean_s=10 * MEAN_S, variance_s2=0)) == pytest.approx(
        0.5, abs=0.02
    )


def test_limits_a_buffer_that_overflows_reads_as_less_than_is_offered() -> None:
    idle = idle_latencies(constant, count=1000)
    overrun = loaded_latencies([(Traffic(load=1.5, law=constant, room=8), SERVICES)])

    read = estimate_utilisation(idle, overrun)

    assert read.value is not None
    assert 0.9 < read.value < 0.95


def test_known_packets_replace_probes_as_the_traffic() -> None:
    """Long packets load the switch, probes are short: taken to be alike, the load is overstated."""
    long_ones = loaded_latencies([(Traffic(load=0.4, law=constant), SERVICES)])
    short_probe = 0.1 * MEAN_S
    idle, loaded = np.full(1000, short_probe), long_ones - MEAN_S + short_probe

    known = estimate_utilisation(idle, loaded, packets=Service(mean_s=MEAN_S, variance_s2=0))

    assert known.value == pytest.approx(0.4, abs=0.01)
    assert point_estimate(idle, loaded) > 0.8


def test_half_round_trips_vary_half_as_much() -> None:
    law = two_sizes
    pairs = idle_latencies(law, count=200_000).reshape(-1, 2).mean(axis=1)
    loaded = loaded_latencies([(Traffic(load=0.5, law=law), SERVICES)])

    assert point_estimate(pairs, loaded, estimator=Estimator(averaged=2)) == pytest.approx(0.5, abs=0.01)
    assert point_estimate(pairs, loaded) > 0.55


def test_intervals_contain_the_truth_at_their_nominal_rate() -> None:
    held = 0
    loaded = loaded_latencies([(Traffic(load=0.6, law=exponential), 2_000_000)], every=60.0)
    random = np.random.default_rng(3)
    for seed in range(100):
        found = estimate_utilisation(idle_latencies(exponential, count=300, seed=seed), random.choice(loaded, 300))
        assert found.low is not None
        assert found.high is not None
        held += found.low <= 0.6 <= found.high

    assert 88 <= held <= 100


GOOD = lognormal(1e-4, 0.1, 200, seed=1)


@pytest.mark.parametrize(
    ("idle", "loaded", "said"),
    [
        pytest.param(GOOD[:29], GOOD, "29 probes on the idle machine", id="few-idle"),
        pytest.param(GOOD, GOOD[:3], "3 probes under load", id="few-loaded"),
        pytest.param(GOOD, np.append(GOOD, 0.0), "a latency of 0 s under load", id="zero"),
        pytest.param(np.append(GOOD, np.nan), GOOD, "a latency of nan s on the idle machine", id="nan"),
        pytest.param(GOOD, GOOD / 2, "faster under load", id="below-idle"),
        pytest.param(GOOD, 1000 * GOOD, "saturated", id="saturated"),
        pytest.param(np.append(GOOD, 1.0), GOOD, "something else was running", id="idle-varies"),
        pytest.param(GOOD * np.linspace(1, 2, 200), GOOD, "latencies drifted by", id="idle-drifts"),
        pytest.param(GOOD, GOOD * np.linspace(1, 20, 200), "no steady state", id="loaded-drifts"),
    ],
)
def test_where_the_model_does_not_apply_there_is_a_reason(idle: np.ndarray, loaded: np.ndarray, said: str) -> None:
    found = estimate_utilisation(idle, loaded)

    assert found.value is None
    assert said in str(found.reason)


def test_a_drift_that_is_small_compared_to_the_packets_is_accepted() -> None:
    packets = Service(mean_s=20 * float(GOOD.mean()), variance_s2=0)

    found = estimate_utilisation(GOOD * np.linspace(1, 2, 200), GOOD + packets.residual_s, packets=packets)

    assert found.value == pytest.approx(0.5, abs=0.05)


def test_probes_slightly_faster_than_idle_compared_to_a_packet_are_idle() -> None:
    packets = Service(mean_s=20 * float(GOOD.mean()), variance_s2=0)

    assert estimate_utilisation(GOOD, GOOD / 2).value is None
    assert estimate_utilisation(GOOD, GOOD / 2, packets=packets).value == 0


def test_a_little_below_idle_is_idle() -> None:
    found = estimate_utilisation(GOOD, GOOD * 0.99)

    assert (found.value, found.reason) == (0, None)


@given(st.floats(min_value=1e-6, max_value=1e6))
def test_the_unit_of_time_does_not_matter(unit: float) -> None:
    loaded = GOOD * 1.5

    here, there = estimate_utilisation(GOOD, loaded), estimate_utilisation(GOOD * unit, loaded * unit)

    assert there.value == pytest.approx(here.value)
    assert (there.low, there.high) == pytest.approx((here.low, here.high), rel=1e-6)


@given(st.floats(min_value=0, max_value=3), st.floats(min_value=0, max_value=3))
def test_longer_latencies_never_read_as_less(one: float, other: float) -> None:
    low, high = sorted((one, other))

    assert point_estimate(GOOD, GOOD * (1 + low)) <= point_estimate(GOOD, GOOD * (1 + high))


def test_services_are_read_as_asked_for() -> None:
    latencies = np.array([1.0, 2.0, 3.0])

    assert service_estimate(latencies, Estimator(service=ServiceTime.minimum)) == Service(mean_s=1, variance_s2=1)
    assert service_estimate(latencies, Estimator(averaged=2)) == Service(mean_s=2, variance_s2=2)


def test_phases_of_a_simulated_application_are_found_with_their_loads() -> None:
    idle = idle_latencies(exponential, count=20_000)
    quiet, busy = (Traffic(load=load, law=exponential) for load in (0.05, 0.8))
    loaded = loaded_latencies([(quiet, 150_000), (busy, 50_000), (quiet, 100_000)], every=200.0)

    found = phases_of(idle, loaded)

    assert [phase.share for phase in found] == pytest.approx([0.5, 1 / 6, 1 / 3], abs=0.02)
    assert [phase.utilisation for phase in found] == pytest.approx([0.05, 0.8, 0.05], abs=0.06)


def test_phases_are_weighted_by_their_duration() -> None:
    """A hundred probes of the quiet phase in one second, a hundred of the busy one in nine; handed in out of order."""
    at_s = np.concatenate([np.linspace(0, 1, 100), np.linspace(1, 10, 100)])
    loaded = np.concatenate([GOOD[:100], GOOD[:100] * 5])
    order = np.random.default_rng(1).permutation(200)

    found = phases_of(GOOD, loaded[order], at_s=at_s[order])

    assert [phase.share for phase in found] == pytest.approx([0.1, 0.9], abs=0.01)


def test_without_change_there_is_one_phase() -> None:
    cut = sum(len(constant_load_segments(lognormal(1.0, 0.5, 1000, seed=seed))) > 1 for seed in range(300))

    assert cut <= 2
    assert constant_load_segments(np.ones(100)) == (slice(0, 100),)
    assert constant_load_segments(np.arange(30.0)) == (slice(0, 30),)
