"""Launches of a program whose ranks are timed from MPI_Init to MPI_Finalize, without the start of the launcher.

The tracer measures the times. It is loaded by `env` on each rank, so that no launcher has to pass variables on.
"""

import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stressbench.formats.trace import TraceFileError, TraceMode, read_trace
from stressbench.launch import program as launching
from stressbench.launch.command import Command
from stressbench.launch.launch_target import LaunchTarget, has_all_ranks_here
from stressbench.launch.tracer import find_tracer
from stressbench.launch.tracing import Tracing, loaded_by_env, remove_leftovers


@dataclass(frozen=True, kw_only=True)
class ProgramTimes:
    """Seconds from MPI_Init to MPI_Finalize and within MPI, means over ranks; None for a program without MPI.

    `iterations`: calls of an operation on rank 0, None where they are not counted.
    """

    time_s: float | None = None
    mpi_s: float | None = None
    iterations: int | None = None


@dataclass(frozen=True, kw_only=True)
class TimedProgram:
    """The command of each launch, one after the other, and what the tracer records of it."""

    command: Command
    tracing: Tracing

    def times(self, *, iteration: str | None = None) -> ProgramTimes:
        """The times of the launch that has ended: unknown without a complete trace, which a program without MPI leaves.

        `iteration`: the operation whose calls on rank 0 are counted.
        """
        try:
            trace = read_trace(self.tracing.output)
            trace.require_complete()
        except TraceFileError:
            return ProgramTimes()
        wall_s = mpi_s = 0.0
        iterations = None if iteration is None else 0
        for rank in trace.ranks():
            wall_s += rank.wall_s
            mpi_s += sum(total.time_s for total in rank.totals)
            if iteration is not None and rank.rank == 0:
                iterations = sum(total.calls for total in rank.totals if total.op == iteration)
        ranks = trace.header.ranks
        return ProgramTimes(time_s=(wall_s / ranks or None), mpi_s=mpi_s / ranks, iterations=iterations)

    def remove_files(self) -> None:
        """Remove the files of a launch that has ended."""
        remove_leftovers(self.tracing, base_environment=os.environ)
        self.tracing.output.unlink(missing_ok=True)


def timed_program(
    words: Sequence[str], *, trace: Path, ranks: int, target: LaunchTarget, engine: Path | None, concurrent_ranks: int
) -> TimedProgram:  # fmt: skip
    """A program with its arguments on `ranks` ranks, in the current directory. Raises LaunchMistake.

    `trace`: a file that all hosts share. `concurrent_ranks`: ranks of other launches at the same time.
    """
    tracing = Tracing(
        mode=TraceMode.profile, output=trace, key=secrets.token_hex(8),
        library=find_tracer(os.environ, explicit_engine=engine).library, names=False,
    )  # fmt: skip
    traced = loaded_by_env(
        words, tracing=tracing, base_environment=os.environ, shares_memory=has_all_ranks_here(target)
    )  # fmt: skip
    command = launching.command_of(
        traced, folder=Path.cwd(), ranks=ranks, target=target, engine=engine, environment=os.environ,
        concurrent_ranks=concurrent_ranks,
    )  # fmt: skip
    return TimedProgram(command=command, tracing=tracing)
