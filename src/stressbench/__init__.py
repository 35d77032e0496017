"""StressBench: what congestion does to real applications.

    import stressbench

    results = stressbench.run("workloads/demo.sb", ranks=8, ranks_per_node=1)     # or: stressbench.read("demo.jsonl")
    results.impacts()       # a data frame: congestion impact of each job and motif, with intervals
    results.report("demo.html")

    with stressbench.lab("tiny") as lab:                                          # a virtual cluster on this machine
        results = stressbench.run("workloads/demo.sb", on=lab)

    stressbench.study("placement.toml", output="placement").cells()               # many runs over a grid of factors
    stressbench.profile(["mpirun", "-n", "4", "./solver"]).operations()           # where a program's time goes
    stressbench.impact(["./solver"], ranks=4, on="lab:tiny", store="profiles")    # how busy it keeps the network
    stressbench.predict("profiles/lab-tiny/cg.json", "profiles/lab-tiny/fft.json").report("both.html", format="html")
    stressbench.validate(["tealeaf", "-x", "1000"], ["./tea_leaf"], ranks=2)      # a motif beside its application

Each command has a function (`stressbench.api.commands`). Functions and classes are loaded on first use, so that
`import stressbench` is fast.
"""

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stressbench.api.cleaning import CleanResults as CleanResults
    from stressbench.api.cleaning import clean as clean
    from stressbench.api.comparing import CompareResults as CompareResults
    from stressbench.api.comparing import SummaryResults as SummaryResults
    from stressbench.api.comparing import compare as compare
    from stressbench.api.comparing import report_runs as report_runs
    from stressbench.api.comparing import show as show
    from stressbench.api.coruns import CorunResults as CorunResults
    from stressbench.api.coruns import corun as corun
    from stressbench.api.coruns import corun_report as corun_report
    from stressbench.api.coruns import corun_resume as corun_resume
    from stressbench.api.doctor import DoctorResults as DoctorResults
    from stressbench.api.doctor import doctor as doctor
    from stressbench.api.failures import MachineFailed as MachineFailed
    from stressbench.api.failures import ProfileFailed as ProfileFailed
    from stressbench.api.failures import RmaxFailed as RmaxFailed
    from stressbench.api.failures import RunFailed as RunFailed
    from stressbench.api.failures import StudyFailed as StudyFailed
    from stressbench.api.failures import SweepFailed as SweepFailed
    from stressbench.api.failures import TraceFailed as TraceFailed
    from stressbench.api.failures import ValidationFailed as ValidationFailed
    from stressbench.api.interference import CompressResults as CompressResults
    from stressbench.api.interference import ImpactResults as ImpactResults
    from stressbench.api.interference import Probes as Probes
    from stressbench.api.interference import Ring as Ring
    from stressbench.api.interference import compress as compress
    from stressbench.api.interference import impact as impact
    from stressbench.api.labs import Lab as Lab
    from stressbench.api.labs import LabCheckResults as LabCheckResults
    from stressbench.api.labs import LabProbeResults as LabProbeResults
    from stressbench.api.labs import lab as lab
    from stressbench.api.labs import lab_draw as lab_draw
    from stressbench.api.labs import lab_list as lab_list
    from stressbench.api.labs import lab_probe as lab_probe
    from stressbench.api.labs import lab_setup as lab_setup
    from stressbench.api.labs import lab_status as lab_status
    from stressbench.api.labs import lab_up as lab_up
    from stressbench.api.labs import running_labs as running_labs
    from stressbench.api.machines import MachineCheckResults as MachineCheckResults
    from stressbench.api.machines import MachineComparisonResults as MachineComparisonResults
    from stressbench.api.machines import MachineResults as MachineResults
    from stressbench.api.machines import check_machine as check_machine
    from stressbench.api.machines import compare_machines as compare_machines
    from stressbench.api.machines import machine as machine
    from stressbench.api.machines import machine_resume as machine_resume
    from stressbench.api.machines import machine_verify as machine_verify
    from stressbench.api.machines import read_machine as read_machine
    from stressbench.api.predictions import EvaluationResults as EvaluationResults
    from stressbench.api.predictions import PlacementResults as PlacementResults
    from stressbench.api.predictions import PredictResults as PredictResults
    from stressbench.api.predictions import SensitivityResults as SensitivityResults
    from stressbench.api.predictions import predict as predict
    from stressbench.api.predictions import predict_evaluate as predict_evaluate
    from stressbench.api.predictions import predict_place as predict_place
    from stressbench.api.predictions import sensitivity as sensitivity
    from stressbench.api.profile_results import ProfileResults as ProfileResults
    from stressbench.api.profiling import profile as profile
    from stressbench.api.reading import read as read
    from stressbench.api.recognising import RecognitionResults as RecognitionResults
    from stressbench.api.recognising import recognise as recognise
    from stressbench.api.run_results import RunResults as RunResults
    from stressbench.api.run_results import read_run as read_run
    from stressbench.api.running import BatchJob as BatchJob
    from stressbench.api.running import PreparedRun as PreparedRun
    from stressbench.api.running import prepare_run as prepare_run
    from stressbench.api.running import run as run
    from stressbench.api.study_results import StudyResults as StudyResults
    from stressbench.api.studying import PlanResults as PlanResults
    from stressbench.api.studying import StatusResults as StatusResults
    from stressbench.api.studying import WatchResults as WatchResults
    from stressbench.api.studying import read_study as read_study
    from stressbench.api.studying import study as study
    from stressbench.api.studying import study_list as study_list
    from stressbench.api.studying import study_pack as study_pack
    from stressbench.api.studying import study_plan as study_plan
    from stressbench.api.studying import study_status as study_status
    from stressbench.api.studying import study_verify as study_verify
    from stressbench.api.studying import study_watch as study_watch
    from stressbench.api.suites import BEffIOResults as BEffIOResults
    from stressbench.api.suites import BEffResults as BEffResults
    from stressbench.api.suites import beff as beff
    from stressbench.api.suites import beff_io as beff_io
    from stressbench.api.sweeps import DegradeResults as DegradeResults
    from stressbench.api.sweeps import RailsResults as RailsResults
    from stressbench.api.sweeps import degrade as degrade
    from stressbench.api.sweeps import degrade_report as degrade_report
    from stressbench.api.sweeps import rails as rails
    from stressbench.api.sweeps import rails_report as rails_report
    from stressbench.api.sweeps import study_matrix as study_matrix
    from stressbench.api.tracing import DifferenceResults as DifferenceResults
    from stressbench.api.tracing import TraceResults as TraceResults
    from stressbench.api.tracing import capture as capture
    from stressbench.api.tracing import record as record
    from stressbench.api.tracing import trace_convert as trace_convert
    from stressbench.api.tracing import trace_diff as trace_diff
    from stressbench.api.tracing import trace_export as trace_export
    from stressbench.api.tracing import trace_levels as trace_levels
    from stressbench.api.validating import validate as validate
    from stressbench.api.validation_results import ValidationResults as ValidationResults
    from stressbench.errors import StressBenchError as StressBenchError
    from stressbench.experiments.sweep.pairs import PairMatrix as PairMatrix
    from stressbench.experiments.sweep.rails.program import ProgramRailSweep as ProgramRailSweep
    from stressbench.experiments.sweep.rails.study import RailSweep as RailSweep
    from stressbench.experiments.sweep.rates.competing import CompetingSweep as CompetingSweep
    from stressbench.experiments.sweep.rates.program import ProgramRateSweep as ProgramRateSweep
    from stressbench.experiments.sweep.rates.program_output import FigureOptions as FigureOptions
    from stressbench.experiments.sweep.rates.study import RateSweep as RateSweep
    from stressbench.experiments.sweep.specification import SweepRounds as SweepRounds
    from stressbench.formats.errors import RunFileError as RunFileError
    from stressbench.formats.study.rail_policies import parse_policy as rail_policy
    from stressbench.formats.units import stated_seconds as stated_time

try:
    __version__ = version("stressbench")
except PackageNotFoundError:  # imported from a source tree that was not installed
    __version__ = "0+uninstalled"

_OFFERED = {
    "BEffIOResults": "stressbench.api.suites",
    "BEffResults": "stressbench.api.suites",
    "BatchJob": "stressbench.api.running",
    "CleanResults": "stressbench.api.cleaning",
    "CompareResults": "stressbench.api.comparing",
    "CompetingSweep": "stressbench.experiments.sweep.rates.competing",
    "CompressResults": "stressbench.api.interference",
    "CorunResults": "stressbench.api.coruns",
    "DegradeResults": "stressbench.api.sweeps",
    "DifferenceResults": "stressbench.api.tracing",
    "DoctorResults": "stressbench.api.doctor",
    "EvaluationResults": "stressbench.api.predictions",
    "FigureOptions": "stressbench.experiments.sweep.rates.program_output",
    "ImpactResults": "stressbench.api.interference",
    "Lab": "stressbench.api.labs",
    "LabCheckResults": "stressbench.api.labs",
    "LabProbeResults": "stressbench.api.labs",
    "MachineCheckResults": "stressbench.api.machines",
    "MachineComparisonResults": "stressbench.api.machines",
    "MachineFailed": "stressbench.api.failures",
    "MachineResults": "stressbench.api.machines",
    "PairMatrix": "stressbench.experiments.sweep.pairs",
    "PlacementResults": "stressbench.api.predictions",
    "PlanResults": "stressbench.api.studying",
    "PredictResults": "stressbench.api.predictions",
    "PreparedRun": "stressbench.api.running",
    "Probes": "stressbench.api.interference",
    "ProfileFailed": "stressbench.api.failures",
    "ProfileResults": "stressbench.api.profile_results",
    "ProgramRailSweep": "stressbench.experiments.sweep.rails.program",
    "ProgramRateSweep": "stressbench.experiments.sweep.rates.program",
    "RailSweep": "stressbench.experiments.sweep.rails.study",
    "RailsResults": "stressbench.api.sweeps",
    "RecognitionResults": "stressbench.api.recognising",
    "RateSweep": "stressbench.experiments.sweep.rates.study",
    "Ring": "stressbench.api.interference",
    "RmaxFailed": "stressbench.api.failures",
    "RunFailed": "stressbench.api.failures",
    "RunFileError": "stressbench.formats.errors",
    "RunResults": "stressbench.api.run_results",
    "SensitivityResults": "stressbench.api.predictions",
    "StatusResults": "stressbench.api.studying",
    "StressBenchError": "stressbench.errors",
    "StudyFailed": "stressbench.api.failures",
    "StudyResults": "stressbench.api.study_results",
    "SummaryResults": "stressbench.api.comparing",
    "SweepFailed": "stressbench.api.failures",
    "SweepRounds": "stressbench.experiments.sweep.specification",
    "TraceFailed": "stressbench.api.failures",
    "TraceResults": "stressbench.api.tracing",
    "ValidationFailed": "stressbench.api.failures",
    "ValidationResults": "stressbench.api.validation_results",
    "WatchResults": "stressbench.api.studying",
    "beff": "stressbench.api.suites",
    "beff_io": "stressbench.api.suites",
    "capture": "stressbench.api.tracing",
    "check_machine": "stressbench.api.machines",
    "clean": "stressbench.api.cleaning",
    "compare": "stressbench.api.comparing",
    "compare_machines": "stressbench.api.machines",
    "compress": "stressbench.api.interference",
    "corun": "stressbench.api.coruns",
    "corun_report": "stressbench.api.coruns",
    "corun_resume": "stressbench.api.coruns",
    "degrade": "stressbench.api.sweeps",
    "degrade_report": "stressbench.api.sweeps",
    "doctor": "stressbench.api.doctor",
    "impact": "stressbench.api.interference",
    "lab": "stressbench.api.labs",
    "lab_draw": "stressbench.api.labs",
    "lab_list": "stressbench.api.labs",
    "lab_probe": "stressbench.api.labs",
    "lab_setup": "stressbench.api.labs",
    "lab_status": "stressbench.api.labs",
    "lab_up": "stressbench.api.labs",
    "machine": "stressbench.api.machines",
    "machine_resume": "stressbench.api.machines",
    "machine_verify": "stressbench.api.machines",
    "predict": "stressbench.api.predictions",
    "predict_evaluate": "stressbench.api.predictions",
    "predict_place": "stressbench.api.predictions",
    "prepare_run": "stressbench.api.running",
    "profile": "stressbench.api.profiling",
    "rail_policy": "stressbench.formats.study.rail_policies:parse_policy",
    "rails": "stressbench.api.sweeps",
    "rails_report": "stressbench.api.sweeps",
    "read": "stressbench.api.reading",
    "read_machine": "stressbench.api.machines",
    "read_run": "stressbench.api.run_results",
    "read_study": "stressbench.api.studying",
    "recognise": "stressbench.api.recognising",
    "record": "stressbench.api.tracing",
    "report_runs": "stressbench.api.comparing",
    "run": "stressbench.api.running",
    "running_labs": "stressbench.api.labs",
    "sensitivity": "stressbench.api.predictions",
    "show": "stressbench.api.comparing",
    "stated_time": "stressbench.formats.units:stated_seconds",
    "study": "stressbench.api.studying",
    "study_list": "stressbench.api.studying",
    "study_matrix": "stressbench.api.sweeps",
    "study_pack": "stressbench.api.studying",
    "study_plan": "stressbench.api.studying",
    "study_status": "stressbench.api.studying",
    "study_verify": "stressbench.api.studying",
    "study_watch": "stressbench.api.studying",
    "trace_convert": "stressbench.api.tracing",
    "trace_diff": "stressbench.api.tracing",
    "trace_export": "stressbench.api.tracing",
    "trace_levels": "stressbench.api.tracing",
    "validate": "stressbench.api.validating",
}
"""Modules by the name of what they define; `MODULE:NAME` where it has another name there."""
__all__ = [
    "BEffIOResults",
    "BEffResults",
    "BatchJob",
    "CleanResults",
    "CompareResults",
    "CompetingSweep",
    "CompressResults",
    "CorunResults",
    "DegradeResults",
    "DifferenceResults",
    "DoctorResults",
    "EvaluationResults",
    "FigureOptions",
    "ImpactResults",
    "Lab",
    "LabCheckResults",
    "LabProbeResults",
    "MachineCheckResults",
    "MachineComparisonResults",
    "MachineFailed",
    "MachineResults",
    "PairMatrix",
    "PlacementResults",
    "PlanResults",
    "PredictResults",
    "PreparedRun",
    "Probes",
    "ProfileFailed",
    "ProfileResults",
    "ProgramRailSweep",
    "ProgramRateSweep",
    "RailSweep",
    "RailsResults",
    "RateSweep",
    "RecognitionResults",
    "Ring",
    "RmaxFailed",
    "RunFailed",
    "RunFileError",
    "RunResults",
    "SensitivityResults",
    "StatusResults",
    "StressBenchError",
    "StudyFailed",
    "StudyResults",
    "SummaryResults",
    "SweepFailed",
    "SweepRounds",
    "TraceFailed",
    "TraceResults",
    "ValidationFailed",
    "ValidationResults",
    "WatchResults",
    "__version__",
    "beff",
    "beff_io",
    "capture",
    "check_machine",
    "clean",
    "compare",
    "compare_machines",
    "compress",
    "corun",
    "corun_report",
    "corun_resume",
    "degrade",
    "degrade_report",
    "doctor",
    "impact",
    "lab",
    "lab_draw",
    "lab_list",
    "lab_probe",
    "lab_setup",
    "lab_status",
    "lab_up",
    "machine",
    "machine_resume",
    "machine_verify",
    "predict",
    "predict_evaluate",
    "predict_place",
    "prepare_run",
    "profile",
    "rail_policy",
    "rails",
    "rails_report",
    "read",
    "read_machine",
    "read_run",
    "read_study",
    "recognise",
    "record",
    "report_runs",
    "run",
    "running_labs",
    "sensitivity",
    "show",
    "stated_time",
    "study",
    "study_list",
    "study_matrix",
    "study_pack",
    "study_plan",
    "study_status",
    "study_verify",
    "study_watch",
    "trace_convert",
    "trace_diff",
    "trace_export",
    "trace_levels",
    "validate",
]


def __getattr__(name: str) -> Any:
    if name not in _OFFERED:
        raise AttributeError(f"module 'stressbench' has no attribute '{name}'")
    module, _, defined = _OFFERED[name].partition(":")
    return getattr(import_module(module), defined or name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_OFFERED})
