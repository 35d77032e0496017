"""A run in memory: launches with their committed rounds, samples in columns, events, and whether it is complete."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from stressbench.formats.ranges import parse_ranges
from stressbench.formats.run.records import End, Event, Fault, Header, Job, Kind, Role, Round
from stressbench.formats.run.samples import Histogram, MetricSamples, Samples

StepData = TypeVar("StepData", MetricSamples, Histogram)


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """One launch of the engine and the rounds that it committed; `end` is None if it was killed.

    `faults` say what ended it. There are none if it ended regularly, was killed as a whole, or if the file is of an
    early version.
    """

    header: Header
    rounds: tuple[Round, ...]
    end: End | None
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True, kw_only=True, eq=False)
class Run:
    """One run file. `torn`: the file ends within a line; `ignored_samples` had no committed round."""

    path: Path
    launches: tuple[Launch, ...]
    samples: tuple[Samples, ...]
    metrics: tuple[MetricSamples, ...]
    histograms: tuple[Histogram, ...]
    events: tuple[Event, ...]
    end: End | None
    torn: bool
    ignored_samples: int

    @property
    def header(self) -> Header:
        """The first launch's header."""
        return self.launches[0].header

    @property
    def jobs(self) -> tuple[Job, ...]:
        """Jobs of the workload, `jobs[k].job == k`."""
        return self.header.jobs

    @property
    def measured_jobs(self) -> tuple[Job, ...]:
        """Jobs that also run isolated."""
        return tuple(job for job in self.jobs if job.role is Role.measured)

    @cached_property
    def rounds(self) -> tuple[Round, ...]:
        """Committed rounds of all launches, in order."""
        return tuple(one for launch in self.launches for one in launch.rounds)

    @property
    def complete(self) -> bool:
        """Whether the last record is an `end` with `complete` true."""
        return self.end is not None and self.end.complete

    @property
    def planned_rounds(self) -> int | None:
        """Number of rounds in the plan of the newest launch; None if a stopping rule decides."""
        plan = self.launches[-1].header.plan
        if plan.until_interval is not None:
            return None
        return plan.isolated * len(self.measured_jobs) + plan.contended

    @cached_property
    def _samples_by_step(self) -> Mapping[tuple[int, int | None], Samples]:
        return {(samples.job, samples.step): samples for samples in reversed(self.samples)}  # the first of a key counts

    @cached_property
    def _metrics_by_step(self) -> Mapping[tuple[int, int | None], tuple[MetricSamples, ...]]:
        return _by_step(self.metrics)

    @cached_property
    def _histograms_by_step(self) -> Mapping[tuple[int, int | None], tuple[Histogram, ...]]:
        return _by_step(self.histograms)

    def samples_of(self, *, job: int, step: int | None = None) -> Samples | None:
        """Samples of one job (`step` None) or one step; None if no committed round has any."""
        return self._samples_by_step.get((job, step))

    def metrics_of(self, *, job: int, step: int | None) -> tuple[MetricSamples, ...]:
        """The metrics that the motif of this step reported."""
        return self._metrics_by_step.get((job, step), ())

    def histograms_of(self, *, job: int, step: int) -> tuple[Histogram, ...]:
        """The histograms of this step in all committed rounds, of every quantity."""
        return self._histograms_by_step.get((job, step), ())

    def hosts_of(self, *, job: int) -> tuple[str, ...]:
        """The distinct hosts of this job, in node order."""
        hosts = self.header.nodes.hosts
        return tuple(dict.fromkeys(hosts[node] for node in sorted(parse_ranges(self.jobs[job].nodes)) if node in hosts))

    def count_rounds(self, *, kind: Kind, job: int | None = None) -> int:
        """Number of committed rounds of this kind; with `job`, of the isolated rounds of this job."""
        return sum(one.kind is kind and (job is None or one.job == job) for one in self.rounds)


def _by_step(records: Iterable[StepData]) -> Mapping[tuple[int, int | None], tuple[StepData, ...]]:
    """Group by job and step, for fast look-ups: a chain may have thousands of steps."""
    groups: dict[tuple[int, int | None], list[StepData]] = {}
    for record in records:
        groups.setdefault((record.job, record.step), []).append(record)
    return {key: tuple(values) for key, values in groups.items()}
