"""Fast conversion of sample lines to columns: 10^6 samples in seconds.

A line costs one JSON parse and one tuple; checks run on whole columns. If the check of a column fails, the rows are
validated one by one against the strict record, so that the message names line, key and value.
"""

from array import array
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from operator import itemgetter
from typing import Any, TypeAlias

import numpy as np
import orjson

from stressbench.formats.bounds import LARGEST, SMALLEST
from stressbench.formats.files import limits
from stressbench.formats.run.records import Sample
from stressbench.formats.run.samples import PHASES, Floats, Integers, MetricSamples, Samples

KEYS = tuple(one.name for one in fields(Sample))
_ROUND = KEYS.index("round")
_LINE = "line"
_ALL_OR_NONE = ("time_min_s", "time_mean_s", "time_max_s", "slowest_rank", "slowest_host")
_VALUES_OF_KEYS = itemgetter(*KEYS)
_CODES: Mapping[str, int] = {phase.value: code for code, phase in enumerate(PHASES)}
_UNKNOWN = -1
_WHOLE_JOB = _UNKNOWN
_CHUNK_ROWS = 50_000

Row: TypeAlias = tuple[Any, ...]
"""The values of KEYS, followed by the line number."""
StrictCheck: TypeAlias = Callable[[bytes, int], object]
"""Validates one line against the strict record; raises RunFileError that names the line."""


def _integer_array() -> "array[int]":
    return array("q")  # takes a fifth of the memory of a list


def _float_array() -> "array[float]":
    return array("d")


@dataclass(slots=True)
class _MetricColumns:
    round: "array[int]" = field(default_factory=_integer_array)
    phase: "array[int]" = field(default_factory=_integer_array)
    minimum: "array[float]" = field(default_factory=_float_array)
    mean: "array[float]" = field(default_factory=_float_array)
    maximum: "array[float]" = field(default_factory=_float_array)
    slowest_rank: "array[int]" = field(default_factory=_integer_array)


@dataclass(slots=True)
class SampleColumns:
    """Collects committed samples; `check` raises the error for a line that failed the check of a column."""

    check: StrictCheck
    steps_of_jobs: tuple[int, ...]
    ignored: int = 0
    _pending: list[Row] = field(default_factory=list)
    _committed: list[Row] = field(default_factory=list)
    _chunks: list[tuple[Integers | Floats, ...]] = field(default_factory=list)
    _hosts: dict[str, int] = field(default_factory=dict)
    _metrics: dict[tuple[int, int, str], _MetricColumns] = field(default_factory=dict)

    def add(self, record: Mapping[str, Any], *, line: bytes, number: int) -> None:
        """Add one sample line; it is kept once its round is committed."""
        try:
            self._pending.append((*_VALUES_OF_KEYS(record), number))
        except KeyError:
            self.check(line, number)
            raise

    def commit(self, round_number: int) -> None:
        """Keep the pending samples of this round and drop the others, whose rounds never finished."""
        kept = [row for row in self._pending if row[_ROUND] == round_number]
        self.ignored += len(self._pending) - len(kept)
        self._pending.clear()
        self._committed += kept
        if len(self._committed) >= _CHUNK_ROWS:
            self._convert()

    def discard(self) -> None:
        """Drop the pending samples, whose round was not committed."""
        self.ignored += len(self._pending)
        self._pending.clear()

    def _convert(self) -> None:
        rows, self._committed = self._committed, []
        if not rows:
            return
        try:
            self._chunks.append(self._columns(rows))
        except (ValueError, TypeError, KeyError, IndexError, OverflowError) as fault:
            for *values, number in rows:
                record = dict(zip(KEYS, values, strict=True))
                self.check(orjson.dumps(record), number)
                self._check_consistency(record, number)
            raise SampleFault("sample: a number is too large", rows[0][-1]) from fault

    def _check_consistency(self, record: Mapping[str, Any], number: int) -> None:
        """Raise SampleFault for partly unknown times, an unknown job or step, and a minimum above the maximum."""
        is_known = [record[key] is not None for key in _ALL_OR_NONE]
        if any(is_known) and not all(is_known):
            raise SampleFault("sample: expected times, slowest_rank and slowest_host all known or all null", number)
        if record["job"] >= len(self.steps_of_jobs):
            raise SampleFault(f"sample.job {record['job']}: the header has {len(self.steps_of_jobs)} jobs", number)
        steps = self.steps_of_jobs[record["job"]]
        if record["step"] is not None and record["step"] >= steps:
            raise SampleFault(f"sample.step {record['step']}: job {record['job']} has {steps} steps", number)
        low, high = record["time_min_s"], record["time_max_s"]
        if low is not None and high is not None and low > high:
            raise SampleFault(f"sample.time_min_s {low}: expected at most time_max_s {high}", number)

    def _columns(self, rows: list[Row]) -> tuple[Integers | Floats, ...]:
        values = dict(zip((*KEYS, _LINE), zip(*rows, strict=True), strict=True))
        job = _integers(values["job"])
        step = _integers_or_unknown(values["step"])
        if np.any(step >= np.asarray(self.steps_of_jobs)[np.minimum(job, len(self.steps_of_jobs) - 1)]):
            raise ValueError("step")
        if job.max() >= len(self.steps_of_jobs):
            raise ValueError("job")
        phase = np.array([_CODES[value] for value in values["phase"]], dtype=np.int64)
        low, mean, high = (_floats(values[key]) for key in ("time_min_s", "time_mean_s", "time_max_s"))
        rank, host = _integers_or_unknown(values["slowest_rank"]), self._host_numbers(values["slowest_host"])
        if np.any(low > high):
            raise ValueError("time_min_s")
        unknown = rank == _UNKNOWN
        if any(np.any(np.isnan(time) != unknown) for time in (low, mean, high)) or np.any((host < 0) != unknown):
            raise ValueError("slowest_rank")
        self._add_metrics(values)
        return (
            _integers(values["round"], least=1), job, step, _integers(values["repetition"]), phase,
            _integers(values["iterations"], least=1), low, mean, high, rank, host,
        )  # fmt: skip

    def _host_numbers(self, hosts: Iterable[Any]) -> Integers:
        numbers_by_host = self._hosts
        numbers = [
            _UNKNOWN if host is None else numbers_by_host.setdefault(host, len(numbers_by_host)) for host in hosts
        ]
        if not all(isinstance(host, str) and len(host) <= limits.NAME for host in numbers_by_host):
            raise TypeError("slowest_host")
        return np.array(numbers, dtype=np.int64)

    def _add_metrics(self, values: Mapping[str, tuple[Any, ...]]) -> None:
        columns_of_metrics = (values[key] for key in ("round", "job", "step", "phase", "metrics"))
        for round_number, job, step, phase, metrics in zip(*columns_of_metrics, strict=True):
            if not isinstance(metrics, dict):
                raise TypeError("metrics")
            for name, value in metrics.items():
                numbers = (value["min"], value["mean"], value["max"])
                if any(type(number) not in (int, float) for number in numbers):
                    raise TypeError("metrics")
                rank = value.get("slowest_rank")  # older files have none
                if rank is not None and (type(rank) is not int or rank < 0):
                    raise TypeError("metrics")
                columns = self._metric((job, _WHOLE_JOB if step is None else step, name))
                columns.round.append(round_number)
                columns.phase.append(_CODES[phase])
                columns.minimum.append(numbers[0])
                columns.mean.append(numbers[1])
                columns.maximum.append(numbers[2])
                columns.slowest_rank.append(_UNKNOWN if rank is None else rank)

    def _metric(self, key: tuple[int, int, str]) -> _MetricColumns:
        if key not in self._metrics and len(key[2]) > limits.NAME:
            raise TypeError("metrics")
        return self._metrics.setdefault(key, _MetricColumns())

    def samples(self) -> tuple[Samples, ...]:
        """Committed samples, one table per job and step, ordered by job, with the whole chain before its steps."""
        self.discard()
        self._convert()
        if not self._chunks:
            return ()
        columns = [np.concatenate(parts) for parts in zip(*self._chunks, strict=True)]
        stride = max(self.steps_of_jobs) + 1
        key = columns[1] * stride + columns[2] + 1
        order = np.argsort(key, kind="stable")
        starts = np.flatnonzero(np.diff(key[order])) + 1
        hosts = tuple(self._hosts)
        return tuple(_table([column[rows] for column in columns], hosts) for rows in np.split(order, starts))

    def metrics(self) -> tuple[MetricSamples, ...]:
        """Metrics of committed samples; call after `samples`."""
        return tuple(
            MetricSamples(
                job=job, step=None if step == _WHOLE_JOB else step, name=name,
                round=np.array(columns.round, dtype=np.int64), phase=np.array(columns.phase, dtype=np.int64),
                minimum=np.array(columns.minimum, dtype=np.float64), mean=np.array(columns.mean, dtype=np.float64),
                maximum=np.array(columns.maximum, dtype=np.float64),
                slowest_rank=np.array(columns.slowest_rank, dtype=np.int64),
            )
            for (job, step, name), columns in sorted(self._metrics.items())
        )  # fmt: skip


class SampleFault(Exception):
    """A sample that passes the strict record but contradicts the header or has too large a number."""

    def __init__(self, message: str, line: int) -> None:
        """Keep the line's number; the caller adds the file's name."""
        self.line = line
        super().__init__(message)


def _integers(values: Iterable[Any], *, least: int = 0) -> Integers:
    column = np.array(tuple(values))
    if column.dtype.kind != "i" or column.min() < least:
        raise ValueError("integer")
    return column.astype(np.int64, copy=False)


def _integers_or_unknown(values: tuple[Any, ...]) -> Integers:
    """Integers from 0; None becomes -1."""
    if _UNKNOWN in values:
        raise ValueError("integer")
    replaced = [_UNKNOWN if value is None else value for value in values] if None in values else values
    return _integers(replaced, least=_UNKNOWN)


def _floats(values: tuple[Any, ...]) -> Floats:
    """Seconds; None becomes NaN, which a file cannot hold."""
    replaced = [np.nan if value is None else value for value in values] if None in values else values
    column = np.array(replaced)
    if column.dtype.kind not in "if" or np.any(column < 0) or np.any(column > LARGEST):
        raise ValueError("seconds")
    if np.any((column > 0) & (column < SMALLEST)):
        raise ValueError("seconds")
    return column.astype(np.float64, copy=False)


def _table(columns: list[Any], hosts: tuple[str, ...]) -> Samples:
    step = int(columns[2][0])
    return Samples(
        job=int(columns[1][0]), step=None if step == _WHOLE_JOB else step, round=columns[0], repetition=columns[3],
        phase=columns[4], iterations=columns[5], time_min_s=columns[6], time_mean_s=columns[7], time_max_s=columns[8],
        slowest_rank=columns[9], slowest_host=columns[10], hosts=hosts,
    )  # fmt: skip
