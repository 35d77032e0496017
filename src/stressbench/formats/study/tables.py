"""Models of the tables of a study file."""

from typing import Annotated

from pydantic import Field

from stressbench.formats.study.fields import (
    Counts,
    Finishes,
    Nics,
    Placements,
    Policies,
    Positive,
    Rates,
    Seed,
    Sets,
    Share,
    Time,
    TransportName,
    Whole,
    Word,
    Words,
)
from stressbench.formats.toml import Table


class FactorsTable(Table):
    """A list is a factor; one value is the same in all cells."""

    workload: Annotated[Words, Field(description="Files, relative to this one.")]
    placement: Annotated[Placements | None, Field(description="Where jobs with [NODES] go.")] = None
    ranks: Annotated[Counts | None, Field(description="MPI ranks; a lab's own number without it.")] = None
    ranks_per_node: Annotated[Counts | None, Field(description="So many consecutive ranks are a node.")] = None
    on: Annotated[Words, Field(description="As `stressbench run --on`: local, lab:NAME, simgrid:NAME, slurm.")] = (
        "local",
    )
    finish: Annotated[Finishes | None, Field(description="sustain or once.")] = None
    engine: Annotated[Words | None, Field(description="Paths of stressbench-mpi: one an MPI.")] = None
    rate: Annotated[
        Rates | None, Field(description="Rate of all links of a lab, as a share of the lab file's rates.")
    ] = None
    rails: Annotated[
        Counts | None, Field(description="NICs of each host that messages may use, counted from the first.")
    ] = None
    policy: Annotated[
        Policies | None, Field(description="Which NIC each rank's messages use (docs/how-to/rails.md).")
    ] = None


class RunTable(Table):
    """What all runs have in common; what is not given, the engine decides."""

    isolated: Annotated[Whole | None, Field(description="Rounds of each job alone.")] = None
    contended: Annotated[Whole | None, Field(description="Rounds of all jobs together.")] = None
    until_interval: Annotated[Share | None, Field(description="End a run when its intervals are so narrow.")] = None
    repetitions: Annotated[Positive | None, Field(description="Measured repetitions a round.")] = None
    warmup: Annotated[Whole | None, Field(description="Repetitions that do not count.")] = None
    min_time: Annotated[Time | None, Field(description="Measure each job of a round for so long.")] = None
    time_limit: Annotated[Time | None, Field(description="A run begins no round that would end after it.")] = None
    stall_limit: Annotated[Time | None, Field(description="End a run in which a rank is stuck so long.")] = None
    verify: Annotated[bool, Field(strict=True, description="Check every byte that arrives.")] = False


class UntilTable(Table):
    """Repeat a cell until the 95 % interval of each job's congestion impact is narrow, in place of a fixed count."""

    interval: Annotated[Share, Field(description="High end over low end, less 1.")]
    at_least: Annotated[Positive, Field(description="Runs of each cell before the first look.")] = 1
    at_most: Annotated[Positive, Field(description="Runs of a cell after which it is enough.")] = 10


class ExcludeTable(Table):
    """Cells that have one of these values for each factor that is named are left out."""

    workload: Words | None = None
    placement: Placements | None = None
    ranks: Counts | None = None
    ranks_per_node: Counts | None = None
    on: Words | None = None
    finish: Finishes | None = None
    engine: Words | None = None
    rate: Rates | None = None
    rails: Counts | None = None
    policy: Policies | None = None
    set: Sets = Field(default_factory=dict)


class StudyTable(Table):
    """A whole study file."""

    about: Annotated[str, Field(strict=True, description="One sentence, shown in plan and report.")] = ""
    seed: Annotated[Seed, Field(description="Of the order of cells, and of what the runs draw.")] = 1
    repetitions: Annotated[Positive | None, Field(description="Runs of each cell; 1 without it.")] = None
    until: UntilTable | None = None
    retries: Annotated[Whole, Field(description="How often a run that failed is tried again.")] = 1
    time_limit: Annotated[Time | None, Field(description="`run` and `resume` start nothing after it.")] = None
    rate_command: Annotated[
        Word | None, Field(description="Sets the rate where no link is ours: called with it, `1` at the end.")
    ] = None
    nics: Annotated[
        Nics | None, Field(description="Names of each host's NICs, for `policy`; a lab defines its own.")
    ] = None
    transport: Annotated[
        TransportName | None, Field(description="tcp, ucx or ofi, for `policy`; without it MPI chooses by itself.")
    ] = None
    factors: FactorsTable
    set: Annotated[Sets, Field(default_factory=dict, description="Values of [SET] variables of the workloads.")]
    matrix: Annotated[
        tuple[Word, ...],
        Field(description="Jobs whose pairs the workloads are: the report shows which job slows which."),
    ] = ()
    run: RunTable = RunTable()
    exclude: tuple[ExcludeTable, ...] = ()
