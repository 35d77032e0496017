"""One launch of a program under the tracer, on any launch target.

The tracer is loaded by `env` on each rank, so that no launcher has to pass variables on.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stressbench.errors import MachineFault
from stressbench.formats.trace import Trace, TraceFileError, read_trace
from stressbench.launch import program as launching
from stressbench.launch.execute import Outcome
from stressbench.launch.launch_target import LaunchTarget, has_all_ranks_here
from stressbench.launch.rail_selection import RailSelection
from stressbench.launch.tracing import Tracing, loaded_by_env, remove_leftovers


@dataclass(frozen=True, kw_only=True)
class TracedProgram:
    """A program on `ranks` ranks of a target, with its trace in a folder that all hosts share."""

    words: tuple[str, ...]
    ranks: int
    target: LaunchTarget
    engine: Path | None = None
    rail_selection: RailSelection | None = None

    def run(self, tracing: Tracing, *, settings: Sequence[tuple[str, str]] = (), output_to: int = 1) -> Outcome:
        """Launch the program. `settings`: more variables of the tracer. Its standard output goes to `output_to`.

        Raises LaunchMistake where it cannot be started.
        """
        tracing.output.unlink(missing_ok=True)
        words = loaded_by_env(
            self.words, tracing=tracing, settings=settings, base_environment=os.environ,
            shares_memory=has_all_ranks_here(self.target),
        )  # fmt: skip
        try:
            return launching.run_program(
                words, folder=Path.cwd(), ranks=self.ranks, target=self.target, engine=self.engine,
                environment=os.environ, rail_selection=self.rail_selection, output_to=output_to,
            )  # fmt: skip
        finally:
            remove_leftovers(tracing, base_environment=os.environ)

    def trace(self, tracing: Tracing) -> Trace:
        """The trace of all ranks of a launch that ended well. Raises MachineFault."""
        shown, path = Path(self.words[0]).name, tracing.output
        shared = "" if has_all_ranks_here(self.target) else f"; do all hosts share {path.parent}?"
        try:
            trace = read_trace(path)
        except TraceFileError as fault:
            question = "did it call MPI_Finalize, and is it built with the engine's MPI?"
            raise MachineFault(f"{shown} left no trace ({fault}): {question}{shared}") from fault
        try:
            trace.require_complete()
        except TraceFileError as fault:
            raise MachineFault(f"{shown} left the traces of some ranks only ({fault}){shared}") from fault
        return trace
