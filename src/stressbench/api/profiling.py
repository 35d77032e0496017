"""`stressbench.profile`: where the time of an MPI program goes, from Python."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from stressbench.api.failures import ProfileFailed
from stressbench.api.profile_results import ProfileResults
from stressbench.api.progress import Report, reporting_to
from stressbench.experiments.capture import CaptureFailed, profile_program
from stressbench.formats.trace import read_trace
from stressbench.tracing.profile import profile_of


def profile(
    command: Sequence[str | PathLike[str]], *, output: str | PathLike[str] | None = None, with_names: bool = False,
    progress: Report | None = None,
) -> ProfileResults:  # fmt: skip
    """Run `command`, a whole MPI launch, under the tracer and return where its time went and what it sent.

        results = stressbench.profile(["mpirun", "-n", "4", "./solver", "input.txt"])
        results.operations()      # a data frame: calls, time and bytes of each MPI operation

    The program needs no change; it inherits the standard streams. `output` is a file to write as well: a page (.html),
    the numbers (.json) or the trace (.trace). `with_names` keeps host names. `progress` receives a sentence about what
    was traced.

    Must be called in the main thread. Raises `stressbench.StressBenchError` if something is wrong before the program
    starts, and `stressbench.ProfileFailed` if the program ended with an error or no profile can be made.
    """
    sentences: list[str] = []

    def report_sentence(text: str) -> None:
        sentences.append(text)
        if progress is not None:
            progress(text)

    words = [str(word) for word in command]
    try:
        traced = profile_program(
            words,
            output=None if output is None else Path(output),
            with_names=with_names,
            progress=reporting_to(report_sentence),
        )
    except CaptureFailed as fault:
        raise ProfileFailed(str(fault), status=fault.status, results=None) from fault
    if not traced.is_traced:
        raise ProfileFailed("; ".join(sentences), status=traced.exit_status, results=None)
    results = ProfileResults(traced.profile or profile_of(read_trace(Path(output or ""))))
    if traced.status:
        raise ProfileFailed(f"{words[0]} ended with status {traced.status}", status=traced.status, results=results)
    return results
