"""Tables of a run: columns by name, each with one value per row."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from stressbench.api.frames import Columns, ColumnTypes, column, columns_of, concatenated
from stressbench.formats.run import Job, Run, Samples
from stressbench.formats.run.samples import PHASES
from stressbench.stats import RunSummary, Timing, select

_TAIL_NAMES = {0.95: "p95", 0.99: "p99", 0.999: "p999"}
SAMPLE_COLUMNS: ColumnTypes = {
    "round": int, "block": int, "kind": str, "job": int, "job_name": str, "step": int, "motif": str,
    "repetition": int, "phase": str, "iterations": int, "time_min_s": float, "time_mean_s": float, "time_max_s": float,
    "slowest_rank": int, "slowest_host": str,
}  # fmt: skip
ROUND_COLUMNS: ColumnTypes = {
    "launch": int, "round": int, "block": int, "kind": str, "started_s": float, "duration_s": float,
    "load_average": float, "job": int, "job_name": str, "warmup": int, "measured": int, "extra": int,
    "median_s": float,
}  # fmt: skip
IMPACT_COLUMNS: ColumnTypes = {
    "job": int, "job_name": str, "role": str, "step": int, "motif": str, "isolated_s": float, "contended_s": float,
    "impact": float, "low": float, "high": float, "blocks": int,
    **{f"{name}{end}": float for name in _TAIL_NAMES.values() for end in ("", "_low", "_high")}, "reason": str,
}  # fmt: skip
LINK_COLUMNS: ColumnTypes = {
    "round": int, "kind": str, "job": int, "link": str, "source": str, "target": str, "rate_bits_per_s": int,
    "bytes": int, "frames": int, "drops": int, "use": float,
}  # fmt: skip

TELEMETRY_COLUMNS: ColumnTypes = {
    "round": int, "kind": str, "job": int, "source": str, "counter": str, "unit": str, "hosts": int, "devices": int,
    "unknown": int, "min": int, "p25": float, "median": float, "p75": float, "max": int, "sum": int,
    "largest_host": str, "largest_device": str,
}  # fmt: skip


def sample_table(run: Run) -> Columns:
    """One row for each repetition of a job and of each motif of its chain."""
    return concatenated([_samples_of(run, one) for one in run.samples], SAMPLE_COLUMNS)


def round_table(run: Run) -> Columns:
    """One row for each round and job that ran in it."""
    medians = {
        (one.launch, one.round, job.job): one.median_s for job in run.jobs for one in select(run, job=job.job).rounds
    }
    rows = [
        (launch.header.launch, one.round, one.block, one.kind.value, one.started_s, one.duration_s, one.load_average,
         job_round.job, run.jobs[job_round.job].name, job_round.warmup, job_round.measured, job_round.extra,
         medians.get((launch.header.launch, one.round, job_round.job)))
        for launch in run.launches for one in launch.rounds for job_round in one.jobs
    ]  # fmt: skip
    return columns_of(rows, ROUND_COLUMNS)


def impact_table(summary: RunSummary) -> Columns:
    """One row for each job and each motif of its chain."""
    rows = [
        (job.job, job.name, job.role.value, step, motif, *_impact_values(timing))
        for job in summary.jobs
        for step, motif, timing in (
            (None, None, job.timing), *((one.step, one.motif, one.timing) for one in job.steps)
        )
    ]  # fmt: skip
    return columns_of(rows, IMPACT_COLUMNS)


def link_table(run: Run) -> Columns:
    """One row for each round and direction of a link."""
    rows = [
        (one.round, one.kind.value, one.job, link.link, link.source, link.target, link.rate_bits_per_s,
         link.bytes, link.frames, link.drops,
         link.bytes * 8 / (link.rate_bits_per_s * one.duration_s)
         if link.rate_bits_per_s and one.duration_s else None)
        for one in run.rounds for link in one.links or ()
    ]  # fmt: skip
    return columns_of(rows, LINK_COLUMNS)


def telemetry_table(run: Run) -> Columns:
    """One row for each round and counter of the hosts."""
    rows = [
        (one.round, one.kind.value, one.job, counter.source, counter.counter, counter.unit.value, counter.hosts,
         counter.devices, counter.unknown, counter.min, counter.p25, counter.median, counter.p75, counter.max,
         counter.sum, *((counter.largest[0].host, counter.largest[0].device) if counter.largest else (None, None)))
        for one in run.rounds for counter in one.telemetry or ()
    ]  # fmt: skip
    return columns_of(rows, TELEMETRY_COLUMNS)


def _samples_of(run: Run, samples: Samples) -> Columns:
    job, count = run.jobs[samples.job], len(samples)
    index_of_round = {one.round: number for number, one in enumerate(run.rounds)}
    round_index = np.array([index_of_round[int(one)] for one in samples.round], dtype=np.int64)
    blocks = np.array([one.block for one in run.rounds], dtype=np.int64)
    kinds = np.array([one.kind.value for one in run.rounds], dtype=object)
    hosts = np.array([*samples.hosts, ""], dtype=object)
    no_step = np.full(count, samples.step is None)
    return {
        "round": column(samples.round),
        "block": column(blocks[round_index]),
        "kind": column(kinds[round_index]),
        "job": column(np.full(count, samples.job)),
        "job_name": column(np.full(count, job.name, dtype=object)),
        "step": column(np.full(count, samples.step or 0), unknown=no_step),
        "motif": column(np.full(count, _motif(job, samples.step), dtype=object), unknown=no_step),
        "repetition": column(samples.repetition),
        "phase": column(np.array([one.value for one in PHASES], dtype=object)[samples.phase]),
        "iterations": column(samples.iterations),
        "time_min_s": column(samples.time_min_s),
        "time_mean_s": column(samples.time_mean_s),
        "time_max_s": column(samples.time_max_s),
        "slowest_rank": column(samples.slowest_rank, unknown=samples.slowest_rank < 0),
        "slowest_host": column(hosts[samples.slowest_host], unknown=samples.slowest_host < 0),
    }


def _motif(job: Job, step: int | None) -> str:
    return "" if step is None else job.steps[step].motif


def _impact_values(timing: Timing) -> Iterator[Any]:
    impact = timing.impact
    yield None if timing.isolated_s is None else timing.isolated_s.median
    yield None if timing.contended_s is None else timing.contended_s.median
    yield from (impact.ratio, impact.low, impact.high, impact.paired_blocks)
    tails = {tail.share: tail for tail in timing.tails}
    for share in _TAIL_NAMES:
        tail = tails.get(share)
        yield from (None, None, None) if tail is None else (tail.ratio, tail.low, tail.high)
    yield impact.reason
