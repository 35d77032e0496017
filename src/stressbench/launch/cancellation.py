"""Why Slurm or Flux ended a launch, from the messages of srun, slurmstepd and `flux run`. Pure."""

import re
from dataclasses import dataclass

_NODE_FAILURE = re.compile(r"^(?:srun|salloc): error: Node failure on (?P<nodes>\S+)", re.MULTILINE)
# Of slurmstepd, without a reason after scancel, and after srun itself has ended the step.
_CANCELLED = re.compile(
    r"\*\*\* (?P<kind>JOB|STEP) (?P<id>[0-9]{1,18}(?:[._+][0-9a-z]{1,18})*) ON \S+ CANCELLED AT \S+"
    r"(?: DUE TO (?P<reason>NODE FAILURE|TIME LIMIT|PREEMPTION|JOB REQUEUE))?"
)
_NO_JOB = re.compile(r"^srun: .*Expired or invalid job (?P<job>[0-9]{1,18})\b", re.MULTILINE)
_NO_STEP = re.compile(
    r"^srun: error: Unable to create step for job (?P<job>[0-9]{1,18}): "
    r"(?P<reason>Job/step already completing or completed|Required node not available|Invalid job id specified)",
    re.MULTILINE,
)
_FLUX = re.compile(r"job\.exception (?P<id>\S+) type=(?P<type>\S+) severity=0(?: node failure on (?P<nodes>\S+))?")
_REASONS = {
    "NODE FAILURE": "a node failed: Slurm ended {what} (`sinfo -R` names the node)",
    "TIME LIMIT": "Slurm ended {what} at its time limit",
    "PREEMPTION": "Slurm preempted {what}",
    "JOB REQUEUE": "Slurm requeued {what}",
}
_FLUX_REASONS = {"timeout": "Flux ended job {job} at its time limit", "cancel": "job {job} of Flux was cancelled"}


@dataclass(frozen=True, kw_only=True)
class Cancellation:
    """A launch that the batch system ended. `sentence`: what happened.

    `ends_allocation`: no ranks can start on these nodes any more, so that the launch did not fail by its own fault.
    """

    sentence: str
    ends_allocation: bool


def cancellation_in(errors: str) -> Cancellation | None:
    """Why the batch system ended or refused a launch that printed `errors`, None where it did neither."""
    return _slurm(errors) or _flux(errors)


def _slurm(errors: str) -> Cancellation | None:
    cancelled = [match for match in _CANCELLED.finditer(errors) if match["reason"]]
    if failed := _NODE_FAILURE.search(errors):
        ended = f": Slurm ended {_what(cancelled[0])}" if cancelled else ""
        return Cancellation(sentence=f"node {failed['nodes']} failed{ended}", ends_allocation=True)
    if cancelled:
        sentence = _REASONS[cancelled[0]["reason"]].format(what=_what(cancelled[0]))
        return Cancellation(sentence=sentence, ends_allocation=True)
    if gone := _NO_JOB.search(errors):
        return Cancellation(sentence=f"job {gone['job']} of Slurm has ended", ends_allocation=True)
    if refused := _NO_STEP.search(errors):
        reason = refused["reason"][0].lower() + refused["reason"][1:]
        return Cancellation(sentence=f"Slurm starts no ranks in job {refused['job']}: {reason}", ends_allocation=True)
    if match := _CANCELLED.search(errors):
        return Cancellation(sentence=f"{_what(match)} of Slurm was cancelled", ends_allocation=match["kind"] == "JOB")
    return None


def _flux(errors: str) -> Cancellation | None:
    match = _FLUX.search(errors)
    if match is None:
        return None
    job = match["id"]
    if match["nodes"]:
        return Cancellation(sentence=f"node {match['nodes']} failed: Flux ended job {job}", ends_allocation=True)
    reason = _FLUX_REASONS.get(match["type"])
    return None if reason is None else Cancellation(sentence=reason.format(job=job), ends_allocation=False)


def _what(match: re.Match[str]) -> str:
    return f"{match['kind'].lower()} {match['id']}"
