"""From the directory of `stressbench machine run` to the result."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from stressbench.experiments.machine.directory import CALIBRATION, STUDY, SURVEY, MachineDirectory, SizedSuite
from stressbench.experiments.machine.study import effort_of
from stressbench.experiments.machine.suite import PLACEMENTS, Benchmark
from stressbench.experiments.study.directory import Directory
from stressbench.experiments.study.results import CollectedRuns, collected_runs
from stressbench.experiments.study.run_states import RunState, State
from stressbench.formats.files import sha256_of
from stressbench.formats.machines import (
    SUITE_VERSION,
    MachineFigure,
    MachineResult,
    Provenance,
    Skipped,
    Source,
    SuiteFacts,
    sealed,
)
from stressbench.formats.run import Run, read_run
from stressbench.results.machine_figures import Measurement, NamedRun, figure_of


def result_of(directory: MachineDirectory, suite: SizedSuite, study: Directory) -> MachineResult | None:
    """The result from all completed runs; None without any figure."""
    collected = collected_runs(study)
    figures: list[MachineFigure] = []
    skipped = list(suite.suite.skipped)
    for benchmark in suite.suite.benchmarks:
        found = [figure_of(one, _runs_for(benchmark, one, collected)) for one in benchmark.measurements]
        figures += [one for one in found if one is not None]
        if missing := [one.name for one, figure in zip(benchmark.measurements, found, strict=True) if figure is None]:
            skipped.append(_without_figures(benchmark, missing, collected.states))
    if not figures:
        return None
    survey = read_run(directory.run_file(SURVEY))
    return sealed(
        MachineResult(
            label=directory.settings.label, suite=_facts(directory, suite),
            provenance=_provenance(directory, suite, survey), figures=tuple(figures), skipped=tuple(skipped),
            complete=_is_complete(collected), failed_runs=sum(one.state is State.failed for one in collected.states),
            sources=_sources(directory, collected.states, figures),
        )
    )  # fmt: skip


def _runs_for(benchmark: Benchmark, measurement: Measurement, collected: CollectedRuns) -> list[NamedRun]:
    """The completed runs of a workload, under the placement of the measurement if it has one."""
    return [
        NamedRun(file=f"{STUDY}/{one.file}", run=collected.runs[one.run.id])
        for one in collected.states
        if one.run.id in collected.runs
        and one.run.cell.workload == benchmark.file
        and (not benchmark.placed or _placement_of(one) == measurement.placement)
    ]


def _placement_of(one: RunState) -> str:
    """One of the `PLACEMENTS`."""
    return (one.run.cell.placement or PLACEMENTS[0]).partition(":")[0]


def _without_figures(benchmark: Benchmark, missing: Sequence[str], states: Sequence[RunState]) -> Skipped:
    of_workload = [one for one in states if one.run.cell.workload == benchmark.file]
    failure = next((one.reason for one in of_workload if one.reason is not None), None)
    if failure is not None:
        reason = f"failed: {failure}"
    elif any(one.state is State.done for one in of_workload):
        reason = f"no values of {', '.join(missing)}"
    else:
        reason = "not measured yet"
    return Skipped(part=benchmark.part, workload=benchmark.name, reason=reason)


def _is_complete(collected: CollectedRuns) -> bool:
    return all(
        one.state is State.done and one.complete is not False and one.run.id in collected.runs
        for one in collected.states
    )


def _facts(directory: MachineDirectory, suite: SizedSuite) -> SuiteFacts:
    settings, effort = directory.settings, effort_of(directory.settings)
    return SuiteFacts(
        version=SUITE_VERSION, quick=settings.quick, parts=settings.parts, launches=effort.launches,
        isolated=effort.blocks, contended=effort.blocks, min_time_s=effort.min_time_s, sizes=suite.sizes.recorded(),
    )  # fmt: skip


def _provenance(directory: MachineDirectory, suite: SizedSuite, survey: Run) -> Provenance:
    settings, header = directory.settings, survey.header
    hosts = tuple(dict.fromkeys(node.host for node in header.nodes))
    counts = suite.survey.ranks_of_nodes
    kind, colon, name = settings.on.partition(":")
    return Provenance(
        measured_at=header.started_at, version=header.version, commit=header.commit, compiler=header.compiler,
        build_type=header.build_type, mpi=header.mpi.library, mpi_standard=header.mpi.standard,
        transports=header.mpi.transports, on=f"{kind}{colon}{Path(name).name}", hosts=len(hosts),
        host_names=hosts if settings.host_names else None, nodes=suite.survey.nodes, ranks=suite.survey.ranks,
        ranks_per_node=(min(counts), max(counts)), cores_per_node=header.nodes[0].cores, clock=header.clock,
        load_average=None if header.load_average is None else header.load_average[0],
        simulated=None if header.simulation is None else str(header.simulation),
        placement=f"pairs: nodes 0 and {suite.survey.last_node}; all ranks otherwise; impact: {', '.join(PLACEMENTS)}",
        seed=settings.seed,
    )  # fmt: skip


def _sources(
    directory: MachineDirectory, states: Sequence[RunState], figures: Sequence[MachineFigure]
) -> tuple[Source, ...]:
    """Survey, calibration, and the run files of the figures."""
    recorded: Mapping[str, str | None] = {f"{STUDY}/{one.file}": one.sha256 for one in states if one.file is not None}
    used = dict.fromkeys(file for figure in figures for file in figure.sources)
    first = (directory.run_file(name).name for name in (SURVEY, CALIBRATION))
    return tuple(
        Source(file=file, sha256=recorded.get(file) or sha256_of(directory.path / file)) for file in (*first, *used)
    )
