"""NPB: every benchmark and class, since the class sets all sizes (docs/motifs/npb.md). Pure."""

from collections.abc import Iterator
from itertools import product

from stressbench.tracing.recognition.candidate import Candidate, Mesh, candidate
from stressbench.tracing.recognition.communication import Communication

_BENCHMARKS = ("cg", "ft", "mg", "lu", "bt", "sp", "is")
_CLASSES = ("S", "W", "A", "B", "C", "D")
_RUNS = ("mg", "lu", "is")
"""Benchmarks that time more than equal iterations: all of that is a candidate, too."""
_SET_BY_CLASS = Mesh(options=(), dimensions=3)
_COLLECTIVES = {"ft": "Reduce", "is": "Alltoallv"}
"""Benchmarks that send messages in collectives only, and one of these."""


def npb(communication: Communication) -> Iterator[Candidate]:
    """Candidates of `npb`: an iteration of each benchmark, or all that it times, for each class."""
    if communication.ranks < 2:
        return
    for benchmark in _BENCHMARKS:
        collective = _COLLECTIVES.get(benchmark)
        if not (any(communication.sent) if collective is None else communication.calls(collective)):
            continue
        for letter, run in product(_CLASSES, (True, False)):
            if not run or benchmark in _RUNS:
                yield candidate(
                    "npb", _SET_BY_CLASS, {"benchmark": benchmark, "class": letter, "run": run}, any_number=True
                )  # fmt: skip
