"""Launches of a program under several rail policies: the records of launches.jsonl."""

from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from stressbench.formats.launches import journal
from stressbench.formats.run.records import Number, Seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRecord(journal.Plan):
    """The planned launches."""

    ranks: journal.Count
    policies: tuple[str, ...]
    nics: tuple[str, ...]
    transport: str | None
    profile: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NicBytes:
    """Bytes that hosts sent and received through a NIC during the launch, as far as they were counted."""

    nic: str
    sent: int
    received: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MpiUse:
    """Use of MPI by the ranks of a launch, from MPI_Init to MPI_Finalize.

    Times are means over the ranks. Waits count as point-to-point; other calls, such as those of I/O, are only in
    `mpi_s`. Mean sizes are None if nothing was sent.
    """

    elapsed_s: Seconds
    mpi_s: Seconds
    p2p_s: Seconds
    collective_s: Seconds
    mean_message_bytes: Number | None
    mean_collective_bytes: Number | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchRecord(journal.BaseLaunch):
    """One launch. `carried` is None without byte counters, `mpi` if the launch was not profiled or failed."""

    policy: str
    carried: tuple[NicBytes, ...] | None
    mpi: MpiUse | None = None


RailLaunches: TypeAlias = journal.RecordedLaunches[PlanRecord, LaunchRecord]
JOURNAL = journal.Journal(plan=PlanRecord, launch=LaunchRecord, writer="stressbench rails run -o DIR -- CMD")


def read_launches(path: Path) -> RailLaunches:
    """Read the file at `path`. Raises StudyMistake if it does not begin with a plan."""
    return JOURNAL.read(path)
