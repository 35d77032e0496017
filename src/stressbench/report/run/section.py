"""The data of one run in a report, from which all figures and tables of its section are made."""

from dataclasses import dataclass

from stressbench.formats.run import Run
from stressbench.stats import JobSummary, RunSummary, summarise


@dataclass(frozen=True, kw_only=True, eq=False)
class RunSection:
    """A run and its summary; `key` is the prefix of all element ids of the section in the page."""

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
