"""What ranks left in memory: those that died, and all of them where the trace could not be written."""

import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from stressbench.formats.ranges import spans
from stressbench.launch.tracer import SALVAGE, Tracer
from stressbench.launch.tracing import Tracing


@dataclass(frozen=True, kw_only=True)
class Salvaged:
    """Whether the trace is where it was asked for, as far as salvaging is concerned, and what to tell the person."""

    written: bool
    sentences: tuple[str, ...]


def salvage(tracing: Tracing, tracer: Tracer, environment: Mapping[str, str]) -> Salvaged:
    """Make the trace from what ranks left behind; where its place has no room, one in a folder for temporary files."""
    pools = tracing.pools(environment)
    if not pools:
        return Salvaged(written=True, sentences=())
    ranks = spans({rank for rank, _ in pools})
    ranks_text = f"rank{'s' if ',' in ranks or '-' in ranks else ''} {ranks} did not come to MPI_Finalize"
    paths = [path for _, path in pools]
    remaining_files = f"what they left stays in {', '.join(map(str, paths))}"
    if tracer.salvage is None:
        return Salvaged(written=True, sentences=(f"{ranks_text}; {SALVAGE} was not found, and {remaining_files}",))
    run = _Salvage(program=tracer.salvage, pools=paths, environment={**environment, **dict(tracing.settings())})
    failure = run.write(tracing.output)
    if failure is None:
        return Salvaged(written=True, sentences=(f"{ranks_text}; what they did up to their last call was saved",))
    with suppress(OSError):
        tracing.output.unlink()  # new, and a part of a trace at most
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


@dataclass(frozen=True, kw_only=True)
class _Salvage:
    program: Path
    pools: Sequence[Path]
    environment: Mapping[str, str]

    def write(self, output: Path) -> str | None:
        """Why there is no such file; None where it was written, and the pools are gone."""
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
