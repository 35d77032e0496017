"""The engine's microbenchmarks against bare C loops of the same calls, under Open MPI.

    .venv/bin/python benchmarks/against_bare.py [--launches 31] [--motif pingpong]

Goal: ratios within 2 %. Both sides read the clock around the whole loop, use page-aligned buffers that were written
to before, and pass the same sizes, iterations, repetitions and warm-up. The time of `bandwidth` is a window's of 64
messages; on 4 ranks two pairs stream at once, and its inverse is the message rate.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass

import compare
import mpi
import versus

GOAL = 0.02
REPETITIONS, WARMUP = 20, 2


@dataclass(frozen=True)
class Test:
    """A motif on so many ranks, the loop beside it, and iterations of three sizes."""

    motif: str
    ranks: int
    iterations: tuple[int, int, int]
    loop: str
    options: tuple[str, ...] = ()


SIZES = (8, 8192, 1 << 20)
TESTS = (
    Test("pingpong", 2, (2000, 1000, 100), "pingpong"),
    Test("bandwidth", 2, (1000, 200, 10), "bandwidth"),
    Test("bandwidth", 4, (2000, 200, 10), "bandwidth"),
    Test("allreduce", 2, (2000, 1000, 100), "allreduce"),
    Test("alltoall", 2, (2000, 1000, 100), "alltoall"),
    Test("put", 2, (2000, 1000, 100), "put"),
    Test("put", 2, (2000, 1000, 100), "put_flush", ("--flush",)),
)


def cases(chosen: list[str] | None) -> Iterator[versus.Case]:
    """Every test at every size."""
    engine = mpi.build_engine(mpi.OPEN_MPI)
    for test in TESTS:
        if chosen and test.motif not in chosen:
            continue
        bare = mpi.build_bare(mpi.OPEN_MPI, test.loop)
        for size, iterations in zip(SIZES, test.iterations, strict=True):
            loop = versus.Loop(test.ranks, iterations, REPETITIONS, WARMUP)
            name = " ".join((test.motif, *test.options))
            yield versus.Case(
                (name, str(test.ranks), compare.size_in_words(size), str(iterations)),
                versus.motif(mpi.OPEN_MPI, engine, test.motif, (*test.options, "--sizes", str(size)), loop),
                versus.c_loop(mpi.OPEN_MPI, bare, size, loop),
            )


def main() -> int:
    """Prints the table; status 1 when a ratio misses the goal."""
    arguments = versus.parser(__doc__, launches=31, motifs=[test.motif for test in TESTS]).parse_args()
    about = ("motif", "ranks", "size", "iterations")
    return versus.judge(cases(arguments.motif), about=about, theirs="bare C", goal=GOAL, arguments=arguments)


if __name__ == "__main__":
    sys.exit(main())
