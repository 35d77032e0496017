"""Interference of applications (Casas and Bronevetsky): probes, queueing model, profiles, predictors. Pure."""

from stressbench.formats.errors import ProfileFileError
from stressbench.formats.profiles.coruns import CoRun, parse_coruns
from stressbench.formats.profiles.profile import (
    Configuration,
    Impact,
    Latencies,
    Level,
    ProbeSettings,
    Profile,
    Provenance,
    parse_profile,
    read_profile,
    to_json,
)
from stressbench.formats.profiles.store import Store
from stressbench.interference.blended_predictor import BlendedPredictor, TrainableBlend
from stressbench.interference.compression import configurations, next_configuration, spread_over_utilisation
from stressbench.interference.corun_prediction import CoRunPrediction, ModelPrediction, VictimPrediction, predict_corun
from stressbench.interference.coruns import LeftOut, coruns_of, read_coruns
from stressbench.interference.errors import Inconclusive
from stressbench.interference.evaluation import (
    ErrorQuartiles,
    Evaluation,
    MeasuredCoRun,
    PredictedCoRun,
    TrainableModel,
    evaluate,
    leave_one_application_out,
    ranked,
)
from stressbench.interference.impact_analysis import ImpactData, ImpactResult, analyse_impact
from stressbench.interference.link_share_delay import LinkShareDelay
from stressbench.interference.lookup_tables import PDFLT, AverageLT, AverageStDevLT
from stressbench.interference.models import DEFAULT_MODEL, TRAINABLE_MODELS, Model, predictor_of
from stressbench.interference.phases import LoadPhase, phases_of
from stressbench.interference.placement_plan import PlacementPlan, plan_placement
from stressbench.interference.placement_search import Grouping, best_grouping, cheapest_grouping
from stressbench.interference.prediction import Composition, Prediction, Predictor
from stressbench.interference.predictors import Monotone, PerLink, PhaseAware, Queue, QueueMapping
from stressbench.interference.probes import ProbeSchedule, ProbeSeries, read_probe_series
from stressbench.interference.profile_analysis import (
    impact_utilisation,
    level_estimates,
    probe_effect,
    slowdown_interval,
)
from stressbench.interference.profile_assembly import impact_profile
from stressbench.interference.queueing import Service, arrival_rate, mean_time, mean_wait, own_load, utilisation_of_wait
from stressbench.interference.slowdown_curve import SlowdownCurve, monotone_curve
from stressbench.interference.utilisation import (
    DEFAULT_ESTIMATOR,
    PAPER_ESTIMATOR,
    Estimator,
    ServiceTime,
    Utilisation,
    estimate_utilisation,
    probes_needed,
)
from stressbench.interference.validation import ModelScore, Validation, validate_models

__all__ = [
    "DEFAULT_ESTIMATOR",
    "DEFAULT_MODEL",
    "PAPER_ESTIMATOR",
    "PDFLT",
    "TRAINABLE_MODELS",
    "AverageLT",
    "AverageStDevLT",
    "BlendedPredictor",
    "CoRun",
    "CoRunPrediction",
    "Composition",
    "Configuration",
    "ErrorQuartiles",
    "Estimator",
    "Evaluation",
    "Grouping",
    "Impact",
    "ImpactData",
    "ImpactResult",
    "Inconclusive",
    "Latencies",
    "LeftOut",
    "Level",
    "LinkShareDelay",
    "LoadPhase",
    "MeasuredCoRun",
    "Model",
    "ModelPrediction",
    "ModelScore",
    "Monotone",
    "PerLink",
    "PhaseAware",
    "PlacementPlan",
    "PredictedCoRun",
    "Prediction",
    "Predictor",
    "ProbeSchedule",
    "ProbeSeries",
    "ProbeSettings",
    "Profile",
    "ProfileFileError",
    "Provenance",
    "Queue",
    "QueueMapping",
    "Service",
    "ServiceTime",
    "SlowdownCurve",
    "Store",
    "TrainableBlend",
    "TrainableModel",
    "Utilisation",
    "Validation",
    "VictimPrediction",
    "analyse_impact",
    "arrival_rate",
    "best_grouping",
    "cheapest_grouping",
    "configurations",
    "coruns_of",
    "estimate_utilisation",
    "evaluate",
    "impact_profile",
    "impact_utilisation",
    "leave_one_application_out",
    "level_estimates",
    "mean_time",
    "mean_wait",
    "monotone_curve",
    "next_configuration",
    "own_load",
    "parse_coruns",
    "parse_profile",
    "phases_of",
    "plan_placement",
    "predict_corun",
    "predictor_of",
    "probe_effect",
    "probes_needed",
    "ranked",
    "read_coruns",
    "read_probe_series",
    "read_profile",
    "slowdown_interval",
    "spread_over_utilisation",
    "to_json",
    "utilisation_of_wait",
    "validate_models",
]  # fmt: skip
