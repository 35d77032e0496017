"""The predictor by the waits of messages, on victims that obey it, and on what it cannot tell."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from support.sensitivities import level, profile

from stressbench.formats.profiles.profile import Latencies, Profile
from stressbench.interference.pace import Pace
from stressbench.interference.prediction import NOT_SLOWED

IDLE_S = 1e-5
IDLE = [IDLE_S] * 40
SCALE_S, EXPONENT = 1e-3, 0.8
MODEL = Pace()
LEVELS = (
    [(1.0, 1e-4)], [(1.0, 1e-3)], [(1.0, 5e-3)], [(0.5, 0.0), (0.5, 3e-3)], [(0.5, 0.0), (0.5, 1e-4)], [(1.0, 2e-2)]
)  # fmt: skip
"""Shares of the time, and how long messages wait in it, s."""
Mixture = Sequence[tuple[float, float]]


def slowdown_at(mixture: Mixture) -> float:
    return float(1 / sum(share / (1 + (wait_s / SCALE_S) ** EXPONENT) for share, wait_s in mixture))


def latencies(mixture: Mixture, *, probes: int = 400) -> list[float]:
    """Loads alternate, within a few probes."""
    cycle = [IDLE_S + wait_s for share, wait_s in mixture for _ in range(round(10 * share))]
    return np.resize(cycle, probes).tolist()


def victim(slowdowns: Sequence[float] | None = None, *, levels: Sequence[Mixture] = LEVELS) -> Profile:
    values = slowdowns or [slowdown_at(one) for one in levels]
    made = [level(number, latencies(one), by) for number, (one, by) in enumerate(zip(levels, values, strict=True))]
    return profile("victim", idle_s=IDLE, levels=made)


def other(mixture: Mixture, *, name: str = "other") -> Profile:
    return profile(name, idle_s=IDLE, impact_s=latencies(mixture))


@pytest.mark.parametrize(
    "mixture", [[(1.0, 2e-3)], [(0.9, 0.0), (0.1, 1e-2)], [(0.2, 0.0), (0.8, 1e-2)], [(1.0, 0.0)]], ids=str
)
def test_the_pace_is_the_mean_over_the_moments_of_an_aggressor(mixture: Mixture) -> None:
    """The last but one has a mean wait of 8 ms, at which the victim would be slowed 6.3 times; the load pauses."""
    found = MODEL.predict(victim(), [other(mixture)])

    assert found.slowdown == pytest.approx(slowdown_at(mixture), rel=0.06)
    assert found.low is not None and found.high is not None
    assert found.low < slowdown_at(mixture) < found.high
    assert found.reason is None


def test_a_program_that_waits_for_the_last_of_several_messages_meets_every_queue() -> None:
    """Beside loads of half the time, three of four steps of two messages wait."""
    halves = [(1.0, 1e-3), (1.0, 1e-2), (0.5, 1e-2), (0.5, 1e-3), (0.2, 5e-3), (0.7, 3e-3)]
    levels = [[(1 - share, 0.0), (share, wait_s)] for share, wait_s in halves]

    def of_two(mixture: Mixture) -> float:
        (free, _), (_, wait_s) = mixture
        return slowdown_at([(free**2, 0.0), (1 - free**2, wait_s)])

    found = MODEL.predict(victim([of_two(one) for one in levels], levels=levels), [other([(0.6, 0.0), (0.4, 4e-3)])])

    assert found.slowdown == pytest.approx(of_two([(0.6, 0.0), (0.4, 4e-3)]), rel=0.06)


def test_a_probe_counts_for_the_time_that_it_stands_for() -> None:
    """Probes that wait are fewer. Each of the long ones stands for nine times as much time here."""
    seldom = other([(0.5, 0.0), (0.5, 1e-2)])
    assert seldom.impact is not None
    stands_for_s = [9e-2 if one > 1e-3 else 1e-2 for one in seldom.impact.probes.latencies_s]
    probes = replace(seldom.impact.probes, stands_for_s=tuple(stands_for_s))

    found = MODEL.predict(victim(), [replace(seldom, impact=replace(seldom.impact, probes=probes))])

    assert found.slowdown == pytest.approx(slowdown_at([(0.1, 0.0), (0.9, 1e-2)]), rel=0.06)


def test_waits_are_those_of_the_pair_of_hosts_that_waits_longest() -> None:
    quiet, busy = latencies([(1.0, 0.0)]), latencies([(1.0, 4e-3)])
    mixed = other([(1.0, 0.0)])
    assert mixed.impact is not None
    probes = Latencies(
        latencies_s=tuple(np.stack([quiet, busy], axis=1).ravel().tolist()),
        at_s=tuple(float(number) for number in range(800)), pair=(0, 1) * 400, stands_for_s=(1.0,) * 800,
    )  # fmt: skip

    found = MODEL.predict(victim(), [replace(mixed, impact=replace(mixed.impact, probes=probes))])

    assert found.slowdown == pytest.approx(slowdown_at([(1.0, 4e-3)]), rel=0.06)


def test_waits_of_several_aggressors_add_up() -> None:
    found = MODEL.predict(victim(), [other([(1.0, 2e-3)]), other([(0.5, 0.0), (0.5, 4e-3)])])

    assert found.slowdown == pytest.approx(slowdown_at([(0.5, 2e-3), (0.5, 6e-3)]), rel=0.06)


def test_idle_latencies_that_vary_are_no_load() -> None:
    noisy = [IDLE_S, 41 * IDLE_S] * 200
    unloaded = profile("other", idle_s=noisy, impact_s=noisy)

    assert MODEL.predict(victim(), [unloaded]).slowdown == pytest.approx(1.0, abs=0.02)


def test_waits_beyond_the_heaviest_level_have_no_upper_bound() -> None:
    found = MODEL.predict(victim(), [other([(0.5, 0.0), (0.5, 4e-2)])])

    assert found.slowdown is not None and found.low is not None and found.high is None
    assert found.reason == "50% of the time waits are beyond those of the heaviest congestion level, 0.02 s"


def test_levels_that_the_model_misses_widen_the_interval() -> None:
    scattered = [slowdown_at(one) * factor for one, factor in zip(LEVELS, (1, 1.4, 0.7, 1.5, 1, 0.8), strict=True)]
    exact, wide = (MODEL.predict(one, [other([(1.0, 2e-3)])]) for one in (victim(), victim(scattered)))

    assert exact.low is not None and exact.high is not None and wide.low is not None and wide.high is not None
    assert wide.high / wide.low > 1.5 * exact.high / exact.low


def test_what_is_missing_is_named() -> None:
    assert MODEL.predict(victim(), []) == NOT_SLOWED
    few = MODEL.predict(victim(levels=LEVELS[:1]), [other([(1.0, 1e-3)])])
    assert few.slowdown is None
    assert few.reason == "victim was measured at one congestion level: at least two are needed"
    unmeasured = MODEL.predict(victim(), [profile("other", idle_s=IDLE)])
    assert unmeasured.reason == "the impact of other was not measured"
