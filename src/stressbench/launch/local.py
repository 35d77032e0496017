"""Builds the command that starts ranks, for each flavour of MPI, from a `Request`. Pure; nothing is started."""

from dataclasses import dataclass, replace

from stressbench.launch.command import Command, Launcher
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.flavour import Flavour

REALTIME = ("chrt", "-r", "1")
# Launcher options by which the user places ranks. Slots and binding are then left to the user.
_HOST_OPTIONS = frozenset(
    {"-H", "--host", "-host", "--hosts", "-hosts", "--hostfile", "-hostfile", "--machinefile", "-machinefile"}
    | {"--rankfile", "-rankfile", "-rf", "-f", "--default-hostfile"}
)
_BINDING_OPTIONS = frozenset({"--bind-to", "-bind-to", "--cpu-set", "--cpu-list", "--map-by", "-map-by", "--rankfile"})


@dataclass(frozen=True, kw_only=True)
class Request:
    """What to start: `program` with `ranks` ranks, on a machine with `cores` cores.

    `extra`: options for the launcher, passed on unchanged. `allocated`: the nodes are an allocation of a batch system.
    `ranks_per_node`: the typed number of ranks on each node, None: as many nodes as there are.
    """

    ranks: int
    program: tuple[str, ...]
    cores: int
    extra: tuple[str, ...] = ()
    as_root: bool = False
    realtime: bool = False
    allocated: bool = False
    ranks_per_node: int | None = None

    @property
    def names_hosts(self) -> bool:
        """Whether options for the launcher determine the hosts of ranks."""
        return not _HOST_OPTIONS.isdisjoint(self.extra)

    @property
    def placed_externally(self) -> bool:
        """Whether a batch system or options determine the hosts of ranks, so that this machine's cores do not count."""
        return self.allocated or self.names_hosts

    @property
    def oversubscribed(self) -> bool:
        """Whether ranks share cores, as far as is known."""
        return self.ranks > self.cores and not self.placed_externally


def build(*, launcher: Launcher, request: Request) -> Command:
    """The command that starts the request under the launcher. Raises LaunchMistake."""
    require_real_ranks(launcher, request)
    options = _openmpi(launcher.flavour, request) if launcher.flavour.is_openmpi else ()
    # SCHED_RR rotates ranks that yield. The default scheduler may return the core at once to the rank that waits.
    program = (REALTIME if request.realtime else ()) + request.program
    argv = (str(launcher.path), "-n", str(request.ranks), *options, *request.extra, *program)
    return Command(argv=argv, environment=_environment(launcher.flavour, request))


def with_concurrent_ranks(request: Request, *, flavour: Flavour, concurrent_ranks: int) -> Request:
    """The request beside ranks on the same cores: ranks are not bound, and yield if cores are too few."""
    if not flavour.is_openmpi:
        return request
    sharing_request = replace(request, cores=request.cores - concurrent_ranks)
    if sharing_request.oversubscribed or _BINDING_OPTIONS.intersection(request.extra):
        return sharing_request
    return replace(request, extra=("--bind-to", "none", *request.extra))


def require_real_ranks(launcher: Launcher, request: Request) -> None:
    """Raise LaunchMistake for fewer than one rank, or for an engine whose ranks are simulated."""
    if request.ranks < 1:
        raise LaunchMistake(f"ranks: {request.ranks} is not at least 1")
    if launcher.flavour is Flavour.simgrid:
        raise LaunchMistake(f"{request.program[0]} simulates its ranks: name a platform, for example --on simgrid:tiny")


def _openmpi(flavour: Flavour, request: Request) -> tuple[str, ...]:
    """Options for slots, binding and yielding where ranks share cores.

    `odls_base_sigkill_timeout` keeps its default on purpose: Open MPI sleeps twice that long whenever a rank dies, so a
    value that covers a round would hang every failed run. Launches are stopped with SIGUSR1, which has no such limit.
    """
    if not request.oversubscribed:
        return ()
    binding: tuple[str, ...] = ()
    if not _BINDING_OPTIONS.intersection(request.extra):
        binding = ("--bind-to", "none")
        binding += ("--oversubscribe",) if flavour is Flavour.openmpi4 else ("--map-by", ":OVERSUBSCRIBE")
    return (*binding, "--mca", "mpi_yield_when_idle", "1")


def _environment(flavour: Flavour, request: Request) -> tuple[tuple[str, str], ...]:
    if not (flavour.is_openmpi and request.as_root):
        return ()
    prefixes = ("OMPI",) if flavour is Flavour.openmpi4 else ("OMPI", "PRTE")
    return tuple((f"{prefix}_ALLOW_RUN_AS_ROOT{end}", "1") for prefix in prefixes for end in ("", "_CONFIRM"))


def advice(*, launcher: Launcher, request: Request) -> str | None:
    """One sentence on what impairs measurements of this request, or None."""
    if not request.oversubscribed:
        return None
    shared = f"{request.ranks} ranks share {request.cores} cores: times include waiting for a core"
    if launcher.flavour.is_hydra:
        return f"{shared}, and {launcher.recognised} spins while it waits; Open MPI is much faster here"
    if not request.realtime:
        return f"{shared}; --realtime makes them take turns fairly (needs root or CAP_SYS_NICE)"
    return f"{shared}"
