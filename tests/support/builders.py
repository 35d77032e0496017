"""Synthetic run files in the engine's format, of a machine with known noise, drift and congestion.

    path = build_run(jobs=(MadeJob(name="a"), MadeJob(name="b", congestion=2.0))).write(tmp_path)

`build_run` returns the records as dictionaries in the order of the file, so that a test can alter one before writing.

"""

import json
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np  # loaded by what draws: fakes of programs start faster without it

Record = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class MadeStep:
    """One motif; `time_s` is the isolated time of a repetition without noise. Recorded quantities take a thousandth."""

    motif: str = "allreduce"
    time_s: float = 1e-3
    executions: int = 1
    iterations: int = 1
    timer: str = "loop"
    quantity: str = "time"
    quantity_scale: float = 1.0
    size_bytes: int | None = 8
    bandwidth_bytes: int | None = None
    bandwidth_definition: str | None = None
    metrics: tuple[tuple[str, float], ...] = ()
    noted: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class MadeJob:
    """A job whose contended times are `congestion` times its isolated ones."""

    name: str = "job"
    steps: tuple[MadeStep, ...] = (MadeStep(),)
    congestion: float = 1.0
    role: str = "measured"
    ranks: int = 4
    nodes: str = "0-1"
    slow_host: str | None = None


@dataclass(frozen=True, kw_only=True)
class MadeMachine:
    """Noise within rounds (`noise`), between rounds (`round_noise`) and drift between blocks, as sigmas of logarithms.

    `simulation` is that of the header, None for a real machine.
    """

    hosts: tuple[str, ...] = ("a1", "a2")
    noise: float = 0.02
    round_noise: float = 0.02
    drift: float = 0.0
    trend: float = 0.0
    load: float = 0.1
    counts_links: bool = False
    counts_hosts: bool = False
    simulation: Record | None = None


SIMULATION: Record = {
    "simulator": "SimGrid 3.32",
    "platform": {"name": "tinis", "text": "[hosts]\ncount = 16\n"},
    "settings": {"network/model": "CM02"},
}


@dataclass
class MadeRun:
    """Records in the order of the file."""

    records: list[Record] = field(default_factory=list)

    def of(self, type_: str, /, **wanted: Any) -> list[Record]:
        """Records of this type with these values."""
        return [
            record
            for record in self.records
            if record["type"] == type_ and all(record[key] == value for key, value in wanted.items())
        ]

    @property
    def header(self) -> Record:
        return self.records[0]

    def text(self) -> str:
        return "".join(json.dumps(record, separators=(",", ":")) + "\n" for record in self.records)

    def write(self, folder: Path, name: str = "run.jsonl") -> Path:
        path = folder / name
        path.write_text(self.text(), encoding="utf-8")
        return path


@dataclass(frozen=True, kw_only=True)
class MadePlan:
    """Rounds and repetitions. `isolated` or `contended` below `blocks` gives blocks with rounds of one kind only."""

    blocks: int = 10
    isolated: int | None = None
    contended: int | None = None
    repetitions: int = 5
    warmup: int = 1
    extra: int = 2
    finish: str = "sustain"


def build_run(
    *,
    jobs: Sequence[MadeJob] = (MadeJob(),),
    plan: MadePlan = MadePlan(),
    machine: MadeMachine = MadeMachine(),
    seed: int = 1,
    complete: bool = True,
    histograms: bool = True,
) -> MadeRun:
    """A complete run. The same arguments give the same bytes."""
    import numpy as np

    rng = np.random.default_rng(seed)
    records = [header(jobs=jobs, plan=plan, machine=machine, seed=seed)]
    number, level, started = 0, 1.0, 0.5
    for block in range(plan.blocks):
        level *= float(np.exp(rng.normal(0, machine.drift))) * (1 + machine.trend)
        kinds = [int(index) for index in rng.permutation([*_isolated(jobs, plan, block), *_contended(plan, block)])]
        for only_job in kinds:
            number += 1
            records += _round(number, block, only_job, jobs, plan, machine, level, started, rng, histograms)
            started += 1.0
    if complete:
        records.append(end(rounds=number, elapsed_s=started))
    return MadeRun(records)


def header(
    *, jobs: Sequence[MadeJob], plan: MadePlan = MadePlan(), machine: MadeMachine = MadeMachine(), seed: int = 1
) -> Record:
    """The header of a first launch."""
    width = max(job.ranks for job in jobs)
    count = len(machine.hosts)
    text = "".join(f"[JOB_NAME] {job.name}\n" + "".join(f"[MOTIF] {s.motif}\n" for s in job.steps) for job in jobs)
    return {
        "type": "header", "schema_version": 1, "program": "stressbench-mpi", "version": "0.1.0", "commit": None,
        "launch": 0, "run_id": "20260102T030405Z-0123456789ab", "started_at": "2026-01-02T03:04:05Z",
        "command": ["run", "demo.sb"], "seed": seed,
        "mpi": {"standard": "3.1", "library": "Open MPI 4.1.4", "flavour": "openmpi", "transports": None},
        "compiler": "GCC 12.2.0", "build_type": "Release", "ranks": width * count, "ranks_per_node": None,
        "nodes": [
            {"node": node, "host": host, "cores": 16, "ranks": f"{node * width}-{node * width + width - 1}"}
            for node, host in enumerate(machine.hosts)
        ],
        "workload": {"path": "demo.sb", "text": text, "hash": f"fnv1a64:{abs(hash_of(text)):016x}"},
        "jobs": [_job(index, job, plan) for index, job in enumerate(jobs)],
        "plan": {
            "isolated": plan.blocks if plan.isolated is None else plan.isolated,
            "contended": plan.blocks if plan.contended is None else plan.contended, "warmup": plan.warmup,
            "finish": plan.finish, "until_interval": None, "time_limit_s": None, "placement": "linear",
            "verify": False,
        },
        "clock": {"source": "CLOCK_MONOTONIC", "resolution_s": 1e-9, "overhead_s": 2.1e-8},
        "load_average": [machine.load, machine.load, machine.load],
        "simulation": machine.simulation,
    }  # fmt: skip


def hash_of(text: str) -> int:
    """FNV-1a, 64 bits."""
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = ((value ^ byte) * 0x100000001B3) % 2**64
    return value


def end(*, rounds: int, elapsed_s: float = 10.0, complete: bool = True, reason: str = "done") -> Record:
    """An end record."""
    return {"type": "end", "complete": complete, "reason": reason, "rounds": rounds, "elapsed_s": elapsed_s}


def event(*, message: str, severity: str = "warning", kind: str = "timer_resolution") -> Record:
    """An event about the whole run."""
    return {"type": "event", "severity": severity, "kind": kind, "message": message, "round": None, "job": None}


def fault(**known: object) -> Record:
    """What ended a launch, unknown but for the keys that are given."""
    return {"type": "fault", **dict.fromkeys(("round", "job", "motif", "rank", "host", "cause")), **known}


_CONTENDED = -1


def _isolated(jobs: Sequence[MadeJob], plan: MadePlan, block: int) -> list[int]:
    wanted = plan.isolated is None or block < plan.isolated
    return [index for index, job in enumerate(jobs) if job.role == "measured"] if wanted else []


def _contended(plan: MadePlan, block: int) -> list[int]:
    return [_CONTENDED] if plan.contended is None or block < plan.contended else []


def _job(index: int, job: MadeJob, plan: MadePlan) -> Record:
    return {
        "job": index, "name": job.name, "role": job.role, "nodes": job.nodes, "ranks": job.ranks,
        "repeat": plan.repetitions, "min_time_s": None, "load": None,
        "rate_bytes_per_s": None,
        "steps": [
            {
                "step": number, "motif": step.motif, "options": {"count": "1"}, "size_bytes": step.size_bytes,
                "executions": step.executions, "iterations": step.iterations, "timer": step.timer,
                "quantity": step.quantity, "quantity_scale": step.quantity_scale,
                "bandwidth_bytes": step.bandwidth_bytes, "bandwidth_definition": step.bandwidth_definition,
            }
            for number, step in enumerate(job.steps)
        ],
    }  # fmt: skip


def _round(
    number: int, block: int, only_job: int, jobs: Sequence[MadeJob], plan: MadePlan, machine: MadeMachine,
    level: float, started: float, rng: "np.random.Generator", histograms: bool,
) -> Iterator[Record]:  # fmt: skip
    import numpy as np

    contended = only_job == _CONTENDED
    taking_part = range(len(jobs)) if contended else [only_job]
    extra = plan.extra if contended and plan.finish == "sustain" else 0
    for index in taking_part:
        factor = level * (jobs[index].congestion if contended else 1.0) * np.exp(rng.normal(0, machine.round_noise))
        yield from _samples(number, index, jobs[index], factor, plan, extra, machine, rng)
        if histograms:
            for step, made in enumerate(jobs[index].steps):
                yield from (_histogram(number, index, step, made, of) for of in (made.quantity, *made.noted))
    yield {
        "type": "round", "round": number, "block": block, "kind": "contended" if contended else "isolated",
        "job": None if contended else only_job, "started_s": started, "duration_s": 0.9, "load_average": machine.load,
        "jobs": [
            {"job": index, "measured": plan.repetitions, "extra": extra, "warmup": plan.warmup}
            for index in taking_part
        ],
        "links": _links(contended) if machine.counts_links else None,
        "telemetry": _telemetry(machine.hosts, contended=contended) if machine.counts_hosts else None,
    }  # fmt: skip


def _links(contended: bool) -> list[Record]:
    """Two directions of a 100 Mbit/s link over a round of 0.9 s: one fully used in contended rounds, half otherwise."""
    carried = int(100e6 / 8 * 0.9)
    return [
        {
            "link": "s0-s1", "source": source, "target": target, "rate_bits_per_s": 100_000_000,
            "bytes": 0 if source == "s1" else carried if contended else carried // 2, "frames": 100,
            "drops": 3 if contended and source == "s0" else 0,
        }
        for source, target in (("s0", "s1"), ("s1", "s0"))
    ]  # fmt: skip


def _telemetry(hosts: Sequence[str], *, contended: bool) -> list[Record]:
    """NICs of 9 and 18 MB in isolated rounds of 0.9 s, twice as much in contended ones, and a host that is throttled.

    The waiting of the second NIC is unknown in contended rounds, and that of both in isolated rounds.
    """
    factor = 2 if contended else 1
    sent = [9_000_000 * factor * (number + 1) for number in range(len(hosts))]
    return [
        _counter("infiniband", "tx_bytes", "bytes", dict(zip(hosts, sent, strict=True)), device="mlx5_0:1"),
        _counter("infiniband", "tx_wait", "ticks", {hosts[0]: 1800} if contended else {}, device="mlx5_0:1", unknown=1),
        _counter("infiniband", "symbol_errors", "events", dict.fromkeys(hosts, 0), device="mlx5_0:1"),
        _counter("cpu", "steal_time", "ns", {hosts[-1]: 45_000_000 * factor}, device=None),
    ]


def _counter(
    source: str, counter: str, unit: str, values: Mapping[str, int], *, device: str | None, unknown: int = 0
) -> Record:
    numbers = sorted(values.values())
    of = (lambda value: value) if numbers else (lambda value: None)
    return {
        "source": source, "counter": counter, "unit": unit, "hosts": len(values), "devices": len(values),
        "unknown": unknown, "min": of(min(numbers, default=0)), "p25": of(float(min(numbers, default=0))),
        "median": of(float(statistics.median(numbers or [0]))), "p75": of(float(max(numbers, default=0))),
        "max": of(max(numbers, default=0)), "sum": of(sum(numbers)),
        "largest": [
            {"host": host, "device": device, "value": value}
            for host, value in sorted(values.items(), key=lambda one: -one[1])[:3]
        ],
    }  # fmt: skip


def _samples(
    number: int, index: int, job: MadeJob, factor: float, plan: MadePlan, extra: int, machine: MadeMachine,
    rng: "np.random.Generator",
) -> Iterator[Record]:  # fmt: skip
    import numpy as np

    phases = ["warmup"] * plan.warmup + ["measured"] * plan.repetitions + ["extra"] * extra
    for repetition, phase in enumerate(phases):
        times = [float(step.time_s * factor * np.exp(rng.normal(0, machine.noise))) for step in job.steps]
        rank = int(rng.integers(job.ranks))
        host = job.slow_host or machine.hosts[rank % len(machine.hosts)]
        place = {"round": number, "job": index, "repetition": repetition, "phase": phase}
        last = {"slowest_rank": rank, "slowest_host": host}
        for step, (made, time) in enumerate(zip(job.steps, times, strict=True)):
            metrics = {
                name: {"min": 0.5 * v, "mean": 0.8 * v, "max": v * factor, "slowest_rank": rank}
                for name, v in made.metrics
            }
            yield {
                "type": "sample", **place, "step": step, "iterations": made.executions * made.iterations,
                **_over_ranks(time), **last, "metrics": metrics,
            }  # fmt: skip
        yield {
            "type": "sample", **place, "step": None, "iterations": 1, **_over_ranks(sum(times)), **last, "metrics": {}
        }  # fmt: skip


def _over_ranks(slowest_s: float) -> Record:
    return {"time_min_s": 0.9 * slowest_s, "time_mean_s": 0.95 * slowest_s, "time_max_s": slowest_s}


def _histogram(number: int, job: int, step: int, made: MadeStep, quantity: str) -> Record:
    one = made.time_s / (made.executions * made.iterations) / (1 if quantity == made.quantity else 1000)
    return {
        "type": "histogram", "round": number, "job": job, "step": step, "quantity": quantity, "count": 12,
        "min_s": one, "max_s": 1.005 * one, "mean_s": 1.002 * one,
        "buckets": [[one, 1.01 * one, 9], [1.01 * one, 1.02 * one, 3]],
    }  # fmt: skip
