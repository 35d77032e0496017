"""Run files and trace files as typed, frozen values. `read_run` and `read_trace` are the ways in."""

from stressbench.model.errors import RunFileError, TraceFileError
from stressbench.model.reading import read_run
from stressbench.model.records import (
    End,
    EndReason,
    Event,
    Finish,
    Header,
    Job,
    Kind,
    LinkTraffic,
    Phase,
    Role,
    Round,
    Severity,
    Step,
    Timer,
)
from stressbench.model.run import Launch, Run
from stressbench.model.samples import Histogram, MetricSamples, Samples
from stressbench.model.trace import RankPlace, Trace
from stressbench.model.trace_reading import read_trace
from stressbench.model.trace_records import Call, Gap, RankTrace, Rule, Stream, TraceHeader, TraceMode

__all__ = [
    "Call",
    "End",
    "EndReason",
    "Event",
    "Finish",
    "Gap",
    "Header",
    "Histogram",
    "Job",
    "Kind",
    "Launch",
    "LinkTraffic",
    "MetricSamples",
    "Phase",
    "RankPlace",
    "RankTrace",
    "Role",
    "Round",
    "Rule",
    "Run",
    "RunFileError",
    "Samples",
    "Severity",
    "Step",
    "Stream",
    "Timer",
    "Trace",
    "TraceFileError",
    "TraceHeader",
    "TraceMode",
    "read_run",
    "read_trace",
]  # fmt: skip
