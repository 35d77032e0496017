"""The engine against the Intel MPI Benchmarks (IMB-MPI1, P2P, NBC and RMA), under Intel MPI with shared memory.

    .venv/bin/python benchmarks/against_imb.py [--launches 21] [--motif pingpong]

Goal: ratios of medians within 2 %. Both sides use the same library, sizes, iterations and one warm-up, in alternating
launches. The compared figure is the mean over ranks of the time of one iteration (PingPong: half of it; Uniband and
Biband: a window of 64 messages, of each direction and pair). The clock is read as in the Intel benchmarks: for
collectives around every call without a barrier in between (`-sync off`), otherwise around the loop. IMB prints two
decimals of a microsecond; message rates and bandwidths have more digits and are used where they are printed. A
preloaded malloc aligns IMB's buffers to pages like those of the engine; `--as-is` leaves them 16 bytes behind a page
boundary, where 1 MiB takes IMB about 5 % longer. By default, IMB-P2P writes and reads a byte of every cache line of its
buffers within the timed loop (1 MiB: 1.6 times the time); that is switched off (`-msgwr off -msgrd off`).

Installs the wheels `impi-rt` and `impi-devel` in .cache/intel-mpi at the first start.

"""

import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import compare
import mpi
import versus

GOAL = 0.02
WARMUP = 1
SIZES = {8: 200_000, 8192: 50_000, 1 << 20: 2000}  # size in bytes: iterations, for 50 ms or more
WINDOW = 64  # messages per iteration in Uniband and Biband


@dataclass(frozen=True)
class Peer:
    """A motif and the Intel benchmark that corresponds to it."""

    motif: str
    suite: str
    imb: str
    motif_options: tuple[str, ...] = ()
    timer: str = "loop"
    ranks: int = 2
    window: int = 1  # messages per iteration, over all pairs and both directions, as IMB's message rate counts them

    def command(self, programs: Path, lengths: Path, size: int, iterations: int) -> list[str]:
        """Command line of IMB for the sizes in the file `lengths`. `programs`: directory with IMB's programs.

        P2P has another format of the iteration count, which depends on the size; collectives run without a barrier.
        """
        program = [str(programs / f"IMB-{self.suite}"), self.imb, "-msglen", str(lengths)]
        if self.suite == "P2P":
            untouched = ["-msgwr", "off", "-msgrd", "off"]
            return [*program, *untouched, "-iter", f"{iterations},{iterations * size // (1 << 20) + 1}"]
        sync = ["-sync", "off"] if self.timer == "iteration" else []
        fixed = ["-npmin", str(self.ranks), "-iter", str(iterations), "-iter_policy", "off", "-time", "60"]
        return [*program, *fixed, *sync]


PEERS = (
    Peer("pingpong", "MPI1", "PingPong"),
    Peer("pingpong", "P2P", "PingPong"),
    Peer("pingping", "MPI1", "PingPing"),
    Peer("sendrecv", "MPI1", "Sendrecv"),
    Peer("exchange", "MPI1", "Exchange"),
    Peer("bandwidth", "MPI1", "Uniband", window=WINDOW),
    Peer("bandwidth", "MPI1", "Uniband", ("--pairs", "halves"), window=2 * WINDOW, ranks=4),
    Peer("bandwidth", "MPI1", "Biband", ("--direction", "both"), window=2 * WINDOW),
    Peer("allreduce", "MPI1", "Allreduce", ("--type", "float"), "iteration"),
    Peer("alltoall", "MPI1", "Alltoall", (), "iteration"),
    Peer("bcast", "MPI1", "Bcast", ("--root", "rotate"), "iteration"),
    Peer("allreduce", "NBC", "Iallreduce_pure", ("--type", "float", "--nonblocking"), "iteration"),
    Peer("alltoall", "NBC", "Ialltoall_pure", ("--nonblocking",), "iteration"),
    Peer("put", "RMA", "Unidir_put", ("--flush",)),
    Peer("get", "RMA", "Unidir_get", ("--flush",)),
)


def imb_time_s(output: str, benchmark: str, size_bytes: int, window: int = 1) -> float:
    """Time in seconds that a row of an IMB table gives for `window` messages, from the column with the most digits.

    The first table with a row for this size counts (IMB-RMA: non-aggregate). Raises ValueError if there is none.
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
            if "Msg/sec" in row:
                return window / float(row["Msg/sec"])
            if size_bytes == 0:
                return float(row["t[usec]"]) * 1e-6
            return size_bytes / (float(row["Mbytes/sec"]) * 1e6)
    raise ValueError(f"IMB {benchmark} printed no row for {size_bytes} bytes:\n{output}")


def imb(peer: Peer, lengths: Path, size: int, iterations: int, preload: Path | None) -> Callable[[], float]:
    """A function that launches IMB and returns the time of an iteration in seconds."""
    prefix = ("env", f"LD_PRELOAD={preload}") if preload else ()

    def launch() -> float:
        lengths.write_text(f"{size}\n")
        words = peer.command(mpi.INTEL / "bin", lengths, size, iterations)
        output = mpi.run(mpi.INTEL_MPI, peer.ranks, [*prefix, *words])
        return imb_time_s(output, peer.imb, size, peer.window)

    return launch


def cases(peers: list[Peer], lengths: Path, *, aligned: bool) -> Iterator[versus.Case]:
    """A case for each pair of motif and Intel benchmark at each size."""
    mpi.install_intel()
    engine = mpi.build_engine(mpi.INTEL_MPI)
    preload = mpi.build_preload(mpi.INTEL_MPI, "page_aligned") if aligned else None
    for peer in peers:
        for size, max_iterations in SIZES.items():
            iterations = max(1, max_iterations // peer.window)
            loop = versus.Loop(peer.ranks, iterations, 1, WARMUP, peer.timer)
            yield versus.Case(
                (f"{peer.suite} {peer.imb}", str(peer.ranks), compare.size_in_words(size), str(iterations)),
                versus.motif(mpi.INTEL_MPI, engine, peer.motif, (*peer.motif_options, "--sizes", str(size)), loop),
                imb(peer, lengths, size, iterations, preload),
            )


def main() -> int:
    """Print the table. Exit status 1 if a ratio misses the goal."""
    parser = versus.parser(__doc__, launches=21, motifs=[peer.motif for peer in PEERS])
    parser.add_argument("--as-is", action="store_true", help="do not align IMB's buffers to pages")
    arguments = parser.parse_args()
    peers = [peer for peer in PEERS if not arguments.motif or peer.motif in arguments.motif]
    with tempfile.TemporaryDirectory() as folder:
        return versus.judge(
            cases(peers, Path(folder) / "lengths", aligned=not arguments.as_is),
            about=("benchmark", "ranks", "size", "iterations"), theirs="IMB", goal=GOAL, arguments=arguments,
        )  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
