"""Errors of predictions against measured co-runs, and their summary (Casas and Bronevetsky, V-C and Figure 9)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from stressbench.formats.profiles.profile import Profile
from stressbench.interference.errors import Inconclusive
from stressbench.interference.prediction import Predictor, no_prediction, while_overlapping


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredCoRun:
    """A measured co-run: the slowdown of `victim` by `aggressors`, with its 95 % interval.

    `overlap`: the share of the victim's time in which the aggressors ran, 0 to 1.
    """

    victim: Profile
    aggressors: tuple[Profile, ...]
    slowdown: float
    interval: tuple[float, float] | None = None
    overlap: float = 1.0
    source: str | None = None

    @property
    def applications(self) -> frozenset[str]:
        """Names of victim and aggressors."""
        return frozenset(one.application for one in (self.victim, *self.aggressors))


class TrainableModel(Protocol):
    """A model that has to be trained on measured co-runs."""

    @property
    def name(self) -> str:
        """The name in tables and files."""

    def fit(self, observations: Sequence[MeasuredCoRun]) -> Predictor:
        """The trained predictor. Raises Inconclusive for too few co-runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredCoRun:
    """The measured and the predicted slowdown of a co-run; `error` is the predicted minus the measured one.

    Predicted is what the model says for a victim beside which the aggressors run for the share `overlap` of its time.
    `held`: whether the predicted interval contains the measured slowdown, None without an interval. `reason` as in
    `Prediction`.
    """

    victim: str
    aggressors: tuple[str, ...]
    source: str | None
    overlap: float
    measured: float
    measured_interval: tuple[float, float] | None
    slowdown: float | None
    low: float | None
    high: float | None
    reason: str | None
    error: float | None
    held: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorQuartiles:
    """Minimum, quartiles (linear interpolation) and maximum of absolute errors."""

    least: float
    first: float
    median: float
    third: float
    most: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """The predictions of one model for many co-runs. Summaries are None if it predicted none of them."""

    model: str
    pairs: tuple[ScoredCoRun, ...]

    @property
    def absolute_errors(self) -> tuple[float, ...]:
        """Absolute errors of the co-runs that the model predicted, in order."""
        return tuple(abs(one.error) for one in self.pairs if one.error is not None)

    @property
    def unpredicted(self) -> int:
        """Number of co-runs without a prediction."""
        return len(self.pairs) - len(self.absolute_errors)

    @property
    def mean_absolute_error(self) -> float | None:
        """Mean over the co-runs that the model predicted."""
        return float(np.mean(self.absolute_errors)) if self.absolute_errors else None

    @property
    def quartiles(self) -> ErrorQuartiles | None:
        """Quartiles of the absolute errors."""
        if not self.absolute_errors:
            return None
        least, first, median, third, most = np.quantile(self.absolute_errors, (0, 0.25, 0.5, 0.75, 1)).tolist()
        return ErrorQuartiles(least=least, first=first, median=median, third=third, most=most)

    def share_within(self, error: float = 0.1) -> float | None:
        """Share of all co-runs predicted with at most this error; co-runs without a prediction count as missed."""
        if not self.pairs:
            return None
        return sum(one <= error for one in self.absolute_errors) / len(self.pairs)

    @property
    def coverage(self) -> float | None:
        """Share of the predicted intervals that contain the measured slowdown."""
        hits = [one.held for one in self.pairs if one.held is not None]
        return sum(hits) / len(hits) if hits else None


def evaluate(model: Predictor, observations: Sequence[MeasuredCoRun]) -> Evaluation:
    """Predict every co-run with `model`, in the order of `observations`."""
    return Evaluation(model=model.name, pairs=tuple(_scored(model, observation) for observation in observations))


def leave_one_application_out(model: TrainableModel, observations: Sequence[MeasuredCoRun]) -> Evaluation:
    """Predict each co-run with a model trained on the co-runs without its victim; in the order of `observations`."""
    fitted = {
        name: _trained_without(model, name, observations)
        for name in {observation.victim.application for observation in observations}
    }
    return Evaluation(
        model=model.name,
        pairs=tuple(_scored(fitted[observation.victim.application], observation) for observation in observations),
    )


def ranked(evaluations: Sequence[Evaluation]) -> tuple[Evaluation, ...]:
    """The evaluations, those with the most predicted co-runs first, then by mean absolute error."""
    with_predictions = [one for one in evaluations if one.mean_absolute_error is not None]
    return (
        *sorted(with_predictions, key=lambda one: (one.unpredicted, one.mean_absolute_error or 0.0)),
        *(one for one in evaluations if one.mean_absolute_error is None),
    )


def _trained_without(model: TrainableModel, application: str, observations: Sequence[MeasuredCoRun]) -> Predictor | str:
    try:
        return model.fit([observation for observation in observations if application not in observation.applications])
    except Inconclusive as reason:
        return f"without {application}: {reason}"


def _scored(model: Predictor | str, observation: MeasuredCoRun) -> ScoredCoRun:
    victim, aggressors, measured = observation.victim, observation.aggressors, observation.slowdown
    foretold = no_prediction(model) if isinstance(model, str) else model.predict(victim, aggressors)
    prediction = while_overlapping(foretold, observation.overlap)
    has_interval = prediction.low is not None and prediction.high is not None
    return ScoredCoRun(
        victim=victim.application, aggressors=tuple(one.application for one in aggressors), source=observation.source,
        overlap=observation.overlap, measured=measured, measured_interval=observation.interval,
        slowdown=prediction.slowdown, low=prediction.low, high=prediction.high, reason=prediction.reason,
        error=None if prediction.slowdown is None else prediction.slowdown - measured,
        held=(prediction.low or 0.0) <= measured <= (prediction.high or 0.0) if has_interval else None,
    )  # fmt: skip
