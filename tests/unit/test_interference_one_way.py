"""One-way delays from raw clocks whose offset and drift are known."""

import numpy as np
import pytest

from stressbench.interference.one_way import LEAST_PROBES, forward_delays

COUNT = 600
TIMES_S = 0.1 * np.arange(COUNT)


@pytest.mark.parametrize("offset_s", [0.0, 3600.0, -1e6])
@pytest.mark.parametrize("drift", [0.0, 2e-5, -2e-5])
@pytest.mark.parametrize("busy", [0.0, 0.3, 0.8])
def test_the_offset_of_clocks_and_its_drift_are_removed(offset_s: float, drift: float, busy: float) -> None:
    random = np.random.default_rng(1)
    forward, backward = (50e-6 + random.normal(0, 1e-6, COUNT) for _ in range(2))
    waits = np.where(random.random(COUNT) < busy, random.exponential(5e-3, COUNT), 0.0)
    offset = offset_s + drift * TIMES_S

    found = forward_delays((forward + waits + backward) / 2, forward + waits + offset, backward - offset, at_s=TIMES_S)

    assert found is not None
    error_s = found - (forward + waits)
    assert np.abs(error_s).max() < 5e-6  # of the noise, 1 us; the drift alone would be 1.2 ms
    assert np.abs(np.median(error_s)) < 1e-6


def test_both_directions_add_up_to_the_round_trip() -> None:
    latencies = np.linspace(1.0, 2.0, COUNT)

    found = forward_delays(latencies, 1.5 * latencies + 7, 0.5 * latencies - 7, at_s=TIMES_S)

    assert found is not None
    assert np.all((found > 0) & (found < 2 * latencies))


def test_few_probes_make_no_line() -> None:
    few = np.ones(LEAST_PROBES - 1)

    assert forward_delays(few, few, few, at_s=few) is None


def test_probes_at_the_same_time_have_no_drift() -> None:
    same = np.ones(LEAST_PROBES)

    found = forward_delays(same, same + 5, same - 5, at_s=same)

    assert found == pytest.approx(same)


def test_no_message_arrives_before_it_was_sent() -> None:
    """The fastest round trips are those that are fast on the way there, and few are as fast on the way back."""
    forward, backward = np.full(COUNT, 80e-6), np.full(COUNT, 70e-6)
    forward[::10], backward[5::100] = 20e-6, 10e-6
    latencies = (forward + backward) / 2

    found = forward_delays(latencies, forward + 3600, backward - 3600, at_s=TIMES_S)

    assert found is not None
    assert min(found.min(), (2 * latencies - found).min()) == pytest.approx(0.1 * latencies.min())
    assert found - forward == pytest.approx(np.full(COUNT, found[0] - forward[0]))  # all are moved alike


def test_a_drift_that_cannot_be_told_leaves_possible_delays() -> None:
    forward, backward = np.full(COUNT, 80e-6), np.full(COUNT, 70e-6)
    forward[:60], backward[-60:] = 20e-6, 20e-6  # so the fastest round trips say that clocks drift
    latencies = (forward + backward) / 2

    found = forward_delays(latencies, forward, backward, at_s=TIMES_S)

    assert found is not None
    assert min(found.min(), (2 * latencies - found).min()) > 0
