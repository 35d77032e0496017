"""A placement of applications on switches, with the predicted slowdown of each application."""

from collections.abc import Sequence
from dataclasses import dataclass

from stressbench.formats.profiles.profile import Profile
from stressbench.interference.models import Model, predictor_of
from stressbench.interference.placement_search import Grouping, best_grouping
from stressbench.interference.prediction import Prediction


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedApplication:
    """An application and its predicted slowdown on its switch; `number`: its position in the input, from 0."""

    number: int
    application: str
    prediction: Prediction


@dataclass(frozen=True, slots=True, kw_only=True)
class UnpredictedGroup:
    """Applications that do not share a switch because their slowdown cannot be predicted, and the reasons."""

    applications: tuple[str, ...]
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacementPlan:
    """Each of `groups` shares a switch; `cost` is the sum of slowdown - 1 over all applications."""

    machine: str
    model: str
    switches: int
    per_switch: int
    groups: tuple[tuple[PlacedApplication, ...], ...]
    cost: float
    not_considered: tuple[UnpredictedGroup, ...]


def plan_placement(profiles: Sequence[Profile], model: Model, *, switches: int, per_switch: int) -> PlacementPlan:
    """The best placement of `profiles` (at least one, all of one machine) on `switches` switches.

    Raises ValueError and Inconclusive as `best_grouping` does.
    """
    predictor = predictor_of(model)
    grouping = best_grouping(predictor, profiles, places=switches, per_place=per_switch)
    return PlacementPlan(
        machine=profiles[0].machine,
        model=model,
        switches=switches,
        per_switch=per_switch,
        groups=_placed(profiles, model, grouping),
        cost=grouping.cost,
        not_considered=tuple(
            UnpredictedGroup(
                applications=tuple(profiles[one].application for one in group),
                reasons=tuple(
                    dict.fromkeys(
                        str(found.reason)
                        for found in (predictor.predict(profiles[one], _others(profiles, group, one)) for one in group)
                        if found.slowdown is None
                    )
                ),
            )
            for group in grouping.not_considered
        ),
    )


def reasons_without_prediction(profiles: Sequence[Profile], model: Model) -> tuple[str, ...]:
    """The reasons why pairs of applications have no prediction, without duplicates."""
    predictor = predictor_of(model)
    pairs = [(one, other) for one in range(len(profiles)) for other in range(len(profiles)) if one != other]
    found = [predictor.predict(profiles[one], [profiles[other]]) for one, other in pairs]
    return tuple(dict.fromkeys(str(one.reason) for one in found if one.slowdown is None))


def _placed(profiles: Sequence[Profile], model: Model, grouping: Grouping) -> tuple[tuple[PlacedApplication, ...], ...]:
    return tuple(
        tuple(
            PlacedApplication(
                number=one,
                application=profiles[one].application,
                prediction=predictor_of(model).predict(profiles[one], _others(profiles, group, one)),
            )
            for one in group
        )
        for group in sorted(grouping.groups)
    )


def _others(profiles: Sequence[Profile], group: Sequence[int], one: int) -> list[Profile]:
    return [profiles[other] for other in group if other != one]
