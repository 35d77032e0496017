"""What grows with the number of ranks: start, memory, header, and the time of an empty round, on this machine.

    .venv/bin/python benchmarks/scale.py [--ranks 64 256 1024] [--rounds 21] [--output scale.json] [--figure scale.svg]
    .venv/bin/python benchmarks/scale.py --ranks --simulated-ranks 16 64 256 --figure scale.svg

For each number of ranks there are two launches. In the first, eight jobs with different motifs run isolated and
contended once; it yields the time until the run file has its header, the length of the header, and the peak memory of
the ranks. In the second, eight jobs with an empty chain have `--rounds` contended rounds; the time from the start of a
round to that of the next is what the engine needs for a round: three barriers, a broadcast and a reduction over all
ranks, and the reduction of the results of each job. Its median over rounds is fitted by a + b log2(P), a + b P and
a + b P^2.

All ranks share the cores of one machine, so that times also grow with the work of all ranks; memory does not. Where it
is permitted, ranks have real-time priority 1 and the launcher 2. A rank that ends waits 2 s for the launcher (PMIx);
with 1,024 ranks on two cores it answers later, and would report a rank that exited without MPI_Finalize: it is told to
accept that, and the run file shows whether the run is complete.

The empty rounds of `--simulated-ranks` are simulated with one rank on each host of a fat tree, in virtual time, which
depends on messages only: ranks compute in no time, and share no cores. They need `--simulator`, or the engine of `cmake
--preset simgrid` in build/simgrid.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import compare
import mpi
import numpy

JOBS = 8
MIXED = (
    "AllReduce -c 16", "Bcast -s 1KiB", "SendRecv -s 1KiB", "Barrier", "Halo2d -x 256 -y 256", "AllGather -s 8",
    "Shift -s 4KiB", "Incast -s 1KiB",
)  # fmt: skip
EMPTY = ("Compute -m 1",) * JOBS
LAB = """\
[hosts]
count = {ranks}
[[rail]]
rate = "10Gbit"
[topology]
kind = "fat-tree"
hosts_per_leaf = 16
taper = "1:1"
"""
POLL_S = 0.05
TIMEOUT_S = 1200
SIMULATOR = mpi.CHECKOUT / "build" / "simgrid" / "engine" / "stressbench-simgrid"
GROWTHS: dict[str, Callable[[float], float]] = {"log2(P)": math.log2, "P": float, "P^2": lambda ranks: ranks**2}


@dataclass(frozen=True)
class Scale:
    """Figures of one number of ranks; times in seconds, sizes in bytes."""

    ranks: int
    start_s: float
    header_bytes: int
    rank0_bytes: int
    min_bytes: int
    mean_bytes: float
    max_bytes: int
    mixed_s: float
    rounds_s: tuple[float, ...]

    @property
    def round_s(self) -> float:
        """Median time of an empty round."""
        return statistics.median(self.rounds_s)


@dataclass(frozen=True)
class Simulated:
    """Virtual times of empty rounds of one number of ranks, in seconds."""

    ranks: int
    rounds_s: tuple[float, ...]

    @property
    def round_s(self) -> float:
        """Median virtual time of an empty round."""
        return statistics.median(self.rounds_s)


Series: TypeAlias = Sequence[Scale] | Sequence[Simulated]


@dataclass(frozen=True)
class Fit:
    """Least squares of the relative deviations of intercept + slope x; `residual`: the largest of them."""

    intercept: float
    slope: float
    residual: float

    def text(self, x: str) -> str:
        """The line as a formula."""
        return f"{self.intercept * 1e3:.3g} ms + {self.slope * 1e3:.3g} ms x {x}: off by at most {self.residual:.0%}"


def workload(motifs: Sequence[str], ranks: int) -> str:
    """Jobs of equally many ranks, one for each motif; the last is a congestor."""
    jobs = [
        f"[JOB_NAME] job{number}\n[NODES] {ranks // len(motifs)}\n[REPEAT] 1\n[MOTIF] {motif}\n"
        for number, motif in enumerate(motifs)
    ]
    return "\n".join(jobs) + "[ROLE] congestor\n"


def launch(engine: Path, folder: Path, motifs: Sequence[str], ranks: int, *options: str) -> tuple[Path, float, float]:
    """Run the workload. Returns the run file, the time until it has its header, and the time of the launch."""
    file, run = folder / "scale.sb", folder / f"{ranks}-{len(options)}.jsonl"
    file.write_text(workload(motifs, ranks))
    command = [*mpi.realtime(priority=2), *mpi.OPEN_MPI.command(ranks, [
        "--mca", "orte_allowed_exit_without_sync", "1", *mpi.realtime(), str(engine), "run", str(file),
        "--ranks-per-node", "1", "--quiet", "--telemetry", "off", "--output", str(run), *options,
    ])]  # fmt: skip
    begin, started = time.monotonic(), None
    environment = mpi.OPEN_MPI.environment_variables()
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True, process_group=0) as process:
        try:
            while process.poll() is None:
                now = time.monotonic()
                if started is None and run.exists() and run.stat().st_size:
                    started = now - begin
                if now - begin > TIMEOUT_S:
                    raise TimeoutError(f"{ranks} ranks have not ended after {TIMEOUT_S} s")
                time.sleep(POLL_S)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, 15)
        errors = process.stderr.read() if process.stderr else ""
    if process.returncode != 0 or started is None:
        raise RuntimeError(f"{ranks} ranks ended with status {process.returncode}: {errors[-2000:]}")
    return run, started, time.monotonic() - begin


def simulate(simulator: Path, ranks: int, rounds: int) -> Simulated:
    """Empty rounds of eight jobs, with one rank on each host of a fat tree."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run, file, lab = folder / "run.jsonl", folder / "empty.sb", folder / "tree.toml"
        file.write_text(workload(EMPTY, ranks))
        lab.write_text(LAB.format(ranks=ranks))
        subprocess.run(
            [sys.executable, "-m", "stressbench", "run", str(file), "--on", f"simgrid:{lab}", "-n", str(ranks),
             "--isolated", "0", "--contended", str(rounds), "--warmup", "0", "-o", str(run)],
            env={**os.environ, "STRESSBENCH_SIMGRID": str(simulator)}, check=True, timeout=TIMEOUT_S,
            stdout=subprocess.DEVNULL,
        )  # fmt: skip
        return Simulated(ranks, differences(record["started_s"] for record in records(run, "round")))


def differences(starts: Iterable[float]) -> tuple[float, ...]:
    """Times from each start to the next."""
    return tuple(later - earlier for earlier, later in pairwise(starts))


def records(run: Path, kind: str) -> list[dict[str, Any]]:
    """The records of one type."""
    return [record for record in map(json.loads, run.read_text().splitlines()) if record["type"] == kind]


def measure(engine: Path, ranks: int, rounds: int) -> Scale:
    """Both launches with this number of ranks."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run, start_s, mixed_s = launch(engine, folder, MIXED, ranks, "--isolated", "1", "--contended", "1")
        (end,) = records(run, "end")
        header_bytes = len(run.read_text().partition("\n")[0])
        run, *_ = launch(engine, folder, EMPTY, ranks, "--isolated", "0", "--contended", str(rounds), "--warmup", "0")
        rounds_s = differences(record["started_s"] for record in records(run, "round"))
    memory = end["memory"]
    return Scale(
        ranks=ranks, start_s=start_s, header_bytes=header_bytes, rank0_bytes=memory["rank0_bytes"],
        min_bytes=memory["min_bytes"], mean_bytes=memory["mean_bytes"], max_bytes=memory["max_bytes"], mixed_s=mixed_s,
        rounds_s=rounds_s,
    )  # fmt: skip


def fit(ranks: Sequence[int], y: Sequence[float], growth: Callable[[float], float]) -> Fit:
    """Fit of the times `y` over `growth` of the numbers of ranks."""
    terms = [[1 / time, growth(count) / time] for count, time in zip(ranks, y, strict=True)]
    (intercept, slope), *_ = numpy.linalg.lstsq(terms, [1.0] * len(terms))
    residual = max(abs(intercept * one + slope * other - 1) for one, other in terms)
    return Fit(intercept=float(intercept), slope=float(slope), residual=float(residual))


def fits_of(series: Series) -> dict[str, Fit]:
    """All fits of the times of empty rounds, by the name of what grows."""
    ranks, times = [one.ranks for one in series], [one.round_s for one in series]
    return {name: fit(ranks, times, growth) for name, growth in GROWTHS.items()}


def draw(titled: Sequence[tuple[str, Series]], path: Path) -> None:
    """The time of an empty round over the number of ranks, with all fits: a panel for each series."""
    from matplotlib.figure import Figure

    fig = Figure(figsize=(4.8 * len(titled), 3.6), layout="constrained")
    for axes, (title, series) in zip(fig.subplots(ncols=len(titled), squeeze=False)[0], titled, strict=True):
        ranks, fits = [one.ranks for one in series], fits_of(series)
        grid = [2 ** (k / 8) for k in range(8 * int(math.log2(ranks[0])), 8 * int(math.log2(ranks[-1])) + 1)]
        axes.plot(ranks, [one.round_s * 1e3 for one in series], "o", label="median of the rounds")
        for (name, growth), style in zip(GROWTHS.items(), ("-", "--", ":"), strict=True):
            line = [(fits[name].intercept + fits[name].slope * growth(p)) * 1e3 for p in grid]
            axes.plot(grid, line, style, label=f"a + b {name}")
        axes.set_xscale("log", base=2)
        axes.set(xlabel="ranks P", yscale="log", ylabel="time of an empty round (ms)")
        axes.set_title(f"{title}, n = {len(series[0].rounds_s)} rounds", fontsize=10)
        axes.legend()
    fig.savefig(path)


def print_fits(series: Series) -> None:
    """All fits, a line each."""
    for name, found in fits_of(series).items():
        sys.stdout.write(f"{found.text(name)}\n")


def mib(count: float) -> str:
    """Bytes in MiB."""
    return f"{count / 2**20:.1f} MiB"


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, nargs="*", default=[64, 256, 1024], help="without numbers: none")
    parser.add_argument("--simulated-ranks", type=int, nargs="+", default=[])
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--engine", type=Path, help="default: builds one")
    parser.add_argument("--simulator", type=Path, default=SIMULATOR, help="stressbench-simgrid")
    parser.add_argument("--output", type=Path, help="figures as JSON")
    parser.add_argument("--figure", type=Path, help="figure of the times of empty rounds")
    arguments = parser.parse_args()
    engine = (arguments.engine or mpi.build_engine(mpi.OPEN_MPI)) if arguments.ranks else None
    scales = [measure(engine, ranks, arguments.rounds) for ranks in sorted(arguments.ranks) if engine is not None]
    simulated = [
        simulate(arguments.simulator, ranks, arguments.rounds) for ranks in sorted(arguments.simulated_ranks)
    ]  # fmt: skip
    if scales:
        rows = [
            [str(one.ranks), f"{one.start_s:.1f} s", f"{one.header_bytes} B", mib(one.min_bytes), mib(one.mean_bytes),
             mib(one.max_bytes), mib(one.rank0_bytes), f"{one.mixed_s:.1f} s", f"{one.round_s * 1e3:.1f} ms"]
            for one in scales
        ]  # fmt: skip
        head = ["ranks", "start", "header", "least", "mean", "largest", "rank 0", "8 jobs, 8 rounds",
                "empty round, median"]  # fmt: skip
        sys.stdout.write(compare.table(head, rows) + "\n")
        print_fits(scales)
    if simulated:
        rows = [[str(one.ranks), f"{one.round_s * 1e3:.3f} ms"] for one in simulated]
        sys.stdout.write(compare.table(["ranks", "simulated empty round, virtual time"], rows) + "\n")
        print_fits(simulated)
    titled: list[tuple[str, Series]] = [
        (f"Measured, {os.cpu_count()} cores", scales), ("Simulated, virtual time", simulated)
    ]  # fmt: skip
    drawn = [(title, series) for title, series in titled if series]
    if arguments.output is not None:
        result = {
            "cores": os.cpu_count(), "scales": [asdict(one) for one in scales],
            "simulated": [asdict(one) for one in simulated],
            "fits": {title: {name: asdict(one) for name, one in fits_of(series).items()} for title, series in drawn},
        }  # fmt: skip
        arguments.output.write_text(json.dumps(result, indent=1) + "\n")
    if arguments.figure is not None:
        draw(drawn, arguments.figure)
    return 0


if __name__ == "__main__":
    sys.exit(main())
