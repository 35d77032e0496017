"""Results of a study: times and congestion impact of each cell and job, over all runs of the cell."""

from collections.abc import Mapping
from dataclasses import dataclass

from stressbench.results.matrix import Matrix
from stressbench.stats import Plan, TailImpact
from stressbench.stats.pooled import PooledImpact


@dataclass(frozen=True, kw_only=True)
class JobResult:
    """One job of a cell: median times over rounds, s, and the impact with its 95 % interval. None: unknown.

    `tails`: tail impacts of the samples of all runs. `superiority`: share of pairs of an isolated and a contended round
    in which the contended one took longer. `plan` is None for jobs other than measured ones.
    """

    name: str
    isolated_s: float | None
    contended_s: float | None
    impact: PooledImpact
    tails: tuple[TailImpact, ...]
    superiority: float | None
    plan: Plan | None


@dataclass(frozen=True, kw_only=True)
class CellResult:
    """One cell, with its `values` by factor and counts of its runs. `incomplete` runs ended at their own time limit."""

    id: str
    values: Mapping[str, str]
    planned: int
    done: int
    failed: int
    spared: int
    incomplete: int
    jobs: tuple[JobResult, ...]


@dataclass(frozen=True, kw_only=True)
class Failure:
    """A failed run, with its exit status and reason."""

    run: str
    values: Mapping[str, str]
    attempts: int
    status: int | None
    reason: str | None


@dataclass(frozen=True, kw_only=True)
class StudyReport:
    """All results of a study. `factors`: those that vary. `fixed`: values of the others."""

    about: str
    factors: tuple[str, ...]
    fixed: Mapping[str, str]
    planned: int
    done: int
    cells: tuple[CellResult, ...]
    failures: tuple[Failure, ...]
    matrices: tuple[Matrix, ...]
    notes: tuple[str, ...]
