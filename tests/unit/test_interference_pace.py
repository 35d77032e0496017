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
SCALE_S = 1e-3
MODEL = Pace()
LEVELS = (
    [(1.0, 1e-4)], [(1.0, 1e-3)], [(1.0, 5e-3)], [(0.5, 0.0), (0.5, 3e-3)], [(0.5, 0.0), (0.5, 1e-4)], [(1.0, 2e-2)]
)  # fmt: skip
"""Shares of the time, and how long messages wait in it, s."""
Mixture = Sequence[tuple[float, float]]


def slowdown_at(mixture: Mixture, *, scale_s: float = SCALE_S) -> float:
    return float(1 / sum(share / (1 + wait_s / scale_s) for share, wait_s in mixture))


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
    """The last but one has a mean wait of 8 ms, at which the victim would be slowed 9 times; the load pauses."""
    found = MODEL.predict(victim(), [other(mixture)])

    assert found.slowdown == pytest.approx(slowdown_at(mixture), rel=0.06)
    assert found.low is not None and found.high is not None
    assert found.low < slowdown_at(mixture) < found.high
    assert found.reason is None


def test_a_probe_counts_for_the_time_that_it_stands_for() -> None:
    """Probes that wait are fewer. Each of the long ones stands for nine times as much time here."""
    seldom = other([(0.5, 0.0), (0.5, 1e-2)])
    assert seldom.impact is not None
    stands_for_s = [9e-2 if one > 1e-3 else 1e-2 for one in seldom.impact.probes.latencies_s]
    probes = replace(seldom.impact.probes, stands_for_s=tuple(stands_for_s))

    found = MODEL.predict(victim(), [replace(seldom, impact=replace(seldom.impact, probes=probes))])

    assert found.slowdown == pytest.approx(slowdown_at([(0.1, 0.0), (0.9, 1e-2)]), rel=0.06)


def probed(
    waits_s: Sequence[Sequence[float]], *, back_s: Sequence[Sequence[float]] | None = None, every_s: float = 0.1
) -> Profile:
    """An aggressor with these waits of each pair, one probe of each `every_s`; back `back_s`, or as long as there."""
    there, back = np.array(waits_s), np.array(waits_s if back_s is None else back_s)
    pairs, count = there.shape
    made = other([(1.0, 0.0)])
    assert made.impact is not None
    probes = Latencies(
        latencies_s=tuple((IDLE_S + (there + back) / 2).T.ravel().tolist()),
        at_s=tuple((every_s * (np.arange(count * pairs) // pairs)).tolist()),
        forward_s=tuple((IDLE_S + there).T.ravel().tolist()), pair=tuple(range(pairs)) * count,
        stands_for_s=(every_s,) * (count * pairs),
    )  # fmt: skip
    return replace(made, impact=replace(made.impact, probes=probes))


NONE = [0.0] * 400


def alternating(wait_s: float, *, every: int, first: float = 0.0) -> list[float]:
    """400 waits: `every` of `first`, `every` of `wait_s`, and so on."""
    return np.resize(np.repeat([first, wait_s], every), 400).tolist()


@pytest.mark.parametrize(
    ("aggressor", "mixture"),
    [
        pytest.param(probed([NONE, [4e-3] * 400]), [(1.0, 4e-3)], id="of-two-pairs"),
        pytest.param(probed([[1e-3] * 400], back_s=[[4e-3] * 400]), [(1.0, 4e-3)], id="of-two-directions"),
        pytest.param(
            probed([alternating(4e-3, every=100), alternating(0.0, every=100, first=4e-3)]), [(1.0, 4e-3)],
            id="of-each-moment",
        ),
        pytest.param(
            probed([alternating(4e-3, every=100), alternating(4e-3, every=100)]), [(0.5, 0.0), (0.5, 4e-3)],
            id="at-the-same-time",
        ),
    ],
)  # fmt: skip
def test_waits_are_those_of_the_direction_that_waits_longest_at_the_moment(
    aggressor: Profile, mixture: Mixture
) -> None:
    assert MODEL.predict(victim(), [aggressor]).slowdown == pytest.approx(slowdown_at(mixture), rel=0.06)


@pytest.mark.parametrize(
    ("scale_s", "every_s", "averages"),
    [(1e-3, 0.05, True), (1e-3, 0.5, False), (1e-2, 0.5, True), (1e-2, 2.5, False)],
)
def test_waits_that_change_within_a_hundred_steps_average_out(scale_s: float, every_s: float, averages: bool) -> None:
    """Moments are of 0.1 s, or of 0.8 s for a victim whose steps take 10 ms."""
    levels = [[(1.0, wait_s)] for wait_s in (1e-3, 5e-3, 2e-2)]
    found = MODEL.predict(
        victim([slowdown_at(one, scale_s=scale_s) for one in levels], levels=levels),
        [probed([alternating(2e-2, every=round(every_s / 0.0125))], every_s=0.0125)],
    )

    mixture = [(1.0, 1e-2)] if averages else [(0.5, 0.0), (0.5, 2e-2)]
    assert found.slowdown == pytest.approx(slowdown_at(mixture, scale_s=scale_s), rel=0.1)


def test_seldom_probes_make_moments_longer() -> None:
    """With a probe every two seconds, four are needed for a mean."""
    found = MODEL.predict(victim(), [probed([alternating(8e-3, every=1)], every_s=2.0)])

    assert found.slowdown == pytest.approx(slowdown_at([(1.0, 4e-3)]), rel=0.06)


def test_a_pair_that_was_not_probed_for_a_moment_has_its_mean_wait_in_it() -> None:
    """Two of three pairs are not probed in the second half, of which nothing is known, therefore."""
    full = probed([[2e-3] * 400, [2e-3] * 400, alternating(8e-3, every=200)])
    assert full.impact is not None
    probes = full.impact.probes
    for gone, mixture in (({0}, [(0.5, 2e-3), (0.5, 8e-3)]), ({0, 1}, [(1.0, 2e-3)])):
        kept = [at for at in range(1200) if at < 600 or at % 3 not in gone]
        assert probes.at_s is not None and probes.forward_s is not None
        assert probes.pair is not None and probes.stands_for_s is not None
        left = Latencies(
            latencies_s=tuple(probes.latencies_s[at] for at in kept), at_s=tuple(probes.at_s[at] for at in kept),
            forward_s=tuple(probes.forward_s[at] for at in kept), pair=tuple(probes.pair[at] for at in kept),
            stands_for_s=tuple(probes.stands_for_s[at] for at in kept),
        )  # fmt: skip

        found = MODEL.predict(victim(), [replace(full, impact=replace(full.impact, probes=left))])

        assert found.slowdown == pytest.approx(slowdown_at(mixture), rel=0.06)


def test_waits_of_several_aggressors_add_up_in_each_direction() -> None:
    first, same, second = probed([[2e-3] * 400, NONE]), probed([[3e-3] * 400, NONE]), probed([NONE, [3e-3] * 400])

    apart, combined = (MODEL.predict(victim(), [first, one]) for one in (second, same))
    other_pairs = MODEL.predict(victim(), [first, probed([NONE, NONE, [3e-3] * 400])])

    assert apart.slowdown == pytest.approx(slowdown_at([(1.0, 3e-3)]), rel=0.06)
    assert combined.slowdown == pytest.approx(slowdown_at([(1.0, 5e-3)]), rel=0.06)
    assert other_pairs.slowdown == combined.slowdown


def test_waits_of_several_aggressors_add_up() -> None:
    found = MODEL.predict(victim(), [other([(1.0, 2e-3)]), other([(0.5, 0.0), (0.5, 4e-3)])])

    assert found.slowdown == pytest.approx(slowdown_at([(0.5, 2e-3), (0.5, 6e-3)]), rel=0.06)


def test_copies_of_a_program_take_as_long_as_what_they_send_together_takes_on_a_link() -> None:
    """Messages hardly wait in the queues of a link that is busy for 0.8 of the time: the program waits for answers."""
    impact = other([(1.0, 2e-4)]).impact
    copy = replace(victim(), impact=impact, links={"h0: h0 > s0": 0.8, "h1: h1 > s0": 0.1})

    two, three = (MODEL.predict(copy, [copy] * others) for others in (1, 2))
    beside_another = MODEL.predict(copy, [replace(copy, application="other")])
    uncounted = MODEL.predict(victim(), [replace(copy, links=None)])

    assert two.slowdown == pytest.approx(1.6) and three.slowdown == pytest.approx(2.4)
    assert two.low is not None and two.high is not None
    assert 1.25 < two.low < 1.6 < two.high < 2.0
    assert beside_another.slowdown == uncounted.slowdown == pytest.approx(1.2, rel=0.06)


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


OVERFLOWING = [*LEVELS, [(1.0, 0.1)], [(1.0, 0.2)]]
"""Two more levels, with waits of more than twice 20 ms. Half of their messages are lost, say, so that few wait."""


@pytest.mark.parametrize(("beside_s", "counts"), [(2e-2, False), (6e-2, True)])
def test_levels_with_much_longer_waits_than_beside_the_aggressor_do_not_count(beside_s: float, counts: bool) -> None:
    slowdowns = [*(slowdown_at(one) for one in LEVELS), 5.0, 6.0]
    aggressor = other([(1.0, beside_s)])

    found = MODEL.predict(victim(slowdowns, levels=OVERFLOWING), [aggressor])

    assert (found.slowdown != MODEL.predict(victim(), [aggressor]).slowdown) == counts


def test_four_levels_count_beside_an_aggressor_without_load() -> None:
    waits_s = [1e-3, 2e-3, 5e-3, 1e-2, 1e-1]
    levels = [[(1.0, wait_s)] for wait_s in waits_s]
    slowdowns = [slowdown_at(one) * factor for one, factor in zip(levels, (1, 1.4, 1, 0.2, 0.2), strict=True)]
    silent = other([(1.0, 0.0)])
    lower = [MODEL.predict(victim(slowdowns[:count], levels=levels[:count]), [silent]).low for count in (3, 4, 5)]

    assert lower[0] != lower[1] == lower[2]


@pytest.mark.parametrize("wait_s", [5e-3, 2e-2])
def test_a_slower_victim_is_less_certain_since_programs_are_not_rings(wait_s: float) -> None:
    """A fifth of the logarithm of the slowdown, even if the model fits all levels."""
    found = MODEL.predict(victim(), [other([(1.0, wait_s)])])

    assert found.low is not None and found.high is not None
    assert np.log(found.high / found.low) > 2 * 1.9 * 0.2 * np.log(slowdown_at([(1.0, wait_s)]))


def test_what_is_missing_is_named() -> None:
    assert MODEL.predict(victim(), []) == NOT_SLOWED
    few = MODEL.predict(victim(levels=LEVELS[:1]), [other([(1.0, 1e-3)])])
    assert few.slowdown is None
    assert few.reason == "victim was measured at one congestion level: at least two are needed"
    unmeasured = MODEL.predict(victim(), [profile("other", idle_s=IDLE)])
    assert unmeasured.reason == "the impact of other was not measured"
