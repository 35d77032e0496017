"""A page of each kind of report, made of synthetic results."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from stressbench.experiments.corun.results import corun_results
from stressbench.experiments.study.results import results_of
from stressbench.experiments.study.running import LaunchResult
from stressbench.experiments.sweep.rates.study_results import AnalysisOptions
from stressbench.experiments.watching.study import StudyWatcher
from stressbench.formats.protocols.beff import read_protocols
from stressbench.formats.protocols.beff_io import read_io_protocols
from stressbench.formats.run import read_run
from stressbench.interference.corun_prediction import predict_corun
from stressbench.interference.coruns import UnusableCoRun
from stressbench.interference.models import Model
from stressbench.interference.placement_plan import plan_placement
from stressbench.interference.validation import validate_models
from stressbench.labs.networks import read_network
from stressbench.report.coruns import FORMATS as CORUNS
from stressbench.report.interference import FORMATS as PROFILES
from stressbench.report.interference import evaluation, placement, predictions, profile_report
from stressbench.report.live_page import live_page
from stressbench.report.machine import result as machine_result
from stressbench.report.rates import FORMATS as RATES
from stressbench.report.renderers import render as rendered
from stressbench.report.run import FORMATS as RUNS
from stressbench.report.study import FORMATS as STUDIES
from stressbench.report.suites import beff, beff_io
from stressbench.report.validation.document import page as validation_document
from stressbench.results.rates import Node
from stressbench.results.validation import Ratio
from stressbench.suites.beff import b_eff_of
from stressbench.suites.beff_io import b_eff_io_of
from support import coruns
from support.beff_protocols import made_beff
from support.builders import MadeJob, MadeMachine, MadePlan, MadeStep, build_run, event
from support.commands import call
from support.degradations import found_in
from support.golden import KEPT
from support.io_protocols import MadeIO, write_lines
from support.machines import whole_result
from support.networks import run_on
from support.profile_pages import page_of, ring_called_nasty
from support.sensitivities import aggressor
from support.sensitivity_pages import CG, FFT, SEEN, phased, rings
from support.studies import STUDY, FakeLaunches, carry_out, made_run, study_in
from support.validations import RESULT, operation
from support.watching import finished_study


def run_page(folder: Path) -> str:
    """Incomplete, with a warning, an error, metrics, bandwidths, and hosts enough to be folded away."""
    step = MadeStep(bandwidth_bytes=1000, bandwidth_definition="bytes sent", metrics=(("open_time_s", 0.1),))
    jobs = (
        MadeJob(name="TeaLeaf_CG", congestion=1.4, nodes="0-3", steps=(step,)),
        MadeJob(name="\u05d0\u05d1\u05d2", nodes="4-7"),
        MadeJob(name="noise", role="background", nodes="8"),
    )
    machine = MadeMachine(hosts=tuple(f"a{number}" for number in range(20)))
    run = build_run(jobs=jobs, machine=machine, plan=MadePlan(blocks=8), complete=False)
    run.records.insert(1, event(message="the clock is coarse"))
    run.records.insert(1, event(message="a rank was lost", severity="error"))
    read = read_run(run.write(folder))
    return RUNS["html"]([read, read])


def network_page(folder: Path) -> str:
    """A dragonfly whose links are counted."""
    jobs = (MadeJob(name="cg", congestion=1.4, nodes="0-14:2"), MadeJob(name="fft", nodes="1-15:2"))
    return RUNS["html"](
        [read_run(run_on(read_network("isambard"), jobs, {("g0r0", "g0r1"): (0.4, 0.4)}).write(folder))]
    )


def study_page(folder: Path) -> str:
    """All pairs of two jobs, with one run that failed."""
    for pair in ("a+b", "a+a"):
        (folder / f"{pair}.sb").write_text("[JOB_NAME] a\n[NODES] 1\n[MOTIF] allreduce\n")
    head = STUDY[: STUDY.index("[factors]")]
    text = f'{head}matrix = ["CG", "Incast"]\n' + STUDY[STUDY.index("[factors]") :]
    directory = study_in(folder, text)
    failing = {number: LaunchResult(status=3, reason="rank 1 was ended by SIGKILL") for number in (0, 12)}
    carry_out(directory, FakeLaunches(results=failing, text=made_run(blocks=8)))
    return STUDIES["html"](*results_of(directory))


def beff_page(folder: Path) -> str:
    """Everything measured."""
    found = b_eff_of(read_protocols(made_beff(folder))[-1])
    assert found is not None
    return rendered("html", beff.page(found))


def beff_io_page(folder: Path) -> str:
    """Two partitions, cut short in the second, with warnings."""
    records = MadeIO(head={"partitions": [2, 4], "scheduled_s": 60}).records()[:-30]
    return rendered("html", beff_io.page(b_eff_io_of(read_io_protocols(write_lines(folder / "io.jsonl", records))[-1])))


def profiles_page(_folder: Path) -> str:
    """A chapter each: compressions of several kinds with a caution, phases and links, nothing but the idle machine."""
    cautions = ("probes woke up late",)
    return PROFILES["html"](
        [profile_report(rings(), cautions=cautions), profile_report(phased()), profile_report(aggressor(0.3))]
    )


def corun_page(_folder: Path) -> str:
    """Every model, some of which cannot tell."""
    return rendered("html", predictions.page(predict_corun([CG, FFT], tuple(Model))))


def coruns_page(folder: Path) -> str:
    """Two programs, one of which is slowed by the other."""
    return CORUNS["html"](corun_results(coruns.write(folder / "both", coruns.plan("cg", "ft"), coruns.blocks())))


def rails_page(_folder: Path) -> str:
    """Policies of a program, launch by launch, and what it does in MPI."""
    return call("rails", "report", KEPT / "rails", "--profile", KEPT / "profile.json", "--format", "html").stdout


def judgement_page(_folder: Path) -> str:
    """Every model, with a co-run that is left out."""
    left = UnusableCoRun(victim="milc", aggressors=("cg",), source="f", reason="no profile of milc")
    return rendered("html", evaluation.page(validate_models([CG, FFT], (*SEEN, left))))


def degradation_page(folder: Path) -> str:
    """Three jobs at four rates on two numbers of ranks, with the balance of a node."""
    options = AnalysisOptions(node=Node(gflops=115.2, injection_gb_per_s=1.74))
    found = found_in(folder, options=options, machine=MadeMachine())
    return RATES["html"](found)


def mpi_profile_page(folder: Path) -> str:
    """Eight ranks, one of which is slow, of a program with a hostile name."""
    return page_of(folder, ring_called_nasty()).read_text(encoding="utf-8")


def telemetry_page(folder: Path) -> str:
    """A run whose hosts are counted."""
    jobs = (MadeJob(name="cg", congestion=1.4, nodes="0"), MadeJob(name="fft", nodes="1"))
    machine = MadeMachine(hosts=("a1", "a2"), counts_hosts=True)
    run = build_run(jobs=jobs, machine=machine, plan=MadePlan(blocks=8))
    return RUNS["html"]([read_run(run.write(folder))])


def validation_page(_folder: Path) -> str:
    """A motif that makes the calls of its application, but for waits."""
    operations = tuple(operation(name, program=8, workload=8) for name in ("Allreduce", "Irecv", "Isend"))
    result = replace(
        RESULT, operations=(*operations, operation("Waitall", program=8, workload=4, size=0)), any_wait_place=True,
        mpi_ratio=Ratio(value=1.01, low=0.98, high=1.05), notes=("some ranks test for messages",),
    )  # fmt: skip
    return rendered("html", validation_document(result))


def machine_page(_folder: Path) -> str:
    """Every figure of the suite."""
    return rendered("html", machine_result.page(whole_result()))


def placement_page(_folder: Path) -> str:
    """Two applications on a switch."""
    return rendered("html", placement.page(plan_placement([CG, FFT], Model.monotone, switches=1, per_switch=2)))


def watch_page(folder: Path) -> str:
    """The end of a study, one of whose runs failed."""
    return live_page(StudyWatcher(finished_study(folder, failing=True).path).look(), interval_s=5)


PAGES: dict[str, Callable[[Path], str]] = {
    "run": run_page, "network": network_page, "study": study_page, "beff": beff_page, "beff_io": beff_io_page,
    "profiles": profiles_page, "corun": corun_page, "coruns": coruns_page, "judgement": judgement_page,
    "degradation": degradation_page, "rails": rails_page, "mpi_profile": mpi_profile_page, "telemetry": telemetry_page,
    "validation": validation_page, "machine": machine_page, "placement": placement_page, "watch": watch_page,
}  # fmt: skip
LIVE = "watch"
"""The page that loads itself again: it has another script, and a part that this script shows."""
