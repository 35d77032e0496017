"""A predictor trained on measured co-runs: a weighted product of the slowdowns of other predictors."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log

import numpy as np

from stressbench.formats.profiles.profile import Profile
from stressbench.interference.errors import Inconclusive
from stressbench.interference.evaluation import MeasuredCoRun
from stressbench.interference.prediction import NOT_SLOWED, Prediction, Predictor, no_prediction
from stressbench.stats.intervals import CONFIDENCE

LEAST_OBSERVATIONS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class BlendedPredictor:
    """Predicts log(slowdown) as the sum of the log(slowdown) of `bases` with `weights` of at least 0.

    `errors`: residuals of the training co-runs (logarithms), from which the interval is derived.
    """

    bases: tuple[Predictor, ...]
    weights: tuple[float, ...]
    errors: tuple[float, ...]
    name: str = "Blend"

    def predict(self, victim: Profile, aggressors: Sequence[Profile]) -> Prediction:
        """The prediction, if every base with a weight above 0 has one."""
        if not aggressors:
            return NOT_SLOWED
        total = 0.0
        for base, weight in zip(self.bases, self.weights, strict=True):
            if weight == 0:
                continue
            prediction = base.predict(victim, aggressors)
            if prediction.slowdown is None:
                return no_prediction(f"{base.name}: {prediction.reason}")
            total += weight * log(prediction.slowdown)
        low, high = np.quantile(self.errors, ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2))
        return Prediction(
            slowdown=exp(total), low=exp(min(total, total + low)), high=exp(max(total, total + high)), reason=None
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainableBlend:
    """The model that trains a `BlendedPredictor`."""

    bases: tuple[Predictor, ...]
    name: str = "Blend"

    def fit(self, observations: Sequence[MeasuredCoRun]) -> BlendedPredictor:
        """Fit the weights to the co-runs that every base predicts, by non-negative least squares.

        Raises Inconclusive for fewer than 6 such co-runs.
        """
        rows, measured = [], []
        for observation in observations:
            slowdowns = [base.predict(observation.victim, observation.aggressors).slowdown for base in self.bases]
            logarithms = [log(slowdown) for slowdown in slowdowns if slowdown is not None]
            if len(logarithms) == len(self.bases):
                rows.append(logarithms)
                measured.append(log(observation.slowdown))
        if len(rows) < LEAST_OBSERVATIONS:
            raise Inconclusive(
                f"{len(rows)} co-runs of which every base has a prediction: at least {LEAST_OBSERVATIONS} needed"
            )
        design, target = np.array(rows), np.array(measured)
        from scipy.optimize import nnls  # takes a second to import

        weights = nnls(design, target)[0]
        return BlendedPredictor(
            bases=self.bases, weights=tuple(weights.tolist()), errors=tuple((target - design @ weights).tolist()),
            name=self.name,
        )  # fmt: skip
