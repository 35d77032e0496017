"""The run file of a simulated run: the same records as the engine's."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from stressbench.formats.ranges import spans
from stressbench.formats.run.nodes import Node, NodeTable
from stressbench.formats.run.records import (
    RECORDS,
    SCHEMA_VERSION,
    Clock,
    End,
    EndReason,
    Fault,
    Header,
    HistogramRecord,
    LinkTraffic,
    MpiLibrary,
    Phase,
    Plan,
    Platform,
    Role,
    Round,
    RoundJob,
    Sample,
    Simulation,
    Workload,
)
from stressbench.packets.jobs import ScheduledJob
from stressbench.packets.options import RunOptions
from stressbench.packets.rounds import PlannedRound, SimulatedRound, Span

_NS = 1e-9
_TYPES = {model: name for name, model in RECORDS.items()}
_BUCKET_RATIO = 1.01


@dataclass(slots=True)
class RunFileWriter:
    """Appends records to `file`; a round's records are written together, and its `round` record last.

    `simulator`: with its version.
    """

    file: BinaryIO
    options: RunOptions
    jobs: Sequence[ScheduledJob]
    simulator: str
    rounds: int = 0
    elapsed_s: float = 0.0
    _hosts: dict[int, str] = field(init=False)

    def __post_init__(self) -> None:
        self._hosts = dict(enumerate(self.options.hosts))

    def header(self) -> None:
        """The first record."""
        options = self.options
        text = options.workload.read_text(encoding="utf-8")
        described = orjson.loads(options.description.read_bytes())
        self._write(
            Header(
                schema_version=SCHEMA_VERSION, program="stressbench.packets", version=version("stressbench"),
                commit=None, launch=0, started_at=datetime.now(UTC).replace(microsecond=0),
                command=(str(options.engine), "run", str(options.workload)), seed=options.seed,
                mpi=MpiLibrary(standard="3.1", library=f"schedules of messages on {self.simulator}", flavour="other",
                               transports="tcp, shared memory"),
                compiler=self.simulator, build_type="Release", ranks=len(options.hosts),
                ranks_per_node=options.ranks_per_node, nodes=NodeTable.of(self._nodes()),
                workload=Workload(path=str(options.workload), text=text, hash=_hash_of(text)),
                jobs=tuple(job.job for job in self.jobs),
                plan=Plan(isolated=options.isolated, contended=options.contended, warmup=options.warmup,
                          finish=options.finish, until_interval=None, time_limit_s=None, placement=options.place,
                          verify=False),
                clock=Clock(source="ns-3", resolution_s=_NS, overhead_s=0.0), load_average=None,
                run_id=options.run_id,
                simulation=Simulation(simulator=self.simulator, platform=Platform(**described["platform"]),
                                      settings={name: str(value) for name, value in described["settings"].items()}),
            )
        )  # fmt: skip

    def _nodes(self) -> Iterator[Node]:
        size = self.options.ranks_per_node
        names = list(dict.fromkeys(self._hosts.values()))
        of_host = {name: [rank for rank, host in self._hosts.items() if host == name] for name in names}
        groups = list(of_host.values()) if size is None else [
            list(range(first, min(first + size, len(self._hosts)))) for first in range(0, len(self._hosts), size)
        ]  # fmt: skip
        for number, ranks in enumerate(groups):
            yield Node(node=number, host=self._hosts[ranks[0]], cores=None, ranks=spans(ranks))

    def round(self, planned: PlannedRound, jobs: Sequence[ScheduledJob], simulated: SimulatedRound) -> None:
        """The samples and histograms of a round, and its commit mark."""
        counts = []
        records: list[Any] = []
        for job, executions in zip(jobs, simulated.executions, strict=True):
            repetitions = [executions[k : k + job.parts] for k in range(0, len(executions), job.parts)]
            repetitions = [one for one in repetitions if len(one) == job.parts]
            numbers = dict.fromkeys(Phase, 0)
            for number, repetition in enumerate(repetitions):
                phase = self._phase(job, number)
                records += self._samples(planned.number, job, repetition, phase, numbers[phase])
                numbers[phase] += 1
            measured = [one for k, one in enumerate(repetitions) if self._phase(job, k) is Phase.measured]
            records += self._histogram(planned.number, job, measured)
            counts.append(
                RoundJob(job=job.job.job, measured=numbers[Phase.measured], extra=numbers[Phase.extra],
                         warmup=numbers[Phase.warmup])
            )  # fmt: skip
        duration_s = simulated.duration_ns * _NS
        links = tuple(
            LinkTraffic(**{key: link[key] for key in ("link", "source", "target", "rate_bits_per_s", "bytes", "frames",
                                                      "drops")})
            for link in simulated.links
        )  # fmt: skip
        records.append(
            Round(round=planned.number, block=planned.block, kind=planned.kind,
                  job=None if planned.job is None else planned.job.job.job, started_s=self.elapsed_s,
                  duration_s=duration_s, load_average=None, jobs=tuple(counts), links=links)
        )  # fmt: skip
        self.elapsed_s += duration_s
        self.rounds += 1
        self._write(*records)

    def end(self, reason: EndReason) -> None:
        """The last record."""
        self._write(End(complete=reason is EndReason.done, reason=reason, rounds=self.rounds, elapsed_s=self.elapsed_s))

    def fault(self, cause: str, planned: PlannedRound) -> None:
        """The record of a round that failed."""
        job = None if planned.job is None else planned.job.job.job
        self._write(Fault(round=planned.number, job=job, motif=None, rank=None, host=None, cause=cause))

    def _phase(self, job: ScheduledJob, repetition: int) -> Phase:
        if repetition < self.options.warmup:
            return Phase.warmup
        planned = job.job.repeat or self.options.repetitions
        if job.job.role is Role.background or repetition < self.options.warmup + planned:
            return Phase.measured
        return Phase.extra

    def _samples(
        self, number: int, job: ScheduledJob, repetition: Sequence[Sequence[Span]], phase: Phase, position: int
    ) -> Iterator[Sample]:
        ranks = range(len(job.ranks))
        whole = {rank: repetition[-1][rank].end_ns - repetition[0][rank].start_ns for rank in ranks}
        yield self._sample(number, job, None, whole, phase, position, iterations=1)
        if (step := job.step) is not None:
            timed = {rank: whole[rank] for rank in sorted(job.timed)}
            yield self._sample(number, job, step.step, timed, phase, position, iterations=step.iterations)

    def _sample(
        self, number: int, job: ScheduledJob, step: int | None, times: dict[int, int], phase: Phase, position: int,
        *, iterations: int,
    ) -> Sample:  # fmt: skip
        slowest = max(times, key=lambda rank: (times[rank], -rank))
        world = job.ranks[slowest]
        return Sample(
            round=number, job=job.job.job, step=step, repetition=position, phase=phase, iterations=iterations,
            time_min_s=min(times.values()) * _NS, time_mean_s=sum(times.values()) / len(times) * _NS,
            time_max_s=times[slowest] * _NS, slowest_rank=world, slowest_host=self._hosts[world], metrics={},
        )  # fmt: skip

    def _histogram(
        self, number: int, job: ScheduledJob, repetitions: Sequence[Sequence[Sequence[Span]]]
    ) -> Iterator[HistogramRecord]:
        step = job.step
        if step is None or not repetitions:
            return
        durations = sorted(
            (execution[rank].end_ns - execution[rank].start_ns) * _NS * step.quantity_scale
            for repetition in repetitions
            for execution in repetition
            for rank in job.timed
        )
        yield HistogramRecord(
            round=number, job=job.job.job, step=step.step, quantity=step.quantity, count=len(durations),
            min_s=durations[0], max_s=durations[-1], mean_s=sum(durations) / len(durations), buckets=_buckets(durations)
        )  # fmt: skip

    def _write(self, *records: Any) -> None:
        lines = b"".join(
            orjson.dumps({"type": _TYPES[type(record)], **_fields(record)}) + b"\n" for record in records
        )  # fmt: skip
        self.file.write(lines)
        self.file.flush()


def _fields(record: Any) -> dict[str, Any]:
    values = {field.name: getattr(record, field.name) for field in fields(record)}
    if isinstance(record, Header):
        values["nodes"] = [one.as_json() for one in record.nodes.ranges]
    return values


def _buckets(durations: Sequence[float]) -> tuple[tuple[float, float, int], ...]:
    """Buckets 1 % wide that are not empty."""
    counts: dict[int, int] = {}
    for duration in durations:
        number = math.floor(math.log(max(duration, _NS)) / math.log(_BUCKET_RATIO))
        counts[number] = counts.get(number, 0) + 1
    return tuple((_BUCKET_RATIO**number, _BUCKET_RATIO ** (number + 1), count) for number, count in counts.items())


def _hash_of(text: str) -> str:
    """The 64-bit FNV-1a hash, as the engine writes it."""
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"fnv1a64:{value:016x}"


def new_run_file(path: Path) -> BinaryIO:
    """The run file, which must not exist. Raises OSError."""
    return path.open("xb")
