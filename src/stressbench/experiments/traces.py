"""Evaluation of trace files: the difference between two traces, the reference profile and the levels of one."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import orjson
from pydantic import TypeAdapter, ValidationError

from stressbench.errors import UserError
from stressbench.formats.complaints import first_error
from stressbench.formats.errors import reason_of
from stressbench.formats.files import BoundedValidator, limits, read_bytes
from stressbench.formats.trace import read_trace
from stressbench.tracing.diff import CONTEXT, MAX_CONTEXT, Difference, diff
from stressbench.tracing.grammar import TooManyCalls
from stressbench.tracing.multigrid import levels_of, levels_text
from stressbench.tracing.profile import Profile
from stressbench.tracing.reference import ReferenceProfile, reference_profile
from stressbench.tracing.tokens import TokenStyle


def trace_difference(a: Path, b: Path, *, exact: bool = False, context: int = CONTEXT) -> Difference:
    """Where the calls of two traces differ; `context`: calls shown around a difference.

    `exact`: compare receives from MPI_ANY_SOURCE and the creation of communicators as called. Raises TraceFileError,
    and UserError for traces with too many calls and for a context out of range.
    """
    if not 1 <= context <= MAX_CONTEXT:
        raise UserError(f"--context: {context}: expected 1 to {MAX_CONTEXT}")
    with _bounded(f"{a} or {b}"):
        first, second = read_trace(a), read_trace(b)
        for trace in (first, second):
            trace.require_complete()
        return diff(first, second, style=TokenStyle.exact if exact else TokenStyle.replayed, context=context)


def reference_profile_json(path: Path, *, iteration: bool = False) -> bytes:
    """The reference profile of a trace as JSON, one key per line, without keys whose value is unknown.

    `iteration`: only one iteration of the main loop. Raises TraceFileError, and UserError where the profile cannot be
    represented.
    """
    with _bounded(str(path)):
        profile = reference_profile(read_trace(path), iteration=iteration)
    record = TypeAdapter(ReferenceProfile).dump_python(profile, mode="json", exclude_none=True)
    try:
        lines = [orjson.dumps(key) + b": " + orjson.dumps(value) for key, value in record.items()]
    except TypeError:
        raise UserError("the sum of the ranks' counts exceeds 64 bits, which JSON readers cannot represent") from None
    return b"{\n" + b",\n".join(lines) + b"\n}\n"


def multigrid_levels(path: Path) -> str:
    """The levels of the multigrid in a trace, as the text of a file for `amg --levels`.

    Raises TraceFileError, with a reason, if none is recognised, and UserError for traces with too many calls.
    """
    with _bounded(str(path)):
        trace = read_trace(path)
        return levels_text(levels_of(trace), program=trace.header.program or "a program", ranks=trace.header.ranks)


def read_profile(path: Path) -> Profile:
    """The profile in a .json file of `stressbench profile`. Raises UserError."""
    try:
        return BoundedValidator[Profile](Profile).validate_json(read_bytes(path, limit=limits.PROFILE))
    except OSError as fault:
        raise UserError(f"{path}: {reason_of(fault)}") from fault
    except ValidationError as fault:
        raise UserError(
            f"{path}: no profile ({first_error(fault)}); `stressbench profile -o X.json` makes one"
        ) from fault


@contextmanager
def _bounded(source: str) -> Iterator[None]:
    try:
        yield
    except TooManyCalls as fault:
        raise UserError(f"{source}: {fault}") from None
