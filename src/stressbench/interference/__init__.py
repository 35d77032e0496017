"""Who slows whom, from measurements of each alone (Casas and Bronevetsky): queue, profiles, predictors. Pure."""

from stressbench.interference.blend import Blend, BlendOf
from stressbench.interference.compression import Configuration, configurations, next_configuration, spread
from stressbench.interference.corun_prediction import CoRunPrediction, ModelPrediction, VictimPrediction, predict_corun
from stressbench.interference.coruns import CoRun, LeftOut, coruns_of, parse_coruns, read_coruns
from stressbench.interference.curves import Curve, monotone
from stressbench.interference.errors import Inconclusive, ProfileFileError
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
from stressbench.interference.keeping import profile_of
from stressbench.interference.link_share_delay import LinkShareDelay
from stressbench.interference.lookup import PDFLT, AverageLT, AverageStDevLT
from stressbench.interference.models import DEFAULT_MODEL, TRAINABLE_MODELS, Model, predictor_of
from stressbench.interference.phases import Phase, phases_of
from stressbench.interference.pingpongs import Probes, Probing, probes_of
from stressbench.interference.placement_plan import PlacementPlan, plan_placement
from stressbench.interference.placement_search import Grouping, best_grouping, cheapest_grouping
from stressbench.interference.prediction import Composition, Prediction, Predictor
from stressbench.interference.predictors import Monotone, PerLink, PhaseAware, Queue, QueueMapping
from stressbench.interference.probing import OURS, PAPER, Reading, ServiceTime, Utilisation, probes_needed, utilisation
from stressbench.interference.profile import (
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
from stressbench.interference.queueing import Service, arrival_rate, mean_time, mean_wait, own_load, utilisation_of_wait
from stressbench.interference.readings import impact_of, levels_of, probe_effect, slowdown_of
from stressbench.interference.store import Store
from stressbench.interference.validation import ModelScore, Validation, validate_models

__all__ = [
    "DEFAULT_MODEL",
    "OURS",
    "PAPER",
    "PDFLT",
    "TRAINABLE_MODELS",
    "AverageLT",
    "AverageStDevLT",
    "Blend",
    "BlendOf",
    "CoRun",
    "CoRunPrediction",
    "Composition",
    "Configuration",
    "Curve",
    "ErrorQuartiles",
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
    "MeasuredCoRun",
    "Model",
    "ModelPrediction",
    "ModelScore",
    "Monotone",
    "PerLink",
    "Phase",
    "PhaseAware",
    "PlacementPlan",
    "PredictedCoRun",
    "Prediction",
    "Predictor",
    "ProbeSettings",
    "Probes",
    "Probing",
    "Profile",
    "ProfileFileError",
    "Provenance",
    "Queue",
    "QueueMapping",
    "Reading",
    "Service",
    "ServiceTime",
    "Store",
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
    "evaluate",
    "impact_of",
    "leave_one_application_out",
    "levels_of",
    "mean_time",
    "mean_wait",
    "monotone",
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
    "probes_of",
    "profile_of",
    "ranked",
    "read_coruns",
    "read_profile",
    "slowdown_of",
    "spread",
    "to_json",
    "utilisation",
    "utilisation_of_wait",
    "validate_models",
]  # fmt: skip
