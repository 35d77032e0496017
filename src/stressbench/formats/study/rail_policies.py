"""Rail policies in the notation of study files and options: which NIC of its host each rank uses. Pure.

The policies are those of Leon, Chembreau and Leininger (Table I), and one that keeps jobs apart.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

EXPECTED = "default, nic0, nic1, round-robin, local, per-job or jobs:NAME=0,OTHER=1"
_NIC = re.compile(r"nic([0-9]{1,3})")
_JOB = re.compile(r"(?P<name>[^=,]+)=(?P<nic>[0-9]{1,3})")
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:-]*")
_JOBS = "jobs:"


class Kind(StrEnum):
    """How a policy chooses NICs. `default` leaves the choice to MPI, which may use all NICs at once."""

    default = "default"
    nic = "nic"
    round_robin = "round-robin"
    local = "local"
    per_job = "per-job"
    jobs = "jobs"


class Transport(StrEnum):
    """Transports of messages between hosts."""

    tcp = "tcp"
    ucx = "ucx"
    ofi = "ofi"


@dataclass(frozen=True, kw_only=True)
class RailPolicy:
    """A rail policy. `nic` is set for `Kind.nic`, `jobs` (names with NICs) for `Kind.jobs`; NICs count from 0."""

    kind: Kind
    nic: int | None = None
    jobs: tuple[tuple[str, int], ...] = ()

    def __str__(self) -> str:
        if self.kind is Kind.nic:
            return f"nic{self.nic}"
        if self.kind is Kind.jobs:
            return _JOBS + ",".join(f"{name}={nic}" for name, nic in self.jobs)
        return self.kind.value

    @property
    def depends_on_jobs(self) -> bool:
        """Whether the policy depends on which ranks belong to each job."""
        return self.kind in (Kind.per_job, Kind.jobs)

    @property
    def highest_nic(self) -> int:
        """The highest NIC that the policy names, or 0."""
        return max([self.nic or 0, *(nic for _, nic in self.jobs)])


def parse_policy(text: str) -> RailPolicy:
    """Return the policy that the text names. Raises ValueError, which says what was expected."""
    if match := _NIC.fullmatch(text):
        return RailPolicy(kind=Kind.nic, nic=int(match[1]))
    if text.startswith(_JOBS):
        jobs = [_JOB.fullmatch(item) for item in text.removeprefix(_JOBS).split(",")]
        nics_by_job = tuple((job["name"], int(job["nic"])) for job in jobs if job is not None)
        if len(nics_by_job) < len(jobs) or len({name for name, _ in nics_by_job}) < len(nics_by_job):
            raise ValueError("expected each job once with its NIC, such as jobs:solver=0,output=1")
        return RailPolicy(kind=Kind.jobs, jobs=nics_by_job)
    if text in (Kind.default, Kind.round_robin, Kind.local, Kind.per_job):
        return RailPolicy(kind=Kind(text))
    raise ValueError(f"expected {EXPECTED}")


def parse_nic(text: str) -> str:
    """Return the name of a NIC: `ib0`, or with ucx a device and its port, `mlx5_0:1`. Raises ValueError."""
    if _NAME.fullmatch(text) is None:
        raise ValueError("expected the name of a NIC, such as ib0 or mlx5_0:1")
    return text
