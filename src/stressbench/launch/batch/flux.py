"""Flux: `flux run` starts ranks, `flux batch` submits scripts."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from stressbench.formats.units import parse_digits
from stressbench.launch.allocation import Allocation
from stressbench.launch.batch_request import BatchRequest
from stressbench.launch.command import Command, Launcher
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.find import output_of, require_on_path
from stressbench.launch.flavour import Flavour, Recognised
from stressbench.launch.local import REALTIME, Request

ABOUT = "flux run in an instance of Flux"
RUNS_CONCURRENTLY = True


@dataclass(frozen=True, kw_only=True)
class FluxTarget(Allocation):
    """An instance of Flux."""

    def launcher(self, *, mpirun: Path | None, library: Recognised) -> Launcher:
        """Always `flux`. Raises LaunchMistake where an mpirun is given."""
        if mpirun is not None:
            raise LaunchMistake(f"--mpirun: {mpirun}: Flux starts ranks with `flux run`; --on local uses mpirun")
        return Launcher(path=Path("flux"), recognised=library, is_mpirun=False)

    def build(self, *, launcher: Launcher, request: Request) -> Command:
        """The command. Flux puts consecutive ranks on the same node by default."""
        nodes_used = self.nodes_used(request.ranks, ranks_per_node=request.ranks_per_node)
        nodes = () if nodes_used is None else (f"--nodes={nodes_used}",)
        # Flux provides PMI-1 by default, which MPICH and Open MPI 4 support. Open MPI 5 needs the plugin flux-pmix.
        pmix = ("--setopt=pmi=pmix",) if launcher.flavour is Flavour.openmpi5 else ()
        program = (REALTIME if request.realtime else ()) + request.program
        options = (f"--ntasks={request.ranks}", *nodes, *pmix, *request.extra)
        return Command(argv=(str(launcher.path), "run", *options, *program))

    def with_concurrent_ranks(self, request: Request, *, launcher: Launcher, concurrent_ranks: int) -> Request:  # noqa: ARG002  a LaunchTarget's
        """Raises LaunchMistake, since the second launch would wait for the cores of the first."""
        raise LaunchMistake(
            "--on flux: two launches side by side would wait for each other's cores; in an allocation, --on local "
            "or --on slurm can"
        )


def current_target(environment: Mapping[str, str]) -> FluxTarget:
    """The instance that this process is in. Raises LaunchMistake."""
    if not environment.get("FLUX_URI"):
        raise LaunchMistake(
            "--on flux: this is not a Flux instance (FLUX_URI is not set); "
            "`flux alloc -N 4` gives one, and --emit writes a script for `flux batch`"
        )
    require_on_path("flux", option="--on flux")
    node_count = (
        output_of("flux", "resource", "list", "--states=up", "--no-header", "--format={nnodes}") or ""
    ).strip()
    return FluxTarget(nodes=parse_digits(node_count) or None)


def script_target(request: BatchRequest) -> FluxTarget:
    """The target for a batch script."""
    return FluxTarget(nodes=request.nodes)


def directives(request: BatchRequest, *, ranks: int) -> tuple[str, ...]:
    """Directives for `flux batch`. Requested nodes are exclusive, as other jobs there would disturb measured times."""
    options = (
        ("job-name", request.name),
        ("nodes", request.nodes),
        ("nslots", ranks if request.nodes is None else None),
        ("time-limit", None if request.walltime_s is None else f"{request.walltime_s}s"),
        ("queue", request.queue),
        ("setattr", None if request.account is None else f"bank={request.account}"),
    )
    lines = (f"# flux: --{name}={value}" for name, value in options if value is not None)
    return (*lines, *(() if request.nodes is None else ("# flux: --exclusive",)))
