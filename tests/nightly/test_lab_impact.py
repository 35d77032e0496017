"""`stressbench impact` on a lab: what it says of a link whose load is known, beside a program that calls no MPI.

Twenty seconds of a Poisson stream tell 40 % to within 3 points, and the lab takes some off (docs/how-to/impact.md);
longer measurements at more loads: benchmarks/known_utilisation.py.
"""

import pytest
from support.measured import Tolerated, median_of

BURST = 131072
SECONDS = 20


@pytest.fixture(scope="module")
def reading(benchmark, lab_up, monkeypatch_module):
    """Reads a known share of the links of `tiny`: what impact says, knowing how long a burst takes on the link."""
    known = benchmark("known_utilisation")
    tiny = lab_up("tiny")
    for name, value in tiny.environment.items():
        monkeypatch_module.setenv(name, value)

    def read(share: float, *, seed: int):
        load = known.Load(share=share, rate_bits_per_s=100e6, burst=BURST, seconds=SECONDS)
        return known.measure(load, on="lab:tiny", seed=seed, every="10ms", idle="4s").with_service_time

    return read


@pytest.fixture(scope="module")
def monkeypatch_module():
    with pytest.MonkeyPatch.context() as patch:
        yield patch


@pytest.mark.parametrize(("share", "within"), [(0.0, 0.03), (0.4, 0.07)])
def test_probes_find_out_how_busy_a_link_is(reading, measured, few_samples, share, within) -> None:
    """Each with a stream of its own seed."""
    found = [reading(share, seed=seed) for seed in range(1, few_samples + 1)]

    assert [one.reason for one in found if one.value is None] == []
    tolerated = Tolerated(low=share - within, high=share + within, expected=share)
    measured.judge([median_of("utilisation", [one.value for one in found], tolerated)])
