"""The summary of a run that `stressbench show` prints, and `stressbench run` at its end."""

from stressbench.formats.run import Run
from stressbench.report.document import Document
from stressbench.report.run.summary import DEFAULT_MOTIFS, SummaryParts, document_of
from stressbench.stats import summarise


def motif_limit(motifs: int, *, jobs_only: bool, as_values: bool) -> int | None:
    """The number of motifs per job to summarise; None for all of them.

    `motifs`: the number to show, 0 for all. `as_values`: the summary is not shown but exported, with every motif.
    """
    if as_values or motifs == 0:
        return None
    return 0 if jobs_only else motifs


def motif_counts(run: Run) -> tuple[int, ...]:
    """The number of motifs in the chain of each job."""
    return tuple(len(job.steps) for job in run.jobs)


def brief_summary(run: Run) -> Document:
    """The summary of `run` with all defaults."""
    return document_of(summarise(run, most_steps=DEFAULT_MOTIFS), parts=SummaryParts(motif_counts=motif_counts(run)))
