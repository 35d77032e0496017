"""Trace files as typed, frozen values; `read_trace` reads one."""

from stressbench.formats.errors import TraceFileError
from stressbench.formats.trace.reading import read_trace
from stressbench.formats.trace.records import (
    MAX_GAP_TIMES,
    Call,
    Gap,
    RankTrace,
    Rule,
    Stream,
    TraceHeader,
    TraceMode,
)
from stressbench.formats.trace.trace import RankPosition, Trace

__all__ = [
    "MAX_GAP_TIMES",
    "Call",
    "Gap",
    "RankPosition",
    "RankTrace",
    "Rule",
    "Stream",
    "Trace",
    "TraceFileError",
    "TraceHeader",
    "TraceMode",
    "read_trace",
]
