"""Launches of an application and of the workload that models it: the records of launches.jsonl."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, TypeAlias

from pydantic import Field

from stressbench.formats.bounds import Name
from stressbench.formats.launches import journal
from stressbench.formats.run.records import Seconds


class ComparedSide(StrEnum):
    """What a launch ran."""

    program = "program"
    workload = "workload"


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationPlan(journal.Plan):
    """The planned launches. `workload`: a motif with its options, or a workload file; `ranks`: of both sides.

    `first` and `last` are the patterns of the calls that begin and end an iteration, None: any. `tolerance` is the
    largest accepted deviation of the ratio from 1, None without one. `cpu_time`: computation is processor time.
    `whole`: the whole run is the only iteration.
    """

    workload: tuple[Name, ...]
    ranks: journal.Count
    computation: Name
    first: Name | None
    last: Name | None
    tolerance: Annotated[float, Field(gt=0, lt=1)] | None
    cpu_time: bool = False
    whole: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationLaunch(journal.BaseLaunch):
    """One launch: seconds of one iteration, mean over the ranks and over `iterations`; null if it failed.

    `slowest_s`: the same on the slowest rank, null for a workload. `mpi_s`: the part within MPI.
    """

    side: ComparedSide
    iterations: journal.Count
    time_s: Seconds | None
    slowest_s: Seconds | None
    mpi_s: Seconds | None


ValidationLaunches: TypeAlias = journal.RecordedLaunches[ValidationPlan, ValidationLaunch]
JOURNAL = journal.Journal(
    plan=ValidationPlan, launch=ValidationLaunch, writer="stressbench validate -o DIR MOTIF -- CMD"
)
