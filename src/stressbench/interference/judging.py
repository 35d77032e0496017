"""How far predictors are right about co-runs that were measured: who is meant by their names, and a score a model."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stressbench.formats.profiles.coruns import CoRun
from stressbench.formats.profiles.profile import Profile
from stressbench.interference.coruns import LeftOut
from stressbench.interference.evaluation import (
    Evaluation,
    Observation,
    Quartiles,
    evaluate,
    leave_one_application_out,
    ranked,
)
from stressbench.interference.models import LEARNERS, Model, predictor_of

_COPY = re.compile(r"_\d+$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One co-run: measured, and predicted; `error` is their difference, in shares of the time alone.

    `held`: whether the interval of the prediction holds what was measured. `reason` as in `Prediction`.
    """

    victim: str
    aggressors: tuple[str, ...]
    source: str | None
    measured: float
    measured_interval: tuple[float, float] | None
    slowdown: float | None
    low: float | None
    high: float | None
    reason: str | None
    error: float | None
    held: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One model over all co-runs; errors in shares of the time alone, None where it could tell of none.

    `within_5_points` and `within_10_points` are shares of all co-runs; `coverage` is the share of `intervals` that hold
    what was measured. `learnt`: each victim was predicted by a model that had seen no co-run with it.
    """

    model: str
    learnt: bool
    could_not_tell: int
    mean_absolute_error: float | None
    quartiles: Quartiles | None
    within_5_points: float | None
    within_10_points: float | None
    intervals: int
    coverage: float | None
    pairs: tuple[Pair, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """Of all models, the one that could tell of most co-runs first, of several the one with the least error."""

    machine: str
    co_runs: int
    scores: tuple[Score, ...]
    left_out: tuple[LeftOut, ...]

    @property
    def tells(self) -> bool:
        """Whether any model could tell of any co-run."""
        return any(score.mean_absolute_error is not None for score in self.scores)


def judge(profiles: Sequence[Profile], co_runs: Sequence[CoRun | LeftOut]) -> Judgement:
    """Every model on every co-run whose applications all have a profile; the others are left out, and named.

    A second copy of an application in a study, NAME_2, is that application. `profiles` are of one machine, at least
    one; ValueError where two are of one application.
    """
    known: dict[str, Profile] = {}
    for one in profiles:
        if known.setdefault(one.application, one) is not one:
            raise ValueError(f"two profiles of application '{one.application}': which is meant in co-runs?")
    matched = [_matched(one, known, machine=profiles[0].machine) for one in co_runs]
    observations = [one for one in matched if isinstance(one, Observation)]
    evaluations = [
        *(evaluate(predictor_of(model), observations) for model in Model),
        *(leave_one_application_out(model, observations) for model in LEARNERS),
    ]
    return Judgement(
        machine=profiles[0].machine,
        co_runs=len(observations),
        scores=tuple(_score(one) for one in ranked(evaluations)),
        left_out=tuple(one for one in matched if isinstance(one, LeftOut)),
    )


def _matched(one: CoRun | LeftOut, known: Mapping[str, Profile], *, machine: str) -> Observation | LeftOut:
    if isinstance(one, LeftOut):
        return one
    victim, *aggressors = (_profile(name, known) for name in (one.victim, *one.aggressors))
    if one.machine not in (None, machine):
        reason = f"measured on {one.machine}, profiles are of {machine}"
    elif victim is None or None in aggressors:
        without = [name for name in (one.victim, *one.aggressors) if _profile(name, known) is None]
        reason = f"no profile of {', '.join(dict.fromkeys(without))}"
    else:
        return Observation(
            victim=victim, aggressors=tuple(some for some in aggressors if some is not None), slowdown=one.slowdown,
            interval=one.interval, source=one.source,
        )  # fmt: skip
    return LeftOut(victim=one.victim, aggressors=one.aggressors, source=one.source, reason=reason)


def _profile(name: str, known: Mapping[str, Profile]) -> Profile | None:
    return known.get(name) or known.get(_COPY.sub("", name))


def _score(found: Evaluation) -> Score:
    return Score(
        model=found.model,
        learnt=found.model in {learner.name for learner in LEARNERS},
        could_not_tell=found.could_not_tell,
        mean_absolute_error=found.mean_absolute_error,
        quartiles=found.quartiles,
        within_5_points=found.share_within(0.05),
        within_10_points=found.share_within(0.1),
        intervals=sum(one.held is not None for one in found.compared),
        coverage=found.coverage,
        pairs=tuple(
            Pair(
                victim=one.victim, aggressors=one.aggressors, source=one.source, measured=one.measured,
                measured_interval=one.interval, slowdown=one.prediction.slowdown, low=one.prediction.low,
                high=one.prediction.high, reason=one.prediction.reason, error=one.error, held=one.held,
            )
            for one in found.compared
        ),
    )  # fmt: skip
