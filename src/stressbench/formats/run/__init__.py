"""Run files as typed, frozen values; `read_run` reads one."""

from stressbench.formats.errors import RunFileError
from stressbench.formats.run.faults import append_fault, fault_location, fault_sentence
from stressbench.formats.run.growing import GrowingRun
from stressbench.formats.run.nodes import Node, NodeRange, NodeTable
from stressbench.formats.run.reading import read_run
from stressbench.formats.run.records import (
    CounterUnit,
    End,
    EndReason,
    Event,
    Fault,
    Finish,
    Header,
    HostCounter,
    Job,
    Kind,
    LinkTraffic,
    PeakMemory,
    Phase,
    Role,
    Round,
    Severity,
    Step,
    Timer,
)
from stressbench.formats.run.run import Launch, Run
from stressbench.formats.run.samples import ExecutionHistogram, Histogram, MetricSamples, Samples

__all__ = [
    "CounterUnit",
    "End",
    "EndReason",
    "Event",
    "ExecutionHistogram",
    "Fault",
    "Finish",
    "GrowingRun",
    "Header",
    "Histogram",
    "HostCounter",
    "Job",
    "Kind",
    "Launch",
    "LinkTraffic",
    "MetricSamples",
    "Node",
    "NodeRange",
    "NodeTable",
    "PeakMemory",
    "Phase",
    "Role",
    "Round",
    "Run",
    "RunFileError",
    "Samples",
    "Severity",
    "Step",
    "Timer",
    "append_fault",
    "fault_location",
    "fault_sentence",
    "read_run",
]
