"""Launches with a NIC selection for each rank. Asks the engine for the ranks of jobs, and starts nothing else."""

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from stressbench.formats.study.rail_policies import Kind
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.flavour import Recognised
from stressbench.launch.job_ranks import JobPlacement, JobRanks, job_ranks
from stressbench.launch.local import Request
from stressbench.launch.machine import SYSFS, numa_node_of
from stressbench.launch.rails import RailMistake, Rails, RailSubject


@dataclass(frozen=True, kw_only=True)
class RailSelection:
    """A policy with its NICs. `placement` determines the ranks of each job, None for a program without jobs."""

    rails: Rails
    placement: JobPlacement | None = None


def with_rail_selection(
    request: Request,
    rail_selection: RailSelection,
    *,
    library: Recognised,
    engine: Path,
    ranks_per_node: int | None,
    environment: Mapping[str, str],
) -> Request:
    """The request with the NIC selection put before its program. Raises LaunchMistake where that is impossible."""
    rails = rail_selection.rails
    jobs: tuple[JobRanks, ...] = ()
    if rails.policy.kind is Kind.local and rails.sysfs == SYSFS and not request.placed_externally:
        _require_numa_nodes(rails)
    if rails.policy.depends_on_jobs and rail_selection.placement is not None:
        jobs = _jobs(rail_selection.placement, request, rails, engine, ranks_per_node, environment)
    return replace(request, program=(*rails.wrapper(library, jobs=jobs), *request.program))


def _require_numa_nodes(rails: Rails) -> None:
    for nic in rails.nics:
        if numa_node_of(nic) is None:
            explanation = f"{rails.policy}: no NUMA node is known of NIC {nic} of this machine; expected another policy"
            raise RailMistake(explanation, subject=RailSubject.policy)


def _jobs(
    placement: JobPlacement,
    request: Request,
    rails: Rails,
    engine: Path,
    ranks_per_node: int | None,
    environment: Mapping[str, str],
) -> tuple[JobRanks, ...]:
    if ranks_per_node is None:
        explanation = f"{rails.policy}: needs --ranks-per-node, which says which ranks share a node"
        raise RailMistake(explanation, subject=RailSubject.policy)
    describe_command = placement.describe_command(engine, ranks=request.ranks, ranks_per_node=ranks_per_node)
    completed = subprocess.run(
        describe_command, stdin=subprocess.DEVNULL, capture_output=True, env=environment, check=False
    )
    if completed.returncode != 0:
        reason = completed.stderr.decode(errors="replace").strip() or f"status {completed.returncode}"
        raise LaunchMistake(f"{placement.workload}: the engine cannot tell the ranks of its jobs: {reason}")
    return job_ranks(completed.stdout, ranks_per_node=ranks_per_node)
