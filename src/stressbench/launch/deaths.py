"""The fault record of a run for a rank that was ended by a signal."""

import re
from dataclasses import replace

from stressbench.formats.ranges import parse_ranges
from stressbench.formats.run import Fault, Job, Run
from stressbench.launch.diagnosis import Death

# What the engine prints about a rank that is told to end, or meets a fault (engine/scheduler/rank_status.cpp):
# `rank 3 (job CG, motif halo2d), round 6` and `job CG, motif halo2d, rank 3 on host a1, round 6`.
_WHEREABOUTS = re.compile(r"\bjob (?P<job>[^\n]+?), motif (?P<motif>[^,)\n]+)(?:\), round \d|, rank \d)")


def fault_of_death(death: Death, run: Run | None, *, errors: str) -> Fault:
    """The fault with the host and job of the dead rank, from the node map of the run file, and its motif.

    A killed rank cannot report its motif, so the last one reported by another rank of the job is used: from the fault
    records, or else from `errors`, the launcher's standard error.
    """
    dead = Fault(
        round=None, job=None, motif=None, rank=death.rank, host=death.host, cause=f"ended by {death.signal_name}"
    )
    if run is None or death.rank is None:
        return dead
    launch = run.launches[-1]
    for node in launch.header.nodes:
        if death.rank in parse_ranges(node.ranks):
            job = next((job for job in run.jobs if node.node in parse_ranges(job.nodes)), None)
            if job is None:
                return replace(dead, host=node.host)
            named = [fault.motif for fault in launch.faults if fault.job == job.job and fault.motif is not None]
            return replace(dead, host=node.host, job=job.job, motif=named[-1] if named else _motif(job, errors))
    return dead


def _motif(job: Job, errors: str) -> str | None:
    named = [found["motif"] for found in _WHEREABOUTS.finditer(errors) if found["job"] == job.name]
    return named[-1] if named else None
