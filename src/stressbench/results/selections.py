"""The samples to evaluate of each run and job, selected once for all results of a study. Pure."""

from collections.abc import Mapping
from typing import TypeAlias

from stressbench.formats.run import Run
from stressbench.stats import Selection, select

Selections: TypeAlias = Mapping[tuple[str, str], Selection]
"""Selections by run id and name of the job, which is unique in a workload."""


def selections_of(runs: Mapping[str, Run]) -> Selections:
    """The selections of all jobs of these runs, which are given by id."""
    return {(name, job.name): select(run, job=job.job) for name, run in runs.items() for job in run.jobs}
