"""Overhead of mpiP per call next to that of the engine's tracer: the ping-pong of benchmarks/tracer.py.

Blocks of iterations alternate within a launch, with the library recording and not (MPI_Pcontrol(1) and (0), which both
libraries know), so that memory and its placement are the same for both. The overhead is the difference of their medians
of half a round trip, in which one rank sends and the other receives. Launches with either library take turns. mpiP
unwinds the stack at every call (one frame by default) to find its call site, and adds the call's time to its record of
that call site; the tracer records the call in its place in the sequence of calls.

"""

import statistics
from collections.abc import Callable, Iterator
from pathlib import Path

import compare
import mpi
import tracer
from peer import Setting
from sweep import Table

SHARE_GOAL = 0.5  # of mpiP's overhead, for the smallest message


def tracer_library(engine: Path) -> Path:
    """The tracer that was built with an engine, or else one built now."""
    traced = engine.parent.parent / "tracer" / "libstressbench-trace.so"
    return traced if traced.exists() else mpi.build_tracer(mpi.OPEN_MPI)


def mpip_prefix(library: str, folder: Path) -> list[str]:
    """Command prefix that runs a program under mpiP, whose report goes to `folder`."""
    return ["env", f"LD_PRELOAD={library}", f"MPIP=-f {folder}"]


def blocks(program: Path, prefix: list[str], size: int) -> Callable[[], tuple[float, float]]:
    """A function that launches the ping-pong and returns half a round trip (s), recorded and not recorded."""
    return lambda: tracer.alternating_blocks(program, prefix, size)


def row_of(
    size: int, ours: list[tuple[float, float]], theirs: list[tuple[float, float]], seed: int
) -> tuple[tuple[str, ...], bool]:
    """The row of a message size, and whether the tracer's overhead is small enough compared with mpiP's.

    It is if the interval of its share lies below the goal, and both overheads are positive.
    """
    own, other = ([recorded - paused for recorded, paused in launches] for launches in (ours, theirs))
    share = compare.ratio(own, other, seed=seed).of_medians
    cells = [compare.size_in_words(size)]
    for launches, overheads in ((ours, own), (theirs, other)):
        paused = compare.median([paused for _, paused in launches], seed=seed)
        more = compare.median(overheads, seed=seed)
        cells += [compare.in_words(paused.value), f"{more.value * 1e6:+.3f} us"]
    is_known = all(statistics.median(overheads) > 0 for overheads in (own, other))  # and not lost in noise
    return (*cells, str(share), str(len(ours))), is_known and share.high < SHARE_GOAL


def tables(setting: Setting) -> Iterator[Table]:
    """One table; the goal is that of the smallest message."""
    program = mpi.build_bare(mpi.OPEN_MPI, "pingpong_traced")
    library = tracer_library(setting.engine)
    prefixes = (
        mpi.traced(library, setting.folder / "pingpong.trace"),
        mpip_prefix(setting.programs.path("libmpiP"), setting.folder),
    )
    rows: list[tuple[str, ...]] = []
    missed = 0
    for size in setting.interruption.before(tracer.SIZES):
        both = (blocks(program, prefix, size) for prefix in prefixes)
        with setting.interruption.after(rows):
            ours, theirs = compare.interleave(
                *both, launches=setting.launches, seed=setting.seed, interruption=setting.interruption
            )
            row, small = row_of(size, ours, theirs, setting.seed)
            judged = size == min(tracer.SIZES)
            missed += judged and not small
            rows.append((*row, ("yes" if small else "no") if judged else ""))
    header = (
        "size", "tracer paused", "added by recording", "mpiP paused", "added by recording",
        "tracer's overhead / mpiP's", "launches", f"below {SHARE_GOAL}",
    )  # fmt: skip
    yield Table("Overhead of half a round trip, which has a send and a receive", header, tuple(rows), missed)
