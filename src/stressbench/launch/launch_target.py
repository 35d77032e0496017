"""Where ranks run: this machine, or the target that `--on` names. A launch target only builds commands."""

import os
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self

from stressbench.launch import local, machine
from stressbench.launch.command import Command, Launcher
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.find import find_launcher
from stressbench.launch.flavour import Recognised
from stressbench.launch.local import Request

NicNumbers = Mapping[tuple[str, str], int]
"""NIC numbers by (name of the link, name of the host)."""


@dataclass(frozen=True, kw_only=True)
class TargetProperties:
    """What is known of all launch targets of one kind of `--on` before any of them is looked for.

    `form`: how `--on` names such a target. `controls_links`: the factors `rate` and `rails` of studies apply.
    `keeps_rate`: a rate is set before ranks start, and stays until another one is set. `simulated`: hosts, each with
    one NIC, network and time are simulated. `runs_concurrently`: several launches at once do not disturb each other.
    `counts_all_hosts`: the NIC counters of all hosts can be read.
    """

    form: str
    controls_links: bool = False
    keeps_rate: bool = False
    simulated: bool = False
    runs_concurrently: bool = False
    counts_all_hosts: bool = False


class LaunchTarget(Protocol):
    """What a launch needs to know about where its ranks run."""

    @property
    def ranks(self) -> int | None:
        """Number of ranks to start if none is given: one per core; None where it is unknown."""

    @property
    def stall_limit(self) -> str | None:
        """Default of --stall-limit; None: no limit, since MPI detects lost ranks by itself."""

    @property
    def environment(self) -> tuple[tuple[str, str], ...]:
        """Environment variables that workloads may name and that differ from those of this process."""

    @property
    def nics(self) -> tuple[str, ...]:
        """Names of the virtual NICs of each host; empty where they are unknown."""

    @property
    def numa_sysfs(self) -> str | None:
        """Where a host has the NUMA nodes of its NICs, as shell text; None: they belong to none."""

    @property
    def simulated(self) -> bool:
        """Whether ranks, network and time are simulated."""

    @property
    def on_simgrid(self) -> bool:
        """Whether ranks run in the engine that is built with SimGrid's MPI."""

    @property
    def continues_runs(self) -> bool:
        """Whether `stressbench run --continue` can add a launch to a run file of this target."""

    @property
    def on_this_machine(self) -> bool:
        """Whether all ranks share the cores of this machine, unless a batch system allocated it."""

    @property
    def cores_of_ranks(self) -> frozenset[int] | None:
        """The cores of this machine that ranks run on; None where launchers, a batch system or nobody chooses them."""

    @property
    def realtime_by_default(self) -> bool:
        """Whether ranks start under the round-robin scheduler by default, wherever that is permitted."""

    def launcher(self, *, mpirun: Path | None, library: Recognised) -> Launcher:
        """The program that starts ranks with this MPI library, `mpirun` if it matches. Raises LaunchMistake."""

    def ranks_per_node(self, request: Request, *, explicit: int | None) -> int | str | None:
        """Number of consecutive ranks on a node: `explicit` or else what is known before the launch. None: unknown.

        A text such as `16(x3),8` has the ranks of all nodes where they differ.
        """

    def knows_nodes(self, request: Request) -> bool:
        """Whether jobs can be placed on nodes before the launch."""

    def build(self, *, launcher: Launcher, request: Request) -> Command:
        """The command that starts the ranks. Raises LaunchMistake."""

    def advice(self, *, launcher: Launcher, request: Request) -> str | None:
        """One sentence on what would improve measurements of this request, or None."""

    @property
    def host_count(self) -> int | None:
        """Number of hosts; None where it is unknown."""

    def one_rank_per_host(self, hosts: int) -> "LaunchTarget":
        """The same target with one rank on each of the first `hosts` hosts."""

    def on_hosts(self, hosts: range) -> "LaunchTarget":
        """The same target with only these of its hosts, by their numbers from 0.

        Raises LaunchMistake where launches cannot be given hosts of their own, or not such hosts.
        """

    def on_own_cores(self, part: int, *, of: int) -> "LaunchTarget":
        """The target for launch number `part` of `of` that run at the same time, on cores that the others do not use.

        The same target where launchers decide on cores, where there are too few, and where ranks do not share any.
        """

    def with_concurrent_ranks(self, request: Request, *, launcher: Launcher, concurrent_ranks: int) -> Request:
        """The request, changed so that it can run beside another launch with `concurrent_ranks`.

        Raises LaunchMistake where the target cannot run two launches at the same time.
        """


@dataclass(frozen=True, kw_only=True)
class PlainTarget:
    """Default values and methods of most launch targets."""

    ranks: int | None = None
    environment: tuple[tuple[str, str], ...] = ()
    nics: tuple[str, ...] = ()
    numa_sysfs: str | None = machine.SYSFS
    realtime_by_default: bool = False
    stall_limit: str | None = None
    simulated: bool = False
    on_simgrid: bool = False
    continues_runs: bool = True
    on_this_machine: bool = False
    cores_of_ranks: None = None

    def one_rank_per_host(self, hosts: int) -> Self:  # noqa: ARG002  a LaunchTarget's
        """The same target: its launcher spreads ranks over the hosts anyway."""
        return self

    def on_hosts(self, hosts: range) -> LaunchTarget:  # noqa: ARG002  a LaunchTarget's
        """Not supported. Raises LaunchMistake."""
        raise LaunchMistake("--nodes: this launch target cannot give launches hosts of their own; expected shared")

    def on_own_cores(self, part: int, *, of: int) -> Self:  # noqa: ARG002  a LaunchTarget's
        """The same target: its launcher decides on cores."""
        return self

    def with_concurrent_ranks(self, request: Request, *, launcher: Launcher, concurrent_ranks: int) -> Request:
        """The request with other binding: by default, each of two mpiruns would bind its rank 0 to the first core."""
        return local.with_concurrent_ranks(request, flavour=launcher.flavour, concurrent_ranks=concurrent_ranks)


@dataclass(frozen=True, kw_only=True)
class _LocalMachine(PlainTarget):
    """This machine, or the hosts that a batch system or options of mpirun provide."""

    on_this_machine: bool = True

    @property
    def host_count(self) -> int | None:
        """One host."""
        return 1

    def launcher(self, *, mpirun: Path | None, library: Recognised) -> Launcher:
        """The mpirun that matches the MPI library. Raises LaunchMistake."""
        return find_launcher(mpirun=mpirun, library=library)

    def ranks_per_node(self, request: Request, *, explicit: int | None) -> int | None:  # noqa: ARG002  a LaunchTarget's
        """As typed; otherwise unknown before the launch."""
        return explicit

    def knows_nodes(self, request: Request) -> bool:
        """True unless a batch system or options of mpirun decide where ranks run."""
        return not request.placed_externally

    def build(self, *, launcher: Launcher, request: Request) -> Command:
        """Delegates to `launch.local`."""
        return local.build(launcher=launcher, request=request)

    def advice(self, *, launcher: Launcher, request: Request) -> str | None:
        """Delegates to `launch.local`."""
        return local.advice(launcher=launcher, request=request)


LOCAL: LaunchTarget = _LocalMachine()


def has_all_ranks_here(target: LaunchTarget) -> bool:
    """Whether this process sees the shared memory of all ranks. Hosts of labs have shared memory of their own."""
    return target is LOCAL and not machine.allocated(os.environ)


def ranks_share_cores(target: LaunchTarget, ranks: int) -> bool:
    """Whether so many ranks exceed the cores of this machine, on which all of them run."""
    return target.on_this_machine and not machine.allocated(os.environ) and ranks > machine.cores()


def scheduled_for(target: LaunchTarget) -> AbstractContextManager[None]:
    """Context in which launchers take turns with the ranks of the target, if these run at real-time priority."""
    return machine.scheduled_like_ranks() if target.realtime_by_default else nullcontext()


def build_concurrent(target: LaunchTarget, *, launcher: Launcher, request: Request, concurrent_ranks: int) -> Command:
    """The command that starts the ranks while `concurrent_ranks` of another launch run on the target.

    Raises LaunchMistake where the target cannot run two launches at the same time.
    """
    if concurrent_ranks:
        request = target.with_concurrent_ranks(request, launcher=launcher, concurrent_ranks=concurrent_ranks)
    return target.build(launcher=launcher, request=request)
