"""The fault record of a run for a rank that was ended by a signal."""

from dataclasses import replace

from stressbench.formats.ranges import parse_ranges
from stressbench.formats.run import Fault, Job, Run
from stressbench.formats.run.rank_status import rank_statuses_in
from stressbench.launch.diagnosis import Death


def fault_of_death(death: Death, run: Run | None, *, errors: str) -> Fault:
    """The fault with the host and job of the dead rank, from the node map of the run file, and its motif.

    A killed rank cannot report its motif, so the last one reported by another rank of the job is used: from the fault
    records, or else from the statuses in `errors`, the launcher's standard error.
    """
    fault = Fault(
        round=None, job=None, motif=None, rank=death.rank, host=death.host, cause=f"ended by {death.signal_name}"
    )
    if run is None or death.rank is None:
        return fault
    launch = run.launches[-1]
    for node in launch.header.nodes:
        if death.rank in parse_ranges(node.ranks):
            job = next((job for job in run.jobs if node.node in parse_ranges(job.nodes)), None)
            if job is None:
                return replace(fault, host=node.host)
            motifs = [one.motif for one in launch.faults if one.job == job.job and one.motif is not None]
            return replace(fault, host=node.host, job=job.job, motif=motifs[-1] if motifs else _motif(job, errors))
    return fault


def _motif(job: Job, errors: str) -> str | None:
    motifs = [one.motif for one in rank_statuses_in(errors) if one.job == job.name and one.motif is not None]
    return motifs[-1] if motifs else None
