"""What a study found: times and congestion impact for each cell and job, over all of the cell's runs."""

from collections.abc import Mapping
from dataclasses import dataclass

from stressbench.results.matrix import Matrix
from stressbench.stats import Plan, TailImpact
from stressbench.stats.pooled import PooledImpact


@dataclass(frozen=True, kw_only=True)
class JobResult:
    """One job of a cell: medians over rounds in seconds, impact with its 95 % interval; None is unknown.

    `tails` are of all runs' samples; `superiority` is the share of pairs of an isolated and a contended round in which
    the contended one took longer. `plan` is None for background jobs.
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
    """One cell, `values` by factor; `incomplete` runs ended at their own time limit."""

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
    """A run that could not be had."""

    run: str
    values: Mapping[str, str]
    attempts: int
    status: int | None
    reason: str | None


@dataclass(frozen=True, kw_only=True)
class StudyReport:
    """All that a study found. `factors` are those that vary, `fixed` the rest."""

    about: str
    factors: tuple[str, ...]
    fixed: Mapping[str, str]
    planned: int
    done: int
    cells: tuple[CellResult, ...]
    failures: tuple[Failure, ...]
    matrices: tuple[Matrix, ...]
    notes: tuple[str, ...]
