"""Write time of a storage motif against that of the tracer, which reads its clock around every MPI-IO call.

    .venv/bin/python benchmarks/storage_time.py [--sizes 1GB,10GB] [--folder DIR]

Goals: within 0.5 % for 1 GB and 0.1 % for 10 GB (StressBench, III-B, reports 0.5 % and 0.01 % for its motif and
Darshan). Two ranks of Open MPI write one file in transfers of 16 MB with MPI_File_write_at; the sums over both ranks of
the same launch are compared. The numbers of bytes must be equal.

"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import compare
import mpi

RANKS = 2
TRANSFER = 16_000_000
GOALS = {"1GB": 0.005, "10GB": 0.001}


def motif(engine: Path, data: Path, megabytes: int) -> list[str]:
    """Command line of the motif that writes a file of this size once."""
    return [
        str(engine), "motif", "mpiio", "-s", f"{megabytes // RANKS}MB", "-t", str(TRANSFER), "-f", str(data),
        "-n", "MPI_File_write_at", "--repetitions", "1", "--warmup", "0", "--json",
    ]  # fmt: skip


def own_figures(output: str) -> tuple[float, float]:
    """Write time (s) and bytes according to the motif's JSON, summed over the ranks."""
    (row,) = json.loads(output[output.index("{") :])["rows"]
    time_s, written = (RANKS * row["metrics"][name][0]["mean"] for name in ("write_time_s", "written_bytes"))
    return time_s, written


def launch(engine: Path, folder: Path, size: str) -> tuple[float, float, float, float]:
    """Write time (s) and bytes according to the motif, then according to the tracer, summed over the ranks."""
    trace = folder / "write.json"
    megabytes = int(size.removesuffix("GB")) * 1000
    command = mpi.OPEN_MPI.command(RANKS, motif(engine, folder / "data", megabytes))
    completed = subprocess.run(
        [sys.executable, "-m", "stressbench", "profile", "-o", str(trace), "--", *command],
        capture_output=True, text=True, check=True,
        env={**mpi.OPEN_MPI.environment_variables(), "STRESSBENCH_MPI": str(engine)},
    )  # fmt: skip
    (traced,) = (row for row in json.loads(trace.read_text())["operations"] if row["op"] == "File_write_at")
    return *own_figures(completed.stdout), traced["time_s"], traced["bytes"]


def main() -> int:
    """Print the table. Exit status 1 if a difference misses its goal."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default=",".join(GOALS), help="file sizes [%(default)s]")
    parser.add_argument("--folder", type=Path, help="folder for the file [a temporary one]")
    arguments = parser.parse_args()
    engine = mpi.build_engine(mpi.OPEN_MPI)
    mpi.build_tracer(mpi.OPEN_MPI)
    rows, missed = [], 0
    for size in arguments.sizes.split(","):
        with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
            own_s, own_bytes, traced_s, traced_bytes = launch(engine, Path(folder), size)
        difference = own_s / traced_s - 1
        met = abs(difference) <= GOALS.get(size, 0.005) and own_bytes == traced_bytes
        missed += not met
        rows.append([size, f"{own_bytes:.0f}", f"{traced_bytes:.0f}", f"{own_s:.4f} s", f"{traced_s:.4f} s",
                     f"{difference:+.3%}", "yes" if met else "no"])  # fmt: skip
    header = ["file", "motif's bytes", "tracer's bytes", "write_time_s", "MPI_File_write_at", "difference", "goal met"]
    sys.stdout.write(compare.table(header, rows) + "\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
