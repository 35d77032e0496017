"""Where ranks run: this machine as it is, or what `--on` names. A place starts nothing; it builds commands."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, Self

from stressbench.launch import local
from stressbench.launch.command import Command, Launcher
from stressbench.launch.find import find_launcher
from stressbench.launch.flavour import Recognised
from stressbench.launch.local import Request


class Place(Protocol):
    """What a launch must know of where it goes."""

    @property
    def ranks(self) -> int | None:
        """How many ranks fill it, for who does not say; None where nobody can tell."""

    @property
    def stall_limit(self) -> str | None:
        """After how long a rank that does not get on ends the run; None: MPI is trusted to notice by itself."""

    @property
    def environment(self) -> tuple[tuple[str, str], ...]:
        """What workloads find there in the environment, in place of what is here."""

    @property
    def nics(self) -> tuple[str, ...]:
        """Names of each host's cards, which belong to no NUMA node; none where nobody can tell."""

    @property
    def takes_turns(self) -> bool:
        """Whether ranks start under the round-robin scheduler wherever that is permitted, without being asked."""

    def launcher(self, *, given: Path | None, library: Recognised) -> Launcher:
        """What starts ranks of an engine with this MPI; the one `given`, if it fits. Raises LaunchMistake."""

    def ranks_per_node(self, request: Request, *, typed: int | None) -> int | None:
        """How many consecutive ranks make a node, as `typed` or where it is known before the launch."""

    def knows_nodes(self, request: Request) -> bool:
        """Whether the workload can be laid out on nodes before the launch."""

    def build(self, *, launcher: Launcher, request: Request) -> Command:
        """The command. Raises LaunchMistake."""

    def advice(self, *, launcher: Launcher, request: Request) -> str | None:
        """One sentence that a person should know before this request runs, or None."""

    @property
    def host_count(self) -> int | None:
        """How many hosts it has; None where nobody can tell."""

    def one_a_host(self, hosts: int) -> "Place":
        """The same place, where so many ranks go to as many hosts, the first ones."""

    def sharing(self, request: Request, *, launcher: Launcher, others: int) -> Request:
        """The request as it must be where `others` ranks of another launch run at the same time.

        Raises LaunchMistake where two launches cannot.
        """


@dataclass(frozen=True, kw_only=True)
class Plain:
    """What most places say of themselves."""

    ranks: int | None = None
    environment: tuple[tuple[str, str], ...] = ()
    nics: tuple[str, ...] = ()
    takes_turns: bool = False
    stall_limit: str | None = None

    def one_a_host(self, hosts: int) -> Self:  # noqa: ARG002  a Place's
        """Ranks spread as far as they can anyway."""
        return self

    def sharing(self, request: Request, *, launcher: Launcher, others: int) -> Request:
        """Each mpirun thinks that it is alone: without a word it would bind its first rank to the first core."""
        return local.sharing(request, flavour=launcher.flavour, others=others)


@dataclass(frozen=True, kw_only=True)
class _Here(Plain):
    """This machine, or the hosts that a batch system or options for mpirun give."""

    @property
    def host_count(self) -> int | None:
        """This one."""
        return 1

    def launcher(self, *, given: Path | None, library: Recognised) -> Launcher:
        """An mpirun."""
        return find_launcher(given=given, library=library)

    def ranks_per_node(self, request: Request, *, typed: int | None) -> int | None:  # noqa: ARG002  a Place's
        """Nothing but what is typed."""
        return typed

    def knows_nodes(self, request: Request) -> bool:
        """Unless others say where ranks go."""
        return not request.elsewhere

    def build(self, *, launcher: Launcher, request: Request) -> Command:
        """As `local` does."""
        return local.build(launcher=launcher, request=request)

    def advice(self, *, launcher: Launcher, request: Request) -> str | None:
        """As `local` does."""
        return local.advice(launcher=launcher, request=request)


HERE: Place = _Here()


@dataclass(frozen=True, kw_only=True)
class Shared:
    """A place where `others` ranks of another launch run at the same time."""

    place: Place
    others: int

    @property
    def ranks(self) -> int | None:
        """As without the others."""
        return self.place.ranks

    @property
    def stall_limit(self) -> str | None:
        """As without the others."""
        return self.place.stall_limit

    @property
    def environment(self) -> tuple[tuple[str, str], ...]:
        """As without the others."""
        return self.place.environment

    @property
    def nics(self) -> tuple[str, ...]:
        """As without the others."""
        return self.place.nics

    @property
    def takes_turns(self) -> bool:
        """As without the others."""
        return self.place.takes_turns

    @property
    def host_count(self) -> int | None:
        """As without the others."""
        return self.place.host_count

    def launcher(self, *, given: Path | None, library: Recognised) -> Launcher:
        """As without the others."""
        return self.place.launcher(given=given, library=library)

    def ranks_per_node(self, request: Request, *, typed: int | None) -> int | None:
        """As without the others."""
        return self.place.ranks_per_node(request, typed=typed)

    def knows_nodes(self, request: Request) -> bool:
        """As without the others."""
        return self.place.knows_nodes(request)

    def one_a_host(self, hosts: int) -> "Shared":
        """With the others, too."""
        return replace(self, place=self.place.one_a_host(hosts))

    def sharing(self, request: Request, *, launcher: Launcher, others: int) -> Request:
        """With still more others."""
        return self.place.sharing(request, launcher=launcher, others=self.others + others)

    def build(self, *, launcher: Launcher, request: Request) -> Command:
        """The command that leaves room. Raises LaunchMistake."""
        shared = self.place.sharing(request, launcher=launcher, others=self.others)
        return self.place.build(launcher=launcher, request=shared)

    def advice(self, *, launcher: Launcher, request: Request) -> str | None:
        """As without the others."""
        return self.place.advice(launcher=launcher, request=request)
