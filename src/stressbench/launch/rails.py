"""Rail policies, which select the NIC for the messages of each rank, and their settings for each MPI. Pure.

The policies are those of Leon, Chembreau and Leininger (Table I), and one that separates jobs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from stressbench.formats.study.rail_policies import Kind, RailPolicy, Transport
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.flavour import Flavour, Recognised
from stressbench.launch.job_ranks import JobRanks
from stressbench.launch.machine import SYSFS
from stressbench.launch.rail_scripts import by_local_rank, by_numa_distance, by_rank


class RailSubject(StrEnum):
    """What is not available; the values are the options that choose it."""

    policy = "--policies"
    nics = "--nics"
    transport = "--transport"


class RailMistake(LaunchMistake):
    """A policy, its NICs or its transport, the `subject`, is not available."""

    def __init__(self, explanation: str, *, subject: RailSubject) -> None:
        super().__init__(f"{subject}: {explanation}")
        self.subject = subject
        self.explanation = explanation


def require_possible(policy: RailPolicy, nics: Sequence[str], *, sysfs: str | None = SYSFS) -> None:
    """Raise RailMistake where hosts with these NICs do not support the policy. `sysfs`: None: without NUMA nodes."""
    if policy.kind is Kind.default:
        return
    if not nics:
        raise RailMistake(
            f"{policy}: the NICs of the hosts are unknown; expected --nics, such as ib0,ib1", subject=RailSubject.nics
        )
    if policy.highest_nic >= len(nics):
        last = "nic0" if len(nics) == 1 else f"nic0 to nic{len(nics) - 1}"
        available = f"hosts have {', '.join(nics)}; expected {last}"
        raise RailMistake(f"{policy}: {available}", subject=RailSubject.policy)
    if policy.kind is Kind.local and sysfs is None:
        explanation = (
            f"NICs {', '.join(nics)} belong to no NUMA node; expected another policy, or a lab file with hosts.sockets"
        )
        raise RailMistake(f"{policy}: {explanation}", subject=RailSubject.policy)


def transport_of(explicit: Transport | None, library: Recognised) -> Transport:
    """The transport as typed, or the default of this MPI. Raises RailMistake where it has no setting for NICs."""
    supported = _TRANSPORTS.get(library.flavour, ())
    if not supported:
        raise RailMistake(f"no setting of {library} for NICs is known to us; expected Open MPI or MPICH",
                          subject=RailSubject.transport)  # fmt: skip
    if explicit is None:
        return supported[0]
    if explicit not in supported:
        accepted = " or ".join(supported)
        raise RailMistake(f"{explicit}: {library} accepts NICs for {accepted}", subject=RailSubject.transport)
    return explicit


_TRANSPORTS: dict[Flavour, tuple[Transport, ...]] = {
    Flavour.openmpi4: (Transport.tcp, Transport.ucx),
    Flavour.openmpi5: (Transport.tcp, Transport.ucx),
    Flavour.mpich: (Transport.ofi, Transport.ucx),
    Flavour.intelmpi: (Transport.ofi,),
}
_VARIABLES: dict[Transport, tuple[str, ...]] = {
    Transport.tcp: ("OMPI_MCA_btl_tcp_if_include",),
    Transport.ucx: ("UCX_NET_DEVICES",),
    # Each provider of libfabric has its own variable: fi_tcp(7), fi_sockets(7), fi_verbs(7).
    Transport.ofi: ("FI_TCP_IFACE", "FI_SOCKETS_IFACE", "FI_VERBS_IFACE"),
}


def transport_settings(explicit: Transport | None, flavour: Flavour) -> tuple[tuple[str, str], ...]:
    """Environment variables that make MPI use the transport as typed, empty where it needs none."""
    if explicit is None or flavour is Flavour.intelmpi:
        return ()
    if flavour is Flavour.mpich:
        return (("MPIR_CVAR_CH4_NETMOD", explicit.value),)
    if explicit is Transport.ucx:
        return (("OMPI_MCA_pml", "ucx"),)
    memory = "vader" if flavour is Flavour.openmpi4 else "sm"
    return (("OMPI_MCA_pml", "ob1"), ("OMPI_MCA_btl", f"tcp,{memory},self"))


@dataclass(frozen=True, kw_only=True)
class Rails:
    """A policy for hosts with NICs `nics`. `transport`: as typed, None: the default of the MPI.

    `sysfs`: where a host has the NUMA nodes of its processors and NICs, as shell text; None: NICs belong to none.
    """

    policy: RailPolicy
    nics: tuple[str, ...]
    transport: Transport | None = None
    sysfs: str | None = SYSFS

    def wrapper(self, library: Recognised, *, jobs: Sequence[JobRanks] = ()) -> tuple[str, ...]:
        """Command prefix for the program of each rank. Raises RailMistake.

        It works with all launchers, since it sets variables on each rank and so overrides what mpirun or a lab exports.
        """
        if self.policy.kind is Kind.default and self.transport is None:
            return ()
        transport = transport_of(self.transport, library)
        require_possible(self.policy, self.nics, sysfs=self.sysfs)
        names = _VARIABLES[transport]
        settings_pairs = transport_settings(self.transport, library.flavour)
        if self.policy.kind is Kind.nic:
            nic = self.nics[self.policy.highest_nic]
            settings_pairs = (*settings_pairs, *((name, nic) for name in names))
        settings = ("env", *(f"{name}={value}" for name, value in settings_pairs)) if settings_pairs else ()
        return (*settings, *self._by_rank(names, jobs))

    def _by_rank(self, names: Sequence[str], jobs: Sequence[JobRanks]) -> tuple[str, ...]:
        match self.policy.kind:
            case Kind.round_robin:
                return by_local_rank(self.nics, names=names)
            case Kind.local:
                return by_numa_distance(self.nics, names=names, sys=self.sysfs or SYSFS)
            case Kind.per_job | Kind.jobs:
                assigned = tuple((job.blocks, self.nics[nic]) for job, nic in self._assigned(jobs))
                return by_rank(assigned, names=names, otherwise=self.nics[0])
        return ()

    def _assigned(self, jobs: Sequence[JobRanks]) -> tuple[tuple[JobRanks, int], ...]:
        """Pairs of job and NIC number. Raises RailMistake for jobs that the workload does not have."""
        if not jobs:
            raise RailMistake(f"{self.policy}: a program without a workload has no jobs; expected another policy",
                              subject=RailSubject.policy)  # fmt: skip
        if self.policy.kind is Kind.per_job:
            return tuple((job, number % len(self.nics)) for number, job in enumerate(jobs))
        job_by_name = {job.name: job for job in jobs}
        for name, _ in self.policy.jobs:
            if name not in job_by_name:
                explanation = f"{self.policy}: the workload has no job '{name}'; expected {', '.join(job_by_name)}"
                raise RailMistake(explanation, subject=RailSubject.policy)
        return tuple((job_by_name[name], nic) for name, nic in self.policy.jobs)
