"""NPB: every benchmark and class, since the class sets all sizes (docs/motifs/npb.md). Pure."""

from collections.abc import Iterator
from itertools import product

from stressbench.tracing.recognition.candidate import Candidate, Mesh, candidate
from stressbench.tracing.recognition.communication import Communication

_BENCHMARKS = ("cg", "ft", "mg", "lu", "bt", "sp", "is")
_CLASSES = ("S", "W", "A", "B", "C", "D")
_SET_BY_CLASS = Mesh(options=(), dimensions=3)


def npb(communication: Communication) -> Iterator[Candidate]:
    """Candidates of `npb`: one iteration of each benchmark, and all that IS times, whose iterations differ."""
    if communication.ranks < 2:
        return
    for benchmark, letter in product(_BENCHMARKS, _CLASSES):
        run = benchmark == "is"
        yield candidate("npb", _SET_BY_CLASS, {"benchmark": benchmark, "class": letter, "run": run})
