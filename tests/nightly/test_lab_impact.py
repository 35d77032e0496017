"""`stressbench impact` on a lab: what it says of a link whose load is known, beside a program that calls no MPI.

Twenty seconds of a Poisson stream tell 40 % to within 3 points, and the lab takes some off (docs/how-to/impact.md);
longer measurements at more loads: benchmarks/known_utilisation.py.
"""

from functools import cache

import pytest
from support.measured import Tolerated, median_of

BURST = 131072
SECONDS = 20


@pytest.fixture(scope="module")
def reading(benchmark, lab_up, monkeypatch_module):
    """Measures a known share of the links of `tiny`, once for each seed."""
    known = benchmark("known_utilisation")
    tiny = lab_up("tiny")
    for name, value in tiny.environment.items():
        monkeypatch_module.setenv(name, value)

    @cache
    def read(share: float, *, seed: int, one_way: bool = False):
        load = known.Load(share=share, rate_bits_per_s=100e6, burst=BURST, seconds=SECONDS, one_way=one_way)
        return known.measure(load, on="lab:tiny", seed=seed, every="10ms", idle="4s")

    return read


@pytest.fixture(scope="module")
def monkeypatch_module():
    with pytest.MonkeyPatch.context() as patch:
        yield patch


LOADS = pytest.mark.parametrize(("share", "within"), [(0.0, 0.03), (0.4, 0.07)])


@LOADS
def test_probes_find_out_how_busy_a_link_is(reading, measured, few_samples, share, within) -> None:
    """Each with a stream of its own seed; what impact says, knowing how long a burst takes on the link."""
    found = [reading(share, seed=seed).with_service_time for seed in range(1, few_samples + 1)]

    judge(measured, "utilisation", found, share, within)


@LOADS
def test_undelayed_probes_find_it_out_without_knowing_anything(reading, measured, few_samples, share, within) -> None:
    """Both directions of the same measurements."""
    readings = [reading(share, seed=seed) for seed in range(1, few_samples + 1)]

    judge(measured, "utilisation there", [one.forward for one in readings], share, within)
    judge(measured, "utilisation back", [one.backward for one in readings], share, within)


def test_a_load_in_one_direction_is_told_from_one_in_both(reading, measured, few_samples) -> None:
    readings = [reading(0.4, seed=seed, one_way=True) for seed in range(1, few_samples + 1)]

    judge(measured, "utilisation there", [one.forward for one in readings], 0.4, 0.07)
    judge(measured, "utilisation back, without a load", [one.backward for one in readings], 0.0, 0.03)


def judge(measured, name, found, share, within) -> None:
    assert [one.reason for one in found if one.value is None] == []
    tolerated = Tolerated(low=share - within, high=share + within, expected=share)
    measured.judge([median_of(name, [one.value for one in found], tolerated)])
