"""The result of one machine, `machine.json`: figures with intervals, where they come from, and a checksum of it all.

The JSON Schema is schema/machine.schema.json. Unknown values are null.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import ConfigDict, Field, TypeAdapter, model_validator
from pydantic.dataclasses import dataclass

from stressbench.formats.bounds import Instant, Name, Sentence
from stressbench.formats.errors import MachineFileError
from stressbench.formats.files import FAIL_FAST
from stressbench.formats.machines.reading import parse_file
from stressbench.formats.machines.vocabulary import Better, Part, Unit
from stressbench.formats.run.records import Clock, Count, Load, Number, Positive, Seconds

FILE = "machine.json"
"""Name of the result in the directory of `stressbench machine run`."""
_TYPE: Literal["machine"] = "machine"
_UNSEALED = "0" * 64
_STRICT = ConfigDict(extra="forbid")

Digest: TypeAlias = Annotated[str, Field(pattern="^[0-9a-f]{64}$", description="SHA-256 in hexadecimal")]
FigureName: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{1,80}$")]


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Source:
    """A run file behind the figures: its path relative to the result's own directory, and its SHA-256."""

    file: Name
    sha256: Digest


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Percentiles:
    """Percentiles of `count` values in the unit of the figure, pooled over all rounds.

    `of`: single executions of the motif, or samples, which are means over the iterations of a repetition.
    """

    of: Literal["executions", "samples"]
    count: Positive
    p5: Number
    p95: Number
    p99: Number


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class MachineFigure:
    """One figure of a machine, in SI units. `low` and `high`: 95 % interval of `value`, None with too few values.

    `values`: one per round, or one per block for ratios of two rounds; `n` is their number. `motif`, `ranks`, `nodes`,
    `placement` and `beside` (motif of the congestor) say what was measured: figures in which they differ are not
    compared. `sources`: run files.
    """

    name: FigureName
    part: Part
    about: Sentence
    unit: Unit
    better: Better
    value: Annotated[
        Number, Field(description="median of `values`; of a congestion impact the Hodges-Lehmann estimate")
    ]
    low: Number | None
    high: Number | None
    n: Positive
    percentiles: Percentiles | None
    motif: Sentence
    ranks: Positive
    nodes: Positive
    placement: Name | None
    beside: Sentence | None
    values: Annotated[tuple[Number, ...], FAIL_FAST, Field(min_length=1)]
    sources: Annotated[tuple[Name, ...], FAIL_FAST, Field(min_length=1)]

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        if len(self.values) != self.n:
            raise ValueError(f"values holds {len(self.values)} values, n is {self.n}")
        if (self.low is None) != (self.high is None):
            raise ValueError("low and high: expected both, or null for both")
        if self.low is not None and self.high is not None and not self.low <= self.value <= self.high:
            raise ValueError(f"value {self.value:g} lies outside of its interval, {self.low:g} to {self.high:g}")
        return self


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Skipped:
    """A part, or one workload of it, without figures, and the reason."""

    part: Part
    workload: Name | None
    reason: Sentence


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class SuiteFacts:
    """The suite: its version, and how often each of its workloads ran: launches, and rounds of each kind per launch.

    `sizes`: what was calculated for this machine: iterations per timed interval, and bytes.
    """

    version: Positive
    quick: bool
    parts: Annotated[tuple[Part, ...], FAIL_FAST, Field(min_length=1)]
    launches: Positive
    isolated: Positive
    contended: Positive
    min_time_s: Seconds
    sizes: Annotated[Mapping[Name, Positive], FAIL_FAST]


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Provenance:
    """How the figures came about. `host_names` is None unless they were asked for.

    `on`: launch target. `ranks_per_node`: the fewest and the most of all nodes. `cores_per_node`: of the first node.
    `load_average`: over one minute at the start, on the host of rank 0.
    """

    measured_at: Instant
    version: Name
    commit: Name | None
    compiler: Name
    build_type: Name
    mpi: Name
    mpi_standard: Name
    transports: Name | None
    on: Name
    hosts: Positive
    host_names: tuple[Name, ...] | None
    nodes: Positive
    ranks: Positive
    ranks_per_node: tuple[Positive, Positive]
    cores_per_node: Positive | None
    clock: Clock
    load_average: Load | None
    simulated: Name | None
    placement: Annotated[Sentence, Field(description="nodes of the jobs, and placements of the part `impact`")]
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class MachineResult:
    """The result of one machine. `complete`: all workloads of all chosen parts ran as planned.

    `sha256` is the SHA-256 of the canonical JSON of all other keys: sorted, without blanks, in UTF-8, numbers as
    Python's `json.dumps` writes them.
    """

    type: Literal["machine"] = _TYPE
    schema_version: Literal[1] = 1
    label: Name | None
    suite: SuiteFacts
    provenance: Provenance
    figures: Annotated[tuple[MachineFigure, ...], FAIL_FAST]
    skipped: Annotated[tuple[Skipped, ...], FAIL_FAST]
    complete: bool
    failed_runs: Count
    sources: Annotated[tuple[Source, ...], FAIL_FAST]
    sha256: Digest = _UNSEALED

    @model_validator(mode="after")
    def _names_are_distinct(self) -> Self:
        names = [figure.name for figure in self.figures]
        for number, name in enumerate(names):
            if name in names[:number]:
                raise ValueError(f"figures: {name} is given twice")
        return self


ADAPTER: TypeAdapter[MachineResult] = TypeAdapter(MachineResult)


def digest_of(raw: Mapping[str, Any]) -> str:
    """SHA-256 of a result that was read as JSON, without its own key `sha256`."""
    content = {key: value for key, value in raw.items() if key != "sha256"}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def sealed(result: MachineResult) -> MachineResult:
    """The same result with its checksum."""
    return replace(result, sha256=digest_of(json.loads(ADAPTER.dump_json(result))))


def to_json(result: MachineResult) -> str:
    """The result as JSON, indented by two spaces, with a newline at the end; the inverse of `read_machine`."""
    return ADAPTER.dump_json(result, indent=2).decode() + "\n"


def read_machine(path: Path) -> MachineResult:
    """The result in a file, or in the directory of `stressbench machine run`.

    Raises MachineFileError, also where the content does not have its checksum.
    """
    file = path / FILE if path.is_dir() else path
    if path.is_dir() and not file.exists():
        raise MachineFileError(f"has no {FILE}; `stressbench machine resume` completes a measurement", path=path)
    result, raw = parse_file(file, MachineResult, type_=_TYPE)
    if (found := digest_of(raw)) != result.sha256:
        raise MachineFileError(f"the content has changed: its sha256 is {found}, not {result.sha256}", path=file)
    return result
