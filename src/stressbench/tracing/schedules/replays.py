"""The calls of motif replay, which are those of its trace."""

from collections.abc import Mapping
from pathlib import Path

from stressbench.formats.trace import Trace, read_trace
from stressbench.tracing.replay import replay_suitability
from stressbench.tracing.schedules.refusal import ScheduleRefused

REPLAY = "replay"
_OPTION = "file"
_AS_CAPTURED = {"compute": ("busy", "cpu", "sleep"), "scale": ("1",), "files": ("",)}
"""Values of options with which a replay has the calls and the computation of its trace."""


def replayed(options: Mapping[str, str]) -> Trace:
    """The trace that the motif repeats with these options. Raises ScheduleRefused, and TraceFileError."""
    for name, captured in _AS_CAPTURED.items():
        if options[name] not in captured:
            expected = " or ".join(value for value in captured if value)
            expectation = f"expected {expected}, as captured" if expected else "file calls are left out"
            raise ScheduleRefused(f"{REPLAY}: --{name} {options[name]}: {expectation}")
    path = Path(options[_OPTION])
    if refusals := replay_suitability(trace := read_trace(path)).refusals:
        raise ScheduleRefused(f"{path}: {refusals[0]}")
    return trace
