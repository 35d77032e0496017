"""The JSON Schemas of what commands print with `--json`, generated from the models that they print."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from stressbench.formats.schemas import Schema, output_schema
from stressbench.interference.corun_prediction import CoRunPrediction
from stressbench.interference.placement_plan import PlacementPlan
from stressbench.interference.reports import CompressionReport, ImpactReport
from stressbench.interference.validation import Validation as ModelValidation
from stressbench.labs.status import Capability, LabStatus, LinkCheck, LinkDirection, ShippedLab
from stressbench.results.coruns import Corun
from stressbench.results.doctor import Diagnosis
from stressbench.results.leftovers import CleanedLeftover
from stressbench.results.machine_acceptance import MachineCheck
from stressbench.results.machine_comparison import MachineComparison
from stressbench.results.study_plan import ShippedStudy, StudyPlan
from stressbench.results.study_status import StudyStatus
from stressbench.results.validation import Validation
from stressbench.results.watching import Watched
from stressbench.stats import Comparison, RunSummary
from stressbench.suites.beff import BalancedBEff
from stressbench.suites.beff_io import BEffIO
from stressbench.tracing.diff import Difference
from stressbench.tracing.profile import Profile
from stressbench.tracing.recognition.recognised import RecognisedCaptures

_MODELS: Mapping[str, Any] = {
    "beff": BalancedBEff,
    "beff-io": BEffIO,
    "clean": list[CleanedLeftover],
    "compare": Comparison,
    "compress": CompressionReport,
    "corun": Corun,
    "doctor": Diagnosis,
    "impact": ImpactReport,
    "lab check": tuple[LinkCheck, ...],
    "lab list": list[ShippedLab],
    "lab probe": tuple[Capability, ...],
    "lab stats": tuple[LinkDirection, ...],
    "lab status": list[LabStatus],
    "machine check": MachineCheck,
    "machine compare": MachineComparison,
    "predict": CoRunPrediction,
    "predict evaluate": ModelValidation,
    "predict place": PlacementPlan,
    "profile": Profile,
    "show": RunSummary,
    "study list": tuple[ShippedStudy, ...],
    "study plan": StudyPlan,
    "study status": StudyStatus,
    "study watch": Watched,
    "trace diff": Difference,
    "recognise": RecognisedCaptures,
    "validate": Validation,
}
"""The model that each command prints."""
PRINTED: Mapping[str, Callable[[], Schema]] = {
    name: partial(output_schema, name, model, command=f"stressbench {command} --json")
    for command, model in _MODELS.items()
    for name in (command.replace(" ", "-"),)
}
