"""The predictor with two causes, on numbers that obey it, and on what it cannot tell."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from support.sensitivities import level, profile

from stressbench.formats.profiles.profile import Profile
from stressbench.interference.link_share_delay import LinkShareDelay
from stressbench.interference.prediction import NOT_SLOWED

IDLE = [0.9, 1.1] * 20
RINGS = ((0.1, 1.0), (0.3, 1.0), (0.6, 9.0), (0.6, 2.0))  # of link a, and how long probes wait, s
A, B = 0.5, 0.1  # lost by a whole link, and by a second of waiting
MODEL = LinkShareDelay()


def waiting(wait: float) -> list[float]:
    return [latency + wait for latency in IDLE]


def made(losses: Sequence[float] | None = None) -> Profile:
    lost = losses or [A * share + B * wait for share, wait in RINGS]
    levels = [
        replace(level(number, waiting(wait), 1 + by), links={"a": share, "b": 0.99})
        for number, ((share, wait), by) in enumerate(zip(RINGS, lost, strict=True))
    ]
    return profile("victim", idle_s=IDLE, levels=levels, links={"a": 0.5, "b": 0.0})


def other(share: float, wait: float) -> Profile:
    return profile("other", idle_s=IDLE, impact_s=waiting(wait), links={"a": share, "b": 0.9})


@pytest.mark.parametrize(("share", "wait"), [(0.4, 3.0), (0.6, 0.0), (0.0, 8.0), (0.0, 0.0)])
def test_bandwidth_and_delay_are_separated(share: float, wait: float) -> None:
    found = MODEL.predict(made(), [other(share, wait)])

    assert found.slowdown == pytest.approx(1 + A * share + B * wait)
    assert found.low == pytest.approx(found.slowdown, abs=0.02)
    assert found.high == pytest.approx(found.slowdown, abs=0.02)
    assert found.reason is None


def test_shares_of_several_are_composed_and_their_waits_add_up() -> None:
    found = MODEL.predict(made(), [other(0.2, 3.0), other(0.3, 4.0)])

    assert found.slowdown == pytest.approx(1 + A * (1 - 0.8 * 0.7) + B * 7)


def test_no_application_is_predicted_to_be_faster() -> None:
    found = MODEL.predict(made([-0.1, -0.1, -0.2, -0.1]), [other(0.4, 3.0)])

    assert found.slowdown == 1.0


def test_levels_that_the_fit_to_the_others_misses_widen_the_interval() -> None:
    found = MODEL.predict(made([0.05, 0.5, 1.2, 0.3]), [other(0.4, 3.0)])

    assert found.low is not None and found.high is not None and found.slowdown is not None
    assert found.low < found.slowdown - 0.05
    assert found.high > found.slowdown + 0.05


@pytest.mark.parametrize(
    ("beside", "reason"),
    [
        (other(0.7, 1.0), "a link's share of 70% is beyond that of the heaviest congestion level, 60%"),
        (other(0.1, 12.0), "a wait of 12 s is beyond that of the heaviest congestion level, 9 s"),
    ],
    ids=["share", "wait"],
)
def test_beyond_the_heaviest_compression_there_is_no_upper_bound(beside: Profile, reason: str) -> None:
    found = MODEL.predict(made(), [beside])

    assert found.slowdown is not None and found.slowdown > 1
    assert (found.high, found.reason) == (None, reason)


@pytest.mark.parametrize(
    ("victim", "beside", "reason"),
    [
        (replace(made(), links=None), other(0.1, 1.0), "no link counters of victim"),
        (made(), replace(other(0.1, 1.0), links=None), "no link counters of other"),
        (made(), replace(other(0.1, 1.0), impact=None), "the impact of other was not measured"),
        (
            replace(made(), levels=(*made().levels[:3], replace(made().levels[3], links=None))), other(0.1, 1.0),
            "the congestion levels of victim have no link counters",
        ),
        (
            replace(made(), levels=made().levels[:1]), other(0.1, 1.0),
            "victim was measured at 1 congestion levels: at least two are needed",
        ),
        (made(), replace(other(0.1, 1.0), machine="else"), "profiles come from several machines"),
    ],
    ids=["victim", "other", "probes", "rings", "few", "machines"],
)  # fmt: skip
def test_inconclusive_profiles_have_a_reason(victim: Profile, beside: Profile, reason: str) -> None:
    found = MODEL.predict(victim, [beside])

    assert found.slowdown is None
    assert found.reason is not None and found.reason.startswith(reason)


def test_without_aggressors_there_is_no_slowdown() -> None:
    assert MODEL.predict(made(), []) == NOT_SLOWED
