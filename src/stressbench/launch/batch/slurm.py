"""Slurm: `srun` starts ranks, `sbatch` submits scripts."""

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from stressbench.exit_status import ExitStatus
from stressbench.formats.units import parse_digits
from stressbench.launch.allocation import Allocation
from stressbench.launch.batch_request import BatchRequest
from stressbench.launch.command import Command, Launcher
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.find import output_of, require_on_path
from stressbench.launch.flavour import Flavour, Recognised
from stressbench.launch.local import REALTIME, Request

ABOUT = "srun in an allocation of Slurm"
RUNS_CONCURRENTLY = True

# PMI types that each MPI supports, the best first. For an MPI that is not listed, the default of the site applies.
_PMI_TYPES = {
    Flavour.openmpi4: ("pmix", "pmi2"),
    Flavour.openmpi5: ("pmix",),
    Flavour.mpich: ("pmi2", "pmix"),
    Flavour.craympich: ("cray_shasta", "pmi2"),
    Flavour.intelmpi: ("pmi2", "pmix"),
}
_TYPE = re.compile(r"^[ \t]*(none|cray_shasta|pmi2|pmix)[ \t]*$", re.MULTILINE)
_WAIT_S = 30
# Options by which the user selects nodes of the allocation, with their short forms.
_NODE_OPTIONS = ("--nodelist", "-w", "--exclude", "-x", "--relative", "-r", "--nodes", "-N")
# Slurm's plugin for PMIx (22.05 to 26.05) numbers the nodes of a step in this variable, but some of its messages carry
# numbers within the step. They agree if srun does not find the variable, since it then sets it to the step's nodes.
_WITHOUT_JOB_NODES = ("env", "-u", "SLURM_JOB_NODELIST")


@dataclass(frozen=True, kw_only=True)
class SlurmTarget(Allocation):
    """`offered`: PMI types of `srun --mpi=list`, None where that failed. `cpus`: CPUs of the smallest node.

    `first_node`: number of the first of the `nodes` in the allocation, None: all of its nodes.
    """

    offered: tuple[str, ...] | None = None
    cpus: int | None = None
    first_node: int | None = None

    def launcher(self, *, mpirun: Path | None, library: Recognised) -> Launcher:
        """Always `srun`. Raises LaunchMistake where an mpirun is given."""
        if mpirun is not None:
            raise LaunchMistake(f"--mpirun: {mpirun}: Slurm starts ranks with srun; --on local uses mpirun")
        return Launcher(path=Path("srun"), recognised=library, is_mpirun=False)

    def build(self, *, launcher: Launcher, request: Request) -> Command:
        """The command. Raises LaunchMistake where srun offers no PMI type that this MPI supports."""
        program = (REALTIME if request.realtime else ()) + request.program
        options = (*self._shape(request), *self._mpi(launcher.recognised, request))
        prefix = _WITHOUT_JOB_NODES if launcher.flavour.is_openmpi and self._may_leave_nodes(request) else ()
        argv = (*prefix, str(launcher.path), *options, *request.extra, *program)
        return Command(argv=argv, environment=_settings(launcher))

    def _shape(self, request: Request) -> tuple[str, ...]:
        nodes_used = self.nodes_used(request.ranks, ranks_per_node=request.ranks_per_node)
        most = self._max_ranks_per_node(request)
        nodes = () if nodes_used is None else (f"--nodes={nodes_used}", f"--ntasks-per-node={most}")
        if self.first_node is not None:
            nodes = (*nodes, f"--relative={self.first_node}")
        overcommit = ("--overcommit",) if self._is_oversubscribed(request) else ()
        # Consecutive ranks share a node. --wait ends the other ranks some time after the first one has ended.
        return (f"--ntasks={request.ranks}", *nodes, *overcommit, "--distribution=block", f"--wait={_WAIT_S}")

    def _may_leave_nodes(self, request: Request) -> bool:
        """Whether the step may get only some nodes of the allocation, which need not begin with its first one."""
        nodes_used = self.nodes_used(request.ranks, ranks_per_node=request.ranks_per_node)
        selects = any(word.startswith(_NODE_OPTIONS) for word in request.extra)
        return selects or self.first_node is not None or nodes_used != self.nodes

    def _max_ranks_per_node(self, request: Request) -> int | None:
        return self.max_ranks_per_node(request.ranks, ranks_per_node=request.ranks_per_node)

    def _is_oversubscribed(self, request: Request) -> bool:
        most = self._max_ranks_per_node(request)
        return most is not None and self.cpus is not None and most > self.cpus

    def _mpi(self, library: Recognised, request: Request) -> tuple[str, ...]:
        pmi_types = _PMI_TYPES.get(library.flavour, ())
        if not pmi_types or any(word.startswith("--mpi") for word in request.extra):
            return ()
        if self.offered is None:
            return (f"--mpi={pmi_types[0]}",)
        for kind in pmi_types:
            if kind in self.offered:
                return (f"--mpi={kind}",)
        raise LaunchMistake(
            f"--on slurm: srun offers --mpi={', '.join(self.offered)}, but the engine was built with "
            f"{library}, which needs {' or '.join(pmi_types)}; --on local starts it with mpirun in the same allocation"
        )

    def on_hosts(self, hosts: range) -> "SlurmTarget":
        """Consecutive nodes of the allocation, by default with a rank for each CPU. Raises LaunchMistake for others."""
        if hosts.step != 1:
            raise LaunchMistake("--nodes: steps of Slurm get consecutive nodes; expected disjoint or shared")
        ranks = None if self.cpus is None else self.cpus * len(hosts)
        return replace(self, nodes=len(hosts), first_node=hosts.start, ranks=ranks)

    def with_concurrent_ranks(self, request: Request, *, launcher: Launcher, concurrent_ranks: int) -> Request:  # noqa: ARG002  a LaunchTarget's
        """The request with --overlap (since Slurm 20.11), without which the second step would wait for the first."""
        sets_binding = any(word.startswith("--cpu-bind") for word in request.extra)
        overlap_options = ("--overlap",) if sets_binding else ("--overlap", "--cpu-bind=none")
        return replace(request, extra=(*overlap_options, *request.extra))

    def advice(self, *, launcher: Launcher, request: Request) -> str | None:  # noqa: ARG002  a LaunchTarget's
        """A warning where ranks share CPUs, else None."""
        if not self._is_oversubscribed(request):
            return None
        count = self._max_ranks_per_node(request)
        return f"{count} ranks share {self.cpus} CPUs of a node: times include waiting for one"


def _settings(launcher: Launcher) -> tuple[tuple[str, str], ...]:
    """Environment of srun. With another PMIx fence, Open MPI may get messages in MPI_Init and crash (ompi#12495)."""
    return (("SLURM_PMIX_FENCE", "tree"),) if launcher.flavour.is_openmpi else ()


def current_target(environment: Mapping[str, str]) -> SlurmTarget:
    """The allocation that this process is in. Raises LaunchMistake."""
    if not environment.get("SLURM_JOB_ID"):
        raise LaunchMistake(
            "--on slurm: this is not a Slurm allocation (SLURM_JOB_ID is not set); "
            "`salloc -N 4` gives one, and --emit writes a script for sbatch"
        )
    require_on_path("srun", option="--on slurm")
    return SlurmTarget(
        nodes=parse_digits(environment.get("SLURM_JOB_NUM_NODES", "")),
        ranks=parse_digits(environment.get("SLURM_NTASKS", "")),
        offered=offered(output_of("srun", "--mpi=list")),
        cpus=fewest_cpus(environment.get("SLURM_JOB_CPUS_PER_NODE", "")),
    )


def offered(text: str | None) -> tuple[str, ...] | None:
    """PMI types in the output of `srun --mpi=list`, None where there are none."""
    return tuple(_TYPE.findall(text or "")) or None


def fewest_cpus(text: str) -> int | None:
    """The smallest number of CPUs in a list such as `16(x3),8`, None where there is none."""
    counts = re.findall(r"([0-9]{1,18})(?:\(x[0-9]+\))?(?:,|$)", text)
    return min(map(int, counts)) if counts else None


def script_target(request: BatchRequest) -> SlurmTarget:
    """The target for a batch script, whose nodes are assumed to have enough CPUs."""
    return SlurmTarget(nodes=request.nodes, offered=offered(output_of("srun", "--mpi=list")))


def directives(request: BatchRequest, *, ranks: int) -> tuple[str, ...]:
    """Directives for sbatch. Nodes are exclusive, since other jobs on them would disturb the measured times."""
    options = (
        ("job-name", request.name),
        ("nodes", request.nodes),
        ("ntasks", ranks),
        ("ntasks-per-node", request.ranks_per_node(ranks)),
        ("time", request.walltime_text),
        ("partition", request.queue),
        ("account", request.account),
    )
    lines = (f"#SBATCH --{name}={value}" for name, value in options if value is not None)
    requeue = ("#SBATCH --requeue", "#SBATCH --open-mode=append") if request.requeue else ()
    return (*lines, "#SBATCH --exclusive", *requeue)


def requeued_lines(first: str, continuing: str, *, run_file: Path) -> str:
    """Lines that continue the run file of a job that was requeued.

    They requeue the job where ranks were interrupted, as by the SIGTERM that announces a preemption. A file without any
    record is removed: ranks were killed before they wrote one.
    """
    file = shlex.quote(str(run_file))
    return "\n".join((
        "restarts=${SLURM_RESTART_COUNT:-0}",
        f'if [ "$restarts" -gt 0 ] && [ ! -s {file} ]; then rm -f {file}; fi',
        f'if [ "$restarts" -gt 0 ] && [ -e {file} ]; then',
        f"  {continuing}",
        "else",
        f"  {first}",
        "fi",
        "status=$?",
        f'if [ "$status" -eq {ExitStatus.interrupted} ]; then scontrol requeue "$SLURM_JOB_ID"; fi',
        'exit "$status"',
    ))  # fmt: skip
