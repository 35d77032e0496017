"""Recovers trace data from shared memory: of ranks that died, or of all ranks if the trace could not be written."""

import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from stressbench.formats.files import is_own_file
from stressbench.formats.ranges import spans
from stressbench.formats.trace import TraceFileError, read_trace
from stressbench.launch.tracer import SALVAGE, Tracer
from stressbench.launch.tracing import Tracing


@dataclass(frozen=True, kw_only=True)
class Salvaged:
    """`written`: False if recovery failed to write the trace to its requested path. `sentences`: for the user."""

    written: bool
    sentences: tuple[str, ...]


def salvage(tracing: Tracing, tracer: Tracer, environment: Mapping[str, str]) -> Salvaged:
    """Write the trace from the data that ranks left behind, in a temporary directory if its own path fails."""
    pools = tracing.pools(environment)
    if not pools:
        return Salvaged(written=True, sentences=())
    paths = [path for _, path in pools]
    if _is_complete(tracing.output):  # ranks were killed after all lines had been written
        remaining_files = f"shared memory remains in {', '.join(map(str, paths))}"
        sentence = f"{tracing.output} is complete; {remaining_files}: `stressbench clean` removes it"
        return Salvaged(written=True, sentences=(sentence,))
    ranks = spans({rank for rank, _ in pools})
    ranks_text = f"rank{'s' if ',' in ranks or '-' in ranks else ''} {ranks} did not reach MPI_Finalize"
    remaining_files = f"their data remains in {', '.join(map(str, paths))}"
    if tracer.salvage is None:
        return Salvaged(written=True, sentences=(f"{ranks_text}; {SALVAGE} was not found, and {remaining_files}",))
    run = _Salvage(program=tracer.salvage, pools=paths, environment={**environment, **dict(tracing.settings())})
    with suppress(OSError):  # incomplete without these ranks; the program writes to new files only
        tracing.output.unlink()
    failure = run.write(tracing.output)
    if failure is None:
        return Salvaged(written=True, sentences=(f"{ranks_text}; their calls up to the last one were saved",))
    with suppress(OSError):
        tracing.output.unlink()  # written by this launch, and incomplete at best
    explanation = f"{tracing.output} could not be written: {SALVAGE} failed ({failure})"
    fallback = Path(tempfile.mkdtemp(prefix="stressbench-")) / tracing.output.name
    if run.write(fallback) is None:
        return Salvaged(written=False, sentences=(f"{explanation}; the trace is {fallback}",))
    with suppress(OSError):
        fallback.unlink(missing_ok=True)
        fallback.parent.rmdir()
    removed = "`stressbench clean` removes it"
    return Salvaged(
        written=False, sentences=(f"{explanation}, and {remaining_files}: `{SALVAGE} FILE POOL...`; {removed}",)
    )


def _is_complete(output: Path) -> bool:
    """Whether it is a trace of which the tracer wrote all lines."""
    try:
        trace = read_trace(output) if is_own_file(output) else None
    except TraceFileError:
        return False
    return trace is not None and trace.end is not None and trace.end.complete


@dataclass(frozen=True, kw_only=True)
class _Salvage:
    program: Path
    pools: Sequence[Path]
    environment: Mapping[str, str]

    def write(self, output: Path) -> str | None:
        """Write the trace and remove the pools. Returns the reason for a failure, None for success."""
        completed = subprocess.run(
            [str(self.program), str(output), *map(str, self.pools)], capture_output=True, text=True, errors="replace",
            stdin=subprocess.DEVNULL, check=False, env=self.environment,
        )  # fmt: skip
        if completed.returncode != 0:
            return (completed.stderr.strip().splitlines() or [f"status {completed.returncode}"])[-1]
        for path in self.pools:
            with suppress(OSError):
                path.unlink(missing_ok=True)
        return None
