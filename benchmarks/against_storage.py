"""The storage motifs against C loops with the same calls (benchmarks/bare/storage.c), under Open MPI.

    .venv/bin/python benchmarks/against_storage.py [--launches 5] [--folder DIR] [--motif posix]

Goal: bandwidths within 2 %, for POSIX and MPI-IO, one shared file and a file per rank, written and read. Debian has no
package of IOR, so a loop with IOR's definition of bandwidth stands in for it: 64 transfers per rank between open and
close; bandwidth = bytes of all ranks / time of the slowest rank from a common barrier. Motif and loop alternate within
one process (motif, loop, loop, motif, 20 times). Files are new for each write and in the page cache for each read, on
both sides. Nothing is synced: the calls are compared, not the disk.

"""

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import against_bare
import compare
import versus

GOAL = 0.02
TRANSFERS = 64
SIZES = (65536, 1 << 20)
RANKS = 2


def test_of(backend: str, files: str, way: str, size: int, file: Path) -> against_bare.Test:
    """The comparison of a storage motif with the loop that makes the same calls."""
    call = {"posix": "", "mpiio": "-n MPI_File_write_at"}[backend]
    options = f"-s {size * TRANSFERS} -t {size} --files {files} --do {way} -f {file} {call}"
    return against_bare.Test(backend, RANKS, (1, 1, 1), f"{backend}_{way}_{files}", options, timed="max")


def cases(chosen: list[str] | None, folder: Path) -> Iterator[versus.Case]:
    """A case for each backend (those in `chosen`, or all), file layout, direction and size."""
    program = against_bare.program()
    for backend in ("posix", "mpiio"):
        if chosen and backend not in chosen:
            continue
        for files in ("one", "rank"):
            for way in ("write", "read"):
                for size in SIZES:
                    test = test_of(backend, files, way, size, folder / "motif")
                    yield versus.Case(
                        (backend, {"one": "N-1", "rank": "N-N"}[files], way, compare.size_in_words(size)),
                        interleaved=against_bare.turns(program, test, size, 1, sized=False),
                    )


def main() -> int:
    """Print the table. Exit status 1 if a ratio misses the goal."""
    parser = versus.parser(__doc__, launches=5, motifs=["posix", "mpiio"])
    parser.add_argument("--folder", type=Path, help="folder for the files [a temporary one]")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        os.environ["STRESSBENCH_BARE_FOLDER"] = folder
        about = ("motif", "files", "way", "transfer")
        rows = cases(arguments.motif, Path(folder))
        return versus.judge(rows, about=about, theirs="C loop", goal=GOAL, arguments=arguments)


if __name__ == "__main__":
    sys.exit(main())
