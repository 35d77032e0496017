"""The engine's PingPong, AllReduce and AllToAll against the Intel MPI Benchmarks, both under Intel MPI through shared
memory on two ranks.

    .venv/bin/python benchmarks/against_imb.py [--launches 15] [--motif pingpong]

Goal: ratio of medians 1.00 +- 0.03. Same library, sizes, iterations and one warm-up on both sides, in launches that
take turns. What each side's number is: the mean over ranks of the time of one iteration (PingPong: half of it), the
clock read as the Intel benchmarks read it: around the loop for PingPong, around every call without a barrier in
between (`-sync off`) for the collectives. IMB prints two decimals of a microsecond; for PingPong its bandwidth column
has more digits and is used instead. IMB's buffers are placed at page borders, where the engine's are, by a preloaded
malloc; `--as-is` leaves them where they are, 16 bytes behind one, and 1 MiB then takes IMB some 5 % longer.

Installs the wheels `impi-rt` and `impi-devel` into .cache/intel-mpi at the first start.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import compare
import mpi

GOAL = 0.03
RANKS = 2
WARMUP = 1
SIZES = {8: 200_000, 8192: 50_000, 1 << 20: 2000}  # size in bytes: iterations, some 50 ms of them or more


@dataclass(frozen=True)
class Peer:
    """A motif and its counterpart."""

    motif: str
    imb: str
    timer: str
    imb_options: tuple[str, ...] = ()
    motif_options: tuple[str, ...] = ()


PEERS = (
    Peer("pingpong", "PingPong", "loop"),
    Peer("allreduce", "Allreduce", "iteration", ("-sync", "off"), ("--type", "float")),
    Peer("alltoall", "Alltoall", "iteration", ("-sync", "off")),
)


def imb_time_s(output: str, benchmark: str, size_bytes: int) -> float:
    """Time of one row of an IMB-MPI1 table, in seconds: PingPong's by way of its bandwidth, t_avg of collectives.

    Raises ValueError where the table has no such row.
    """
    head: list[str] = []
    for line in output.splitlines():
        cells = line.split()
        if cells[:2] == ["#bytes", "#repetitions"]:
            head = cells
        elif head and cells and cells[0] == str(size_bytes) and len(cells) == len(head):
            row = dict(zip(head, cells, strict=True))
            if "t_avg[usec]" in row:
                return float(row["t_avg[usec]"]) * 1e-6
            return size_bytes / (float(row["Mbytes/sec"]) * 1e6)
    raise ValueError(f"IMB {benchmark} printed no row for {size_bytes} bytes:\n{output}")


def launch_imb(peer: Peer, lengths: Path, preload: Path | None) -> Callable[[], compare.Times]:
    """A launch of IMB-MPI1 for every size."""

    def launch() -> compare.Times:
        times: dict[int, float] = {}
        for size, iterations in SIZES.items():
            lengths.write_text(f"{size}\n")
            output = mpi.run(mpi.INTEL_MPI, RANKS, [
                *(("env", f"LD_PRELOAD={preload}") if preload else ()), str(mpi.INTEL / "bin" / "IMB-MPI1"), peer.imb,
                "-npmin", str(RANKS), "-iter", str(iterations), "-iter_policy", "off", "-msglen", str(lengths),
                "-time", "60", *peer.imb_options,
            ])  # fmt: skip
            times[size] = imb_time_s(output, peer.imb, size)
        return times

    return launch


def launch_engine(peer: Peer, program: Path) -> Callable[[], compare.Times]:
    """A launch of the engine for every size."""

    def launch() -> compare.Times:
        times: dict[int, float] = {}
        for size, iterations in SIZES.items():
            output = mpi.run(mpi.INTEL_MPI, RANKS, [
                str(program), "motif", peer.motif, *peer.motif_options, "--sizes", str(size), "-i", str(iterations),
                "--timer", peer.timer, "--repetitions", "1", "--warmup", str(WARMUP), "--json",
            ])  # fmt: skip
            (row,) = json.loads(output)["rows"]
            times[size] = row["rank_mean_median_s"]
        return times

    return launch


def main() -> int:
    """Prints the table; status 1 when a ratio misses the goal."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--launches", type=int, default=31)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--motif", choices=[peer.motif for peer in PEERS], action="append")
    parser.add_argument("--as-is", action="store_true", help="leave IMB's buffers where its malloc puts them")
    arguments = parser.parse_args()
    mpi.install_intel()
    engine = mpi.build_engine(mpi.INTEL_MPI)
    preload = None if arguments.as_is else mpi.build_preload(mpi.INTEL_MPI, "page_aligned")
    rows, missed = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for peer in PEERS:
            if arguments.motif and peer.motif not in arguments.motif:
                continue
            ours, theirs = compare.interleave(
                launch_engine(peer, engine), launch_imb(peer, Path(folder) / "lengths", preload),
                launches=arguments.launches, seed=arguments.seed,
            )  # fmt: skip
            for size, iterations in SIZES.items():
                found = compare.ratio([t[size] for t in ours], [t[size] for t in theirs], seed=arguments.seed)
                met = abs(found.of_medians.value - 1) <= GOAL
                missed += not met
                rows.append([
                    peer.imb, compare.size_in_words(size), str(iterations), compare.in_words(found.ours_s),
                    compare.in_words(found.theirs_s), *compare.cells(found), "yes" if met else "no",
                ])  # fmt: skip
    header = ["benchmark", "size", "iterations", "engine", "IMB", *compare.HEADER, "within 3 %"]
    sys.stdout.write(compare.table(header, rows) + "\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
