"""Who slows whom, from measurements of each alone (Casas and Bronevetsky): queue, profiles, predictors. Pure."""

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
from stressbench.interference.blend import Blend, BlendOf
from stressbench.interference.compression import configurations, next_configuration, spread
from stressbench.interference.coruns import LeftOut, coruns_of, read_coruns
from stressbench.interference.curves import Curve, monotone
from stressbench.interference.errors import CannotTell
from stressbench.interference.evaluation import (
    Compared,
    Evaluation,
    Observation,
    Quartiles,
    Trainable,
    evaluate,
    leave_one_application_out,
    ranked,
)
from stressbench.interference.finding import ImpactFound, Measured, impact_found
from stressbench.interference.judging import Judgement, Score, judge
from stressbench.interference.keeping import profile_of
from stressbench.interference.lookup import PDFLT, AverageLT, AverageStDevLT
from stressbench.interference.models import BEST, LEARNERS, Model, predictor_of
from stressbench.interference.phases import Phase, phases_of
from stressbench.interference.pingpongs import Probes, Probing, probes_of
from stressbench.interference.placement import Advice, advise, place
from stressbench.interference.prediction import Composition, Prediction, Predictor
from stressbench.interference.predictors import Monotone, PerLink, PhaseAware, Queue, QueueMapping
from stressbench.interference.probing import OURS, PAPER, Reading, ServiceTime, Utilisation, probes_needed, utilisation
from stressbench.interference.queueing import Service, arrival_rate, mean_time, mean_wait, own_load, utilisation_of_wait
from stressbench.interference.readings import impact_of, levels_of, probe_effect, slowdown_of
from stressbench.interference.seating import Seating, seat
from stressbench.interference.shares_and_waits import SharesAndWaits
from stressbench.interference.together import Beside, Foretold, Together, foretell

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
