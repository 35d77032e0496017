"""The workload with the computation of the program, which `--emit` writes, and its captures beside it."""

from collections.abc import Callable, Sequence
from pathlib import Path

from stressbench.errors import MachineFault
from stressbench.formats.errors import reason_of
from stressbench.formats.files import write_output
from stressbench.launch.traced import check_output
from stressbench.results.validation import Validation


class NotEmitted(MachineFault):
    """Raised if the workload could not be written after the launches, with their result."""

    def __init__(self, message: str, *, result: Validation) -> None:
        super().__init__(message)
        self.result = result


def require_own_captures(path: Path, *, motifs: int) -> None:
    """Raise LaunchMistake if a capture beside `path` cannot be written, or exists without the workload at `path`."""
    for capture in _captures_beside(path, count=motifs):
        check_output(capture, endings=(".trace",), replace=path.exists(), option="--emit")


def emit(
    path: Path, *, captures: Sequence[Path], text_with: Callable[[Sequence[Path]], str], result: Validation
) -> tuple[Path, ...]:
    """Write copies of `captures` beside `path`, and to `path` the workload that names these copies. Returns the copies.

    Raises NotEmitted with the result.
    """
    copies = _captures_beside(path, count=len(captures))
    try:
        for source, copy in zip(captures, copies, strict=True):
            write_output(copy, source.read_bytes())
        write_output(path, text_with(copies))
    except OSError as fault:
        raise NotEmitted(f"--emit: {fault.filename}: {reason_of(fault)}", result=result) from fault
    return copies


def _captures_beside(path: Path, *, count: int) -> tuple[Path, ...]:
    """The captures of an emitted workload: one, or one for each motif of a chain."""
    suffixes = [".trace"] if count == 1 else [f"-{number}.trace" for number in range(1, count + 1)]
    return tuple(path.with_name(path.stem + suffix) for suffix in suffixes)
