"""Predicted slowdowns of applications that run at the same time."""

from collections.abc import Sequence
from dataclasses import dataclass

from stressbench.formats.profiles.profile import Profile
from stressbench.interference.models import Model, predictor_of
from stressbench.interference.prediction import Prediction


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPrediction:
    """The prediction of one model for one application of a co-run."""

    model: str
    prediction: Prediction


@dataclass(frozen=True, slots=True, kw_only=True)
class VictimPrediction:
    """Predictions for one application by each model; `beside` are the co-running applications."""

    application: str
    beside: tuple[str, ...]
    foretold: tuple[ModelPrediction, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CoRunPrediction:
    """Predictions for all applications of a co-run, in the order of their profiles."""

    machine: str
    applications: tuple[VictimPrediction, ...]

    @property
    def has_predictions(self) -> bool:
        """Whether there is a prediction for any application by any model."""
        return any(
            one.prediction.slowdown is not None for application in self.applications for one in application.foretold
        )


def predict_corun(profiles: Sequence[Profile], models: Sequence[Model]) -> CoRunPrediction:
    """Predict the slowdown of each application while all the others run.

    `profiles`: at least one, all of one machine; a profile that occurs twice means two copies of the application.
    """
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
