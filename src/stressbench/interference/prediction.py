"""The interface of predictors, and how loads of several applications are combined."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol

import numpy as np

from stressbench.formats.profiles.profile import Profile
from stressbench.interference.errors import Inconclusive
from stressbench.interference.profile_analysis import (
    busiest_link_share,
    links_used,
    require_comparable,
    require_link_shares,
)
from stressbench.interference.utilisation import Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """Predicted slowdown (1: not slowed down) with its 95 % interval.

    `reason` explains any value that is None. A slowdown with `low` but without `high` is a lower bound.
    """

    slowdown: float | None
    low: float | None
    high: float | None
    reason: str | None


NOT_SLOWED = Prediction(slowdown=1.0, low=1.0, high=1.0, reason=None)


def no_prediction(reason: object) -> Prediction:
    """A prediction without values, and the reason."""
    return Prediction(slowdown=None, low=None, high=None, reason=str(reason))


def while_overlapping(prediction: Prediction, overlap: float) -> Prediction:
    """The prediction for a victim beside which the aggressors run for a share `overlap` of its time only, 0 to 1.

    Slowed by s, it proceeds at 1 / s of its isolated pace while they run, and at its isolated pace otherwise.
    """

    def during(slowdown: float | None) -> float | None:
        return None if slowdown is None else slowdown / (overlap + (1 - overlap) * slowdown)

    return replace(
        prediction, slowdown=during(prediction.slowdown), low=during(prediction.low), high=during(prediction.high)
    )


class Predictor(Protocol):
    """Predicts the slowdown of an application by co-running ones, from separately measured profiles."""

    @property
    def name(self) -> str:
        """The name in tables and files."""

    def predict(self, victim: Profile, aggressors: Sequence[Profile]) -> Prediction:
        """The slowdown of `victim` while all `aggressors` run; 1 without any. Reports problems as `reason`."""


class CheckedPredictor(ABC):
    """Base of predictors: checks the profiles and turns Inconclusive into a prediction without values."""

    def predict(self, victim: Profile, aggressors: Sequence[Profile]) -> Prediction:
        """As `Predictor.predict`; profiles have to be of one machine."""
        if not aggressors:
            return NOT_SLOWED
        try:
            require_comparable([victim, *aggressors])
            return self._predict(victim, aggressors)
        except Inconclusive as reason:
            return no_prediction(reason)

    @abstractmethod
    def _predict(self, victim: Profile, aggressors: Sequence[Profile]) -> Prediction:
        """The prediction for comparable profiles and at least one aggressor. Raises Inconclusive."""


class Composition(StrEnum):
    """How the utilisations of several applications are combined.

    added: arrival rates add up, as for open streams, which are not delayed by congestion. left_over: each application
    uses its share of the capacity that the others leave, as for applications that wait for replies; the result is
    below 1 and equal to the sum to first order.
    """

    added = "added"
    left_over = "left over"


def share_taken_by_aggressors(victim: Profile, aggressors: Sequence[Profile], composition: Composition) -> float:
    """The share, 0 to 1, that the aggressors together take of the link they load most among those the victim uses.

    Raises Inconclusive if a profile has no link counters.
    """
    _, *others = require_link_shares([victim, *aggressors])
    used = links_used(victim)
    taken = {
        link: float(combined_utilisation([np.array(shares.get(link, 0.0)) for shares in others], composition))
        for link in used
    }
    return busiest_link_share(used, taken)


def combined_utilisation(utilisations: Sequence[Floats], composition: Composition) -> Floats:
    """The utilisation of several loads at the same time, 0 to 1; `utilisations` are arrays of one shape."""
    combined = np.stack(list(utilisations))
    if composition is Composition.added:
        total: Floats = np.minimum(combined.sum(axis=0), 1.0)
    else:
        total = 1 - np.prod(1 - combined, axis=0)
    return total
