"""Applications that are to run all at once: what becomes of each."""

from collections.abc import Sequence
from dataclasses import dataclass

from stressbench.formats.profiles.profile import Profile
from stressbench.interference.models import Model, predictor_of
from stressbench.interference.prediction import Prediction


@dataclass(frozen=True, slots=True, kw_only=True)
class Foretold:
    """What `model` says of one application beside others."""

    model: str
    prediction: Prediction


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """One application, the others, and a prediction for each model."""

    application: str
    beside: tuple[str, ...]
    foretold: tuple[Foretold, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Together:
    """All of them, in the order they were handed in."""

    machine: str
    applications: tuple[Beside, ...]

    @property
    def tells(self) -> bool:
        """Whether any model could tell of anyone."""
        return any(
            one.prediction.slowdown is not None for application in self.applications for one in application.foretold
        )


def foretell(profiles: Sequence[Profile], models: Sequence[Model]) -> Together:
    """Each of `profiles`, at least one and of one machine, beside all the others; the same one twice is two copies."""
    return Together(
        machine=profiles[0].machine,
        applications=tuple(
            _beside(victim, [*profiles[:number], *profiles[number + 1 :]], models)
            for number, victim in enumerate(profiles)
        ),
    )


def _beside(victim: Profile, others: Sequence[Profile], models: Sequence[Model]) -> Beside:
    return Beside(
        application=victim.application,
        beside=tuple(one.application for one in others),
        foretold=tuple(
            Foretold(model=model, prediction=predictor_of(model).predict(victim, others)) for model in models
        ),
    )
