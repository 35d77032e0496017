"""`stressbench.show`, `compare` and `report_runs`: what one run or several runs say."""

from collections.abc import Sequence
from os import PathLike, fspath
from pathlib import Path

from stressbench.api.choices import choice
from stressbench.api.presentation import Reported, figure_files, report_text
from stressbench.api.run_results import RunResults
from stressbench.experiments.run_summary import motif_counts
from stressbench.formats.run import Run, read_run
from stressbench.report import comparison
from stressbench.report.document import Document
from stressbench.report.run import FORMATS, page
from stressbench.report.run.options import VerdictLimits, report_options
from stressbench.report.run.summary import DEFAULT_LINKS, SummaryParts, document_of
from stressbench.stats import TARGET, Comparison, IntervalMethod, RunSummary, summarise
from stressbench.stats import compare as compared

RunOrPath = RunResults | str | PathLike[str]
"""Results of a run, or the path of its run file."""
_LIMITS = VerdictLimits()


class SummaryResults(Reported[RunSummary]):
    """What `stressbench show` prints: `data` holds every number (schema/show.schema.json)."""

    def __init__(self, data: RunSummary, *, parts: SummaryParts) -> None:
        super().__init__(data)
        self._parts = parts

    def _title(self) -> str:
        return f"Summary of {self.data.facts.path}"

    def _brief(self) -> Document:
        return document_of(self.data, parts=self._parts)


class CompareResults(Reported[Comparison]):
    """Verdicts on two runs, job by job: `data` (schema/compare.schema.json)."""

    @property
    def slower(self) -> bool:
        """Whether a time of the second run is slower."""
        return bool(self.data.slower)

    def _title(self) -> str:
        return f"Comparison of {self.data.a} and {self.data.b}"

    def _brief(self) -> Document:
        return comparison.document_of(self.data)


def show(
    run: RunOrPath, *, steps: bool = True, links: int = DEFAULT_LINKS, motifs: int | None = None, tails: bool = False,
    telemetry: bool = False, plan: float | None = None, interval: str = "ranks", include_extra: bool = False,
) -> SummaryResults:  # fmt: skip
    """Summarise a run: isolated and contended times of each job and motif, and the congestion impact.

        print(stressbench.show("demo.jsonl", tails=True).report())

    `steps`, `links`, `tails` and `telemetry` select rows of the report for motifs, this many of the busiest links,
    percentiles, and the counters of the hosts.
    `motifs`: only this many motifs of each job, those that took longest; None: all. `plan`=0.02 estimates how many more
    rounds narrow the interval of the impact to plus or minus 2 %. `interval`: method of that interval, `ranks` or
    `bootstrap`. With `include_extra`, the extra repetitions of sustained jobs count. Raises
    `stressbench.StressBenchError`.
    """
    data = _run(run)
    summary = summarise(
        data, include_extra=include_extra, interval=choice(IntervalMethod, interval, parameter="interval"),
        target=TARGET if plan is None else plan, most_steps=motifs,
    )  # fmt: skip
    parts = SummaryParts(
        steps=steps, links=links, tails=tails, plan=plan is not None, motif_counts=motif_counts(data),
        telemetry=telemetry,
    )  # fmt: skip
    return SummaryResults(summary, parts=parts)


def compare(a: RunOrPath, b: RunOrPath, *, effect: float = 0.02, force: bool = False) -> CompareResults:
    """Compare two runs of the same workload, job by job: slower, faster, no difference, or inconclusive.

        stressbench.compare("before.jsonl", "after.jsonl", effect=0.05).slower

    `effect` is the smallest relevant change, a share. `force` also compares runs of different workloads. Raises
    `stressbench.StressBenchError`.
    """
    return CompareResults(compared(_run(a), _run(b), effect=effect, force=force))


def report_runs(
    runs: Sequence[RunOrPath], path: str | PathLike[str] | None = None, *, format: str = "html",  # noqa: A002  as --format
    data: str | PathLike[str] | None = None, topology: str | PathLike[str] | None = None,
    slowed_above: float = _LIMITS.slowed_above, tail_above: float = _LIMITS.tail_above,
    busy_above: float = _LIMITS.busy_above, figures: str | PathLike[str] | None = None, force: bool = False,
) -> str:  # fmt: skip
    """One report on several runs, in one of the formats of `stressbench report`; also written to `path` if given.

    `data` is a folder to which the data of the figures are written, as CSV and, with pyarrow, as Parquet. `topology` is
    the network of the machine: a shipped lab, or a lab file, a topology file in TOML, Slurm's topology.conf or the
    output of ibnetdiscover; default: what the run files tell. A job is called slowed, and its tail longer, if the 95 %
    interval of the ratio of contended to isolated times lies above `slowed_above` and `tail_above`; a link is called
    busy above the share `busy_above` of its rate. `figures` is a new directory for the figures of the page, as
    `RunResults.figures` writes them; with `force`, figures in an existing one are replaced. Raises
    `stressbench.StressBenchError` for a wrong run file, topology, limit or directory, ValueError for an unknown format,
    and OSError if a file cannot be written.
    """
    options = report_options(
        None if topology is None else fspath(topology),
        VerdictLimits(slowed_above=slowed_above, tail_above=tail_above, busy_above=busy_above),
    )
    read = [_run(one) for one in runs]
    text = report_text(FORMATS, format, path, read, options)
    if data is not None:
        from stressbench.report.export import export  # figures take a second to import

        export(read, Path(data))
    if figures is not None:
        sources = {f"run{number}": one.path for number, one in enumerate(read, start=1)}
        figure_files(page(read, options), figures, sources=sources.values(), source_of=sources, force=force)
    return text


def _run(run: RunOrPath) -> Run:
    return run.data if isinstance(run, RunResults) else read_run(Path(run))
