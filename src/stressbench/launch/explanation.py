"""How a run ended, in sentences: who died, what is in the file, and what to do next. Pure."""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from stressbench.exit_status import ExitStatus
from stressbench.formats.ranges import parse_ranges
from stressbench.formats.run import Fault, Job, Run
from stressbench.launch.diagnosis import Death
from stressbench.launch.session import LaunchRequest, RunResult

# What the engine prints about a rank that is told to end, or meets a fault (engine/scheduler/rank_status.cpp):
# `rank 3 (job CG, motif halo2d), round 6` and `job CG, motif halo2d, rank 3 on host a1, round 6`. Only for what no
# `fault` record of the run file tells.
_WHEREABOUTS = re.compile(r"\bjob (?P<job>[^\n]+?), motif (?P<motif>[^,)\n]+)(?:\), round \d|, rank \d)")

NOTHING_MEASURED = "no round was finished; nothing was measured"


@dataclass(frozen=True, kw_only=True)
class _Origin:
    """Where a rank belongs; None is unknown."""

    host: str | None
    job: Job | None


def explain(result: RunResult, *, request: LaunchRequest) -> tuple[str, ...]:
    """Sentences for stderr, none when all went well."""
    if result.status in (ExitStatus.fault, ExitStatus.interrupted):
        return (*causes(result, request=request), _kept(request, result.left, result.kept or request.run_file.path))
    return causes(result, request=request)


def causes(result: RunResult, *, request: LaunchRequest) -> tuple[str, ...]:
    """Why the run failed: the rank that died, or the launcher's status. Empty where the engine reported it itself."""
    if result.status == ExitStatus.ok:
        return ()
    if result.death is not None:
        return (_death(result, result.death, result.left),)
    if result.status == ExitStatus.fault and result.outcome.status != ExitStatus.fault:
        # The newest launch of a file that is continued may be an earlier one.
        recorded = () if request.run_file.continues else _faults(result.left)
        return tuple(_sentence(fault, result.left) for fault in recorded) or (
            f"the launcher ended with status {result.outcome.status} before the engine could say why",
        )
    return ()


def _death(result: RunResult, death: Death, run: Run | None) -> str:
    place = _place(death, run)
    rank = "a rank" if death.rank is None else f"rank {death.rank}"
    where = f" on host {place.host}" if place.host else ""
    doing = ""
    if place.job is not None:
        recorded = [fault.motif for fault in _faults(run) if fault.job == place.job.job and fault.motif is not None]
        motif = recorded[-1] if recorded else _motif(result.outcome.errors, place.job.name)
        doing = f", job {place.job.name}" + (f", motif {motif}" if motif else "")
    elif run is not None and death.rank is not None:
        doing = ", which no job uses"
    return f"{rank}{where}{doing} was ended by {death.signal_name}{_hint(death)}"


def _faults(run: Run | None) -> tuple[Fault, ...]:
    """What the engine wrote down about the faults that ended the newest launch."""
    return () if run is None else run.launches[-1].faults


def _sentence(fault: Fault, run: Run | None) -> str:
    """A sentence about a fault, of all that is known."""
    rank = "a rank" if fault.rank is None else f"rank {fault.rank}"
    host = "" if fault.host is None else f" on host {fault.host}"
    job = "" if fault.job is None or run is None else f", job {run.jobs[fault.job].name}"
    motif = "" if fault.motif is None else f", motif {fault.motif}"
    number = "" if fault.round is None else f", round {fault.round}"
    return f"{rank}{host}{job}{motif}{number}: {fault.cause or 'a fault of unknown cause'}"


def _hint(death: Death) -> str:
    if death.signal_name == "SIGKILL":
        return " (somebody's kill -9, or the kernel when memory ran out: `dmesg` tells)"
    if death.signal_name in ("SIGSEGV", "SIGBUS", "SIGABRT", "SIGFPE", "SIGILL"):
        return " (a crash: a defect of the engine or of the MPI library)"
    return ""


def _place(death: Death, run: Run | None) -> _Origin:
    """Host and job of the dead rank from the header's node map; the launcher's word where there is no header."""
    if run is None or death.rank is None:
        return _Origin(host=death.host, job=None)
    for node in run.launches[-1].header.nodes:
        if death.rank in parse_ranges(node.ranks):
            jobs = (job for job in run.jobs if node.node in parse_ranges(job.nodes))
            return _Origin(host=node.host, job=next(jobs, None))
    return _Origin(host=death.host, job=None)


def _motif(errors: str, job: str) -> str | None:
    """The motif that the engine last named for this job, if it named one."""
    named = [found["motif"] for found in _WHEREABOUTS.finditer(errors) if found["job"] == job]
    return named[-1] if named else None


def _kept(request: LaunchRequest, run: Run | None, path: Path) -> str:
    rounds = () if run is None else run.rounds
    if not rounds:
        return NOTHING_MEASURED
    count = "round 1 is" if len(rounds) == 1 else f"{len(rounds)} rounds are"
    return f"{count} complete in {path}; `{continuing(request, path)}` goes on"


def continuing(request: LaunchRequest, path: Path) -> str:
    """The command that goes on with this run: the file knows workload, ranks and settings."""
    where = () if request.on == "local" else ("--on", request.on)
    return shlex.join(("stressbench", "run", "--continue", str(path), *where))
