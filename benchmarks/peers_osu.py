"""The engine against the OSU Micro-Benchmarks: latency, bandwidth, allreduce, alltoall, put and get.

Both sides of a row make the same calls, equally often:

- osu_latency and `pingpong --timer iteration`: rank 0 reads its clock around every round trip.
- osu_bw and `bandwidth --timer iteration`: 64 MPI_Isend of one buffer, MPI_Waitall, an acknowledgement (1 byte; the
  motif's has 4); rank 0 reads its clock around every window.
- osu_allreduce (MPI_FLOAT) and osu_alltoall: a barrier before each call, the clock around the call alone, mean over
  calls and ranks. The motif runs one call per repetition (`-i 1`), since a barrier precedes each repetition.
- osu_put_latency, osu_get_latency (`-w create -s flush`): MPI_Put or MPI_Get and MPI_Win_flush under one shared lock.
  OSU also reads its clock twice in every iteration of the loop that it times, even without the options that need it;
  `--timer iteration` reads as often, but one of the two readings is not in the time.

As many iterations are made before the measurement as in it (`-x` equals `-i`), because the engine warms up with whole
repetitions. Messages up to 8 KiB take more iterations than longer ones, as in OSU. Its buffers are aligned to pages
like the engine's. OSU's latencies have no size 0 any more.

"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import compare
import sweep
from peer import Setting

GOAL = sweep.Goal(0.02, interval=0.05)
RANKS = 2
WINDOW = 64
LARGEST_SMALL = 8192  # bytes; LARGE_MESSAGE_SIZE of OSU


@dataclass(frozen=True)
class Benchmark:
    """A program of OSU and the motif that corresponds to it.

    `iterations`: of messages up to 8 KiB, and of longer ones. `options`: of the OSU program. `per_call`: each call is
    timed on its own, behind a barrier. `window`: messages of an iteration if the program prints a bandwidth.
    """

    program: str
    motif: str
    motif_options: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    iterations: tuple[int, int] = (10_000, 1000)
    per_call: bool = False
    window: int | None = None
    smallest: int = 1


_ONE_SIDED = ("-w", "create", "-s", "flush")
_ONE_SIDED_MOTIF = ("--sync", "lock", "--flush", "--window-kind", "create", "--timer", "iteration")
BENCHMARKS = (
    Benchmark("osu_latency", "pingpong", ("--timer", "iteration")),
    Benchmark(
        "osu_bw",
        "bandwidth",
        ("--window", str(WINDOW), "--timer", "iteration"),
        ("-W", str(WINDOW)),
        iterations=(500, 20),
        window=WINDOW,
    ),
    Benchmark(
        "osu_allreduce",
        "allreduce",
        ("--type", "float"),
        ("-T", "mpi_float"),
        iterations=(2000, 200),
        per_call=True,
        smallest=4,
    ),
    Benchmark("osu_alltoall", "alltoall", iterations=(2000, 200), per_call=True),
    Benchmark("osu_put_latency", "put", _ONE_SIDED_MOTIF, _ONE_SIDED),
    Benchmark("osu_get_latency", "get", _ONE_SIDED_MOTIF, _ONE_SIDED),
)


def osu_times(output: str, window: int | None = None) -> dict[str, float]:
    """Seconds by size from the table of an OSU program; of a window of messages if it prints a bandwidth in MB/s."""
    rows = re.findall(r"^(\d+) +(\d+\.\d+)", output, re.MULTILINE)
    times = {}
    for size, figure in rows:
        value = float(figure)
        seconds = int(size) * window / (value * 1e6) if window else value * 1e-6
        times[compare.size_in_words(int(size))] = seconds
    return times


def motif_times(output: str, figure: str) -> dict[str, float]:
    """Seconds by size from the JSON of a microbenchmark; `figure`: key of the time in a row."""
    return {compare.size_in_words(row["size_bytes"]): float(row[figure]) for row in json.loads(output)["rows"]}


def osu_words(setting: Setting, benchmark: Benchmark, sizes: Sequence[int], iterations: int) -> list[str]:
    """Command line of the OSU program."""
    return [
        setting.programs.path(benchmark.program), "-m", f"{sizes[0]}:{sizes[-1]}",
        "-i", str(iterations), "-x", str(iterations), *benchmark.options,
    ]  # fmt: skip


def motif_words(setting: Setting, benchmark: Benchmark, sizes: Sequence[int], iterations: int) -> list[str]:
    """Command line of the motif."""
    counts = (1, iterations, iterations) if benchmark.per_call else (iterations, 1, 1)
    of_loop, repetitions, warmup = map(str, counts)
    return [
        str(setting.engine), "motif", benchmark.motif, *benchmark.motif_options, "--sizes", ",".join(map(str, sizes)),
        "-i", of_loop, "--repetitions", repetitions, "--warmup", warmup, "--json",
    ]  # fmt: skip


def sweep_of(setting: Setting, benchmark: Benchmark, sizes: Sequence[int], iterations: int) -> sweep.Sweep:
    """The comparison of one program at sizes that share a number of iterations."""
    figure = "mean_s" if benchmark.per_call else "rank_mean_median_s"

    def ours() -> sweep.Times:
        return motif_times(setting.place.run(RANKS, motif_words(setting, benchmark, sizes, iterations)), figure)

    def theirs() -> sweep.Times:
        output = setting.place.run(RANKS, osu_words(setting, benchmark, sizes, iterations))
        return osu_times(output, benchmark.window)

    return sweep.Sweep((benchmark.program,), ours, theirs)


def sweeps(setting: Setting) -> Iterator[sweep.Sweep]:
    """All programs, messages up to 8 KiB and longer ones."""
    for benchmark in BENCHMARKS:
        limits = ((benchmark.smallest, LARGEST_SMALL), (LARGEST_SMALL + 1, setting.sizes.high))
        for (low, high), iterations in zip(limits, benchmark.iterations, strict=True):
            if sizes := setting.sizes.between(low, high):
                yield sweep_of(setting, benchmark, sizes, setting.scaled(iterations))


def tables(setting: Setting) -> Iterator[sweep.Table]:
    """One table with all programs and sizes."""
    yield sweep.measure(
        sweeps(setting), title="OSU Micro-Benchmarks", about=("OSU", "size"), theirs="OSU", goal=GOAL,
        launches=setting.launches, seed=setting.seed, interruption=setting.interruption,
    )  # fmt: skip
