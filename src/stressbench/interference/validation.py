"""Validation of predictors with measured co-runs: applications are matched by name, and each model gets a score."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stressbench.formats.profiles.coruns import CoRun
from stressbench.formats.profiles.profile import Profile
from stressbench.interference.coruns import UnusableCoRun
from stressbench.interference.evaluation import (
    ErrorQuartiles,
    Evaluation,
    MeasuredCoRun,
    ScoredCoRun,
    evaluate,
    leave_one_application_out,
    ranked,
)
from stressbench.interference.models import TRAINABLE_MODELS, Model, predictor_of

_COPY = re.compile(r"_\d+$")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelScore:
    """The errors of one model over all co-runs, as differences of slowdowns; None if it predicted none.

    `within_5_points` and `within_10_points` are shares of all co-runs; `coverage` is the share of the `intervals` that
    contain the measured slowdown. `learnt`: the model was trained, without co-runs of the victim it predicts.
    """

    model: str
    learnt: bool
    could_not_tell: int
    mean_absolute_error: float | None
    quartiles: ErrorQuartiles | None
    within_5_points: float | None
    within_10_points: float | None
    intervals: int
    coverage: float | None
    pairs: tuple[ScoredCoRun, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Validation:
    """The scores of all models, ordered by how many co-runs they predict, then by their error."""

    machine: str
    co_runs: int
    scores: tuple[ModelScore, ...]
    left_out: tuple[UnusableCoRun, ...]

    @property
    def has_predictions(self) -> bool:
        """Whether any model predicts any co-run."""
        return any(score.mean_absolute_error is not None for score in self.scores)


def validate_models(profiles: Sequence[Profile], co_runs: Sequence[CoRun | UnusableCoRun]) -> Validation:
    """Evaluate every model on every co-run of profiled applications; list the other co-runs in `left_out`.

    NAME_2, a second copy of an application in a study, is matched with NAME. `profiles`: at least one, all of one
    machine. Raises ValueError if two are of the same application.
    """
    profile_by_name: dict[str, Profile] = {}
    for one in profiles:
        if profile_by_name.setdefault(one.application, one) is not one:
            raise ValueError(f"two profiles of application '{one.application}': expected one each")
    matched = [_matched(one, profile_by_name, machine=profiles[0].machine) for one in co_runs]
    observations = [one for one in matched if isinstance(one, MeasuredCoRun)]
    evaluations = [
        *(evaluate(predictor_of(model), observations) for model in Model),
        *(leave_one_application_out(model, observations) for model in TRAINABLE_MODELS),
    ]
    return Validation(
        machine=profiles[0].machine,
        co_runs=len(observations),
        scores=tuple(_score(one) for one in ranked(evaluations)),
        left_out=tuple(one for one in matched if isinstance(one, UnusableCoRun)),
    )


def _matched(
    one: CoRun | UnusableCoRun, profile_by_name: Mapping[str, Profile], *, machine: str
) -> MeasuredCoRun | UnusableCoRun:
    if isinstance(one, UnusableCoRun):
        return one
    victim, *aggressors = (_profile(name, profile_by_name) for name in (one.victim, *one.aggressors))
    if one.machine not in (None, machine):
        reason = f"measured on {one.machine}, profiles are of {machine}"
    elif victim is None or None in aggressors:
        unprofiled = [name for name in (one.victim, *one.aggressors) if _profile(name, profile_by_name) is None]
        reason = f"no profile of {', '.join(dict.fromkeys(unprofiled))}"
    else:
        return MeasuredCoRun(
            victim=victim, aggressors=tuple(some for some in aggressors if some is not None), slowdown=one.slowdown,
            interval=one.interval, overlap=1.0 if one.overlap is None else one.overlap, source=one.source,
        )  # fmt: skip
    return UnusableCoRun(victim=one.victim, aggressors=one.aggressors, source=one.source, reason=reason)


def _profile(name: str, profile_by_name: Mapping[str, Profile]) -> Profile | None:
    return profile_by_name.get(name) or profile_by_name.get(_COPY.sub("", name))


def _score(evaluation: Evaluation) -> ModelScore:
    return ModelScore(
        model=evaluation.model,
        learnt=evaluation.model in {learner.name for learner in TRAINABLE_MODELS},
        could_not_tell=evaluation.unpredicted,
        mean_absolute_error=evaluation.mean_absolute_error,
        quartiles=evaluation.quartiles,
        within_5_points=evaluation.share_within(0.05),
        within_10_points=evaluation.share_within(0.1),
        intervals=sum(one.held is not None for one in evaluation.pairs),
        coverage=evaluation.coverage,
        pairs=evaluation.pairs,
    )
