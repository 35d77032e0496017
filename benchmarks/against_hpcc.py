"""The rings of b_eff against those of HPC Challenge (package hpcc), naturally and randomly ordered, under Open MPI.

    .venv/bin/python benchmarks/against_hpcc.py [--launches 7] [--ranks 4] [--on lab:NAME] [--buffered 2] [--written]

Goal: ratios of medians within 10 %. Both send 2,000,000 bytes to the left and to the right neighbour in a ring of all
ranks, by MPI_Sendrecv or nonblocking calls, whichever is faster, and report bytes/s per rank. Differences: hpcc always
sends from the same buffers, b_eff from alternating ones, so that long messages do not come from a cache (`--buffered 2`
gives b_eff as few as hpcc has); hpcc never writes to its send buffers, so that Linux maps all of them to one page of
zeros (`--written` makes glibc write to them with MALLOC_PERTURB_); hpcc repeats a ring for less than 2.5 ms; it takes
the faster method of each rank, then the slowest rank, whereas b_eff takes the slowest rank of each method, then the
faster method. Three ranks or more: in a ring of two, b_eff sends one message where hpcc sends two. Launches alternate;
hpcc also runs its other kernels, at the smallest possible sizes.

"""

import argparse
import json
import math
import os
import random
import re
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import compare
import mpi

from stressbench.launch.lab import LabTarget
from stressbench.launch.launch_target import LaunchTarget
from stressbench.launch.program import run_program
from stressbench.launch.targets import resolve_target

GOAL = 0.10
SIZE = 2_000_000  # message size of hpcc, in bytes
POLYGONS = 30
WRITTEN_BUFFERS = ("MALLOC_PERTURB_=85",)  # environment in which glibc writes to memory when it is allocated
KINDS = {
    "naturally ordered": "NaturallyOrderedRingBandwidth_GBytes",
    "randomly ordered": "RandomlyOrderedRingBandwidth_GBytes",
}
INPUT = """\
HPLinpack benchmark input file
as small as it can be: what counts is bench_lat_bw
HPL.out
8 device
1 sizes
{size} Ns
1 NBs
32 NBs
0 PMAP
1 grids
1 Ps
{ranks} Qs
16.0 threshold
1 fact
2 PFACTs
1 stop
4 NBMINs
1 panels
2 NDIVs
1 fact
1 RFACTs
1 bcast
1 BCASTs
1 lookahead
1 DEPTHs
2 SWAP
64 swapping threshold
0 L1
0 U
1 Equilibration
8 alignment
##### (line 32)
0 more sizes of PTRANS
100 values
0 more blocks
32 values
"""


Start = Callable[[Path, Sequence[str]], None]  # arguments: folder for the program's files, and command line


def hpcc(start: Start, ranks: int, folder: Path, *, touched_buffers: bool) -> dict[str, float]:
    """Seconds per message by kind of ring, from a launch of hpcc.

    `touched_buffers`: buffers are written to when allocated.
    """
    (folder / "hpccinf.txt").write_text(INPUT.format(size=200 * ranks, ranks=ranks))
    output = folder / "hpccoutf.txt"
    output.unlink(missing_ok=True)
    start(folder, ["env", *WRITTEN_BUFFERS, "hpcc"] if touched_buffers else ["hpcc"])
    text = output.read_text()
    times_s = {}
    for kind, name in KINDS.items():
        match = re.search(rf"^{name}=([0-9.eE+-]+)$", text, re.MULTILINE)
        if match is None:
            raise ValueError(f"hpcc wrote no {name}")
        times_s[kind] = SIZE / (float(match[1]) * 1e9)
    return times_s


def ours(start: Start, engine: Path, ranks: int, folder: Path, *, buffered: int, seed: int) -> dict[str, float]:
    """Seconds per message by kind of ring, from a launch of b_eff: the ring of all ranks and 30 random polygons."""
    protocol = folder / "b_eff.jsonl"
    protocol.unlink(missing_ok=True)
    start(folder, [
        str(engine), "motif", "b_eff", "--rings", "6", "--polygons", str(POLYGONS), "--sizes", str(SIZE), "--protocol",
        str(protocol), "--buffered", str(buffered), "--repetitions", "1", "--warmup", "0", "--seed", str(seed),
    ])  # fmt: skip
    lines = [json.loads(line) for line in protocol.read_text().splitlines()]
    best: dict[int, float] = {}
    for line in lines:
        if line["type"] == "loop" and line["method"] in ("sendrecv", "nonblocking"):
            messages = lines[0]["patterns"][line["pattern"]]["messages"]
            bandwidth = messages / ranks * SIZE * line["loops"] / line["time_s"]
            best[line["pattern"]] = max(bandwidth, best.get(line["pattern"], 0.0))
    kinds = [pattern["kind"] for pattern in lines[0]["patterns"]]
    polygons = [best[index] for index, kind in enumerate(kinds) if kind == "random"]
    return {
        "naturally ordered": SIZE / best[kinds.index("ring")],
        "randomly ordered": SIZE / math.exp(math.fsum(map(math.log, polygons)) / len(polygons)),
    }


def starter(on: str, ranks: int, engine: Path, *, hosts: Sequence[str] | None = None) -> Start:
    """A function that starts programs on this machine or on the target of `--on`.

    `hosts`: on a lab, rank i runs alone on the i-th of these hosts; an empty sequence stands for the lab's first hosts.
    """
    if on == "local":
        return lambda folder, words: discard(
            mpi.run(mpi.OPEN_MPI, ranks, ["sh", "-c", 'cd "$0" && exec "$@"', str(folder), *words])
        )
    target = resolve_target(on, environment=os.environ)
    if hosts is not None:
        target = one_rank_per_host(target, ranks, hosts)

    def start(folder: Path, words: Sequence[str]) -> None:
        command = ("sh", "-c", 'exec "$@" >&2', "sh", *words)
        result = run_program(command, folder=folder, ranks=ranks, target=target, engine=engine, environment=os.environ)
        if result.was_asked_to_stop:
            raise KeyboardInterrupt
        if result.status:
            raise SystemExit(f"{words[0]} ended with status {result.status} on {on}")

    return start


def one_rank_per_host(target: LaunchTarget, ranks: int, hosts: Sequence[str]) -> LaunchTarget:
    """The target with one rank on each of `hosts`, or of its first hosts if there are none."""
    if hosts and isinstance(target, LabTarget):
        by_name = {host.name: host for host in target.hosts}
        target = replace(target, hosts=tuple(by_name[name] for name in hosts))
    return target.one_rank_per_host(ranks)


def discard(_: object) -> None:
    """Discard a return value."""


def main() -> int:
    """Print the table. Exit status 1 if a ratio misses the goal."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--launches", type=int, default=7, help="launches of each program [%(default)s]")
    parser.add_argument("--ranks", type=int, default=4, help="[%(default)s]")
    parser.add_argument("--on", default="local", help="local or lab:NAME [%(default)s]")
    parser.add_argument(
        "--buffered", type=int, default=6, help="number of messages that fit into b_eff's buffers [%(default)s]"
    )
    parser.add_argument("--written", action="store_true", help="write to hpcc's buffers when they are allocated")
    parser.add_argument("--seed", type=int, default=1, help="seed of the launch order and the intervals [%(default)s]")
    arguments = parser.parse_args()
    if arguments.ranks < 3:
        parser.error(f"--ranks {arguments.ranks}: in a ring of two, b_eff sends half of the messages; 3 or more")
    engine = mpi.build_engine(mpi.OPEN_MPI)
    start = starter(arguments.on, arguments.ranks, engine)
    order = random.Random(arguments.seed)
    our_times: dict[str, list[float]] = {kind: [] for kind in KINDS}
    hpcc_times: dict[str, list[float]] = {kind: [] for kind in KINDS}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        launchers: list[tuple[dict[str, list[float]], Callable[[], dict[str, float]]]] = [
            (
                our_times,
                lambda: ours(
                    start, engine, arguments.ranks, folder, buffered=arguments.buffered, seed=order.randrange(1 << 30)
                ),
            ),
            (hpcc_times, lambda: hpcc(start, arguments.ranks, folder, touched_buffers=arguments.written)),
        ]
        for _ in range(arguments.launches):
            order.shuffle(launchers)
            for times, launch in launchers:
                for kind, time_s in launch().items():
                    times[kind].append(time_s)
    rows, missed = [], 0
    for kind in KINDS:
        ratio = compare.ratio(our_times[kind], hpcc_times[kind], seed=arguments.seed)
        met = abs(ratio.of_medians.value - 1) <= GOAL
        missed += not met
        rates = [f"{SIZE / time_s / 1e6:.0f} MB/s" for time_s in (ratio.ours_s, ratio.theirs_s)]
        rows.append([kind, str(arguments.ranks), *rates, *compare.cells(ratio), "yes" if met else "no"])
    header = ["ring", "ranks", "b_eff, a rank", "hpcc, a rank", *compare.HEADER, f"within {GOAL:.0%}"]
    sys.stdout.write(compare.table(header, rows) + "\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
