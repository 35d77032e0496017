"""Memory of a rank beyond that of a bare MPI_Init program, with 8 and with 64 ranks on this machine.

    .venv/bin/python benchmarks/memory.py [--ranks 8 64]

Goal: below 6 MiB plus the motif's buffers (negligible here: an allreduce of one double), with 8 and with 64 ranks.
Measured in the middle of a contended round with all ranks in two jobs. Figures are medians over ranks; the goal is
about the peak (VmHWM).

"""

import argparse
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import compare
import mpi
import processes

GOAL_KIB = 6 * 1024
SETTLING_TIME_S = 1.0
START_TIMEOUT_S = 120
FIGURES = {
    "peak (VmHWM)": "peak_kib",
    "proportional (Pss)": "proportional_kib",
    "own heap (RssAnon)": "anonymous_kib",
}
WORKLOAD = """\
[JOB_NAME] first
[NID_LIST] 0-{last_of_first}
[REPEAT] 1000000
[MIN_TIME] 1h
[MOTIF] Compute -m 20ms --mode sleep
[MOTIF] AllReduce
[JOB_NAME] second
[NID_LIST] {first_of_second}-{last}
[REPEAT] 1000000
[MIN_TIME] 1h
[MOTIF] Compute -m 20ms --mode sleep
[MOTIF] AllReduce
"""


@contextmanager
def running(command: Sequence[str], program: Path, ranks: int) -> Iterator[list[int]]:
    """Launch `command`, yield the process ids of its ranks after MPI_Init and a pause, and end the launch on exit."""
    launch = subprocess.Popen(
        command,
        env=mpi.OPEN_MPI.environment_variables(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        deadline = time.monotonic() + START_TIMEOUT_S
        while len(ids := processes.ranks_of(program)) < ranks or not all(map(initialised, ids)):
            if launch.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{program.name} did not start {ranks} ranks")
            time.sleep(0.1)
        time.sleep(SETTLING_TIME_S + ranks / 16)
        yield ids
    finally:
        launch.terminate()
        try:
            launch.wait(timeout=30)
        except subprocess.TimeoutExpired:
            launch.kill()
            launch.wait()
        for process in processes.ranks_of(program):
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)


def initialised(process: int) -> bool:
    """Whether MPI_Init has loaded the shared-memory transport of this process."""
    try:
        return "mca_btl_vader" in Path(f"/proc/{process}/maps").read_text()
    except OSError:
        return False


def own_copy(program: Path, folder: Path) -> Path:
    """A copy of the program with its own path, so that the processes of this launch can be found by it."""
    copy = folder / program.name
    copy.write_bytes(program.read_bytes())
    copy.chmod(0o755)
    return copy


def measure(engine: Path, bare: Path, ranks: int) -> tuple[processes.Memory, processes.Memory]:
    """Medians over ranks of the engine in a contended round and of the bare program."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        workload = folder / "workload.sb"
        half = ranks // 2
        workload.write_text(WORKLOAD.format(last_of_first=half - 1, first_of_second=half, last=ranks - 1))
        programs = {
            own_copy(engine, folder): [
                "run",
                str(workload),
                "--ranks-per-node",
                "1",
                "--isolated",
                "0",
                "--contended",
                "1",
            ],
            own_copy(bare, folder): ["600"],
        }
        medians = []
        for program, arguments in programs.items():
            with running(mpi.OPEN_MPI.command(ranks, [str(program), *arguments]), program, ranks) as ids:
                medians.append(median([processes.memory_of(process) for process in ids]))
    return medians[0], medians[1]


def median(measurements: Sequence[processes.Memory]) -> processes.Memory:
    """Median of each figure."""
    return processes.Memory(
        *(round(statistics.median(getattr(one, figure) for one in measurements)) for figure in FIGURES.values())
    )  # fmt: skip


def main() -> int:
    """Print the table. Exit status 1 if a figure misses the goal."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, nargs="+", default=[8, 64])
    arguments = parser.parse_args()
    engine, bare = mpi.build_engine(mpi.OPEN_MPI), mpi.build_bare(mpi.OPEN_MPI, "init")
    rows, missed = [], 0
    for ranks in arguments.ranks:
        ours, theirs = measure(engine, bare, ranks)
        more = ours.peak_kib - theirs.peak_kib
        missed += more > GOAL_KIB
        for name, figure in FIGURES.items():
            a, b = getattr(ours, figure), getattr(theirs, figure)
            rows.append([str(ranks), name, f"{a / 1024:.1f} MiB", f"{b / 1024:.1f} MiB", f"{(a - b) / 1024:+.1f} MiB"])
    sys.stdout.write(
        compare.table(["ranks", "memory of a rank, median", "engine", "bare MPI_Init", "more"], rows) + "\n"
    )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
