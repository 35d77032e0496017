"""`stressbench.degrade`, `rails` and `study_matrix`: sweeps of workloads or programs over rates, policies and pairs."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from stressbench.api.choices import choice
from stressbench.api.failures import SweepFailed
from stressbench.api.presentation import Reported
from stressbench.api.progress import Report, reporting_to
from stressbench.api.study_results import StudyResults
from stressbench.api.studying import results_after, study_options
from stressbench.exit_status import ExitStatus
from stressbench.experiments.sweep.pairs import PairMatrix
from stressbench.experiments.sweep.rails.program import ProgramRailSweep
from stressbench.experiments.sweep.rails.results import rail_results
from stressbench.experiments.sweep.rails.study import RailSweep
from stressbench.experiments.sweep.rates.beginning import begin_rate_study
from stressbench.experiments.sweep.rates.competing import CompetingSweep
from stressbench.experiments.sweep.rates.program import ProgramRateSweep
from stressbench.experiments.sweep.rates.results import rate_results
from stressbench.experiments.sweep.rates.study import RateSweep
from stressbench.formats.files import recorded_reads
from stressbench.formats.run import Kind
from stressbench.report import rails as rail_documents
from stressbench.report import rates as rate_documents
from stressbench.report.document import Document
from stressbench.results.rails import RailsReport
from stressbench.results.rates import Degradation, Node


class DegradeResults(Reported[Degradation]):
    """Slowdowns at each injection bandwidth: `data.curves` has one curve for each job and number of ranks."""

    _without = ()

    def __repr__(self) -> str:
        return f"<DegradeResults: {len(self.data.curves)} curves at rates {', '.join(self.data.rates)}>"

    def _brief(self) -> Document:
        return rate_documents.brief(self.data)

    def _page(self) -> Document:
        return rate_documents.page(self.data)


class RailsResults(Reported[RailsReport]):
    """Times, bandwidths and bytes of each NIC under each rail policy; `data` holds everything as values."""

    _without = ()

    def _brief(self) -> Document:
        return rail_documents.brief(self.data)

    def _page(self) -> Document:
        return rail_documents.page(self.data)


def degrade(
    sweep: RateSweep | CompetingSweep | ProgramRateSweep, *, output: str | PathLike[str], retries: int | None = None,
    time_limit: str | None = None, jobs: int = 1, progress: Report | None = None,
) -> DegradeResults:  # fmt: skip
    """Run workloads or a program with the full, half, a quarter and an eighth of each node's injection bandwidth.

        rates = (Fraction(1), Fraction(1, 2), Fraction(1, 4))
        sweep = stressbench.RateSweep(workloads=("halo.sb",), on="lab:tiny", rates=rates)
        results = stressbench.degrade(sweep, output="halo")
        [(curve.job, curve.needs) for curve in results.data.curves]

    `sweep` is a `RateSweep` of workloads, a `CompetingSweep` (competing traffic takes the rest of the bandwidth), or a
    `ProgramRateSweep`. `output` is a new directory, for workloads also that of a study to extend; `retries`,
    `time_limit` and `jobs` are those of `stressbench.study`, for workloads only.

    Must be called in the main thread. Raises `stressbench.StressBenchError` if something is wrong before the first run,
    `stressbench.StudyFailed` if runs of workloads failed or are left to do, and `stressbench.SweepFailed` if launches
    of the program failed.
    """
    if isinstance(sweep, ProgramRateSweep):
        failed = sweep.prepared(progress=reporting_to(progress)).run(Path(output))
        results = degrade_report(output)
        _require_launches(failed, results)
        return results
    options = study_options(retries, time_limit, jobs)
    begun = begin_rate_study(sweep, Path(output), options, progress=reporting_to(progress))
    results_after(begun, options, progress=progress)
    return degrade_report(output)


def degrade_report(
    directory: str | PathLike[str], *, time: str | None = None, motifs: bool = False, at_most: float = 0.05,
    gflops_per_node: float | None = None, injection_gb_per_s: float | None = None,
) -> DegradeResults:  # fmt: skip
    """Read the results of `stressbench.degrade`, or of any study with the factor `rate`.

    `time`: `isolated` or `contended` rounds, by default those that the sweep measured. `motifs`: curves of motifs as
    well. `at_most`: the slowdown that is acceptable, a share. The last two describe a node at the full rate, for the
    balance. Raises `stressbench.StressBenchError`.
    """
    node = Node(gflops=gflops_per_node, injection_gb_per_s=injection_gb_per_s)
    with recorded_reads() as sources:
        results = rate_results(Path(directory), time=_kind(time), motifs=motifs, at_most=at_most, node=node)
    return DegradeResults(results, sources=sources)


def rails(
    sweep: RailSweep | ProgramRailSweep, *, output: str | PathLike[str], retries: int | None = None,
    time_limit: str | None = None, progress: Report | None = None,
) -> RailsResults:  # fmt: skip
    """Run workloads or a program under several rail policies: which NIC of its host each rank should use.

        policies = tuple(map(stressbench.rail_policy, ("default", "nic0", "round-robin")))
        sweep = stressbench.RailSweep(on="lab:dual-rail", policies=policies)
        stressbench.rails(sweep, output="dual").report("dual.html", format="html")

    `sweep` is a `RailSweep` of workloads, by default the shipped ones, or a `ProgramRailSweep`. Other parameters and
    exceptions are those of `stressbench.degrade`.
    """
    if isinstance(sweep, ProgramRailSweep):
        failed = sweep.prepared(progress=reporting_to(progress)).run(Path(output))
        results = rails_report(output)
        _require_launches(failed, results)
        return results
    options = study_options(retries, time_limit, 1)
    begun = sweep.specification().begin(Path(output), options, progress=reporting_to(progress))
    results_after(begun, options, progress=progress)
    return rails_report(output)


def rails_report(
    directory: str | PathLike[str], *, time: str | None = None, motifs: bool = False,
    profiles: Sequence[str | PathLike[str]] = (),
) -> RailsResults:  # fmt: skip
    """Read the results of `stressbench.rails`, or of any study with the factor `policy`.

    `time`: `isolated` (default) or `contended` rounds. `motifs`: also report each motif. `profiles`: files of
    `stressbench.profile` (.json) or traces to show beside the results. Raises `stressbench.StressBenchError`.
    """
    paths = [Path(one) for one in profiles]
    with recorded_reads() as sources:
        results = rail_results(Path(directory), time=_kind(time), motifs=motifs, profiles=paths)
    return RailsResults(results, sources=sources)


def study_matrix(
    pairs: PairMatrix, *, output: str | PathLike[str], retries: int | None = None, time_limit: str | None = None,
    jobs: int = 1, progress: Report | None = None,
) -> StudyResults:  # fmt: skip
    """Run every pair of workloads at the same time; `summary.matrices` of the results says who slows whom.

        rounds = stressbench.SweepRounds(isolated=10, contended=10)
        pairs = stressbench.PairMatrix(workloads=(Path("cg.sb"), Path("fft.sb")), ranks=8, rounds=rounds)
        stressbench.study_matrix(pairs, output="pairs").report("pairs.html")

    Times of `SweepRounds` are made from texts: `min_time=stressbench.stated_time("1s")`. Other parameters and
    exceptions are those of `stressbench.study`.
    """
    options = study_options(retries, time_limit, jobs)
    begun = pairs.begin(Path(output), options, progress=reporting_to(progress))
    return results_after(begun, options, progress=progress)


def _kind(name: str | None) -> Kind | None:
    return None if name is None else choice(Kind, name, parameter="time")


def _require_launches(failed: int, results: DegradeResults | RailsResults) -> None:
    if failed:
        raise SweepFailed(f"{failed} launches failed", status=ExitStatus.fault, results=results)
