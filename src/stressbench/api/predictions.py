"""`stressbench.predict`, `predict_evaluate`, `predict_place` and `sensitivity`: what follows from profiles."""

from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path

from stressbench.api.presentation import Reported
from stressbench.experiments.interference.prediction import (
    model_named,
    predict_slowdowns,
    propose_placement,
    validate_predictions,
)
from stressbench.experiments.interference.profile_selection import select_profiles
from stressbench.formats.files import recorded_reads
from stressbench.formats.profiles.profile import Profile
from stressbench.interference.corun_prediction import CoRunPrediction
from stressbench.interference.models import DEFAULT_MODEL
from stressbench.interference.placement_plan import PlacementPlan
from stressbench.interference.validation import Validation
from stressbench.report import interference
from stressbench.report.document import Document
from stressbench.report.interference import evaluation, placement, predictions

Words = Sequence[str | PathLike[str]]
"""Files, folders of profiles or, with a store, names of applications."""


class SensitivityResults(Reported[tuple[Profile, ...]]):
    """Profiles of applications on one machine, as `stressbench.impact` and `stressbench.compress` write them."""

    _without = ()

    def __repr__(self) -> str:
        return f"<SensitivityResults of {', '.join(one.application for one in self.data)} on {self.data[0].machine}>"

    def _brief(self) -> Document:
        return interference.brief([interference.profile_report(one) for one in self.data])

    def _page(self) -> Document:
        return interference.page([interference.profile_report(one) for one in self.data])


class PredictResults(Reported[CoRunPrediction]):
    """The predicted slowdown of each application beside all the others; `data` holds everything as values."""

    def __repr__(self) -> str:
        return f"<PredictResults of {len(self.data.applications)} applications on {self.data.machine}>"

    def _brief(self) -> Document:
        return predictions.brief(self.data)

    def _page(self) -> Document:
        return predictions.page(self.data)


class EvaluationResults(Reported[Validation]):
    """Errors of the predictions of each model; `data.scores` has the best model first."""

    _without = ("latex",)

    def __init__(self, data: Validation, *, pairs: bool = False, sources: Iterable[Path] = ()) -> None:
        super().__init__(data, sources=sources)
        self._pairs = pairs

    def __repr__(self) -> str:
        return f"<EvaluationResults of {len(self.data.scores)} models, {self.data.co_runs} co-runs>"

    def _brief(self) -> Document:
        return evaluation.brief(self.data, pairs=self._pairs)

    def _page(self) -> Document:
        return evaluation.page(self.data)


class PlacementResults(Reported[PlacementPlan]):
    """Which applications should share a switch: `data.groups`."""

    def __repr__(self) -> str:
        return f"<PlacementResults on {self.data.switches} switches of {self.data.machine}>"

    def _brief(self) -> Document:
        return placement.brief(self.data)

    def _page(self) -> Document:
        return placement.page(self.data)


def sensitivity(
    *profiles: str | PathLike[str], store: str | PathLike[str] | None = None, machine: str | None = None
) -> SensitivityResults:  # fmt: skip
    """Read profiles: files, folders of profiles or, with `store`, names of applications (none: all of them).

    All profiles must be of one machine; `machine` selects it if a folder has several. Raises
    `stressbench.StressBenchError`.
    """
    with recorded_reads() as sources:
        selected = _selected(profiles, store=store, machine=machine)
    return SensitivityResults(selected, sources=sources)


def predict(
    *profiles: str | PathLike[str], store: str | PathLike[str] | None = None, machine: str | None = None,
    models: Sequence[str] = (DEFAULT_MODEL,),
) -> PredictResults:  # fmt: skip
    """Predict how much each application is slowed down while all of them run at the same time; nothing is run.

        results = stressbench.predict("cg.json", "fft.json")
        [(one.application, one.foretold[0].prediction.slowdown) for one in results.data.applications]

    Profiles are selected as by `stressbench.sensitivity`; one that is given twice means two copies. `models` are names
    of models. Raises `stressbench.StressBenchError` if profiles are missing or do not fit, or a model does not exist.
    """
    with recorded_reads() as sources:
        selected = _selected(profiles, store=store, machine=machine)
    prediction = predict_slowdowns(selected, models=[model_named(name) for name in models])
    return PredictResults(prediction, sources=sources)


def predict_evaluate(
    *profiles: str | PathLike[str], observed: Sequence[str | PathLike[str]],
    store: str | PathLike[str] | None = None, machine: str | None = None, pairs: bool = False,
) -> EvaluationResults:  # fmt: skip
    """Compare the predictions of all models with the measured co-runs in the files `observed`.

    `observed` are files of co-runs or run files. Profiles are selected as by `stressbench.sensitivity`. With `pairs`,
    reports also have one line for each co-run, with all predictions. Raises `stressbench.StressBenchError`.
    """
    with recorded_reads() as sources:
        selected = _selected(profiles, store=store, machine=machine)
        validation = validate_predictions(selected, [Path(one) for one in observed])
    return EvaluationResults(validation, pairs=pairs, sources=sources)


def predict_place(
    *profiles: str | PathLike[str], switches: int, per_switch: int = 2, model: str = DEFAULT_MODEL,
    store: str | PathLike[str] | None = None, machine: str | None = None,
) -> PlacementResults:  # fmt: skip
    """The placement of the applications on switches with the smallest sum of predicted slowdowns.

    Profiles are selected as by `stressbench.sensitivity`. Raises `stressbench.StressBenchError` if the applications do
    not fit, the model does not exist, or no placement can be predicted.
    """
    selected = _selected(profiles, store=store, machine=machine)
    return PlacementResults(
        propose_placement(selected, switches=switches, per_switch=per_switch, model=model_named(model))
    )  # fmt: skip


def _selected(words: Words, *, store: str | PathLike[str] | None, machine: str | None) -> tuple[Profile, ...]:
    return select_profiles(tuple(map(str, words)), store=None if store is None else Path(store), machine=machine)
