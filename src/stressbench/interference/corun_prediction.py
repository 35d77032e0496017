"""Applications that are to run all at once: what becomes of each."""

from collections.abc import Sequence
from dataclasses import dataclass

from stressbench.interference.models import Model, predictor_of
from stressbench.interference.prediction import Prediction
from stressbench.interference.profile import Profile


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPrediction:
    """What `model` says of one application beside others."""

    model: str
    prediction: Prediction


@dataclass(frozen=True, slots=True, kw_only=True)
class VictimPrediction:
    """One application, the others, and a prediction for each model."""

    application: str
    beside: tuple[str, ...]
    foretold: tuple[ModelPrediction, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CoRunPrediction:
    """All of them, in the order they were handed in."""

    machine: str
    applications: tuple[VictimPrediction, ...]

    @property
    def tells(self) -> bool:
        """Whether any model could tell of anyone."""
        return any(
            one.prediction.slowdown is not None for application in self.applications for one in application.foretold
        )


def predict_corun(profiles: Sequence[Profile], models: Sequence[Model]) -> CoRunPrediction:
    """Each of `profiles`, at least one and of one machine, beside all the others; the same one twice is two copies."""
    return CoRunPrediction(
        machine=profiles[0].machine,
        applications=tuple(
            _predict_victim(victim, [*profiles[:number], *profiles[number + 1 :]], models)
            for number, victim in enumerate(profiles)
        ),
    )


def _predict_victim(victim: Profile, others: Sequence[Profile], models: Sequence[Model]) -> VictimPrediction:
    return VictimPrediction(
        application=victim.application,
        beside=tuple(one.application for one in others),
        foretold=tuple(
            ModelPrediction(model=model, prediction=predictor_of(model).predict(victim, others)) for model in models
        ),
    )
