"""All predictors by name: the four of Casas and Bronevetsky, further ones, and those trained on co-runs."""

from enum import StrEnum

from stressbench.interference.blended_predictor import TrainableBlend
from stressbench.interference.evaluation import TrainableModel
from stressbench.interference.link_share_delay import LinkShareDelay
from stressbench.interference.lookup_tables import PDFLT, AverageLT, AverageStDevLT
from stressbench.interference.pace import Pace
from stressbench.interference.prediction import Predictor
from stressbench.interference.predictors import Monotone, PerLink, PhaseAware, Queue


class Model(StrEnum):
    """Predictors that need profiles only; the first four are those of Casas and Bronevetsky.

    The values are the names in `--model` and in files, where LinkShareDelay is called SharesAndWaits.
    """

    average_lt = "AverageLT"
    average_stdev_lt = "AverageStDevLT"
    pdf_lt = "PDFLT"
    queue = "Queue"
    monotone = "Monotone"
    phase_aware = "PhaseAware"
    per_link = "PerLink"
    link_share_delay = "SharesAndWaits"
    pace = "Pace"


DEFAULT_MODEL = Model.pace
"""The model with the smallest median error for real programs on labs (docs/explanation/prediction-accuracy.md)."""

_PREDICTORS: dict[Model, Predictor] = {
    Model.average_lt: AverageLT(),
    Model.average_stdev_lt: AverageStDevLT(),
    Model.pdf_lt: PDFLT(),
    Model.queue: Queue(),
    Model.monotone: Monotone(),
    Model.phase_aware: PhaseAware(),
    Model.per_link: PerLink(),
    Model.link_share_delay: LinkShareDelay(),
    Model.pace: Pace(),
}
TRAINABLE_MODELS: tuple[TrainableModel, ...] = (TrainableBlend(bases=(Monotone(), PhaseAware())),)


def predictor_of(model: Model) -> Predictor:
    """The predictor of this name, with its default settings (docs/explanation/sensitivity.md)."""
    return _PREDICTORS[model]
