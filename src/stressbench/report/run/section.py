"""One run of a report: what every figure and table of its section is drawn from."""

from dataclasses import dataclass

from stressbench.formats.run import Run
from stressbench.stats import JobSummary, RunSummary, summarise


@dataclass(frozen=True, kw_only=True, eq=False)
class RunSection:
    """A run, its summary, and `key`, which begins every id of the section in the page."""

    key: str
    title: str
    run: Run
    summary: RunSummary

    @property
    def jobs(self) -> tuple[JobSummary, ...]:
        """Jobs in the order of the workload."""
        return self.summary.jobs


def section_of(run: Run, *, number: int) -> RunSection:
    """The `number`-th section of a report, counted from 1."""
    return RunSection(key=f"run{number}", title=run.path.name, run=run, summary=summarise(run))
