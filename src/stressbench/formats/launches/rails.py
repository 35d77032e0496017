"""Launches of a program under several rail policies: the records of launches.jsonl."""

from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from stressbench.formats.launches import journal


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRecord(journal.Plan):
    """The planned launches."""

    ranks: journal.Count
    policies: tuple[str, ...]
    nics: tuple[str, ...]
    transport: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NicBytes:
    """Bytes that hosts sent and received through a NIC during the launch, as far as they were counted."""

    nic: str
    sent: int
    received: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchRecord(journal.BaseLaunch):
    """One launch. `carried` is None without byte counters."""

    policy: str
    carried: tuple[NicBytes, ...] | None


RailLaunches: TypeAlias = journal.RecordedLaunches[PlanRecord, LaunchRecord]
JOURNAL = journal.Journal(plan=PlanRecord, launch=LaunchRecord, writer="stressbench rails run -o DIR -- CMD")


def read_launches(path: Path) -> RailLaunches:
    """Read the file at `path`. Raises StudyMistake if it does not begin with a plan."""
    return JOURNAL.read(path)
