"""What a run measured, as data frames, as a report, and as a table in a notebook."""

from collections.abc import Iterator
from functools import cached_property
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from stressbench.api.frames import Column, Library, column, column_of, data_frame
from stressbench.console import escaped
from stressbench.formats.files import write_output
from stressbench.formats.run import Job, Run, Samples
from stressbench.formats.run.samples import PHASES
from stressbench.stats import RunSummary, Timing, select, summarise

_TAIL_NAMES = {0.95: "p95", 0.99: "p99", 0.999: "p999"}


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
        """Whether the run ended after all of its rounds."""
        return self.data.complete

    @cached_property
    def summary(self) -> RunSummary:
        """Statistics of every job and motif, and the warnings about them."""
        return summarise(self.data)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What makes a number doubtful, one sentence each: the engine's events, then the analysis."""
        return (*(one.message for one in self.summary.events), *(one.text for one in self.summary.warnings))

    def samples(self, *, library: Library | None = None) -> Any:
        """One row for each repetition of a job (`step` is null) and of each motif of its chain.

        Columns: round, block, kind (isolated, contended), job, job_name, step, motif, repetition, phase (warmup,
        measured, extra), iterations, time_min_s, time_mean_s, time_max_s (over the ranks; the job's time is
        time_max_s), slowest_rank, slowest_host.
        """
        tables = [self._samples_of(one) for one in self.data.samples]
        names = tuple(_SAMPLE_COLUMNS)
        return data_frame(
            {name: _joined([table[name] for table in tables], _SAMPLE_COLUMNS[name]) for name in names},
            library=library,
        )

    def _samples_of(self, samples: Samples) -> dict[str, Column]:
        job, count = self.data.jobs[samples.job], len(samples)
        number_of = {one.round: number for number, one in enumerate(self.data.rounds)}
        which = np.array([number_of[int(one)] for one in samples.round], dtype=np.int64)
        blocks = np.array([one.block for one in self.data.rounds], dtype=np.int64)
        kinds = np.array([one.kind.value for one in self.data.rounds], dtype=object)
        hosts = np.array([*samples.hosts, ""], dtype=object)
        no_step = np.full(count, samples.step is None)
        return {
            "round": column(samples.round),
            "block": column(blocks[which]),
            "kind": column(kinds[which]),
            "job": column(np.full(count, samples.job)),
            "job_name": column(np.full(count, job.name, dtype=object)),
            "step": column(np.full(count, samples.step or 0), unknown=no_step),
            "motif": column(np.full(count, _motif(job, samples.step), dtype=object), unknown=no_step),
            "repetition": column(samples.repetition),
            "phase": column(np.array([one.value for one in PHASES], dtype=object)[samples.phase]),
            "iterations": column(samples.iterations),
            "time_min_s": column(samples.time_min_s),
            "time_mean_s": column(samples.time_mean_s),
            "time_max_s": column(samples.time_max_s),
            "slowest_rank": column(samples.slowest_rank, unknown=samples.slowest_rank < 0),
            "slowest_host": column(hosts[samples.slowest_host], unknown=samples.slowest_host < 0),
        }

    def rounds(self, *, library: Library | None = None) -> Any:
        """One row for each round and job that ran in it.

        Columns: launch, round, block, kind, started_s (since the launch's start), duration_s, load_average, job,
        job_name, warmup, measured, extra (repetitions), median_s (of the measured repetitions).
        """
        medians = {
            (one.launch, one.round, job.job): one.median_s
            for job in self.data.jobs
            for one in select(self.data, job=job.job).rounds
        }
        rows = [
            (launch.header.launch, one.round, one.block, one.kind.value, one.started_s, one.duration_s,
             one.load_average, ran.job, self.data.jobs[ran.job].name, ran.warmup, ran.measured, ran.extra,
             medians.get((launch.header.launch, one.round, ran.job)))
            for launch in self.data.launches for one in launch.rounds for ran in one.jobs
        ]  # fmt: skip
        return _frame(_ROUND_COLUMNS, rows, library=library)

    def impacts(self, *, library: Library | None = None) -> Any:
        """One row for each job (`step` is null) and each motif of its chain.

        Columns: job, job_name, role, step, motif, isolated_s and contended_s (medians: a job's of a repetition, a
        motif's of an iteration), impact (contended over isolated; StressBench, Equation 3), low and high (its 95 %
        interval), blocks (pairs of rounds that it is made of), and p95, p99, p999 (the same ratio of percentiles, with
        _low and _high), reason (why a number is null).
        """
        rows = [
            (job.job, job.name, job.role.value, step, motif, *_impact_values(timing))
            for job in self.summary.jobs
            for step, motif, timing in (
                (None, None, job.timing), *((one.step, one.motif, one.timing) for one in job.steps)
            )
        ]  # fmt: skip
        return _frame(_IMPACT_COLUMNS, rows, library=library)

    def links(self, *, library: Library | None = None) -> Any:
        """One row for each round and direction of a link; no rows where nothing counts links, as on a real cluster.

        Columns: round, kind, job (null in contended rounds), link, source, target, rate_bits_per_s, bytes (of frames
        with their headers), frames, drops, use (share of the rate over the round).
        """
        rows = [
            (one.round, one.kind.value, one.job, link.link, link.source, link.target, link.rate_bits_per_s,
             link.bytes, link.frames, link.drops,
             link.bytes * 8 / (link.rate_bits_per_s * one.duration_s)
             if link.rate_bits_per_s and one.duration_s else None)
            for one in self.data.rounds for link in one.links or ()
        ]  # fmt: skip
        return _frame(_LINK_COLUMNS, rows, library=library)

    def report(self, path: str | PathLike[str] | None = None, *, format: str = "html") -> str:  # noqa: A002  as --format
        """The report as text, in one of the formats of `stressbench report`; also written to `path` if given.

        Raises ValueError for an unknown format, and OSError where the file cannot be written.
        """
        from stressbench.report.run import FORMATS

        if format not in FORMATS:
            raise ValueError(f"format: '{format}' is not one of {', '.join(FORMATS)}")
        text = FORMATS[format]([self.data])
        if path is not None:
            write_output(Path(path), text)
        return text

    def _repr_html_(self) -> str:
        """The congestion impact of each job, as notebooks show it."""
        head = "".join(f"<th>{name}</th>" for name in ("job", "isolated", "contended", "congestion impact", "95 %"))
        body = "".join(_html_row(job.name, job.timing) for job in self.summary.jobs)
        notes = "".join(f"<li>{_html(sentence)}</li>" for sentence in self.warnings)
        return (
            f"<table><caption>{_html(str(self.path.name))}: {len(self.data.rounds)} rounds"
            f"{'' if self.complete else ', incomplete'}</caption><thead><tr>{head}</tr></thead>"
            f"<tbody>{body}</tbody></table>" + (f"<ul>{notes}</ul>" if notes else "")
        )


_SAMPLE_COLUMNS: dict[str, type[Any]] = {
    "round": int, "block": int, "kind": str, "job": int, "job_name": str, "step": int, "motif": str,
    "repetition": int, "phase": str, "iterations": int, "time_min_s": float, "time_mean_s": float, "time_max_s": float,
    "slowest_rank": int, "slowest_host": str,
}  # fmt: skip
_ROUND_COLUMNS: dict[str, type[Any]] = {
    "launch": int, "round": int, "block": int, "kind": str, "started_s": float, "duration_s": float,
    "load_average": float, "job": int, "job_name": str, "warmup": int, "measured": int, "extra": int,
    "median_s": float,
}  # fmt: skip
_IMPACT_COLUMNS: dict[str, type[Any]] = {
    "job": int, "job_name": str, "role": str, "step": int, "motif": str, "isolated_s": float, "contended_s": float,
    "impact": float, "low": float, "high": float, "blocks": int,
    **{f"{name}{end}": float for name in _TAIL_NAMES.values() for end in ("", "_low", "_high")}, "reason": str,
}  # fmt: skip
_LINK_COLUMNS: dict[str, type[Any]] = {
    "round": int, "kind": str, "job": int, "link": str, "source": str, "target": str, "rate_bits_per_s": int,
    "bytes": int, "frames": int, "drops": int, "use": float,
}  # fmt: skip


def _motif(job: Job, step: int | None) -> str:
    return "" if step is None else job.steps[step].motif


def _joined(parts: list[Column], dtype: type[Any]) -> Column:
    if not parts:
        return column_of([], dtype=dtype)
    return Column(
        values=np.concatenate([part.values for part in parts]), unknown=np.concatenate([part.unknown for part in parts])
    )


def _frame(columns: dict[str, type[Any]], rows: list[tuple[Any, ...]], *, library: Library | None) -> Any:
    by_name = {
        name: column_of([row[number] for row in rows], dtype=dtype)
        for number, (name, dtype) in enumerate(columns.items())
    }
    return data_frame(by_name, library=library)


def _impact_values(timing: Timing) -> Iterator[Any]:
    impact = timing.impact
    yield None if timing.isolated_s is None else timing.isolated_s.median
    yield None if timing.contended_s is None else timing.contended_s.median
    yield from (impact.ratio, impact.low, impact.high, impact.paired_blocks)
    tails = {tail.share: tail for tail in timing.tails}
    for share in _TAIL_NAMES:
        tail = tails.get(share)
        yield from (None, None, None) if tail is None else (tail.ratio, tail.low, tail.high)
    yield impact.reason


def _html_row(name: str, timing: Timing) -> str:
    from stressbench.report.units import factor, interval, time

    times = (None if one is None else one.median for one in (timing.isolated_s, timing.contended_s))
    numbers = (*map(time, times), factor(timing.impact.ratio), interval(timing.impact.low, timing.impact.high))
    return f"<tr><th>{_html(name)}</th>" + "".join(f"<td>{_html(number)}</td>" for number in numbers) + "</tr>"


def _html(text: str) -> str:
    return escape(escaped(text))
