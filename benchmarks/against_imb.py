"""The engine against the Intel MPI Benchmarks (IMB-MPI1, P2P, NBC and RMA), both under Intel MPI through shared memory.

    .venv/bin/python benchmarks/against_imb.py [--launches 21] [--motif pingpong]

Goal: ratios of medians within 2 %. Same library, sizes, iterations and one warm-up on both sides, in launches that take
turns. What each side's number is: the mean over ranks of the time of one iteration (PingPong: half of it; Uniband and
Biband: a window of 64 messages, each way and of each pair), the clock read as the Intel benchmarks read it: around
every call without a barrier in between (`-sync off`) for the collectives, else around the loop. IMB prints two decimals
of a microsecond; where it prints a message rate or a bandwidth too, that has more digits and is used instead. IMB's
buffers are placed at page borders, where the engine's are, by a preloaded malloc; `--as-is` leaves them where they are,
16 bytes behind one, and 1 MiB then takes IMB some 5 % longer. IMB-P2P by default writes and reads a byte of every cache
line of its buffers within the timed loop (1 MiB: 1.6 times the time); that is switched off (`-msgwr off -msgrd off`).

Installs the wheels `impi-rt` and `impi-devel` into .cache/intel-mpi at the first start.
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
SIZES = {8: 200_000, 8192: 50_000, 1 << 20: 2000}  # size in bytes: iterations, some 50 ms of them or more
WINDOW = 64  # messages, Uniband's and Biband's


@dataclass(frozen=True)
class Peer:
    """A motif and its counterpart."""

    motif: str
    suite: str
    imb: str
    motif_options: tuple[str, ...] = ()
    timer: str = "loop"
    ranks: int = 2
    window: int = 1  # messages of all pairs, both ways, in an iteration: what IMB's message rate counts

    def command(self, lengths: Path, size: int, iterations: int) -> list[str]:
        """IMB's arguments. P2P takes its iterations in another way; collectives go without a barrier."""
        program = [str(mpi.INTEL / "bin" / f"IMB-{self.suite}"), self.imb, "-msglen", str(lengths)]
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
    """Time that a row of an IMB table gives for `window` messages, in seconds, from its column with the most digits.

    The first table that has a row for the size counts (IMB-RMA: non-aggregate). Raises ValueError where there is none.
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
            return size_bytes / (float(row["Mbytes/sec"]) * 1e6)
    raise ValueError(f"IMB {benchmark} printed no row for {size_bytes} bytes:\n{output}")


def imb(peer: Peer, lengths: Path, size: int, iterations: int, preload: Path | None) -> Callable[[], float]:
    """A launch of IMB."""
    before = ("env", f"LD_PRELOAD={preload}") if preload else ()

    def launch() -> float:
        lengths.write_text(f"{size}\n")
        output = mpi.run(mpi.INTEL_MPI, peer.ranks, [*before, *peer.command(lengths, size, iterations)])
        return imb_time_s(output, peer.imb, size, peer.window)

    return launch


def cases(peers: list[Peer], lengths: Path, *, aligned: bool) -> Iterator[versus.Case]:
    """Every peer at every size."""
    mpi.install_intel()
    engine = mpi.build_engine(mpi.INTEL_MPI)
    preload = mpi.build_preload(mpi.INTEL_MPI, "page_aligned") if aligned else None
    for peer in peers:
        for size, most in SIZES.items():
            iterations = max(1, most // peer.window)
            loop = versus.Loop(peer.ranks, iterations, 1, WARMUP, peer.timer)
            yield versus.Case(
                (f"{peer.suite} {peer.imb}", str(peer.ranks), compare.size_in_words(size), str(iterations)),
                versus.motif(mpi.INTEL_MPI, engine, peer.motif, (*peer.motif_options, "--sizes", str(size)), loop),
                imb(peer, lengths, size, iterations, preload),
            )


def main() -> int:
    """Prints the table; status 1 when a ratio misses the goal."""
    parser = versus.parser(__doc__, launches=21, motifs=[peer.motif for peer in PEERS])
    parser.add_argument("--as-is", action="store_true", help="leave IMB's buffers where its malloc puts them")
    arguments = parser.parse_args()
    peers = [peer for peer in PEERS if not arguments.motif or peer.motif in arguments.motif]
    with tempfile.TemporaryDirectory() as folder:
        return versus.judge(
            cases(peers, Path(folder) / "lengths", aligned=not arguments.as_is),
            about=("benchmark", "ranks", "size", "iterations"), theirs="IMB", goal=GOAL, arguments=arguments,
        )  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
