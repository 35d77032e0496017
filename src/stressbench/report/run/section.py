"""The data of one run in a report, from which all figures and tables of its section are made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import log

from stressbench.formats.ranges import parse_ranges
from stressbench.formats.run import Run
from stressbench.formats.topology import Network
from stressbench.report.run.options import DEFAULT_OPTIONS, ReportOptions
from stressbench.stats import JobSummary, RunSummary, summarise

_MAX_DRAWN_SWITCHES = 1024


@dataclass(frozen=True, kw_only=True, eq=False)
class RunSection:
    """A run and its summary; `key` is the prefix of all element ids of the section in the page.

    In the page of a study, `subject` says in titles what the run stands for, `slowed` has the jobs that the study shows
    to be slowed (None: as the run itself shows), and `style_numbers` the number of each job's colour and hatch.
    """

    key: str
    title: str
    run: Run
    summary: RunSummary
    options: ReportOptions = DEFAULT_OPTIONS
    subject: str = ""
    slowed: frozenset[int] | None = None
    style_numbers: Mapping[int, int] = field(default_factory=dict)

    def style_of(self, job: int) -> int:
        """The number of the job's colour and hatch."""
        return self.style_numbers.get(job, job)

    @property
    def jobs(self) -> tuple[JobSummary, ...]:
        """Jobs in the order of the workload."""
        return self.summary.jobs

    @cached_property
    def network(self) -> Network | None:
        """The network of the options or of the run; None if it is unknown."""
        from stressbench.labs.networks import network_of_run  # labs take a while to import

        return self.options.network or network_of_run(self.run)

    @property
    def drawable_network(self) -> Network | None:
        """The network, unless it has too many switches for a picture."""
        network = self.network
        return None if network is None or len(network.switches) > _MAX_DRAWN_SWITCHES else network

    @cached_property
    def jobs_by_host(self) -> Mapping[str, tuple[int, ...]]:
        """Jobs on each host of the network that runs any. Raises TopologyMistake if it has no host of the run."""
        if self.network is None:
            return {}
        from stressbench.labs.networks import matched_hosts

        names = matched_hosts(self.network, self.run)
        host_of = self.run.header.nodes.hosts
        found: dict[str, dict[int, None]] = {}
        for job in self.jobs:
            for node in parse_ranges(job.nodes):
                if (host := names.get(host_of.get(node, ""))) is not None:
                    found.setdefault(host, {})[job.job] = None
        return {host: tuple(jobs) for host, jobs in found.items()}


def section_of(run: Run, *, number: int, options: ReportOptions = DEFAULT_OPTIONS) -> RunSection:
    """The `number`-th section of a report, counted from 1."""
    return RunSection(key=f"run{number}", title=run.path.name, run=run, summary=summarise(run), options=options)


def most_affected(jobs: Sequence[JobSummary], *, most: int) -> tuple[JobSummary, ...]:
    """At most this many of the jobs, those whose impact is furthest from 1, in their order."""
    if len(jobs) <= most:
        return tuple(jobs)
    kept = {job.job for job in sorted(jobs, key=lambda job: -abs(log(job.timing.impact.ratio or 1.0)))[:most]}
    return tuple(job for job in jobs if job.job in kept)


def left_out(*, shown: int, total: int) -> str:
    """The end of a figure's caption if `most_affected` left jobs out."""
    return f" The {shown} of {total:,} jobs whose impact is furthest from 1." if shown < total else ""
