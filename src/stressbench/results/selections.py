"""Which samples of each run and job count, looked at once for all that is told of a study. Pure."""

from collections.abc import Mapping
from typing import TypeAlias

from stressbench.formats.run import Run
from stressbench.stats import Selection, select

Selections: TypeAlias = Mapping[tuple[str, str], Selection]
"""By run id and job's name: the language has no two jobs of one name."""


def selections_of(runs: Mapping[str, Run]) -> Selections:
    """Of these runs, by id."""
    return {(name, job.name): select(run, job=job.job) for name, run in runs.items() for job in run.jobs}
