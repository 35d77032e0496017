"""Replays of recorded programs against the programs: LAMMPS, ScaLAPACK's LU test, mpi4py's ring, on two ranks.

    .venv/bin/python benchmarks/replay.py [--launches 11]

Goal: within 5 %. Each block has, in random order, a launch of the program with the tracer loaded but inactive (its time
is that between MPI_Init and MPI_Finalize), and a capture followed by its replay with `motif replay`: one warm-up and
three repetitions, of which the median counts. Programs come from the Debian packages lammps, scalapack-mpi-test and
python3-mpi4py; missing ones are skipped with a message.

"""

import argparse
import json
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import compare
import mpi

GOAL = 0.05
RANKS = 2
MELT = """\
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 10 0 10 0 10
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
fix 1 all nve
run 500
"""
LU = """\
'ScaLAPACK, LU factorization input file'
'MPI Machine'
'LU.out' output file name (if any)
6 device out
10 number of problem sizes
900 900 900 900 900 900 900 900 900 900 values of M
900 900 900 900 900 900 900 900 900 900 values of N
1 number of NB's
32 values of NB
1 number of NRHS's
1 values of NRHS
1 number of NBRHS's
1 values of NBRHS
1 number of process grids
1 values of P
2 values of Q
1.0 threshold
F (T or F) Test Cond. Est. and Iter. Ref. Routines
"""
XDLU = "/usr/lib/x86_64-linux-gnu/scalapack/openmpi-tests/xdlu"


@dataclass(frozen=True)
class Program:
    """A packaged program and its input."""

    name: str
    command: tuple[str, ...]
    file: str = ""
    text: str = ""


PROGRAMS = (
    Program("LAMMPS, melt, 500 steps", ("lmp", "-in", "in.melt", "-log", "none"), "in.melt", MELT),
    Program("ScaLAPACK, LU, 10 of 900 x 900", (XDLU,), "LU.dat", LU),
    Program("mpi4py, ring test", ("/usr/bin/python3", "-m", "mpi4py.bench", "ringtest", "-l", "100000", "-n", "1024")),
)


@dataclass(frozen=True)
class Setting:
    """Working folder, tracer library and engine of the launches."""

    folder: Path
    library: Path
    engine: Path

    def run_traced(self, program: Program, mode: str, *, record: bool) -> tuple[Path, float]:
        """Run the program under the tracer, which records if `record`.

        Returns the trace and the longest time (s) of a rank from MPI_Init to MPI_Finalize.
        """
        output = self.folder / "made.trace"
        mpi.run(mpi.OPEN_MPI, RANKS, [
            "env", "-C", str(self.folder), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1",
            *mpi.traced(self.library, output, mode=mode, paused=not record), *program.command,
        ])  # fmt: skip
        lines = [json.loads(line) for line in output.read_text().splitlines()]
        return output, max(line["wall_s"] for line in lines if line["type"] == "rank")

    def replay_time(self, trace: Path) -> float:
        """Median time (s) of the repetitions of a replay."""
        output = mpi.run(mpi.OPEN_MPI, RANKS, [
            str(self.engine), "motif", "replay", "-f", str(trace), "--repetitions", "3", "--warmup", "1", "--json",
        ])  # fmt: skip
        (row,) = json.loads(output)["rows"]
        return float(row["median_s"])


def launches_of(program: Program, setting: Setting) -> tuple[Callable[[], float], Callable[[], float]]:
    """Functions that launch the replay and the program itself, and return the time in seconds."""

    def replay() -> float:
        trace, _ = setting.run_traced(program, "capture", record=True)
        return setting.replay_time(trace)

    def original() -> float:
        return setting.run_traced(program, "profile", record=False)[1]

    return replay, original


def main() -> int:
    """Print the table. Exit status 1 if a program misses the goal."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--launches", type=int, default=11)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    engine = mpi.build_engine(mpi.OPEN_MPI)
    library = mpi.build_tracer(mpi.OPEN_MPI)
    rows, missed = [], 0
    with tempfile.TemporaryDirectory() as name:
        setting = Setting(Path(name), library, engine)
        for program in PROGRAMS:
            if program.file:
                (setting.folder / program.file).write_text(program.text)
            if shutil.which(program.command[0]) is None:
                sys.stderr.write(f"{program.name}: {program.command[0]} is not installed, left out\n")
                continue
            ours, theirs = compare.interleave(
                *launches_of(program, setting), launches=arguments.launches, seed=arguments.seed
            )
            ratio = compare.ratio(ours, theirs, seed=arguments.seed)
            met = abs(ratio.of_medians.value - 1) <= GOAL
            missed += not met
            spread = statistics.quantiles(theirs, n=4)
            rows.append([
                program.name, compare.in_words(ratio.ours_s), compare.in_words(ratio.theirs_s),
                f"{(spread[2] - spread[0]) / spread[1]:.1%}", *compare.cells(ratio), "yes" if met else "no",
            ])  # fmt: skip
    header = ["program", "replay", "program itself", "its quartiles apart", *compare.HEADER, "within 5 %"]
    sys.stdout.write(compare.table(header, rows) + "\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
