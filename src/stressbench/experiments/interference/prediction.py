"""Predictions from profiles: the slowdown of each application, validation with measured co-runs, placement."""

from collections.abc import Sequence
from pathlib import Path

from stressbench.errors import StressBenchError, UserError
from stressbench.exit_status import ExitStatus
from stressbench.formats.profiles.profile import Profile
from stressbench.interference.corun_prediction import CoRunPrediction, predict_corun
from stressbench.interference.coruns import read_coruns
from stressbench.interference.errors import Inconclusive
from stressbench.interference.models import DEFAULT_MODEL, Model
from stressbench.interference.placement_plan import PlacementPlan, plan_placement, reasons_without_prediction
from stressbench.interference.validation import Validation, validate_models
from stressbench.report.names import printable


class PredictionError(UserError):
    """The profiles or parameters do not suit the prediction. The message says what is expected."""


class NoPlacement(StressBenchError):
    """No placement of the applications can be predicted; the message gives the reasons."""

    exit_status = ExitStatus.negative


def model_named(name: str | None) -> Model:
    """The model of this name, in upper or lower case; the default model for None. Raises PredictionError."""
    if name is None:
        return DEFAULT_MODEL
    for model in Model:
        if model.lower() == name.lower():
            return model
    raise PredictionError(f"--model {printable(name)}: expected one of {', '.join(Model)}")


def predict_slowdowns(profiles: Sequence[Profile], *, models: Sequence[Model] = (DEFAULT_MODEL,)) -> CoRunPrediction:
    """The slowdown of each application while all of them run at the same time. Raises PredictionError."""
    if len(profiles) < 2:
        raise PredictionError(f"{profiles[0].application} alone: expected at least two profiles")
    return predict_corun(profiles, models)


def validate_predictions(profiles: Sequence[Profile], observed: Sequence[Path]) -> Validation:
    """Compare all models with the measured co-runs in the files `observed` whose applications all have profiles.

    Raises PredictionError where there is no such co-run, ProfileFileError and RunFileError where a file cannot be read.
    """
    coruns = [one for path in observed for one in read_coruns(path)]
    try:
        validation = validate_models(profiles, coruns)
    except ValueError as mistake:
        raise PredictionError(str(mistake)) from None
    if not validation.co_runs:
        reasons = "; ".join(dict.fromkeys(one.reason for one in validation.left_out)) or "every job is a congestor"
        files = " ".join(map(str, observed))
        raise PredictionError(f"--observed {files}: no co-run of these profiles: {reasons}")
    return validation


def propose_placement(
    profiles: Sequence[Profile], *, switches: int, per_switch: int = 2, model: Model = DEFAULT_MODEL
) -> PlacementPlan:
    """The placement of the applications on switches with the least predicted slowdown.

    Raises PredictionError where they do not fit, and NoPlacement where no placement can be predicted.
    """
    try:
        return plan_placement(profiles, model, switches=switches, per_switch=per_switch)
    except ValueError as mistake:
        raise PredictionError(f"--switches {switches} --per-switch {per_switch}: {mistake}") from None
    except Inconclusive as reason:
        reasons = "; ".join(reasons_without_prediction(profiles, model))
        raise NoPlacement(f"no placement can be predicted: {reason} ({reasons})") from None
