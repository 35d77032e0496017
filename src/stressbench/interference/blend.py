"""A predictor that learns from co-runs: a weighted product of other predictors' slow-downs."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log

import numpy as np

from stressbench.formats.profiles.profile import Profile
from stressbench.interference.errors import CannotTell
from stressbench.interference.evaluation import Observation
from stressbench.interference.prediction import NOT_SLOWED, Prediction, Predictor, no_prediction
from stressbench.stats.intervals import CONFIDENCE

LEAST_OBSERVATIONS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Blend:
    """The logarithm of a slow-down: `weights` (0 or more) times those of `bases`, summed. `errors`: of the co-runs."""

    bases: tuple[Predictor, ...]
    weights: tuple[float, ...]
    errors: tuple[float, ...]
    name: str = "Blend"

    def predict(self, victim: Profile, aggressors: Sequence[Profile]) -> Prediction:
        """Where every base with a weight can tell; the interval is that of the errors it was fitted with."""
        if not aggressors:
            return NOT_SLOWED
        total = 0.0
        for base, weight in zip(self.bases, self.weights, strict=True):
            if weight == 0:
                continue
            found = base.predict(victim, aggressors)
            if found.slowdown is None:
                return no_prediction(f"{base.name}: {found.reason}")
            total += weight * log(found.slowdown)
        low, high = np.quantile(self.errors, ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2))
        return Prediction(
            slowdown=exp(total), low=exp(min(total, total + low)), high=exp(max(total, total + high)), reason=None
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class BlendOf:
    """What becomes a `Blend` once it has seen co-runs."""

    bases: tuple[Predictor, ...]
    name: str = "Blend"

    def fit(self, observations: Sequence[Observation]) -> Blend:
        """Non-negative least squares of logarithms, over the co-runs of which every base can tell.

        CannotTell below 6 of them.
        """
        rows, measured = [], []
        for seen in observations:
            found = [base.predict(seen.victim, seen.aggressors).slowdown for base in self.bases]
            known = [log(slowdown) for slowdown in found if slowdown is not None]
            if len(known) == len(self.bases):
                rows.append(known)
                measured.append(log(seen.slowdown))
        if len(rows) < LEAST_OBSERVATIONS:
            raise CannotTell(f"{len(rows)} co-runs of which every base can tell: at least {LEAST_OBSERVATIONS} needed")
        design, wanted = np.array(rows), np.array(measured)
        from scipy.optimize import nnls  # a second, which others shall not wait

        weights = nnls(design, wanted)[0]
        return Blend(
            bases=self.bases, weights=tuple(weights.tolist()), errors=tuple((wanted - design @ weights).tolist()),
            name=self.name,
        )  # fmt: skip
