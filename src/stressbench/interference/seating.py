"""Advice on placement in full: who sits on which switch, how slow each is there, and what nobody could tell of."""

from collections.abc import Sequence
from dataclasses import dataclass

from stressbench.formats.profiles.profile import Profile
from stressbench.interference.models import Model, predictor_of
from stressbench.interference.placement import Advice, advise
from stressbench.interference.prediction import Prediction


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """An application, by its `number` in the order handed in, from 0, and its slow-down beside those of its switch."""

    number: int
    application: str
    prediction: Prediction


@dataclass(frozen=True, slots=True, kw_only=True)
class NotConsidered:
    """Applications that share no switch because nobody can tell how slow they would be, and why."""

    applications: tuple[str, ...]
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seating:
    """`groups` share a switch each; at most `switches` of at most `per_switch`. `cost`: sum of slow-down - 1."""

    machine: str
    model: str
    switches: int
    per_switch: int
    groups: tuple[tuple[Seat, ...], ...]
    cost: float
    not_considered: tuple[NotConsidered, ...]


def seat(profiles: Sequence[Profile], model: Model, *, switches: int, per_switch: int) -> Seating:
    """`profiles`, at least one and of one machine, as `advise` places them. Raises ValueError and CannotTell as it."""
    predictor = predictor_of(model)
    advice = advise(predictor, profiles, places=switches, per_place=per_switch)
    return Seating(
        machine=profiles[0].machine,
        model=model,
        switches=switches,
        per_switch=per_switch,
        groups=_seats(profiles, model, advice),
        cost=advice.cost,
        not_considered=tuple(
            NotConsidered(
                applications=tuple(profiles[one].application for one in group),
                reasons=tuple(
                    dict.fromkeys(
                        str(found.reason)
                        for found in (predictor.predict(profiles[one], _others(profiles, group, one)) for one in group)
                        if found.slowdown is None
                    )
                ),
            )
            for group in advice.not_considered
        ),
    )


def why_nobody_can_tell(profiles: Sequence[Profile], model: Model) -> tuple[str, ...]:
    """Reasons of all pairs that have no prediction, each once."""
    predictor = predictor_of(model)
    pairs = [(one, other) for one in range(len(profiles)) for other in range(len(profiles)) if one != other]
    found = [predictor.predict(profiles[one], [profiles[other]]) for one, other in pairs]
    return tuple(dict.fromkeys(str(one.reason) for one in found if one.slowdown is None))


def _seats(profiles: Sequence[Profile], model: Model, advice: Advice) -> tuple[tuple[Seat, ...], ...]:
    return tuple(
        tuple(
            Seat(
                number=one,
                application=profiles[one].application,
                prediction=predictor_of(model).predict(profiles[one], _others(profiles, group, one)),
            )
            for one in group
        )
        for group in sorted(advice.groups)
    )


def _others(profiles: Sequence[Profile], group: Sequence[int], one: int) -> list[Profile]:
    return [profiles[other] for other in group if other != one]
