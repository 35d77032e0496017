"""The records of a run file, key by key (docs/records.md); pydantic fills these dataclasses when a file is read.

This is the only declaration of the keys in Python: `RECORDS` drives the reader, and `schema/run.schema.json` is
generated from it (`stressbench.formats.schemas`). `None` is "unknown" or "not asked for", never 0.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, WithJsonSchema

from stressbench.formats.bounds import CHECK_INT64, CHECK_MAGNITUDE, Instant, Name, Sentence
from stressbench.formats.run.nodes import NodeRange as NodeRange  # a model of the schema
from stressbench.formats.run.nodes import NodeTable

SCHEMA_VERSION = 1

Index: TypeAlias = Annotated[int, Field(ge=0), CHECK_INT64]  # job, step, rank, node, block, repetition: from 0
Count: TypeAlias = Annotated[int, Field(ge=0), CHECK_INT64]
Positive: TypeAlias = Annotated[int, Field(ge=1), CHECK_INT64]
Seconds: TypeAlias = Annotated[float, Field(ge=0, allow_inf_nan=False), CHECK_MAGNITUDE]
Load: TypeAlias = Annotated[float, Field(ge=0, allow_inf_nan=False), CHECK_MAGNITUDE]
Amount: TypeAlias = Annotated[float, Field(ge=0, allow_inf_nan=False), CHECK_MAGNITUDE]
Bytes: TypeAlias = Annotated[int, Field(ge=0), CHECK_INT64]
MoreThanZero: TypeAlias = Annotated[float, Field(gt=0, allow_inf_nan=False), CHECK_MAGNITUDE]
RunId: TypeAlias = Annotated[str, Field(pattern="^[A-Za-z0-9_-]{1,64}$")]
NODE_SIZES = r"^[0-9]+(\(x[0-9]+\))?(,[0-9]+(\(x[0-9]+\))?)*$"
"""Pattern of a list of the ranks of nodes, as in Slurm's SLURM_TASKS_PER_NODE: `16(x3),8`."""
NodeSizes: TypeAlias = Annotated[str, Field(pattern=NODE_SIZES)]
Number: TypeAlias = Annotated[float, Field(allow_inf_nan=False), CHECK_MAGNITUDE]


# Types of histogram buckets, of which there may be millions: the reader checks their magnitude itself.
_NonNegative: TypeAlias = Annotated[float, Field(ge=0, allow_inf_nan=False)]
_BucketCount: TypeAlias = Annotated[int, Field(ge=1)]
_Share: TypeAlias = Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)]


class Kind(StrEnum):
    """Kind of a round: isolated (one job, while all other ranks are parked) or contended (all jobs)."""

    isolated = "isolated"
    contended = "contended"


class Phase(StrEnum):
    """Phase of a repetition in its round; `extra` ones exceed the job's own number, under `--finish sustain`."""

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
    """Severity of an event."""

    note = "note"
    warning = "warning"
    error = "error"


class CounterUnit(StrEnum):
    """Unit of a host's counter; `ticks` are those of a device, of unknown length."""

    bytes = "bytes"
    frames = "frames"
    ns = "ns"
    ticks = "ticks"
    events = "events"


class EndReason(StrEnum):
    """Reason for the end of a launch."""

    done = "done"
    interval_reached = "interval_reached"
    interrupted = "interrupted"
    time_limit = "time_limit"
    fault = "fault"


@dataclass(frozen=True, slots=True, kw_only=True)
class MpiLibrary:
    """The MPI library that the engine used."""

    standard: Name
    library: Name
    flavour: Literal["openmpi", "mpich", "intelmpi", "other"]
    transports: Name | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """The resolved `.sb` file."""

    path: Name
    text: Annotated[str, Field(description="the whole resolved workload")]
    hash: Name


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One motif of a job's chain. `bandwidth_bytes` are transferred by one iteration."""

    step: Index
    motif: Name
    options: Mapping[Name, Sentence]
    size_bytes: Bytes | None
    executions: Annotated[
        Positive, Field(description="executions per repetition: the product of the enclosing loop counts")
    ]
    iterations: Annotated[Positive, Field(description="iterations per execution (option -i)")]
    timer: Timer
    quantity: Name
    quantity_scale: MoreThanZero
    bandwidth_bytes: Annotated[_NonNegative | None, Field(description="bytes per iteration")]
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
    rate_bytes_per_s: Annotated[MoreThanZero | None, Field(description="largest data rate of each rank")]
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The settings of the launch; `isolated` counts the rounds of each measured job."""

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
    """The timer: its source, its resolution, and the overhead of one reading."""

    source: Name
    resolution_s: Seconds
    overhead_s: Seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """The simulated network: its name, and the text of its lab file."""

    name: Name
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulation:
    """The simulator of ranks and network, such as `SimGrid 3.32`, and its `settings` by name."""

    simulator: Name
    platform: Platform | None
    settings: Mapping[Name, Sentence] | None

    def __str__(self) -> str:
        return self.simulator if self.platform is None else f"{self.simulator}, platform {self.platform.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The first record of a launch; `simulation` is None if ranks ran on real hosts.

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
    ranks_per_node: Annotated[
        Positive | NodeSizes | None, Field(description="of every node, or a list of all nodes as 16(x3),8")
    ]
    nodes: NodeTable
    workload: Workload
    jobs: tuple[Job, ...]
    plan: Plan
    clock: Clock
    load_average: Annotated[
        tuple[Load, Load, Load] | None,
        Field(description="over 1, 5 and 15 minutes, on the host of rank 0 at the start"),
    ]
    run_id: Annotated[RunId | None, Field(description="not in files of early versions")] = None
    simulation: Annotated[
        Simulation | None, Field(description="null if ranks ran on real hosts; not in files of early versions")
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricValue:
    """A metric that a motif reports, reduced over the ranks of its job; the unit is part of its name.

    `slowest_rank` is the rank with the worst value: the largest or the smallest, as the metric defines it. Files of
    early versions lack it.
    """

    min: Number
    mean: Number
    max: Number
    slowest_rank: Annotated[
        Index | None,
        Field(description="rank with the worst value, as the metric defines it; not in files of early versions"),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One repetition of a job (`step` None) or of one of its steps; readers store them in columns (`samples.Samples`).

    Times are None if no rank timed the motif in this repetition.
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
    """Durations of all executions of a motif in one round on all ranks, or another `quantity` that the motif records.

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
        tuple[tuple[_NonNegative, _NonNegative, _BucketCount], ...],
        Field(description="[lower_s, upper_s, count] of each bucket that is not empty"),
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundJob:
    """Numbers of repetitions of a job in a round, by phase."""

    job: Index
    measured: Count
    extra: Count
    warmup: Count


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkTraffic:
    """Traffic in one direction of a link during a round; `bytes` include frame headers."""

    link: Name
    source: Annotated[Name, Field(description="sending node")]
    target: Name
    rate_bits_per_s: Positive | None
    bytes: Count
    frames: Count
    drops: Annotated[Count, Field(description="frames dropped at a full queue")]


@dataclass(frozen=True, slots=True, kw_only=True)
class LargestCount:
    """A device with one of the largest increases of a counter; `device` is None if the whole host is counted."""

    host: Name
    device: Name | None
    value: Count


@dataclass(frozen=True, slots=True, kw_only=True)
class HostCounter:
    """The increase of one counter during a round, over the devices of all hosts that have it.

    `unknown` devices were reset, wrapped around or disappeared. The values are None if no device has one. `p25`,
    `median` and `p75` come from a histogram, and are within 7 %.
    """

    source: Name
    counter: Name
    unit: CounterUnit
    hosts: Annotated[Count, Field(description="hosts with at least one value")]
    devices: Annotated[Count, Field(description="devices with a value")]
    unknown: Annotated[Count, Field(description="devices whose counter was reset, wrapped around or disappeared")]
    min: Count | None
    p25: Amount | None
    median: Amount | None
    p75: Amount | None
    max: Count | None
    sum: Annotated[Count | None, Field(description="over all devices")]
    largest: Annotated[tuple[LargestCount, ...], Field(description="devices with the largest values, in this order")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """The commit mark of a round; `job` is None if contended, `started_s` is relative to the start of the launch.

    `links` is None without link counters, `telemetry` without telemetry.
    """

    round: Positive
    block: Index
    kind: Kind
    job: Annotated[Index | None, Field(description="null if contended")]
    started_s: Annotated[Seconds, Field(description="relative to the start of the launch")]
    duration_s: Seconds
    load_average: Annotated[Load | None, Field(description="load average over one minute, at the end of the round")]
    jobs: tuple[RoundJob, ...]
    links: Annotated[
        tuple[LinkTraffic, ...] | None,
        Field(description="traffic of each link; null without link counters; not in files of early versions"),
    ] = None
    telemetry: Annotated[
        tuple[HostCounter, ...] | None,
        Field(description="counters of the hosts; null without telemetry; not in files of early versions"),
    ] = None

    @property
    def ended_s(self) -> float:
        """The end of the round, relative to the start of the launch."""
        return self.started_s + self.duration_s


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A note, a warning or an error that matters for the interpretation of the results."""

    severity: Severity
    kind: Name
    message: Sentence
    round: Positive | None
    job: Index | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """The fault that ended a launch with exit status 3: its location, as far as known, and its cause.

    Written by the engine, or by `stressbench` if a signal terminated a rank. Files of early versions have none.
    """

    round: Annotated[Positive | None, Field(description="null outside of rounds, or if unknown")]
    job: Index | None
    motif: Name | None
    rank: Annotated[Index | None, Field(description="rank in MPI_COMM_WORLD")]
    host: Name | None
    cause: Annotated[Sentence | None, Field(description="a sentence")]


@dataclass(frozen=True, slots=True, kw_only=True)
class PeakMemory:
    """The largest resident memory of the ranks of a launch; `max_rank` has the largest of all."""

    rank0_bytes: Bytes
    min_bytes: Bytes
    mean_bytes: Amount
    max_bytes: Bytes
    max_rank: Index
    max_host: Name


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """The last record of a launch that ended regularly."""

    complete: bool
    reason: EndReason
    rounds: Count
    elapsed_s: Seconds
    memory: Annotated[
        PeakMemory | None,
        Field(description="null if unknown, and in simulations; not in files of early versions"),
    ] = None


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
