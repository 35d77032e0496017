"""A run file as typed, frozen values. `read_run` is the way in."""

from stressbench.model.errors import RunFileError
from stressbench.model.reading import read_run
from stressbench.model.records import (
    End,
    EndReason,
    Event,
    Finish,
    Header,
    Job,
    Kind,
    Phase,
    Role,
    Round,
    Severity,
    Step,
    Timer,
)
from stressbench.model.run import Launch, Run
from stressbench.model.samples import Histogram, MetricSamples, Samples

__all__ = [
    "End",
    "EndReason",
    "Event",
    "Finish",
    "Header",
    "Histogram",
    "Job",
    "Kind",
    "Launch",
    "MetricSamples",
    "Phase",
    "Role",
    "Round",
    "Run",
    "RunFileError",
    "Samples",
    "Severity",
    "Step",
    "Timer",
    "read_run",
]  # fmt: skip
