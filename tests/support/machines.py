"""Results of machines without any machine: figures with chosen values of rounds."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from stressbench.experiments.machine.sizes import Sizes, Survey
from stressbench.experiments.machine.suite import suite_for
from stressbench.formats.machines import (
    Better,
    MachineFigure,
    MachineResult,
    Part,
    Provenance,
    Skipped,
    Source,
    SuiteFacts,
    Unit,
    sealed,
    to_json,
)
from stressbench.formats.run.records import Clock

ROUNDS = 24
_MOTIFS = {Part.latency: "pingpong --size 8", Part.bandwidth: "bandwidth --size 1MiB --window 4 --direction one"}


def spread_around(centre: float, *, width: float = 0.01, count: int = ROUNDS) -> tuple[float, ...]:
    """`count` values, evenly spread over `centre` plus or minus `width` of it."""
    return tuple((centre * np.linspace(1 - width, 1 + width, count)).tolist())


def made_figure(
    name: str = "latency.network.8B", *, part: Part = Part.latency, unit: Unit = Unit.seconds,
    better: Better = Better.less, values: Sequence[float] = spread_around(40e-6), **others: Any,
) -> MachineFigure:  # fmt: skip
    """A figure whose interval is that of its middle half."""
    known: dict[str, Any] = {
        "about": f"{part} of {name}", "motif": _MOTIFS.get(part, str(part)), "ranks": 2, "nodes": 2,
        "placement": None, "beside": None, "percentiles": None, "sources": ("study/runs/a-r1.jsonl",),
        "low": float(np.quantile(values, 0.25)), "high": float(np.quantile(values, 0.75)), **others,
    }  # fmt: skip
    return MachineFigure(
        name=name, part=part, unit=unit, better=better, value=float(np.median(values)), n=len(values),
        values=tuple(values), **known,
    )  # fmt: skip


def made_bandwidth(values: Sequence[float] = spread_around(12e6), **others: Any) -> MachineFigure:
    """A figure of which more is better."""
    return made_figure(
        "bandwidth.network.one-way", part=Part.bandwidth, unit=Unit.bytes_per_s, better=Better.more, values=values,
        **others,
    )  # fmt: skip


def made_result(
    *figures: MachineFigure, label: str | None = "made", version: int = 1, complete: bool = True, quick: bool = False,
    sources: Mapping[str, str] | None = None, skipped: Sequence[Skipped] = (), **provenance: Any,
) -> MachineResult:  # fmt: skip
    """A result with its checksum."""
    facts = {
        "measured_at": datetime(2026, 11, 28, 9, tzinfo=UTC), "version": "0.2.0", "commit": None, "compiler": "gcc",
        "build_type": "Release", "mpi": "Open MPI v4.1.4", "mpi_standard": "3.1", "transports": "tcp",
        "on": "lab:tiny", "hosts": 4, "host_names": None, "nodes": 4, "ranks": 4, "ranks_per_node": (1, 1),
        "cores_per_node": None, "load_average": 0.5, "simulated": None, "placement": "linear", "seed": 1,
        "clock": Clock(source="CLOCK_MONOTONIC_RAW", resolution_s=1e-9, overhead_s=3e-8), **provenance,
    }  # fmt: skip
    return sealed(
        MachineResult(
            label=label,
            suite=SuiteFacts(
                version=version, quick=quick, parts=tuple(Part), launches=3, isolated=4, contended=4, min_time_s=0.5,
                sizes={"alltoall_bytes": 65536},
            ),
            provenance=Provenance(**facts), figures=figures or (made_figure(), made_bandwidth()),
            skipped=tuple(skipped), complete=complete, failed_runs=0,
            sources=tuple(Source(file=file, sha256=digest) for file, digest in (sources or {}).items()),
        )
    )  # fmt: skip


def whole_result() -> MachineResult:
    """A result with every figure of the suite."""
    survey = Survey(ranks_of_nodes=(2, 2, 2, 2))
    names = ("small-node", "small-network", "large-node", "large-network", "allreduce-8B", "allreduce-1MiB", "alltoall",
             "barrier")  # fmt: skip
    sizes = Sizes(iterations=dict.fromkeys(names, 4), file_bytes=1 << 20, pair_bytes=1 << 16)
    suite = suite_for(survey, sizes, parts=tuple(Part), storage="/scratch")
    figures = [
        made_figure(one.name, part=one.part, unit=one.unit, better=one.better, about=one.about, motif=one.motif)
        for benchmark in suite.benchmarks for one in benchmark.measurements
    ]  # fmt: skip
    return made_result(*figures)


def write_result(path: Path, result: MachineResult) -> Path:
    path.write_text(to_json(result), encoding="utf-8")
    return path
