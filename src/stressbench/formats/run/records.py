"""The records of a run file, key by key (docs/records.md); pydantic fills these dataclasses when a file is read.

This is the only declaration of the keys in Python: `RECORDS` drives the reader, and `schema/run.schema.json` is
generated from it (`stressbench.formats.schemas`). `None` is "unknown" or "not asked for", never 0.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, WithJsonSchema

from stressbench.formats.bounds import Fits, Instant, Name, Sane, Sentence

SCHEMA_VERSION = 1

Index: TypeAlias = Annotated[int, Field(ge=0), Fits]  # job, step, rank, node, block, repetition: from 0
Count: TypeAlias = Annotated[int, Field(ge=0), Fits]
Positive: TypeAlias = Annotated[int, Field(ge=1), Fits]
Seconds: TypeAlias = Annotated[float, Field(ge=0, allow_inf_nan=False), Sane]
Load: TypeAlias = Annotated[float, Field(ge=0, allow_inf_nan=False), Sane]
Bytes: TypeAlias = Annotated[int, Field(ge=0), Fits]
MoreThanZero: TypeAlias = Annotated[float, Field(gt=0, allow_inf_nan=False), Sane]
RunId: TypeAlias = Annotated[str, Field(pattern="^[A-Za-z0-9_-]{1,64}$")]
Number: TypeAlias = Annotated[float, Field(allow_inf_nan=False), Sane]


# Types of histogram buckets, of which there may be millions: the reader checks their magnitude itself.
_Edge: TypeAlias = Annotated[float, Field(ge=0, allow_inf_nan=False)]
_Times: TypeAlias = Annotated[int, Field(ge=1)]
_Share: TypeAlias = Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)]


class Kind(StrEnum):
    """What runs in a round: one job while all other ranks are parked, or all jobs."""

    isolated = "isolated"
    contended = "contended"


class Phase(StrEnum):
    """The part of its round that a repetition is in; `extra` ones follow a job's own count under `--finish sustain`."""

    warmup = "warmup"
    measured = "measured"
    extra = "extra"


class Role(StrEnum):
    """Measured jobs also run isolated; background jobs only load the machine in contended rounds."""

    measured = "measured"
    background = "background"


class Finish(StrEnum):
    """Whether a job that finishes early keeps running until every measured job has finished."""

    sustain = "sustain"
    once = "once"


class Timer(StrEnum):
    """One timer pair around the whole loop, or one around every iteration (docs/design.md)."""

    loop = "loop"
    iteration = "iteration"


class Severity(StrEnum):
    """How much an event matters to a reader of the results."""

    note = "note"
    warning = "warning"
    error = "error"


class EndReason(StrEnum):
    """Why a launch stopped."""

    done = "done"
    interval_reached = "interval_reached"
    interrupted = "interrupted"
    time_limit = "time_limit"
    fault = "fault"


@dataclass(frozen=True, slots=True, kw_only=True)
class MpiLibrary:
    """The MPI that carried the messages."""

    standard: Name
    library: Name
    flavour: Literal["openmpi", "mpich", "intelmpi", "other"]
    transports: Name | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """Ranks that share memory (or `--ranks-per-node` consecutive ones); `ranks` as in `[NID_LIST]`."""

    node: Index
    host: Name
    cores: Positive | None
    ranks: Annotated[str, Field(description="as in [NID_LIST]: 0-3,8 or 0-30:2")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """The resolved `.sb` file."""

    path: Name
    text: Annotated[str, Field(description="the whole resolved workload")]
    hash: Name


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One motif of a job's chain. `bandwidth_bytes` are carried by one iteration."""

    step: Index
    motif: Name
    options: Mapping[Name, Sentence]
    size_bytes: Bytes | None
    executions: Annotated[Positive, Field(description="times a repetition runs it: the product of the loops around it")]
    iterations: Annotated[Positive, Field(description="its -i")]
    timer: Timer
    quantity: Name
    quantity_scale: MoreThanZero
    bandwidth_bytes: Annotated[_Edge | None, Field(description="bytes per iteration")]
    bandwidth_definition: Sentence | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A named chain of motifs on a set of nodes; `nodes` as in `[NID_LIST]`."""

    job: Index
    name: Name
    role: Role
    nodes: Annotated[str, Field(description="as in [NID_LIST]")]
    ranks: Positive
    repeat: Positive | None
    min_time_s: Seconds | None
    load: Annotated[_Share | None, Field(description="share of the time in which the job does not pause")]
    rate_bytes_per_s: Annotated[MoreThanZero | None, Field(description="that each rank moves at most")]
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What the launch was asked to do; `isolated` counts rounds of each measured job."""

    isolated: Count
    contended: Count
    warmup: Count
    finish: Finish
    until_interval: MoreThanZero | None
    time_limit_s: Seconds | None
    placement: Name
    verify: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """The timer and what one reading of it costs."""

    source: Name
    resolution_s: Seconds
    overhead_s: Seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """The network that was simulated: its name, and the text of its lab file."""

    name: Name
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulation:
    """What simulated ranks and network, such as `SimGrid 3.32`; `settings` are its own, by name."""

    simulator: Name
    platform: Platform | None
    settings: Mapping[Name, Sentence] | None

    def __str__(self) -> str:
        return self.simulator if self.platform is None else f"{self.simulator}, platform {self.platform.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The first record of a launch; `simulation` is None where ranks ran on real hosts.

    Files of early versions lack `run_id` and `simulation`.
    """

    schema_version: Annotated[int, WithJsonSchema({"const": SCHEMA_VERSION})]  # the reader checks it
    program: Name
    version: Name
    commit: Name | None
    launch: Index
    started_at: Instant
    command: tuple[Sentence, ...]
    seed: int
    mpi: MpiLibrary
    compiler: Name
    build_type: Name
    ranks: Positive
    ranks_per_node: Positive | None
    nodes: tuple[Node, ...]
    workload: Workload
    jobs: tuple[Job, ...]
    plan: Plan
    clock: Clock
    load_average: Annotated[
        tuple[Load, Load, Load] | None, Field(description="1, 5 and 15 minutes, of rank 0's host at the start")
    ]
    run_id: Annotated[RunId | None, Field(description="not in files of early versions")] = None
    simulation: Annotated[
        Simulation | None, Field(description="null where ranks ran on real hosts; not in files of early versions")
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricValue:
    """A motif's own metric, reduced over the ranks of its job; the unit is part of the metric's name.

    `slowest_rank` had the worst value, by the metric's own direction; files of early versions lack it.
    """

    min: Number
    mean: Number
    max: Number
    slowest_rank: Annotated[
        Index | None,
        Field(description="of the worst value, by the metric's own direction; not in files of early versions"),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One repetition of a job (`step` None) or of one step of it; kept in columns (`samples.Samples`) once read.

    Times are None where no rank timed the motif in this repetition.
    """

    round: Positive
    job: Index
    step: Index | None
    repetition: Index
    phase: Phase
    iterations: Positive
    time_min_s: Seconds | None
    time_mean_s: Seconds | None
    time_max_s: Seconds | None
    slowest_rank: Index | None
    slowest_host: Name | None
    metrics: Mapping[Name, MetricValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class HistogramRecord:
    """Every execution of a motif in one round, all ranks, or of what it notes itself, by another `quantity`.

    A bucket is (lower s, upper s, count).
    """

    round: Positive
    job: Index
    step: Index
    quantity: Name
    count: Count
    min_s: Seconds
    max_s: Seconds
    mean_s: Seconds
    buckets: Annotated[
        tuple[tuple[_Edge, _Edge, _Times], ...],
        Field(description="[lower_s, upper_s, count], only those that are not empty"),
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundJob:
    """How often a job ran in a round, by phase."""

    job: Index
    measured: Count
    extra: Count
    warmup: Count


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkTraffic:
    """What one direction of a link carried during a round: frames with their headers; `drops` found its queue full."""

    link: Name
    source: Annotated[Name, Field(description="the node that sent")]
    target: Name
    rate_bits_per_s: Positive | None
    bytes: Count
    frames: Count
    drops: Annotated[Count, Field(description="frames that found the queue full")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """The commit mark of a round; `job` is None when contended, `started_s` counts from the launch's start.

    `links` is None where links are not counted.
    """

    round: Positive
    block: Index
    kind: Kind
    job: Annotated[Index | None, Field(description="null when contended")]
    started_s: Annotated[Seconds, Field(description="since the launch began")]
    duration_s: Seconds
    load_average: Annotated[Load | None, Field(description="one-minute load at its end")]
    jobs: tuple[RoundJob, ...]
    links: Annotated[
        tuple[LinkTraffic, ...] | None,
        Field(description="what each link carried; null where links are not counted; not in files of early versions"),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that a reader of the results must know."""

    severity: Severity
    kind: Name
    message: Sentence
    round: Positive | None
    job: Index | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What ended a launch with status 3: where it happened, as far as known, and why.

    The engine writes it, or `stressbench` for a rank that a signal ended. Files of early versions have no such record.
    """

    round: Annotated[Positive | None, Field(description="null outside of rounds, or where it is not known")]
    job: Index | None
    motif: Name | None
    rank: Annotated[Index | None, Field(description="in MPI_COMM_WORLD")]
    host: Name | None
    cause: Annotated[Sentence | None, Field(description="a sentence")]


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """The last record of a launch that stopped in good order."""

    complete: bool
    reason: EndReason
    rounds: Count
    elapsed_s: Seconds


RECORDS: Mapping[str, type[Any]] = {
    "header": Header,
    "sample": Sample,
    "histogram": HistogramRecord,
    "round": Round,
    "event": Event,
    "fault": Fault,
    "end": End,
}
"""The model of each type of record. Readers skip types that are not here: they belong to later versions."""
