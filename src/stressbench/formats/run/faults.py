"""Faults of a run: their wording as sentences, and appending one to a run file after its launch has ended."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import orjson

from stressbench.formats.files.journal import append_lines
from stressbench.formats.run.records import Fault, Job


def fault_sentence(fault: Fault, jobs: Sequence[Job]) -> str:
    """A sentence with all that is known of the fault; `jobs` are those of the workload."""
    return f"{fault_location(fault, jobs)}: {fault.cause or 'a fault of unknown cause'}"


def fault_location(fault: Fault, jobs: Sequence[Job]) -> str:
    """Rank, host, job, motif and round of the fault, as far as known, as text."""
    rank = "a rank" if fault.rank is None else f"rank {fault.rank}"
    host = "" if fault.host is None else f" on host {fault.host}"
    job = "" if fault.job is None else f", job {jobs[fault.job].name}"
    motif = "" if fault.motif is None else f", motif {fault.motif}"
    number = "" if fault.round is None else f", round {fault.round}"
    return f"{rank}{host}{job}{motif}{number}"


def append_fault(path: Path, fault: Fault) -> None:
    """Append the fault to a run file that is no longer being written by the engine. Raises OSError."""
    append_lines(path, [orjson.dumps({"type": "fault", **asdict(fault)})])
