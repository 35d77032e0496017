"""What the tracer adds to a call: the bare ping-pong with libstressbench-trace.so loaded (mode capture) and without it.

    .venv/bin/python benchmarks/tracer.py [--launches 15]

Goals: below 0.5 us on 8 bytes (half a round trip holds one MPI_Send and one MPI_Recv of each rank's), below 1 % on
1 MiB. Launches take turns under Open MPI on two ranks. The last line is one rank's memory that 10^7 calls need.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import compare
import mpi

SIZES = {8: 100_000, 8192: 20_000, 1 << 20: 500}  # bytes: iterations
SMALL_GOAL_S = 0.5e-6
LARGE_GOAL = 1.01
MEMORY_GOAL_MIB = 32
RANKS = 2


def launch(program: Path, prefix: list[str]) -> Callable[[], compare.Times]:
    """A launch for every size."""

    def once() -> compare.Times:
        times: dict[int, float] = {}
        for size, iterations in SIZES.items():
            output = mpi.run(mpi.OPEN_MPI, RANKS, [*prefix, str(program), str(iterations), "5", "1", str(size)])
            times[size] = json.loads(output)["rank_mean_median_s"]
        return times

    return once


def traced(library: Path, output: Path) -> list[str]:
    """What a program is started with to be captured."""
    return ["env", f"LD_PRELOAD={library}", "STRESSBENCH_TRACE_MODE=capture", f"STRESSBENCH_TRACE_OUTPUT={output}",
            "STRESSBENCH_TRACE_ID=benchmark"]  # fmt: skip


def peak_mib(command: list[str]) -> float:
    """Peak memory of a program that starts itself as one rank."""
    code = f"import subprocess, resource; subprocess.run({command!r}, check=True, stdout=subprocess.DEVNULL); " \
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"  # fmt: skip
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                          env=mpi.OPEN_MPI.surroundings())  # fmt: skip
    return int(re.findall(r"\d+", done.stdout)[-1]) / 1024


def main() -> int:
    """Prints the table; status 1 when a figure misses its goal."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--launches", type=int, default=15)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    library = (
        mpi.build_engine(mpi.OPEN_MPI, target="stressbench-trace").parent.parent / "tracer/libstressbench-trace.so"
    )
    program = mpi.build_bare(mpi.OPEN_MPI, "pingpong")
    sources = mpi.CHECKOUT / "tests" / "tracer"
    others = map(str, sorted(sources.glob("patterns_*.c")))
    patterns = mpi.compile_c(mpi.OPEN_MPI, sources / "patterns.c", "patterns", *others)
    rows, missed = [], 0
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "pingpong.trace"
        with_it, without = compare.interleave(
            launch(program, traced(library, output)),
            launch(program, []),
            launches=arguments.launches,
            seed=arguments.seed,
        )
        for size in SIZES:
            found = compare.ratio([t[size] for t in with_it], [t[size] for t in without], seed=arguments.seed)
            added_s = found.ours_s - found.theirs_s
            met = added_s < SMALL_GOAL_S if size < max(SIZES) else found.within_blocks.value < LARGE_GOAL
            missed += not met
            rows.append([compare.size_in_words(size), compare.in_words(found.ours_s), compare.in_words(found.theirs_s),
                         f"{added_s * 1e6:+.3f} us", *compare.cells(found), "yes" if met else "no"])  # fmt: skip
        header = ["size", "traced", "bare", "more", *compare.HEADER, "goal met"]
        sys.stdout.write(compare.table(header, rows) + "\n\n")
        output = Path(folder) / "small.trace"
        command = [str(patterns), "small", "1000000"]
        memory_mib = peak_mib([*traced(library, output), *command]) - peak_mib(command)
        size_kib = output.stat().st_size / 1024
    missed += memory_mib > MEMORY_GOAL_MIB
    sys.stdout.write(f"10^7 calls of one rank: {memory_mib:+.1f} MiB of memory, a file of {size_kib:.1f} KiB\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
