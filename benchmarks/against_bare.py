"""The engine's microbenchmarks against bare C loops with the same calls, under Open MPI.

    .venv/bin/python benchmarks/against_bare.py [--launches 9] [--motif pingpong]

Goal: ratios within 2 %. Motif and loop alternate within one process (benchmarks/turns), in the order motif, loop,
loop, motif, because launches of the same program differ by more than 2 %. Both use page-aligned buffers that were
written to before. The time of a launch is the median over repetitions of the sum of two turns, per iteration.
`bandwidth` is a window of 64 messages; on 4 ranks two pairs send at the same time, and its inverse is the message rate.

"""

import json
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import compare
import mpi
import versus

GOAL = 0.02
REPETITIONS, WARMUP = 30, 2


@dataclass(frozen=True)
class Test:
    """A motif on a number of ranks, its loop, and the iterations for three sizes."""

    motif: str
    ranks: int
    iterations: tuple[int, int, int]
    loop: str
    options: str = ""
    timed: str = "mean"  # reduction over the ranks; `max` if one of them never waits


SIZES = (8, 8192, 1 << 20)
TESTS = (
    Test("pingpong", 2, (2000, 1000, 100), "pingpong"),
    Test("bandwidth", 2, (1000, 200, 10), "bandwidth"),
    Test("bandwidth", 4, (2000, 200, 10), "bandwidth"),
    Test("allreduce", 2, (2000, 1000, 100), "allreduce", "--type double"),
    Test("alltoall", 2, (2000, 1000, 100), "alltoall"),
    Test("put", 2, (2000, 1000, 100), "put", timed="max"),
    Test("put", 2, (2000, 1000, 100), "put_flush", "--flush", timed="max"),
)


def program() -> Path:
    """The engine with the loops, built if it does not exist."""
    engine = mpi.build_engine(mpi.OPEN_MPI, target="stressbench-turns")
    return engine.parent.parent / "benchmarks" / "turns" / "stressbench-turns"


def turns(
    program: Path, test: Test, size: int, iterations: int, *, sized: bool = True
) -> Callable[[], tuple[float, float]]:
    """A function that launches motif and loop alternating and returns the time of an iteration of each, in seconds.

    `sized`: pass the size to the motif as well; otherwise the motif's options already contain it.
    """
    count = size // 8 if test.motif == "allreduce" else None
    length = (f"--count {count}" if count else f"-s {size}") if sized else ""
    ours = f"[MOTIF] {test.motif} {test.options} {length} -i {iterations} --timer loop"
    loop = f"[MOTIF] bare_{test.loop} -s {size} --times {iterations}"
    text = "\n".join(["[JOB_NAME] turns", "[NODES] 1", f"[REPEAT] {REPETITIONS}", ours, loop, loop, ours, ""])

    def launch() -> tuple[float, float]:
        with tempfile.TemporaryDirectory() as folder:
            workload, run = Path(folder) / "turns.sb", Path(folder) / "run.jsonl"
            workload.write_text(text)
            mpi.run(mpi.OPEN_MPI, test.ranks, [
                str(program), "run", str(workload), "--isolated", "1", "--contended", "0", "--warmup", str(WARMUP),
                "--output", str(run), "-q",
            ])  # fmt: skip
            samples = [json.loads(line) for line in run.read_text().splitlines() if '"type":"sample"' in line]
        step: dict[int, list[float]] = {number: [] for number in range(4)}
        for sample in samples:
            if sample["step"] is not None and sample["phase"] == "measured":
                step[sample["step"]].append(sample[f"time_{test.timed}_s"])
        both = [statistics.median(map(sum, zip(step[a], step[b], strict=True))) for a, b in ((0, 3), (1, 2))]
        return both[0] / (2 * iterations), both[1] / (2 * iterations)

    return launch


def cases(chosen: list[str] | None) -> Iterator[versus.Case]:
    """A case for each test and size, of the motifs in `chosen` or of all if it is None."""
    built = program()
    for test in TESTS:
        if chosen and test.motif not in chosen:
            continue
        for size, iterations in zip(SIZES, test.iterations, strict=True):
            yield versus.Case(
                (
                    f"{test.motif} {test.options}".rstrip(),
                    str(test.ranks),
                    compare.size_in_words(size),
                    str(iterations),
                ),
                interleaved=turns(built, test, size, iterations),
            )


def main() -> int:
    """Print the table. Exit status 1 if a ratio misses the goal."""
    arguments = versus.parser(__doc__, launches=9, motifs=[test.motif for test in TESTS]).parse_args()
    about = ("motif", "ranks", "size", "iterations")
    return versus.judge(cases(arguments.motif), about=about, theirs="bare C", goal=GOAL, arguments=arguments)


if __name__ == "__main__":
    sys.exit(main())
