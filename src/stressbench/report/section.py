"""One run of a report: what every figure and table of its section is drawn from."""

from dataclasses import dataclass

from stressbench.formats.run import Run
from stressbench.stats import JobSummary, RunSummary, summarise

_LONGEST_NAME = 28


@dataclass(frozen=True, kw_only=True, eq=False)
class Section:
    """A run, its summary, and `key`, which begins every id of the section in the page."""

    key: str
    title: str
    run: Run
    summary: RunSummary

    @property
    def jobs(self) -> tuple[JobSummary, ...]:
        """Jobs in the order of the workload."""
        return self.summary.jobs


def section_of(run: Run, *, number: int) -> Section:
    """The `number`-th section of a report, counted from 1."""
    return Section(key=f"run{number}", title=run.path.name, run=run, summary=summarise(run))


def printable(text: str) -> str:
    """The text without control characters, which neither XML nor a reader can take."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)


def short(name: str, *, longest: int = _LONGEST_NAME) -> str:
    """A name that fits into a figure; tables have it whole."""
    name = printable(name)
    return name if len(name) <= longest else name[: longest - 1] + "…"
