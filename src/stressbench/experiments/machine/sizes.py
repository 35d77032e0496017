"""Sizes of the suite for a machine: from its ranks and nodes, and from one short run, the calibration. Pure.

A timed interval takes about 5 ms: the number of iterations is the largest power of two below 5 ms over the calibrated
time of an iteration, from 1 to 4096. A file has 1, 4, 16 or 64 MiB for each rank: the largest that is written in about
250 ms. In an exchange of all with all, a message has 64 KiB, or less so that no rank sends more than 4 MiB.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log2

import numpy as np

from stressbench.formats.ranges import parse_ranges
from stressbench.formats.run import Phase, Run
from stressbench.formats.workload_text import quote_argument

INTERVAL_S, WRITE_S = 5e-3, 0.25
_MOST_ITERATIONS_LOG2 = 12
_KIB, _MIB = 1 << 10, 1 << 20
_FILE_SIZES = (64 * _MIB, 16 * _MIB, 4 * _MIB, _MIB)
_LARGEST_PAIR, _MOST_SENT = 64 * _KIB, 4 * _MIB
CALIBRATION_JOB = "calibration"
WORDS = _MIB // 8
"""Elements of 8 bytes in 1 MiB."""


@dataclass(frozen=True, kw_only=True)
class Survey:
    """The machine as its first launch found it: ranks of each node, in the order of nodes."""

    ranks_of_nodes: tuple[int, ...]

    @property
    def ranks(self) -> int:
        """All ranks."""
        return sum(self.ranks_of_nodes)

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return len(self.ranks_of_nodes)

    @property
    def last_node(self) -> int:
        """Number of the node that is paired with node 0: the last one."""
        return self.nodes - 1


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """What follows from survey and calibration: iterations of a timed interval by `name`, and bytes.

    `file_bytes`: of each rank, None without storage. `pair_bytes`: from each rank to each other.
    """

    iterations: Mapping[str, int]
    file_bytes: int | None
    pair_bytes: int

    def recorded(self) -> dict[str, int]:
        """All sizes by name, for the result."""
        sizes = {f"iterations.{name}": count for name, count in self.iterations.items()}
        sizes["alltoall_bytes"] = self.pair_bytes
        if self.file_bytes is not None:
            sizes["file_bytes"] = self.file_bytes
        return sizes


def survey_of(run: Run) -> Survey:
    """The machine in the header of a run."""
    return Survey(ranks_of_nodes=tuple(len(parse_ranges(node.ranks)) for node in run.header.nodes))


def survey_text() -> str:
    """The workload of the survey: one short computation on node 0, which each machine has."""
    return "[JOB_NAME] survey\n[NID_LIST] 0\n[MOTIF] compute --mean 1us\n"


def _calibrated(survey: Survey, storage: str | None) -> list[tuple[str, str]]:
    """Names and motifs of the calibration, in their order."""
    steps = [
        ("small-node", "pingpong --size 8 --pairs neighbours"),
        ("small-network", "pingpong --size 8 --pairs halves"),
        ("large-node", "pingpong --size 1MiB --pairs neighbours"),
        ("large-network", "pingpong --size 1MiB --pairs halves"),
        ("allreduce-8B", "allreduce --count 1"),
        ("allreduce-1MiB", f"allreduce --count {WORDS}"),
        ("alltoall", f"alltoall --size {pair_bytes(survey.ranks)}"),
        ("barrier", "barrier"),
    ]
    if storage is not None:
        path = quote_argument(f"{storage}/stressbench-calibration", variables=True)
        steps.append(("file", f"posix --size 1MiB --transfer 1MiB --files rank --do write --sync --file {path}"))
    return steps


def calibration_text(survey: Survey, *, storage: str | None) -> str:
    """The workload of the calibration: every motif whose number of iterations is calibrated, on all ranks."""
    motifs = "".join(f"[MOTIF] {motif}\n" for _, motif in _calibrated(survey, storage))
    return f"[JOB_NAME] {CALIBRATION_JOB}\n[NODES] {survey.nodes}\n{motifs}"


def sizes_from(calibration: Run, survey: Survey, *, storage: str | None) -> Sizes:
    """The sizes from a run of the calibration."""
    times = {
        name: _median_s(calibration, step) for step, (name, _) in enumerate(_calibrated(survey, storage))
    }  # fmt: skip
    file_s = times.pop("file", None)
    return Sizes(
        iterations={name: iterations_for(time_s) for name, time_s in times.items()},
        file_bytes=None if storage is None else file_bytes_for(file_s), pair_bytes=pair_bytes(survey.ranks),
    )  # fmt: skip


def iterations_for(time_s: float | None) -> int:
    """Iterations of a timed interval, for an iteration that takes `time_s` (s); 1 where that is unknown."""
    if time_s is None:
        return 1
    exponent = _MOST_ITERATIONS_LOG2 if time_s <= 0 else int(log2(max(1.0, INTERVAL_S / time_s)))
    return 1 << min(exponent, _MOST_ITERATIONS_LOG2)


def file_bytes_for(mebibyte_s: float | None) -> int:
    """Bytes of a rank's file, where each rank writes 1 MiB in `mebibyte_s` (s); the fewest where that is unknown."""
    if mebibyte_s is None or mebibyte_s <= 0:
        return _FILE_SIZES[-1]
    return next((size for size in _FILE_SIZES if size / _MIB * mebibyte_s <= WRITE_S), _FILE_SIZES[-1])


def pair_bytes(ranks: int) -> int:
    """Bytes of a message in an exchange of all `ranks` with all: a power of two, at least 1."""
    size = _LARGEST_PAIR
    while size > 1 and size * ranks > _MOST_SENT:
        size //= 2
    return size


def _median_s(run: Run, step: int) -> float | None:
    """Median time of one iteration, s; None where nothing was timed."""
    samples = run.samples_of(job=0, step=step)
    if samples is None:
        return None
    measured = samples.in_phases(Phase.measured) & np.isfinite(samples.time_max_s)
    times: Sequence[float] = (samples.time_max_s / samples.iterations)[measured].tolist()
    return float(np.median(times)) if times else None
