"""Programs that ran isolated and at the same time: the records of launches.jsonl that `corun` writes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from stressbench.formats.bounds import Name
from stressbench.formats.launches import journal
from stressbench.formats.profiles import profile
from stressbench.formats.run.records import Count, Index, Load, MoreThanZero, Number, Seconds

MAX_PROGRAMS = 64
MAX_EXECUTIONS = 2000
"""Executions in a period, whose line has to stay below `limits.JOURNAL_LINE`."""
Share = Annotated[float, Field(ge=0, le=1)]
Group: TypeAlias = Annotated[tuple[Index, ...], Field(min_length=2, max_length=MAX_PROGRAMS)]


class NodeUse(StrEnum):
    """Which hosts programs get: hosts of their own, in blocks or in turn, or all hosts together."""

    disjoint = "disjoint"
    interleaved = "interleaved"
    shared = "shared"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedProgram:
    """A program, or a workload as `stressbench-mpi run FILE`, and its ranks. `is_workload`: `command` is the file."""

    name: profile.Name
    command: tuple[str, ...]
    ranks: journal.Count
    is_workload: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CorunPlan(journal.Plan):
    """The planned periods: in each of `runs` blocks, one for each of `groups` together and for each program isolated.

    Groups hold numbers of `programs`, the same one twice for two copies, and `hosts` the hosts of each, null if all
    programs share all hosts. `executions`: the fewest of each program in a
    period. An execution beside others counts if each of them ran for at least `min_overlap` of its time. For figures
    in `lower`, a lower value is better. `iterations`: the MPI operation that each iteration of a program calls once, by
    the program's name. `machine`: its name in observations. `own_cores`: each program of a group had an equal part of a
    lab's cores to itself, and so had isolated programs. `shared_cores`: how many cores of this machine programs of a
    group shared, null where they did not, or where it is not known. `rounds`: contended rounds of workloads, null in
    files of versions before 0.2.0; `limit_s`: the longest time of an execution, null for none, until the co-run was
    resumed with another one.
    """

    programs: Annotated[tuple[PlannedProgram, ...], Field(min_length=1, max_length=MAX_PROGRAMS)]
    groups: Annotated[tuple[Group, ...], Field(min_length=1)]
    hosts: tuple[tuple[Name | None, ...], ...]
    nodes: NodeUse
    executions: journal.Count
    min_overlap: Share
    lower: tuple[str, ...]
    machine: profile.Name
    iterations: Mapping[profile.Name, Name] = field(default_factory=dict)
    own_cores: bool = False
    shared_cores: journal.Count | None = None
    rounds: journal.Count | None = None
    limit_s: MoreThanZero | None = None

    def __post_init__(self) -> None:
        """Check that groups hold programs of the plan, and that each of them has hosts."""
        if [len(group) for group in self.groups] != [len(hosts) for hosts in self.hosts]:
            raise ValueError("expected hosts for each program of each group")
        if any(number >= len(self.programs) for group in self.groups for number in group):
            raise ValueError("expected numbers of programs of the plan in groups")
        if not self.iterations.keys() <= {one.name for one in self.programs}:
            raise ValueError("expected names of programs of the plan in iterations")


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """An execution of the program at `place` of its period. Start and end are those of its launcher.

    They are seconds since the period began. `status`: null if it was ended because the period was over. `time_s`: from
    MPI_Init to MPI_Finalize, or the rounds of a workload; `mpi_s`: the part within MPI; both are means over ranks.
    `overlap`: the smallest share of its time during which another program of the period ran, null if it was isolated.
    `iterations`: those of rank 0, null where the plan does not say what one is.
    """

    place: Index
    began_s: Seconds
    ended_s: Seconds
    status: int | None
    time_s: MoreThanZero | None
    mpi_s: Seconds | None
    figures: Mapping[str, Number | None]
    overlap: Share | None
    iterations: Count | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkUse:
    """Share of a link's rate that was used in one direction over the whole period."""

    link: Name
    source: Name
    target: Name
    use: Load


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """A period in which `programs` were executed again and again: one isolated, or several at the same time.

    `repetition` is the number of the block, `hosts` the hosts of each program as in the plan. `links` is null without
    counters. Of very many executions some are kept, evenly spaced; `left_out` are not.
    """

    type: Literal["period"] = "period"
    at: datetime
    repetition: Index
    programs: Annotated[tuple[Index, ...], Field(min_length=1, max_length=MAX_PROGRAMS)]
    hosts: tuple[Name | None, ...]
    duration_s: Seconds
    executions: tuple[Execution, ...]
    links: tuple[LinkUse, ...] | None
    left_out: Count = 0

    def __post_init__(self) -> None:
        """Check that each program has hosts, and that executions are of programs of the period."""
        if len(self.hosts) != len(self.programs):
            raise ValueError("expected hosts for each program")
        if any(one.place >= len(self.programs) for one in self.executions):
            raise ValueError("expected executions of programs of the period")


def _misfit(plan: CorunPlan, period: Period) -> str | None:
    known = len(plan.programs)
    return None if max(period.programs) < known else f"programs: expected numbers of the plan's, below {known}"


RecordedCoruns: TypeAlias = journal.RecordedLaunches[CorunPlan, Period]
JOURNAL = journal.Journal(
    plan=CorunPlan, launch=Period, writer="stressbench corun -o DIR -- CMD ++ CMD", misfit=_misfit
)


def read_coruns(path: Path) -> RecordedCoruns:
    """Read the file at `path`. Raises StudyMistake if it does not begin with a plan."""
    return JOURNAL.read(path)
