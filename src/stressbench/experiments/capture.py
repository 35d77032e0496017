"""Tracing of MPI programs: `capture` keeps every call, `record` writes a workload, `profile` aggregates the calls."""

import os
import secrets
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from stressbench.errors import StressBenchError
from stressbench.exit_status import ExitStatus
from stressbench.experiments.progress import Progress, silent
from stressbench.formats.errors import reason_of
from stressbench.formats.files import write_output
from stressbench.formats.trace import Trace, TraceFileError, TraceMode
from stressbench.formats.workload_text import WorkloadTextError
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.traced import TracedLaunch, TraceRequest, check_output, run_traced
from stressbench.report.renderers import render
from stressbench.report.traffic import document as documents
from stressbench.tracing.comments import in_comment
from stressbench.tracing.completeness import completeness_sentences
from stressbench.tracing.profile import Profile, profile_of
from stressbench.tracing.replay import replay_suitability, trace_path_for, workload_text

_TRACE = ".trace"
_PROFILE_SUFFIXES = (".html", ".json", _TRACE)


class CaptureFailed(StressBenchError):
    """The program ran, but its profile cannot be computed or written.

    `status` is the exit status of the program, `fault` where that is 0.
    """

    def __init__(self, message: str, *, program_status: int) -> None:
        self.status = program_status or ExitStatus.fault
        super().__init__(message)


@dataclass(frozen=True, kw_only=True)
class ProfiledProgram:
    """The result of a profiled program. `status`: its exit status. `is_traced`: whether a trace was written.

    `profile` is None without a trace, and where only the trace was requested.
    """

    status: int
    is_traced: bool
    profile: Profile | None

    @property
    def exit_status(self) -> int:
        """The exit status of the program, `fault` where it succeeded but left no trace."""
        return self.status or (ExitStatus.ok if self.is_traced else ExitStatus.fault)


def capture_program(
    command: Sequence[str], *, output: Path, with_names: bool = False, gap_times: bool = False,
    cpu_time: bool = False, progress: Progress = silent,
) -> TracedLaunch:  # fmt: skip
    """Run `command`, a whole MPI launch, and write every call of each rank to the trace file `output`.

    `with_names` keeps host names in the file, `gap_times` the time before each call in order. With `cpu_time`, times
    between calls are processor time. The numbers of ranks and calls and any losses are reported through `progress`.
    Raises LaunchMistake before the program starts, if something is wrong.
    """
    check_output(output, endings=(_TRACE,), replace=False)
    request = TraceRequest(
        words=tuple(command), mode=TraceMode.capture, output=output, names=with_names, gap_times=gap_times,
        cpu_time=cpu_time,
    )  # fmt: skip
    return _capture(request, progress=progress)


def record_program(
    command: Sequence[str], *, output: Path, job: str | None = None, with_names: bool = False,
    progress: Progress = silent,
) -> tuple[TracedLaunch, bool]:  # fmt: skip
    """Capture `command` and write a workload that replays it. `job` names its job, by default after the program.

    The trace is written beside `output`. The second value is False where no workload was written. The reasons are then
    reported through `progress`. Raises LaunchMistake before the program starts, if something is wrong.
    """
    check_output(output, endings=(".sb",), replace=False)
    trace_file = trace_path_for(output)
    check_output(trace_file, endings=(_TRACE,), replace=False)
    if job is not None and not (job and job.isprintable()):
        raise LaunchMistake(f"--job: {job!r} is not a name")
    request = TraceRequest(words=tuple(command), mode=TraceMode.capture, output=trace_file, names=with_names)
    launch = _capture(request, progress=progress)
    return launch, launch.trace is not None and _write_workload(launch.trace, output, job=job, progress=progress)


def profile_program(
    command: Sequence[str], *, output: Path | None = None, with_names: bool = False, progress: Progress = silent
) -> ProfiledProgram:
    """Run `command` and profile where its ranks spent their time and what they sent.

    `output` is an .html page, the numbers as .json, or the .trace from which both are computed. Raises LaunchMistake
    before the program starts, if something is wrong, and CaptureFailed where the profile cannot be computed or written.
    The trace is kept where writing failed.
    """
    if output is not None:
        check_output(output, endings=_PROFILE_SUFFIXES, replace=output.suffix != _TRACE)
    with _trace_file(output) as path:
        request = TraceRequest(words=tuple(command), mode=TraceMode.profile, output=path, names=with_names)
        launch = run_traced(request, environment=os.environ)
        for sentence in launch.sentences:
            progress(sentence)
        if launch.trace is None:
            return ProfiledProgram(status=launch.status, is_traced=False, profile=None)
        try:
            profile = None if path == output else profile_of(launch.trace)
            if profile is not None and output is not None:
                write_profile(profile, output)
        except TraceFileError as fault:
            raise CaptureFailed(str(fault), program_status=launch.status) from None
        except OSError as fault:
            kept_trace = path.with_name(path.name.removeprefix("."))
            path.rename(kept_trace)
            raise CaptureFailed(
                f"--output: {fault.filename}: {reason_of(fault)}; what was measured is in {kept_trace}: "
                f"`stressbench trace show --profile {kept_trace}`",
                program_status=launch.status,
            ) from None
    if output is not None:
        progress(f"wrote {output}")
    return ProfiledProgram(status=launch.status, is_traced=True, profile=profile)


def profile_json(profile: Profile) -> bytes:
    """The profile as JSON text with a trailing newline."""
    return TypeAdapter(Profile).dump_json(profile, indent=2) + b"\n"


def write_profile(profile: Profile, output: Path) -> None:
    """Write the profile as JSON or as an HTML page, by the suffix of `output`. Raises OSError."""
    if output.suffix == ".json":
        write_output(output, profile_json(profile))
    else:
        write_output(output, render("html", documents.page(profile)))


def _capture(request: TraceRequest, *, progress: Progress) -> TracedLaunch:
    launch = run_traced(request, environment=os.environ)
    for sentence in launch.sentences:
        progress(sentence)
    if launch.trace is not None:
        try:
            for sentence in completeness_sentences(launch.trace):
                progress(sentence)
        except TraceFileError as fault:
            progress(str(fault))
    return launch


def _write_workload(trace: Trace, output: Path, *, job: str | None, progress: Progress) -> bool:
    try:
        suitability = replay_suitability(trace)
        for reason in suitability.refusals:
            progress(f"cannot be replayed: {reason}")
        if suitability.refusals:
            progress(f"no workload was written; {trace.path} is kept for `stressbench trace`")
            return False
        name = job or in_comment(trace.header.program or "") or output.stem
        write_output(output, workload_text(trace, job=name, file=str(trace.path), nodes=suitability.nodes))
    except (TraceFileError, WorkloadTextError) as fault:
        progress(str(fault))
        return False
    except OSError as fault:
        progress(f"--output: {fault.filename}: {reason_of(fault)}")
        return False
    return True


@contextmanager
def _trace_file(output: Path | None) -> Iterator[Path]:
    """The trace that rank 0 writes: `output`, or a temporary file in the current directory, which hosts may share."""
    if output is not None and output.suffix == _TRACE:
        yield output
        return
    folder = Path.cwd() if os.access(Path.cwd(), os.W_OK) else Path(tempfile.gettempdir())
    path = folder / f".stressbench-{secrets.token_hex(6)}.trace"
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)
