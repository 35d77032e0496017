"""Who slows whom, from measurements of each alone (Casas and Bronevetsky): queue, profiles, predictors. Pure."""

from stressbench.sensitivity.blend import Blend, BlendOf
from stressbench.sensitivity.compression import Configuration, configurations, next_configuration, spread
from stressbench.sensitivity.coruns import CoRun, LeftOut, coruns_of, parse_coruns, read_coruns
from stressbench.sensitivity.curves import Curve, monotone
from stressbench.sensitivity.errors import CannotTell, ProfileFileError
from stressbench.sensitivity.evaluation import (
    Compared,
    Evaluation,
    Observation,
    Quartiles,
    Trainable,
    evaluate,
    leave_one_application_out,
    ranked,
)
from stressbench.sensitivity.finding import ImpactFound, Measured, impact_found
from stressbench.sensitivity.judging import Judgement, Score, judge
from stressbench.sensitivity.keeping import profile_of
from stressbench.sensitivity.lookup import PDFLT, AverageLT, AverageStDevLT
from stressbench.sensitivity.models import BEST, LEARNERS, Model, predictor_of
from stressbench.sensitivity.phases import Phase, phases_of
from stressbench.sensitivity.pingpongs import Probes, Probing, probes_of
from stressbench.sensitivity.placement import Advice, advise, place
from stressbench.sensitivity.prediction import Composition, Prediction, Predictor
from stressbench.sensitivity.predictors import Monotone, PerLink, PhaseAware, Queue, QueueMapping
from stressbench.sensitivity.probing import OURS, PAPER, Reading, ServiceTime, Utilisation, probes_needed, utilisation
from stressbench.sensitivity.profile import (
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
from stressbench.sensitivity.queueing import Service, arrival_rate, mean_time, mean_wait, own_load, utilisation_of_wait
from stressbench.sensitivity.readings import impact_of, levels_of, probe_effect, slowdown_of
from stressbench.sensitivity.seating import Seating, seat
from stressbench.sensitivity.shares_and_waits import SharesAndWaits
from stressbench.sensitivity.store import Store
from stressbench.sensitivity.together import Beside, Foretold, Together, foretell

__all__ = [
    "BEST",
    "LEARNERS",
    "OURS",
    "PAPER",
    "PDFLT",
    "Advice",
    "AverageLT",
    "AverageStDevLT",
    "Beside",
    "Blend",
    "BlendOf",
    "CannotTell",
    "CoRun",
    "Compared",
    "Composition",
    "Configuration",
    "Curve",
    "Evaluation",
    "Foretold",
    "Impact",
    "ImpactFound",
    "Judgement",
    "Latencies",
    "LeftOut",
    "Level",
    "Measured",
    "Model",
    "Monotone",
    "Observation",
    "PerLink",
    "Phase",
    "PhaseAware",
    "Prediction",
    "Predictor",
    "ProbeSettings",
    "Probes",
    "Probing",
    "Profile",
    "ProfileFileError",
    "Provenance",
    "Quartiles",
    "Queue",
    "QueueMapping",
    "Reading",
    "Score",
    "Seating",
    "Service",
    "ServiceTime",
    "SharesAndWaits",
    "Store",
    "Together",
    "Trainable",
    "Utilisation",
    "advise",
    "arrival_rate",
    "configurations",
    "coruns_of",
    "evaluate",
    "foretell",
    "impact_found",
    "impact_of",
    "judge",
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
    "place",
    "predictor_of",
    "probe_effect",
    "probes_needed",
    "probes_of",
    "profile_of",
    "ranked",
    "read_coruns",
    "read_profile",
    "seat",
    "slowdown_of",
    "spread",
    "to_json",
    "utilisation",
    "utilisation_of_wait",
]  # fmt: skip
