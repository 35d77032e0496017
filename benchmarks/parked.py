"""Processor time of ranks that are parked during another job's isolated round, and of active ranks.

    .venv/bin/python benchmarks/parked.py [--ranks 8] [--seconds 8]

Goal: a parked rank takes less than 2 % of a core. A job on two ranks has one long isolated round; all other ranks
belong to a second job and are parked. Processor time is read from /proc in the middle of that round.

"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

import compare
import memory
import mpi
import processes

GOAL = 0.02
WORKLOAD = """\
[JOB_NAME] busy
[NID_LIST] 0-1
[MIN_TIME] 1h
[MOTIF] Compute -m 1ms
[MOTIF] AllReduce
"""


def shares(engine: Path, ranks: int, seconds: float) -> list[float]:
    """Share of a core used by each rank, in the order of ranks; ranks 0 and 1 are active, the others parked."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        workload = folder / "workload.sb"
        workload.write_text(WORKLOAD)
        program = memory.own_copy(engine, folder)
        arguments = ["run", str(workload), "--ranks-per-node", "1", "--isolated", "1", "--contended", "0"]
        with memory.running(mpi.OPEN_MPI.command(ranks, [str(program), *arguments]), program, ranks) as ids:
            ordered = sorted(ids, key=rank_of)
            time.sleep(1)
            begin = time.monotonic()
            before = [processes.processor_time_s(process) for process in ordered]
            time.sleep(seconds)
            after = [processes.processor_time_s(process) for process in ordered]
            elapsed = time.monotonic() - begin
    return [(b - a) / elapsed for a, b in zip(before, after, strict=True)]


def rank_of(process: int) -> int:
    """Open MPI rank of a process, from its environment."""
    words = Path(f"/proc/{process}/environ").read_text().split("\0")
    return int(next(word for word in words if word.startswith("OMPI_COMM_WORLD_RANK=")).partition("=")[2])


def main() -> int:
    """Print the table. Exit status 1 if a parked rank uses too much."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=8)
    arguments = parser.parse_args()
    core_shares = shares(mpi.build_engine(mpi.OPEN_MPI), arguments.ranks, arguments.seconds)
    running, parked = core_shares[:2], core_shares[2:]
    rows = [
        ["running", str(len(running)), f"{sum(running) / len(running):.1%}", f"{max(running):.1%}"],
        ["parked", str(len(parked)), f"{sum(parked) / len(parked):.2%}", f"{max(parked):.2%}"],
    ]
    sys.stdout.write(compare.table(["ranks", "how many", "mean share of a core", "largest"], rows) + "\n")
    return 1 if max(parked) >= GOAL else 0


if __name__ == "__main__":
    sys.exit(main())
