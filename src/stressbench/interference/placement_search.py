"""Which applications should share a switch: the groups with the smallest sum of predicted slowdowns."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from stressbench.formats.profiles.profile import Profile
from stressbench.interference.errors import Inconclusive
from stressbench.interference.prediction import Predictor

MOST_GROUPS = 50_000

Cost = Callable[[tuple[int, ...]], float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grouping:
    """Groups of applications, one group per switch; applications are numbered in the order of the input, from 0.

    `cost`: sum over applications of slowdown - 1. `not_considered`: groups without a prediction.
    """

    groups: tuple[tuple[int, ...], ...]
    cost: float
    not_considered: tuple[tuple[int, ...], ...]


def best_grouping(model: Predictor, applications: Sequence[Profile], *, places: int, per_place: int = 2) -> Grouping:
    """The best assignment of `applications` to `places` switches of `per_place` each; see `cheapest_grouping`."""

    def cost(group: tuple[int, ...]) -> float | None:
        total = 0.0
        for one in group:
            others = [applications[other] for other in group if other != one]
            slowdown = model.predict(applications[one], others).slowdown
            if slowdown is None:
                return None
            total += slowdown - 1
        return total

    return cheapest_grouping(cost, count=len(applications), places=places, per_place=per_place)


def cheapest_grouping(cost: Cost, *, count: int, places: int, per_place: int = 2) -> Grouping:
    """The cheapest partition of 0..count-1 into at most `places` groups of at most `per_place`; exact (HiGHS).

    `cost` is evaluated for every group of two or more; None excludes a group, a single application costs nothing.
    Raises ValueError if the applications do not fit or there are too many groups to evaluate, and Inconclusive if the
    groups that are left do not cover all applications.
    """
    if count > places * per_place:
        raise ValueError(f"{count} applications: {places} places for {per_place} each hold {places * per_place}")
    largest = min(per_place, count)
    if (group_count := sum(comb(count, size) for size in range(1, largest + 1))) > MOST_GROUPS:
        raise ValueError(
            f"{group_count} groups of up to {per_place} of {count} applications: expected {MOST_GROUPS} at most"
        )
    if count == 0:
        return Grouping(groups=(), cost=0.0, not_considered=())
    groups: list[tuple[int, ...]] = [(one,) for one in range(count)]
    costs, unpredicted = [0.0] * count, []
    for group in (combination for size in range(2, largest + 1) for combination in combinations(range(count), size)):
        group_cost = cost(group)
        if group_cost is None:
            unpredicted.append(group)
        else:
            groups.append(group)
            costs.append(group_cost)
    chosen = _cheapest(groups, costs, count=count, places=min(places, count))
    if chosen is None:
        raise Inconclusive(f"{_groups(len(unpredicted))} no prediction, and the others do not cover all applications")
    return Grouping(
        groups=tuple(groups[one] for one in chosen),
        cost=float(sum(costs[one] for one in chosen)),
        not_considered=tuple(unpredicted),
    )


def _groups(count: int) -> str:
    return "1 group has" if count == 1 else f"{count} groups have"


def _cheapest(
    groups: Sequence[tuple[int, ...]], costs: Sequence[float], *, count: int, places: int
) -> list[int] | None:
    """Indices of the chosen groups: each application is in exactly one, and there are at most `places` of them."""
    from scipy.optimize import Bounds, LinearConstraint, milp  # takes a second to import

    members = np.zeros((count, len(groups)))
    for number, group in enumerate(groups):
        members[list(group), number] = 1
    solution = milp(
        np.array(costs),
        integrality=np.ones(len(groups), dtype=np.int64),
        bounds=Bounds(0, 1),
        constraints=[LinearConstraint(members, 1, 1), LinearConstraint(np.ones((1, len(groups))), 0, places)],
    )
    return None if solution.x is None else np.flatnonzero(solution.x > 0.5).tolist()
