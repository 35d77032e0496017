"""Utilisation from undelayed probes, of simulated queues whose service times the estimate does not know."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from support.queues import MEAN_S, Law, Traffic, constant, exponential, loaded_latencies, two_sizes

from stressbench.interference.undelayed import estimate_from_undelayed, undelayed_mixture

Floats = NDArray[np.float64]
PROBES = 1500
FEW = 19  # bootstrap samples where the interval does not matter


def normal(random: np.random.Generator) -> Floats:
    return random.normal(20.0, 1.0, PROBES)


def skewed(random: np.random.Generator) -> Floats:
    return 20.0 + random.lognormal(0.0, 0.8, PROBES)


def waits(load: float, law: Law, *, burst: int = 1, seed: int = 1) -> Floats:
    """How long probes wait, in mean service times of a burst. Probes are 20 such times apart."""
    every = 20.0 * burst
    traffic = Traffic(load=load, law=law, burst=burst)
    seen_s = loaded_latencies([(traffic, PROBES * every)], every=every, seed=seed, probe=lambda _: 0.0)
    return np.resize(seen_s, PROBES) / (MEAN_S * burst)


def idle_and_loaded(
    waited: Floats, *, service: float, noise: Callable[[np.random.Generator], Floats] = normal, seed: int = 3
) -> tuple[Floats, Floats]:
    """Latencies whose variation is 1 on the idle machine, and those with waits; `service`: of the traffic."""
    random = np.random.default_rng(seed)
    return noise(random), noise(random) + service * waited


@pytest.mark.parametrize("load", [0.1, 0.3, 0.5, 0.7, 0.9])
@pytest.mark.parametrize("law", [constant, exponential, two_sizes])
@pytest.mark.parametrize("noise", [normal, skewed])
@pytest.mark.parametrize("service", [10.0, 100.0])
def test_a_load_is_found_within_five_points_whatever_the_service_time_is(
    load: float, law: Law, noise: Callable[[np.random.Generator], Floats], service: float
) -> None:
    idle, loaded = idle_and_loaded(waits(load, law), service=service, noise=noise)

    found = estimate_from_undelayed(idle, loaded, directions=1, resamples=FEW)

    assert found.reason is None
    assert found.value == pytest.approx(load, abs=0.05)


def test_bursts_do_not_change_the_share_of_undelayed_probes() -> None:
    idle, loaded = idle_and_loaded(waits(0.5, constant, burst=10), service=100.0)

    found = estimate_from_undelayed(idle, loaded, directions=1, resamples=FEW)

    assert found.value == pytest.approx(0.5, abs=0.05)


def test_waits_for_cores_that_are_short_beside_those_for_the_network_are_none() -> None:
    """Beside the program, a fifth of the probes takes up to five times as long as an idle one, for want of a core."""
    idle, loaded = idle_and_loaded(waits(0.4, constant), service=10_000.0)
    random = np.random.default_rng(7)
    loaded += np.where(random.random(PROBES) < 0.2, random.uniform(20.0, 80.0, PROBES), 0.0)

    found = estimate_from_undelayed(idle, loaded, directions=1, resamples=FEW)

    assert found.value == pytest.approx(0.4, abs=0.05)


@pytest.mark.parametrize("noise", [normal, skewed])
def test_an_idle_machine_is_idle(noise: Callable[[np.random.Generator], Floats]) -> None:
    idle, loaded = idle_and_loaded(np.zeros(PROBES), service=1.0, noise=noise)

    found = estimate_from_undelayed(idle, loaded, directions=1)

    assert found.value is not None
    assert found.value < 0.03
    assert found.low == pytest.approx(0, abs=0.005)


def test_no_more_than_all_probes_are_undelayed() -> None:
    random = np.random.default_rng(3)
    shares = [
        undelayed_mixture(*(1e-5 * (1 + 0.1 * random.gamma(2, 1, 400)) for _ in range(2))).undelayed for _ in range(12)
    ]

    assert max(shares) == 1.0


def test_a_round_trip_passes_two_queues() -> None:
    both = (waits(0.5, exponential, seed=1) + waits(0.5, exponential, seed=2)) / 2
    idle, loaded = idle_and_loaded(both, service=50.0)

    found = estimate_from_undelayed(idle, loaded, resamples=FEW)

    assert found.value == pytest.approx(0.5, abs=0.05)
    assert undelayed_mixture(idle, loaded).undelayed == pytest.approx(0.25, abs=0.05)


def test_a_load_in_one_direction_is_that_of_one_queue() -> None:
    idle, loaded = idle_and_loaded(waits(0.5, exponential) / 2, service=50.0)

    assert undelayed_mixture(idle, loaded).undelayed == pytest.approx(0.5, abs=0.05)


def test_the_mean_wait_is_that_of_delayed_probes() -> None:
    waited = waits(0.5, exponential)
    idle, loaded = idle_and_loaded(waited, service=50.0)

    assert undelayed_mixture(idle, loaded).wait_s == pytest.approx(50 * waited[waited > 0].mean(), rel=0.1)


def test_intervals_contain_the_load() -> None:
    contained = 0
    for seed in range(12):
        idle, loaded = idle_and_loaded(waits(0.5, exponential, seed=seed), service=20.0, seed=seed)
        found = estimate_from_undelayed(idle[:600], loaded[:600], directions=1, resamples=39)
        assert found.low is not None
        assert found.high is not None
        contained += found.low <= 0.5 <= found.high

    assert contained >= 10  # 39 samples give intervals that are slightly too narrow


def test_waits_that_are_as_short_as_idle_latencies_vary_are_not_told() -> None:
    idle, loaded = idle_and_loaded(waits(0.4, constant), service=1.0)

    found = estimate_from_undelayed(idle, loaded, directions=1)

    assert found.value is None
    assert "waits this short cannot be told from that variation" in (found.reason or "")


def test_a_saturated_link_has_a_lower_bound() -> None:
    idle, loaded = idle_and_loaded(1.0 + waits(0.9, constant), service=50.0)

    found = estimate_from_undelayed(idle, loaded, directions=1)

    assert (found.value, found.high) == (None, None)
    assert found.low is not None
    assert found.low > 0.95
    assert "saturated" in (found.reason or "")


@pytest.mark.parametrize(
    ("idle", "loaded", "reason"),
    [
        (np.full(50, 1.0), np.full(50, 1.0), "the clock is too coarse"),
        (np.linspace(1, 2, 29), np.linspace(1, 2, 50), "29 probes on the idle machine"),
        (np.linspace(1, 2, 50), np.linspace(1, 2, 29), "29 probes under load"),
        (np.linspace(1, 2, 50), np.linspace(-1, 2, 50), "a latency of -1 s under load"),
    ],
)
def test_without_an_answer_there_is_a_reason(idle: Floats, loaded: Floats, reason: str) -> None:
    found = estimate_from_undelayed(idle, loaded, directions=1)

    assert found.value is None
    assert reason in (found.reason or "")


def test_probes_that_are_rarer_while_they_wait_count_for_the_time_between_them() -> None:
    """Half of the time probes wait, but only every fourth of them was sent then."""
    random = np.random.default_rng(3)
    idle, noise = normal(random), normal(random)
    waiting = np.arange(PROBES) % 4 == 0
    loaded = noise + np.where(waiting, 50 * random.random(PROBES), 0.0)

    equal, weighted = (
        estimate_from_undelayed(idle, loaded, directions=1, weights=weights, resamples=FEW)
        for weights in (None, np.where(waiting, 3.0, 1.0))
    )

    assert equal.value == pytest.approx(0.25, abs=0.04)
    assert weighted.value == pytest.approx(0.5, abs=0.04)


@pytest.mark.parametrize("load", [0.1, 0.5, 0.9])
def test_a_machine_that_answers_later_beside_the_program_does_not_look_busier(load: float) -> None:
    """Undelayed probes take three standard deviations longer, and vary by half as much again."""
    idle, loaded = idle_and_loaded(waits(load, exponential), service=300.0)

    found = estimate_from_undelayed(idle, loaded + 3 + 0.5 * (normal(np.random.default_rng(9)) - 20), directions=1)

    assert found.value == pytest.approx(load, abs=0.05)
    assert found.low is not None
    assert found.low > 0.5 * load


def test_probes_that_all_take_a_little_longer_waited_for_cores() -> None:
    random = np.random.default_rng(3)
    idle, loaded = normal(random), normal(random) + 5

    found = estimate_from_undelayed(idle, loaded, directions=1, resamples=FEW)

    assert found.value is None
    assert "they waited for cores rather than for the network" in (found.reason or "")


def test_probes_that_vary_differently_beside_the_program_are_not_taken_for_delayed_ones() -> None:
    """As on a lab whose cores are busy: some probes are faster than on the idle machine, and some slower."""
    random = np.random.default_rng(3)
    idle, loaded = normal(random), 20 + 3 * random.standard_normal(PROBES)

    found = estimate_from_undelayed(idle, loaded, directions=1, resamples=FEW)

    assert (found.value, found.low) == (None, 0)
    assert found.high is not None
    assert found.high > 0.3
    assert "waits for the network cannot be told from those for cores" in (found.reason or "")
