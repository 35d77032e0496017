"""The predictors by name, for commands: the paper's four, ours, and what learns from co-runs."""

from enum import StrEnum

from stressbench.interference.blend import BlendOf
from stressbench.interference.evaluation import Trainable
from stressbench.interference.lookup import PDFLT, AverageLT, AverageStDevLT
from stressbench.interference.prediction import Predictor
from stressbench.interference.predictors import Monotone, PerLink, PhaseAware, Queue
from stressbench.interference.shares_and_waits import SharesAndWaits


class Model(StrEnum):
    """Those that need nothing but profiles; the first four are those of Casas and Bronevetsky."""

    average_lt = "AverageLT"
    average_stdev_lt = "AverageStDevLT"
    pdf_lt = "PDFLT"
    queue = "Queue"
    monotone = "Monotone"
    phase_aware = "PhaseAware"
    per_link = "PerLink"
    shares_and_waits = "SharesAndWaits"


BEST = Model.phase_aware
"""Least error of these in the made-up world of docs/explanation/sensitivity.md.

Monotone where an application has no phases.
"""

_PREDICTORS: dict[Model, Predictor] = {
    Model.average_lt: AverageLT(),
    Model.average_stdev_lt: AverageStDevLT(),
    Model.pdf_lt: PDFLT(),
    Model.queue: Queue(),
    Model.monotone: Monotone(),
    Model.phase_aware: PhaseAware(),
    Model.per_link: PerLink(),
    Model.shares_and_waits: SharesAndWaits(),
}
LEARNERS: tuple[Trainable, ...] = (BlendOf(bases=(Monotone(), PhaseAware())),)


def predictor_of(model: Model) -> Predictor:
    """As docs/explanation/sensitivity.md describes it."""
    return _PREDICTORS[model]
