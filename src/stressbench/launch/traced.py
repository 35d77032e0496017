"""One traced launch from start to end: run the command, recover the data of dead ranks, resolve call sites."""

import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import orjson

from stressbench.exit_status import ExitStatus
from stressbench.formats.errors import reason_of
from stressbench.formats.files import NotPrivate, is_own_file, limits, read_own, require_output
from stressbench.formats.trace import Trace, TraceFileError, TraceMode, read_trace
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.following import run_forwarding_signals
from stressbench.launch.salvaging import salvage
from stressbench.launch.symbols import add_symbols, resolve, sites_of
from stressbench.launch.tracer import Tracer, find_tracer
from stressbench.launch.tracing import Tracing, with_tracer


@dataclass(frozen=True, kw_only=True)
class TraceRequest:
    """A command to trace, as typed, and the trace to write.

    `names`: keep host names in the trace. `gap_times`: keep the time before each call, in order. `cpu_time`:
    record processor time between calls instead of elapsed time.
    """

    words: tuple[str, ...]
    mode: TraceMode
    output: Path
    names: bool
    gap_times: bool = False
    cpu_time: bool = False


@dataclass(frozen=True, kw_only=True)
class TracedLaunch:
    """Result of a traced launch: the command's exit status, the trace (None: no trace), and messages for the user."""

    status: int
    trace: Trace | None
    sentences: tuple[str, ...]

    @property
    def exit_status(self) -> int:
        """The command's exit status, `fault` where it succeeded but left no trace."""
        return self.status or (ExitStatus.ok if self.trace is not None else ExitStatus.fault)


def run_traced(request: TraceRequest, *, environment: Mapping[str, str]) -> TracedLaunch:
    """Run the command with the tracer preloaded. Raises LaunchMistake before it starts, if something is wrong."""
    tracer = find_tracer(environment)
    tracing = Tracing(
        mode=request.mode, output=request.output.absolute(), key=secrets.token_hex(8), library=tracer.library,
        names=request.names, gap_times=request.gap_times, cpu_time=request.cpu_time,
    )  # fmt: skip
    if os.path.lexists(tracing.modules):
        raise LaunchMistake(f"--output: {tracing.modules} already exists and would be replaced; move it away first")
    outcome = run_forwarding_signals(with_tracer(request.words, tracing=tracing, base_environment=environment))
    salvaged = salvage(tracing, tracer, environment)
    sentences = list(salvaged.sentences)
    if not salvaged.written:
        return TracedLaunch(status=outcome.status, trace=None, sentences=salvaged.sentences)
    _remove_empty(tracing.output)
    trace, reason = _read(request.output)
    if trace is not None and not trace.truncated:
        _name_sites(trace, tracing)
        trace, reason = _read(request.output)
    with suppress(OSError):
        if is_own_file(tracing.modules):
            tracing.modules.unlink(missing_ok=True)
    if reason is not None:
        sentences.append(reason)
    elif trace is None:
        sentences += _missing_trace_sentences(request, tracer, outcome.status)
    return TracedLaunch(status=outcome.status, trace=trace, sentences=tuple(sentences))


def _remove_empty(output: Path) -> None:
    """Remove the file that an MPI program created at its start, if it wrote nothing and left nothing behind."""
    with suppress(OSError):
        if is_own_file(output) and output.lstat().st_size == 0:
            output.unlink()


def _read(path: Path) -> tuple[Trace | None, str | None]:
    """The trace, or the reason why it cannot be read. Neither where there is no file."""
    if not path.exists():
        return None, None
    try:
        return read_trace(path), None
    except TraceFileError as fault:
        return None, str(fault)


def _name_sites(trace: Trace, tracing: Tracing) -> None:
    """Add functions and lines of call sites to the trace if possible. The trace is valid without them."""
    try:
        paths = orjson.loads(read_own(tracing.modules, limit=limits.OUTPUT))
        symbols = resolve(sites_of(trace), paths=paths if isinstance(paths, dict) else {})
        if symbols and not trace.symbols:
            add_symbols(trace.path, symbols)
    except (NotPrivate, OSError, orjson.JSONDecodeError, TraceFileError):
        return


def _missing_trace_sentences(request: TraceRequest, tracer: Tracer, status: int) -> list[str]:
    mpi_text = "" if tracer.mpi is None else f" (the tracer's is {tracer.mpi})"
    status_text = f"{request.words[0]} ended with status {status} and " if status else ""
    return [
        f"{status_text}no rank wrote {request.output}. Did an MPI program run at all, and to its MPI_Finalize?",
        f"It is not seen where it is linked statically, or built with another MPI{mpi_text}, or where rank 0 ran on a "
        "host that does not share this folder",
    ]


def check_output(path: Path, *, endings: tuple[str, ...], replace: bool, option: str = "--output") -> None:
    """Raise LaunchMistake unless `path` is writable, has one of the `endings` and, without `replace`, is new."""
    if path.suffix not in endings:
        raise LaunchMistake(f"{option}: {path} should end in {' or '.join(endings)}")
    if path.is_dir():
        raise LaunchMistake(f"{option}: {path} is a directory")
    if not path.absolute().parent.is_dir():
        raise LaunchMistake(f"{option}: {path.absolute().parent} is not a directory")
    if os.path.lexists(path) and not replace:
        raise LaunchMistake(f"{option}: {path} already exists; choose another name")
    try:
        require_output(path)
    except OSError as fault:
        raise LaunchMistake(f"{option}: {path}: {reason_of(fault)}") from fault
