"""Errors, their summary, models that learn, and who should share a switch."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples
from support.sensitivities import Application, co_run, profile, profile_in_world, sample

from stressbench.formats.profiles.profile import Profile
from stressbench.interference.blended_predictor import TrainableBlend
from stressbench.interference.errors import Inconclusive
from stressbench.interference.evaluation import (
    ErrorQuartiles,
    MeasuredCoRun,
    evaluate,
    leave_one_application_out,
    ranked,
)
from stressbench.interference.lookup_tables import PDFLT, AverageLT, AverageStDevLT
from stressbench.interference.placement_search import Grouping, best_grouping, cheapest_grouping
from stressbench.interference.prediction import Prediction, Predictor, no_prediction
from stressbench.interference.predictors import Monotone, PhaseAware, Queue
from stressbench.interference.published import APPLICATIONS, SLOWDOWN_PERCENT


@dataclass(frozen=True, kw_only=True)
class Says:
    """Whatever it was told to say of a victim and its aggressors; nothing of the rest."""

    answers: dict[tuple[str, ...], float]
    name: str = "says"

    def predict(self, victim: Profile, aggressors: Sequence[Profile]) -> Prediction:
        key = (victim.application, *(one.application for one in aggressors))
        if key not in self.answers:
            return no_prediction("never heard of")
        value = self.answers[key]
        return Prediction(slowdown=value, low=value - 0.1, high=value + 0.1, reason=None)


@cache
def app(name: str) -> Profile:
    return profile(name, idle_s=sample(0.0))


def seen(victim: str, aggressor: str, slowdown: float) -> MeasuredCoRun:
    return MeasuredCoRun(victim=app(victim), aggressors=(app(aggressor),), slowdown=slowdown)


PAIRS = [seen("a", "a", 1.0), seen("a", "b", 1.2), seen("b", "a", 2.0), seen("b", "b", 1.5), seen("c", "a", 1.1)]
SAYS = Says(answers={("a", "a"): 1.0, ("a", "b"): 1.25, ("b", "a"): 1.6, ("b", "b"): 1.7})


def test_a_prediction_is_for_the_share_of_the_time_in_which_the_aggressors_ran() -> None:
    """Slowed by 2 for half of its time, a program proceeds at three quarters of its pace."""
    says = Says(answers={("a", "b"): 2.0})
    never, half = (evaluate(says, [replace(seen("a", "b", 1.32), overlap=share)]).pairs[0] for share in (1.0, 0.5))

    assert (never.overlap, never.slowdown, never.error) == (1.0, 2.0, pytest.approx(0.68))
    assert half.slowdown == pytest.approx(4 / 3)
    assert (half.low, half.high) == (pytest.approx(1 / (0.5 / 1.9 + 0.5)), pytest.approx(1 / (0.5 / 2.1 + 0.5)))
    assert (half.overlap, half.error, half.held) == (0.5, pytest.approx(4 / 3 - 1.32), True)


def test_errors_are_predicted_minus_measured() -> None:
    found = evaluate(SAYS, PAIRS)

    assert [one.error for one in found.pairs] == [
        0,
        pytest.approx(0.05),
        pytest.approx(-0.4),
        pytest.approx(0.2),
        None,
    ]
    assert [one.held for one in found.pairs] == [True, True, False, False, None]
    assert [(one.victim, one.aggressors) for one in found.pairs][1] == ("a", ("b",))
    assert found.unpredicted == 1
    assert found.pairs[4].reason == "never heard of"


def test_their_summary() -> None:
    found = evaluate(SAYS, PAIRS)

    assert found.mean_absolute_error == pytest.approx(0.65 / 4)
    assert found.share_within(0.1) == pytest.approx(2 / 5)
    assert found.share_within(0.2 + 1e-9) == pytest.approx(3 / 5)
    assert found.coverage == pytest.approx(2 / 4)
    assert found.quartiles is not None
    assert [getattr(found.quartiles, part) for part in ErrorQuartiles.__dataclass_fields__] == pytest.approx(
        [0, 0.0375, 0.125, 0.25, 0.4]
    )


def test_a_model_without_predictions_has_no_summary() -> None:
    found = evaluate(Says(answers={}), PAIRS)

    assert (found.mean_absolute_error, found.quartiles, found.coverage) == (None, None, None)
    assert found.share_within() == 0
    assert evaluate(SAYS, []).share_within() is None


def test_ranking_prefers_models_with_more_predictions() -> None:
    vague = evaluate(Says(answers={("a", "a"): 1.0}, name="vague"), PAIRS)
    dumb = evaluate(Says(answers={}, name="dumb"), PAIRS)
    wrong = evaluate(Says(answers={**SAYS.answers, ("b", "a"): 9.0}, name="wrong"), PAIRS)

    assert [one.model for one in ranked([dumb, vague, wrong, evaluate(SAYS, PAIRS)])] == [
        "says",
        "wrong",
        "vague",
        "dumb",
    ]


@dataclass(frozen=True, kw_only=True)
class Remembers:
    """Learns which applications it was shown."""

    shown: list[frozenset[str]]
    name: str = "remembers"

    def fit(self, observations: Sequence[MeasuredCoRun]) -> Predictor:
        names = frozenset().union(*(one.applications for one in observations))
        if not names:
            raise Inconclusive("nothing to learn from")
        self.shown.append(names)
        return Says(answers={(name, other): 1.0 + len(names) for name in "abcd" for other in "abcd"})


def test_the_application_that_is_left_out_is_neither_victim_nor_aggressor_in_training() -> None:
    shown: list[frozenset[str]] = []

    found = leave_one_application_out(Remembers(shown=shown), [*PAIRS, seen("d", "d", 1.0)])

    assert sorted("".join(sorted(names)) for names in shown) == ["abc", "abd", "acd", "bd"]
    by_victim = {one.victim: one.slowdown for one in found.pairs}
    assert by_victim == {"a": 3, "b": 4, "c": 4, "d": 4}


def test_too_few_co_runs_to_train_with_are_a_reason() -> None:
    found = leave_one_application_out(Remembers(shown=[]), [seen("a", "a", 1.0)])

    assert found.pairs[0].reason == "without a: nothing to learn from"


def test_a_blend_finds_the_weights_that_made_the_truth() -> None:
    names = "abcd"
    random = np.random.default_rng(1)
    pairs = list(product(names, names))
    one = Says(answers={pair: float(1 + random.random()) for pair in pairs}, name="one")
    two = Says(answers={pair: float(1 + random.random()) for pair in pairs}, name="two")
    truth = [seen(v, a, one.answers[v, a] ** 0.25 * two.answers[v, a] ** 0.5) for v, a in pairs]

    blend = TrainableBlend(bases=(one, two)).fit(truth)
    left_out = leave_one_application_out(TrainableBlend(bases=(one, two)), truth)

    assert blend.weights == pytest.approx((0.25, 0.5))
    assert blend.predict(app("a"), []).slowdown == 1
    assert left_out.mean_absolute_error == pytest.approx(0, abs=1e-9)
    assert blend.predict(app("a"), [app("x")]).reason == "one: never heard of"


def test_a_blend_of_too_few_is_refused() -> None:
    with pytest.raises(Inconclusive, match="4 co-runs of which every base has a prediction: at least 6"):
        TrainableBlend(bases=(SAYS,)).fit(PAIRS)


WORLD = (
    Application(name="fft", phases=((1.0, 0.55),), suffers=2.5, bend=1.2),
    Application(name="lulesh", phases=((1.0, 0.3),), suffers=0.15, bend=1.0),
    Application(name="mcb", phases=((1.0, 0.1),), suffers=0.03, bend=1.0),
    Application(name="milc", phases=((1.0, 0.4),), suffers=1.0, bend=1.5),
    Application(name="vpfft", phases=((0.5, 0.2), (0.5, 0.75)), suffers=2.0, bend=2.0),
    Application(name="amg", phases=((0.85, 0.02), (0.15, 0.85)), suffers=0.04, bend=1.0),
)


@cache
def world() -> tuple[MeasuredCoRun, ...]:
    profiles = [profile_in_world(one, seed=number) for number, one in enumerate(WORLD)]
    return tuple(
        MeasuredCoRun(victim=profiles[v], aggressors=(profiles[a],), slowdown=co_run(WORLD[v], [WORLD[a]], steps=4000))
        for v, a in product(range(6), range(6))
    )


PAPERS: tuple[Predictor, ...] = (AverageLT(), AverageStDevLT(), PDFLT(), Queue())


def test_in_a_world_like_the_papers_ours_is_better_than_each_of_its_four() -> None:
    """All 36 pairs; a made-up world that obeys our assumptions, so no proof for machines, but for the arithmetic."""
    ours = evaluate(PhaseAware(), world())
    theirs = [evaluate(model, world()) for model in PAPERS]

    assert ours.mean_absolute_error is not None
    assert ours.mean_absolute_error < 0.02
    assert ours.unpredicted == 0
    assert (ours.share_within(0.1) or 0) > 0.95
    assert ours.coverage is not None
    assert ours.coverage > 0.85
    for other in theirs:
        assert other.mean_absolute_error is not None
        assert ours.mean_absolute_error < other.mean_absolute_error / 2
    assert ranked([*theirs, ours])[0] is ours


def test_trained_models_are_validated_on_victims_they_never_saw() -> None:
    bases = (Monotone(), PhaseAware())

    blend = leave_one_application_out(TrainableBlend(bases=bases), world())

    assert blend.unpredicted == 0
    assert blend.mean_absolute_error is not None
    assert blend.mean_absolute_error < 0.05


def pairwise_cost(group: tuple[int, ...]) -> float:
    return sum(SLOWDOWN_PERCENT[one][other] / 100 for one in group for other in group if other != one)


def test_the_papers_six_applications_on_three_switches() -> None:
    found = cheapest_grouping(pairwise_cost, count=6, places=3)

    assert found.cost == pytest.approx(min(pairwise_total(some) for some in pairings(tuple(range(6)))))
    assert sum(pairwise_cost(group) for group in found.groups) == pytest.approx(found.cost)
    assert sorted(one for group in found.groups for one in group) == list(range(6))
    assert len(APPLICATIONS) == 6


def pairwise_total(groups: Sequence[tuple[int, ...]]) -> float:
    return sum(pairwise_cost(group) for group in groups)


def pairings(left: tuple[int, ...]) -> list[list[tuple[int, ...]]]:
    """All of them, by trying."""
    if not left:
        return [[]]
    first, *rest = left
    return [[(first, other), *more] for other in rest for more in pairings(tuple(one for one in rest if one != other))]


@examples(30)
@given(st.lists(st.floats(min_value=-0.1, max_value=3), min_size=15, max_size=15))
def test_advice_costs_as_little_as_trying_everything_finds(costs: list[float]) -> None:
    table = dict(zip([(a, b) for a in range(6) for b in range(a + 1, 6)], costs, strict=True))

    found = cheapest_grouping(lambda group: table[group[0], group[1]], count=6, places=3)

    least = min(sum(table[pair] for pair in some) for some in pairings(tuple(range(6))))
    assert found.cost == pytest.approx(least, abs=1e-6)  # as exact as a mixed-integer program is solved


def test_an_odd_application_gets_a_switch_for_itself() -> None:
    found = cheapest_grouping(lambda group: float(sum(group)), count=3, places=2)

    assert found == Grouping(groups=((2,), (0, 1)), cost=1.0, not_considered=())


def test_three_share_a_switch_where_that_is_allowed() -> None:
    found = cheapest_grouping(lambda group: 0.0 if group == (1, 2, 3) else 1.0, count=4, places=2, per_place=3)

    assert set(found.groups) == {(0,), (1, 2, 3)}


def test_groups_without_a_prediction_are_excluded_and_named() -> None:
    found = cheapest_grouping(lambda group: None if group in ((0, 1), (2, 3)) else 1.0, count=4, places=2)

    assert found.not_considered == ((0, 1), (2, 3))
    assert found.cost == 2
    with pytest.raises(Inconclusive, match="6 groups have no prediction, and the others do not cover"):
        cheapest_grouping(lambda _: None, count=4, places=2)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="5 applications: 2 places for 2 each hold 4"):
        cheapest_grouping(lambda _: 0.0, count=5, places=2)
    with pytest.raises(ValueError, match="groups of up to 8 of 40"):
        cheapest_grouping(lambda _: 0.0, count=40, places=10, per_place=8)
    assert cheapest_grouping(lambda _: 0.0, count=0, places=0).groups == ()


def test_advice_follows_predictions_of_both_sides() -> None:
    applications = [app(name) for name in "abcd"]
    cheap = {("a", "d"): 1.1, ("d", "a"): 1.3, ("b", "c"): 1.0, ("c", "b"): 1.2}
    dear = {(v, a): 2.0 for v, a in product("abcd", "abcd") if (v, a) not in cheap}

    found = best_grouping(Says(answers={**cheap, **dear}), applications, places=2)

    assert set(found.groups) == {(0, 3), (1, 2)}
    assert found.cost == pytest.approx(0.6)
    with pytest.raises(Inconclusive):
        best_grouping(Says(answers={}), applications, places=2)
