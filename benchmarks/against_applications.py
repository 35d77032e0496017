"""The engine's application motifs against C loops with the same calls and computation, under Open MPI.

    .venv/bin/python benchmarks/against_applications.py [--launches 21] [--motif tealeaf]

Goal: ratios within 5 %. The loops (benchmarks/bare) are written from the applications' sources, not from the motifs.
Both sides read the clock around the whole loop, in alternating launches.

"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass

import mpi
import versus

GOAL = 0.05


@dataclass(frozen=True)
class Application:
    """An application motif with its options for a mesh of `size`, which the loop takes as well."""

    options: str
    size: int
    loop: versus.Loop


APPLICATIONS = {
    "tealeaf": Application("-x 1000 -y 1000", 1000, versus.Loop(2, 20, 10, 1)),
    "sweep3d": Application("-x 50 -y 50 -z 50 -k 10 -a 3 --mm 6", 50, versus.Loop(2, 1, 10, 1)),
    "lulesh": Application("-s 8", 8, versus.Loop(8, 20, 10, 1)),
    "fft2d": Application("-x 512 --compute off", 512, versus.Loop(4, 50, 10, 1)),
}


def cases(chosen: list[str] | None) -> Iterator[versus.Case]:
    """A case for each application in `chosen`, or for all if it is None."""
    engine = mpi.build_engine(mpi.OPEN_MPI)
    for name in chosen or APPLICATIONS:
        application = APPLICATIONS[name]
        bare = mpi.build_bare(mpi.OPEN_MPI, name)
        yield versus.Case(
            (f"{name} {application.options}", str(application.loop.ranks)),
            versus.motif(mpi.OPEN_MPI, engine, name, application.options.split(), application.loop),
            versus.c_loop(mpi.OPEN_MPI, bare, application.size, application.loop),
        )


def main() -> int:
    """Print the table. Exit status 1 if a ratio misses the goal."""
    arguments = versus.parser(__doc__, launches=21, motifs=APPLICATIONS).parse_args()
    return versus.judge(
        cases(arguments.motif), about=("motif", "ranks"), theirs="C loop", goal=GOAL, arguments=arguments
    )


if __name__ == "__main__":
    sys.exit(main())
