"""The function of the Python interface that does what a command does. `tests/unit/test_api_commands.py` checks them."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Counterpart:
    """`python`: a function or method of `stressbench`. `shared`: what both it and the command call."""

    python: str
    shared: str


def _pair(python: str, shared: str) -> Counterpart:
    return Counterpart(python=python, shared=shared)


COUNTERPARTS: Mapping[str, Counterpart] = {
    "beff": _pair("beff", "measure_balanced_b_eff"),
    "beff-io": _pair("beff_io", "run_b_eff_io"),
    "capture": _pair("capture", "capture_program"),
    "clean": _pair("clean", "remove_leftovers"),
    "compare": _pair("compare", "compare"),
    "compress": _pair("compress", "PreparedCompression"),
    "corun matrix": _pair("corun", "matrix_spec"),
    "corun report": _pair("corun_report", "corun_results"),
    "corun resume": _pair("corun_resume", "resume_corun"),
    "corun run": _pair("corun", "CorunSpec"),
    "degrade report": _pair("degrade_report", "rate_results"),
    "degrade run": _pair("degrade", "begin_rate_study"),
    "doctor": _pair("doctor", "examine"),
    "impact": _pair("impact", "PreparedImpact"),
    "lab check": _pair("Lab.check", "check_links"),
    "lab down": _pair("Lab.down", "down"),
    "lab draw": _pair("lab_draw", "draw_lab"),
    "lab exec": _pair("Lab.execute", "command_prefix"),
    "lab list": _pair("lab_list", "shipped_labs"),
    "lab probe": _pair("lab_probe", "capabilities"),
    "lab set": _pair("Lab.change", "change_links"),
    "lab setup": _pair("lab_setup", "missing_packages"),
    "lab shell": _pair("Lab.execute", "command_prefix"),
    "lab stats": _pair("Lab.links", "link_use"),
    "lab status": _pair("lab_status", "lab_status"),
    "lab up": _pair("lab", "bring_up"),
    "machine check": _pair("check_machine", "check_result"),
    "machine compare": _pair("compare_machines", "compare_results"),
    "machine report": _pair("read_machine", "read_machine"),
    "machine resume": _pair("machine_resume", "run_machine"),
    "machine run": _pair("machine", "begin_machine"),
    "machine verify": _pair("machine_verify", "verify_machine"),
    "predict evaluate": _pair("predict_evaluate", "validate_predictions"),
    "predict place": _pair("predict_place", "propose_placement"),
    "predict slowdowns": _pair("predict", "predict_slowdowns"),
    "profile": _pair("profile", "profile_program"),
    "rails report": _pair("rails_report", "rail_results"),
    "rails run": _pair("rails", "run_study"),
    "recognise": _pair("recognise", "recognise_captures"),
    "record": _pair("record", "record_program"),
    "report": _pair("report_runs", "read_run"),
    "run": _pair("run", "RunSpec"),
    "sensitivity": _pair("sensitivity", "select_profiles"),
    "show": _pair("show", "summarise"),
    "study list": _pair("study_list", "shipped_studies"),
    "study matrix": _pair("study_matrix", "PairMatrix"),
    "study pack": _pair("study_pack", "pack"),
    "study plan": _pair("study_plan", "plan_of"),
    "study report": _pair("read_study", "results_of"),
    "study resume": _pair("study", "run_study"),
    "study run": _pair("study", "begin_study"),
    "study status": _pair("study_status", "status_of"),
    "study verify": _pair("study_verify", "verify"),
    "study watch": _pair("study_watch", "state_of"),
    "trace diff": _pair("trace_diff", "trace_difference"),
    "trace export": _pair("trace_export", "reference_profile_json"),
    "trace levels": _pair("trace_levels", "multigrid_levels"),
    "trace show": _pair("read", "read_trace"),
    "validate": _pair("validate", "run_validation"),
}
"""The counterpart of each command, by the words of the command. New commands need an entry, except hidden aliases."""
