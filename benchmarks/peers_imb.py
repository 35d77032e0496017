"""The engine against the Intel MPI Benchmarks, built from source for Open MPI, so that both also run between hosts.

Benchmarks, motifs, clocks and iterations are those of benchmarks/against_imb.py, which uses Intel MPI: point-to-point
benchmarks read the clock around the loop, collectives around every call without a barrier in between (`-sync off`).
A launch measures all sizes that share a number of iterations. IMB warms up with a part of the iterations, the motif
with as many as are measured. IMB prints two decimals of a microsecond or, in other columns, MB/s or messages/s, which
are used where they have more digits. The root of Bcast rotates on both sides (`-root_shift on`). A root in IMB sends
from one buffer and receives into another, so that no rank writes to what another has read; the motif has one buffer, as
applications have.

"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import against_imb
import compare
import mpi
import sweep
from peer import Setting
from peers_osu import LARGEST_SMALL, motif_times

GOAL = sweep.Goal(0.02, interval=0.05)
ITERATIONS = (10_000, 1000)  # of messages up to 8 KiB, and of longer ones; divided by the window of a stream
PEERS = tuple(peer for peer in against_imb.PEERS if peer.suite in ("MPI1", "RMA") and peer.ranks == 2)
SMALLEST = {"allreduce": 4, "alltoall": 1, "bcast": 1, "put": 1, "get": 1}  # bytes; otherwise 0


def imb_words(
    setting: Setting, peer: against_imb.Peer, folder: Path, sizes: Sequence[int], iterations: int
) -> list[str]:
    """Command line of IMB; its sizes are written to a file in `folder`."""
    lengths = folder / "lengths"
    lengths.write_text("".join(f"{size}\n" for size in sizes))
    programs = Path(setting.programs.path(f"IMB-{peer.suite}")).parent
    rotating = ["-root_shift", "on"] if peer.imb == "Bcast" else []
    return [*peer.command(programs, lengths, sizes[-1], iterations), *rotating]


def sweep_of(setting: Setting, peer: against_imb.Peer, sizes: Sequence[int], iterations: int) -> sweep.Sweep:
    """The comparison of one benchmark at sizes that share a number of iterations."""
    words = [
        str(setting.engine), "motif", peer.motif, *peer.motif_options, "--sizes", ",".join(map(str, sizes)),
        "-i", str(iterations), "--timer", peer.timer, "--repetitions", "1", "--warmup", "1", "--json",
    ]  # fmt: skip
    preload = mpi.build_preload(mpi.OPEN_MPI, "page_aligned")

    def ours() -> sweep.Times:
        return motif_times(setting.place.run(peer.ranks, words), "rank_mean_median_s")

    def theirs() -> sweep.Times:
        command = ["env", f"LD_PRELOAD={preload}", *imb_words(setting, peer, setting.folder, sizes, iterations)]
        output = setting.place.run(peer.ranks, command)
        return {
            compare.size_in_words(size): against_imb.imb_time_s(output, peer.imb, size, peer.window) for size in sizes
        }

    return sweep.Sweep((f"{peer.suite} {peer.imb}",), ours, theirs)


def sweeps(setting: Setting) -> Iterator[sweep.Sweep]:
    """All benchmarks, messages up to 8 KiB and longer ones."""
    for peer in PEERS:
        limits = ((SMALLEST.get(peer.motif, 0), LARGEST_SMALL), (LARGEST_SMALL + 1, setting.sizes.high))
        for (low, high), iterations in zip(limits, ITERATIONS, strict=True):
            if sizes := setting.sizes.between(low, high):
                yield sweep_of(setting, peer, sizes, setting.scaled(iterations // peer.window))


def tables(setting: Setting) -> Iterator[sweep.Table]:
    """One table with all benchmarks and sizes."""
    yield sweep.measure(
        sweeps(setting), title="Intel MPI Benchmarks", about=("IMB", "size"), theirs="IMB", goal=GOAL,
        launches=setting.launches, seed=setting.seed, interruption=setting.interruption,
    )  # fmt: skip
