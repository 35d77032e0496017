"""Models of the tables of a study file."""

from typing import Annotated

from pydantic import Field

from stressbench.formats.study.fields import (
    Counts,
    Finishes,
    Nics,
    NonNegative,
    Placements,
    Policies,
    Positive,
    Rates,
    Retries,
    Seed,
    Sets,
    Share,
    Text,
    Texts,
    Time,
    TransportName,
)
from stressbench.formats.toml import Table


class FactorsTable(Table):
    """Factors: each list of values is varied; a single value is the same in all cells."""

    workload: Annotated[Texts, Field(description="Workload files, relative to this file.")]
    placement: Annotated[Placements | None, Field(description="Placement of jobs with [NODES].")] = None
    ranks: Annotated[Counts | None, Field(description="Number of MPI ranks; default on labs: all of their cores.")] = (
        None
    )
    ranks_per_node: Annotated[Counts | None, Field(description="Treat this many consecutive ranks as one node.")] = None
    on: Annotated[
        Texts, Field(description="Launch targets (`stressbench run --on`): local, lab:NAME, simgrid:NAME, slurm.")
    ] = ("local",)
    finish: Annotated[Finishes | None, Field(description="sustain or once.")] = None
    engine: Annotated[Texts | None, Field(description="Paths of stressbench-mpi, one for each MPI.")] = None
    rate: Annotated[
        Rates | None, Field(description="Rate of all links of a lab, as a share of the lab file's rates.")
    ] = None
    rails: Annotated[
        Counts | None, Field(description="NICs of each host that messages may use, counted from the first.")
    ] = None
    policy: Annotated[
        Policies | None, Field(description="Rail policy: which NIC each rank's messages use (docs/how-to/rails.md).")
    ] = None


class RunTable(Table):
    """Settings common to all runs; defaults are the engine's."""

    isolated: Annotated[NonNegative | None, Field(description="Isolated rounds of each job.")] = None
    contended: Annotated[NonNegative | None, Field(description="Contended rounds, in which all jobs run.")] = None
    until_interval: Annotated[Share | None, Field(description="End a run when its intervals are this narrow.")] = None
    repetitions: Annotated[Positive | None, Field(description="Measured repetitions per round.")] = None
    warmup: Annotated[NonNegative | None, Field(description="Unmeasured repetitions before the measured ones.")] = None
    min_time: Annotated[Time | None, Field(description="Measure each job at least this long per round.")] = None
    time_limit: Annotated[Time | None, Field(description="A run starts no round that would end after this time.")] = (
        None
    )
    stall_limit: Annotated[Time | None, Field(description="End a run if a rank makes no progress for this time.")] = (
        None
    )
    verify: Annotated[bool, Field(strict=True, description="Check every received byte.")] = False
    telemetry: Annotated[
        Text | None,
        Field(description="Counters of the hosts to read between rounds: off, auto, or sources such as ethernet,cpu."),
    ] = None
    telemetry_command: Annotated[
        Text | None, Field(description="Shell command that prints more counters as a JSON object, on each host.")
    ] = None
    telemetry_limit: Annotated[
        Time | None, Field(description="Longest time for a reading; a slower source is not read again.")
    ] = None


class UntilTable(Table):
    """Repeat a cell until the 95 % interval of each job's congestion impact is narrow enough."""

    interval: Annotated[Share, Field(description="Width of the interval: high / low - 1.")]
    at_least: Annotated[Positive, Field(description="Runs of each cell before its interval is first checked.")] = 1
    at_most: Annotated[Positive, Field(description="Largest number of runs of a cell.")] = 10


class ExcludeTable(Table):
    """Excludes the cells that have one of the given values for each named factor."""

    workload: Texts | None = None
    placement: Placements | None = None
    ranks: Counts | None = None
    ranks_per_node: Counts | None = None
    on: Texts | None = None
    finish: Finishes | None = None
    engine: Texts | None = None
    rate: Rates | None = None
    rails: Counts | None = None
    policy: Policies | None = None
    set: Sets = Field(default_factory=dict)


class StudyTable(Table):
    """A whole study file."""

    about: Annotated[str, Field(strict=True, description="One sentence, shown in plan and report.")] = ""
    seed: Annotated[Seed, Field(description="Random seed of the order of cells and of the runs.")] = 1
    repetitions: Annotated[Positive | None, Field(description="Runs of each cell; default: 1.")] = None
    until: UntilTable | None = None
    retries: Annotated[Retries, Field(description="How often a failed run is retried.")] = 1
    time_limit: Annotated[
        Time | None, Field(description="`run` and `resume` start no run that would end after this time.")
    ] = None
    rate_command: Annotated[
        Text | None,
        Field(description="Command that sets rates outside labs: called with the rate, at the end with `1`."),
    ] = None
    nics: Annotated[
        Nics | None, Field(description="Names of the NICs of each host, for `policy`; labs define their own.")
    ] = None
    transport: Annotated[
        TransportName | None, Field(description="tcp, ucx or ofi, for `policy`; default: that of MPI.")
    ] = None
    factors: FactorsTable
    set: Annotated[Sets, Field(default_factory=dict, description="Values of [SET] variables of the workloads.")]
    matrix: Annotated[
        tuple[Text, ...],
        Field(description="Jobs whose pairs are the workloads; the report shows which job slows down which."),
    ] = ()
    run: RunTable = RunTable()
    exclude: tuple[ExcludeTable, ...] = ()
