"""What every predictor answers, and how loads of several applications add up."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

import numpy as np

from stressbench.formats.profiles.profile import Profile
from stressbench.interference.probing import Floats
from stressbench.interference.readings import busiest, links_of, links_used


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """Time beside the aggressors over time alone (1: not slowed), with a 95 % interval.

    `reason` says why a number is None, in words. A slow-down with `low` and without `high` is at least that.
    """

    slowdown: float | None
    low: float | None
    high: float | None
    reason: str | None


NOT_SLOWED = Prediction(slowdown=1.0, low=1.0, high=1.0, reason=None)


def no_prediction(reason: object) -> Prediction:
    """Nothing but why."""
    return Prediction(slowdown=None, low=None, high=None, reason=str(reason))


class Predictor(Protocol):
    """How slow does one application become beside others? From profiles of each alone."""

    @property
    def name(self) -> str:
        """As tables show it."""

    def predict(self, victim: Profile, aggressors: Sequence[Profile]) -> Prediction:
        """Slow-down of `victim` beside all `aggressors` at once; not slowed beside nobody. Raises nothing."""


class Composition(StrEnum):
    """What several utilisations make together.

    added: arrival rates add up, as those of streams that do not care how long they wait do. left_over: each application
    uses its share of what the others leave, as those do that wait for answers; never more than 1, and the same to the
    first order.
    """

    added = "added"
    left_over = "left over"


def busiest_share(victim: Profile, aggressors: Sequence[Profile], how: Composition) -> float:
    """Of all links that the victim uses, what the aggressors together take of the one they take most of, 0 to 1.

    CannotTell where nobody counted the links of one.
    """
    _, *others = links_of([victim, *aggressors])
    used = links_used(victim)
    taken = {link: float(composed([np.array(each.get(link, 0.0)) for each in others], how)) for link in used}
    return busiest(used, taken)


def composed(utilisations: Sequence[Floats], how: Composition) -> Floats:
    """Of several loads at once, 0 to 1; arrays of one shape, at least one."""
    together = np.stack(list(utilisations))
    if how is Composition.added:
        total: Floats = np.minimum(together.sum(axis=0), 1.0)
    else:
        total = 1 - np.prod(1 - together, axis=0)
    return total
