"""Overhead of the tracer per call, for captures of a ping-pong on two ranks under Open MPI.

    .venv/bin/python benchmarks/tracer.py [--launches 15]

Goals: below 0.5 us at 8 bytes (half a round trip has one MPI_Send and one MPI_Recv per rank), below 1 % at 1 MiB. First
table: captured and uncaptured blocks of iterations (MPI_Pcontrol) alternate within a launch, so that memory and its
placement are the same for both; a launch gives one pair of medians. Second table: the library loaded but inactive
against a program without it, in alternating launches. Last line: memory of one rank for 10^7 calls.

"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import compare
import mpi
import versus

SIZES = {8: (2000, 100), 8192: (500, 100), 1 << 20: (100, 80)}  # bytes: iterations of a block, pairs of blocks
PLAIN = versus.Loop(2, iterations=100_000, repetitions=5, warmup=1)  # of 8-byte messages
SMALL_GOAL_S = 0.5e-6
LARGE_GOAL = 1.01
MEMORY_GOAL_MIB = 32
RANKS = 2


def alternating_blocks(program: Path, prefix: list[str], size: int) -> tuple[float, float]:
    """Half a round trip (s) with and without capturing, in blocks that alternate within one launch."""
    iterations, blocks = SIZES[size]
    output = mpi.run(mpi.OPEN_MPI, RANKS, [*prefix, str(program), str(iterations), str(blocks), str(size)])
    times_s = json.loads(next(line for line in output.splitlines() if line.startswith("{")))  # mpiP prints lines, too
    return times_s["traced_s"], times_s["paused_s"]


def peak_mib(command: list[str]) -> float:
    """Peak memory (MiB) of a program run as a single rank without a launcher."""
    code = f"import subprocess, resource; subprocess.run({command!r}, check=True, stdout=subprocess.DEVNULL); " \
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"  # fmt: skip
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                          env=mpi.OPEN_MPI.environment_variables())  # fmt: skip
    return int(re.findall(r"\d+", done.stdout)[-1]) / 1024


def main() -> int:
    """Print both tables and the memory. Exit status 1 if a figure misses its goal."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--launches", type=int, default=15)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    library = mpi.build_tracer(mpi.OPEN_MPI)
    program = mpi.build_bare(mpi.OPEN_MPI, "pingpong")
    alternating_program = mpi.build_bare(mpi.OPEN_MPI, "pingpong_traced")
    sources = mpi.CHECKOUT / "tests" / "tracer"
    others = map(str, sorted(sources.glob("patterns_*.c")))
    patterns = mpi.compile_c(mpi.OPEN_MPI, sources / "patterns.c", "patterns", *others)
    rows, missed = [], 0
    with tempfile.TemporaryDirectory() as folder:
        prefix = mpi.traced(library, Path(folder) / "pingpong.trace")
        for size in SIZES:
            pairs = [alternating_blocks(alternating_program, prefix, size) for _ in range(arguments.launches)]
            ratio = compare.ratio([p[0] for p in pairs], [p[1] for p in pairs], seed=arguments.seed)
            added_s = ratio.ours_s - ratio.theirs_s
            goal_met = added_s < SMALL_GOAL_S if size < max(SIZES) else ratio.within_blocks.value < LARGE_GOAL
            missed += not goal_met
            rows.append([compare.size_in_words(size), compare.in_words(ratio.ours_s), compare.in_words(ratio.theirs_s),
                         f"{added_s * 1e6:+.3f} us", *compare.cells(ratio), "yes" if goal_met else "no"])  # fmt: skip
        header = ["size", "captured", "recording off", "more", *compare.HEADER, "goal met"]
        sys.stdout.write(compare.table(header, rows) + "\n\n")
        with_tracer, without_tracer = compare.interleave(
            versus.c_loop(mpi.OPEN_MPI, program, 8, PLAIN, mpi.traced(library, Path(folder) / "none", paused=True)),
            versus.c_loop(mpi.OPEN_MPI, program, 8, PLAIN),
            launches=arguments.launches, seed=arguments.seed,
        )  # fmt: skip
        ratio = compare.ratio(with_tracer, without_tracer, seed=arguments.seed)
        added_text = f"{(ratio.ours_s - ratio.theirs_s) * 1e6:+.3f} us"
        row = [
            "8 B",
            compare.in_words(ratio.ours_s),
            compare.in_words(ratio.theirs_s),
            added_text,
            *compare.cells(ratio),
        ]
        sys.stdout.write(
            compare.table(["size", "recording off", "without it", "more", *compare.HEADER], [row]) + "\n\n"
        )
        output = Path(folder) / "small.trace"
        command = [str(patterns), "small", "1000000"]
        memory_mib = peak_mib([*mpi.traced(library, output), *command]) - peak_mib(command)
        size_kib = output.stat().st_size / 1024
    missed += memory_mib > MEMORY_GOAL_MIB
    sys.stdout.write(f"10^7 calls of one rank: {memory_mib:+.1f} MiB of memory, a file of {size_kib:.1f} KiB\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
