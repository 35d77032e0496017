"""Which applications to put beside each other: the groups with the least predicted slow-down in all."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from stressbench.formats.profiles.profile import Profile
from stressbench.interference.errors import CannotTell
from stressbench.interference.prediction import Predictor

MOST_GROUPS = 50_000

Cost = Callable[[tuple[int, ...]], float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """Groups of applications, by number in the order they were handed in, that share a switch each.

    `cost`: sum over applications of slow-down - 1. `not_considered`: groups about which nobody could tell.
    """

    groups: tuple[tuple[int, ...], ...]
    cost: float
    not_considered: tuple[tuple[int, ...], ...]


def advise(model: Predictor, applications: Sequence[Profile], *, places: int, per_place: int = 2) -> Advice:
    """Each of `applications` on one of `places` switches, at most `per_place` together. As `place`."""

    def cost(group: tuple[int, ...]) -> float | None:
        total = 0.0
        for one in group:
            others = [applications[other] for other in group if other != one]
            found = model.predict(applications[one], others).slowdown
            if found is None:
                return None
            total += found - 1
        return total

    return place(cost, count=len(applications), places=places, per_place=per_place)


def place(cost: Cost, *, count: int, places: int, per_place: int = 2) -> Advice:
    """The cheapest division of 0..count-1 into at most `places` groups of at most `per_place`; exact (HiGHS).

    `cost` is asked for every group of two or more; None rules a group out, one alone costs nothing. ValueError where
    they do not fit or groups are too many to try; CannotTell where those ruled out leave no division.
    """
    if count > places * per_place:
        raise ValueError(f"{count} applications: {places} places for {per_place} each hold {places * per_place}")
    if (tried := sum(comb(count, size) for size in range(1, per_place + 1))) > MOST_GROUPS:
        raise ValueError(f"{tried} groups of up to {per_place} of {count} applications: expected {MOST_GROUPS} at most")
    if count == 0:
        return Advice(groups=(), cost=0.0, not_considered=())
    groups: list[tuple[int, ...]] = [(one,) for one in range(count)]
    costs, unknown = [0.0] * count, []
    for group in (some for size in range(2, per_place + 1) for some in combinations(range(count), size)):
        found = cost(group)
        if found is None:
            unknown.append(group)
        else:
            groups.append(group)
            costs.append(found)
    chosen = _cheapest(groups, costs, count=count, places=places)
    if chosen is None:
        raise CannotTell(f"of {len(unknown)} groups nobody can tell how slow they are, and none of the others will do")
    return Advice(
        groups=tuple(groups[one] for one in chosen),
        cost=float(sum(costs[one] for one in chosen)),
        not_considered=tuple(unknown),
    )


def _cheapest(
    groups: Sequence[tuple[int, ...]], costs: Sequence[float], *, count: int, places: int
) -> list[int] | None:
    """Numbers of groups: everybody in exactly one, not more groups than places."""
    from scipy.optimize import Bounds, LinearConstraint, milp  # a second, which others shall not wait

    members = np.zeros((count, len(groups)))
    for number, group in enumerate(groups):
        members[list(group), number] = 1
    found = milp(
        np.array(costs),
        integrality=np.ones(len(groups), dtype=np.int64),
        bounds=Bounds(0, 1),
        constraints=[LinearConstraint(members, 1, 1), LinearConstraint(np.ones((1, len(groups))), 0, places)],
    )
    return None if found.x is None else np.flatnonzero(found.x > 0.5).tolist()
