"""Predicted against measured co-runs: errors and their summary (Casas and Bronevetsky, V-C and Figure 9)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from stressbench.formats.profiles.profile import Profile
from stressbench.interference.errors import CannotTell
from stressbench.interference.prediction import Prediction, Predictor, no_prediction


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """A co-run that was measured: time of `victim` beside `aggressors` over its time alone, with its 95 % interval."""

    victim: Profile
    aggressors: tuple[Profile, ...]
    slowdown: float
    interval: tuple[float, float] | None = None
    source: str | None = None

    @property
    def applications(self) -> frozenset[str]:
        """Everybody's names."""
        return frozenset(one.application for one in (self.victim, *self.aggressors))


class Trainable(Protocol):
    """What learns from co-runs before it predicts."""

    @property
    def name(self) -> str:
        """As tables show it."""

    def fit(self, observations: Sequence[Observation]) -> Predictor:
        """CannotTell where they are too few."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One co-run: as it was (`interval` is that of `measured`), and as it was predicted."""

    victim: str
    aggressors: tuple[str, ...]
    measured: float
    prediction: Prediction
    interval: tuple[float, float] | None = None
    source: str | None = None

    @property
    def error(self) -> float | None:
        """Predicted minus measured slow-down: in points of the time alone, over 100. None where there is none."""
        return None if self.prediction.slowdown is None else self.prediction.slowdown - self.measured

    @property
    def held(self) -> bool | None:
        """Whether the interval holds what was measured; None without one."""
        if self.prediction.low is None or self.prediction.high is None:
            return None
        return self.prediction.low <= self.measured <= self.prediction.high


@dataclass(frozen=True, slots=True, kw_only=True)
class Quartiles:
    """Of absolute errors: the smallest, the quarters (straight between values), the largest."""

    least: float
    first: float
    median: float
    third: float
    most: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """One model over many co-runs. Numbers are None where it could tell of none; those it could not tell are apart."""

    model: str
    compared: tuple[Compared, ...]

    @property
    def absolute_errors(self) -> tuple[float, ...]:
        """Of those it could tell, in their order."""
        return tuple(abs(one.error) for one in self.compared if one.error is not None)

    @property
    def could_not_tell(self) -> int:
        """How many co-runs have no prediction."""
        return len(self.compared) - len(self.absolute_errors)

    @property
    def mean_absolute_error(self) -> float | None:
        """Over those it could tell."""
        return float(np.mean(self.absolute_errors)) if self.absolute_errors else None

    @property
    def quartiles(self) -> Quartiles | None:
        """Of the absolute errors."""
        if not self.absolute_errors:
            return None
        least, first, median, third, most = np.quantile(self.absolute_errors, (0, 0.25, 0.5, 0.75, 1)).tolist()
        return Quartiles(least=least, first=first, median=median, third=third, most=most)

    def share_within(self, error: float = 0.1) -> float | None:
        """Share of all co-runs predicted with at most that error; those it could not tell of count as missed."""
        if not self.compared:
            return None
        return sum(one <= error for one in self.absolute_errors) / len(self.compared)

    @property
    def coverage(self) -> float | None:
        """Share of intervals that hold what was measured."""
        known = [one.held for one in self.compared if one.held is not None]
        return sum(known) / len(known) if known else None


def evaluate(model: Predictor, observations: Sequence[Observation]) -> Evaluation:
    """`model` on every co-run, in their order."""
    return Evaluation(model=model.name, compared=tuple(_compared(model, seen) for seen in observations))


def leave_one_application_out(model: Trainable, observations: Sequence[Observation]) -> Evaluation:
    """Each victim by a model that saw no co-run with it, in either part; in the order of `observations`."""
    fitted = {name: _without(model, name, observations) for name in {seen.victim.application for seen in observations}}
    return Evaluation(
        model=model.name,
        compared=tuple(_compared(fitted[seen.victim.application], seen) for seen in observations),
    )


def ranked(evaluations: Sequence[Evaluation]) -> tuple[Evaluation, ...]:
    """Those that could tell of most co-runs first, and of these the one with the least mean absolute error."""
    known = [one for one in evaluations if one.mean_absolute_error is not None]
    return (
        *sorted(known, key=lambda one: (one.could_not_tell, one.mean_absolute_error or 0.0)),
        *(one for one in evaluations if one.mean_absolute_error is None),
    )


def _without(model: Trainable, application: str, observations: Sequence[Observation]) -> Predictor | str:
    try:
        return model.fit([seen for seen in observations if application not in seen.applications])
    except CannotTell as reason:
        return f"without {application}: {reason}"


def _compared(model: Predictor | str, seen: Observation) -> Compared:
    return Compared(
        victim=seen.victim.application,
        aggressors=tuple(one.application for one in seen.aggressors),
        measured=seen.slowdown,
        prediction=no_prediction(model) if isinstance(model, str) else model.predict(seen.victim, seen.aggressors),
        interval=seen.interval,
        source=seen.source,
    )
