"""The results of a run, as data frames, as a report, and as a table in a notebook."""

from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from stressbench.api.frames import Library, data_frame
from stressbench.api.presentation import figure_files, notebook_table, report_text
from stressbench.api.run_tables import impact_table, link_table, round_table, sample_table, telemetry_table
from stressbench.formats import run as run_files
from stressbench.formats.run import Run
from stressbench.report.document import columns
from stressbench.stats import RunSummary, Timing, summarise

if TYPE_CHECKING:
    from stressbench.api.frames import DataFrame


class RunResults:
    """The results of one run file.

    `samples()`, `rounds()`, `impacts()` and `links()` are data frames of polars or pandas (`library`; by default the
    one that is installed). Times are in seconds; unknown values are null. `data` holds the records as they were read,
    `summary` everything that `stressbench show` prints.
    """

    def __init__(self, data: Run) -> None:
        self.data = data

    def __repr__(self) -> str:
        state = "complete" if self.complete else "incomplete"
        return f"<RunResults of {self.path}: {len(self.data.jobs)} jobs, {len(self.data.rounds)} rounds, {state}>"

    @property
    def path(self) -> Path:
        """The run file."""
        return self.data.path

    @property
    def complete(self) -> bool:
        """Whether all rounds of the run were completed."""
        return self.data.complete

    @cached_property
    def summary(self) -> RunSummary:
        """Statistics of every job and motif, and the warnings about them."""
        return summarise(self.data)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences about what makes a number doubtful: first the engine's, then those of the analysis."""
        return (*(one.message for one in self.summary.events), *(one.text for one in self.summary.warnings))

    def samples(self, *, library: Library | None = None) -> "DataFrame":
        """One row for each repetition of a job (`step` is null) and of each motif of its chain.

        Columns: round, block, kind (isolated, contended), job, job_name, step, motif, repetition, phase (warmup,
        measured, extra), iterations, time_min_s, time_mean_s, time_max_s (over the ranks; the job's time is
        time_max_s), slowest_rank, slowest_host.
        """
        return data_frame(sample_table(self.data), library=library)

    def rounds(self, *, library: Library | None = None) -> "DataFrame":
        """One row for each round and job that ran in it.

        Columns: launch, round, block, kind, started_s (since the launch's start), duration_s, load_average, job,
        job_name, warmup, measured, extra (repetitions), median_s (of the measured repetitions).
        """
        return data_frame(round_table(self.data), library=library)

    def impacts(self, *, library: Library | None = None) -> "DataFrame":
        """One row for each job (`step` is null) and each motif of its chain.

        Columns: job, job_name, role, step, motif, isolated_s and contended_s (medians per repetition of a job,
        per iteration of a motif), impact (contended over isolated; StressBench, Equation 3), low and high (its 95 %
        interval), blocks (number of paired blocks), p95, p99, p999 (the same ratio of percentiles, with _low and
        _high), reason (why a number is null).
        """
        return data_frame(impact_table(self.summary), library=library)

    def links(self, *, library: Library | None = None) -> "DataFrame":
        """One row for each round and direction of a link; no rows if links are not counted, as on a real cluster.

        Columns: round, kind, job (null in contended rounds), link, source, target, rate_bits_per_s, bytes (of frames
        with their headers), frames, drops, use (share of the rate over the round).
        """
        return data_frame(link_table(self.data), library=library)

    def telemetry(self, *, library: Library | None = None) -> "DataFrame":
        """One row for each round and counter of the hosts; no rows without telemetry.

        Columns: round, kind, job (null in contended rounds), source, counter, unit (bytes, frames, ns, ticks, events),
        hosts, devices, unknown (devices without a value), min, p25, median, p75, max (over devices), sum,
        largest_host and largest_device (those of max; the device is null if the counter is of the whole host).
        """
        return data_frame(telemetry_table(self.data), library=library)

    def report(self, path: str | PathLike[str] | None = None, *, format: str = "html") -> str:  # noqa: A002  as --format
        """The report as text, in one of the formats of `stressbench report`; also written to `path` if given.

        Raises ValueError for an unknown format, and OSError if the file cannot be written.
        """
        from stressbench.report.run import FORMATS

        return report_text(FORMATS, format, path, [self.data])

    def figures(self, directory: str | PathLike[str], *, force: bool = False) -> tuple[Path, ...]:
        """Write the figures of the HTML page into a new directory, and return the paths of the files.

        Each figure is an SVG, a PNG and a PDF, with its data as CSV; figures.json lists them. With `force`, figures in
        an existing directory are replaced. Raises `stressbench.StressBenchError` for another directory, and OSError if
        a file cannot be written.
        """
        from stressbench.report.run import page

        drawn = page([self.data])
        source_of = {section.key: self.path for section in drawn.sections}
        return figure_files(drawn, directory, sources=(self.path,), source_of=source_of, force=force)

    def _repr_html_(self) -> str:
        """The congestion impact of each job, for notebooks."""
        incomplete = "" if self.complete else ", incomplete"
        return notebook_table(
            f"{self.path.name}: {len(self.data.rounds)} rounds{incomplete}",
            columns(texts=("job",), numbers=("isolated", "contended", "congestion impact", "95 %")),
            [(job.name, *_impact_cells(job.timing)) for job in self.summary.jobs],
            notes=self.warnings,
        )


def _impact_cells(timing: Timing) -> tuple[str, ...]:
    from stressbench.report.units import factor, interval, time

    times = (None if one is None else one.median for one in (timing.isolated_s, timing.contended_s))
    return (*map(time, times), factor(timing.impact.ratio), interval(timing.impact.low, timing.impact.high))


def read_run(path: str | PathLike[str]) -> RunResults:
    """Read the run file at `path`, as `stressbench.read` does. Raises `stressbench.RunFileError` for other files."""
    return RunResults(run_files.read_run(Path(path)))
