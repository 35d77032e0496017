"""Sentences on how a run ended: which rank died, what is in the run file, and what to do next. Pure."""

import shlex
from pathlib import Path

from stressbench.exit_status import ExitStatus
from stressbench.formats.run import Run, fault_location, fault_sentence
from stressbench.launch.deaths import fault_of_death
from stressbench.launch.diagnosis import Death
from stressbench.launch.session import LaunchRequest, RunResult

NOTHING_MEASURED = "no round was finished; nothing was measured"


def explain(result: RunResult, *, request: LaunchRequest) -> tuple[str, ...]:
    """Sentences for stderr, none for a successful run."""
    if result.status in (ExitStatus.fault, ExitStatus.interrupted):
        return (
            *causes(result, request=request),
            _saved_rounds(request, result.run, result.replacement_file or request.run_file.path),
        )
    return causes(result, request=request)


def causes(result: RunResult, *, request: LaunchRequest) -> tuple[str, ...]:
    """Why the run failed: the batch system ended it, the rank that died, or the launcher's status.

    Empty where the engine reported it itself, and after a stop request.
    """
    if result.status == ExitStatus.ok:
        return ()
    if result.cancellation is not None and (result.cancellation.ends_allocation or _is_unexplained(result)):
        return (result.cancellation.sentence,)
    if result.death is not None:
        return (_death(result, result.death),)
    if result.status == ExitStatus.fault and result.outcome.status != ExitStatus.fault:
        return faults(result, request=request) or (
            f"the launcher ended with status {result.outcome.status} before the engine could say why",
        )
    return ()


def _is_unexplained(result: RunResult) -> bool:
    """Whether neither a stop request nor the death of a rank explains that the step was cancelled."""
    return result.death is None and not result.outcome.stop_requests


def faults(result: RunResult, *, request: LaunchRequest) -> tuple[str, ...]:
    """Sentences on the faults that ended this launch, from the run file."""
    # The last launch in a continued file may be an earlier one.
    if result.run is None or request.run_file.continues:
        return ()
    return tuple(fault_sentence(fault, result.run.jobs) for fault in result.run.launches[-1].faults)


def _death(result: RunResult, death: Death) -> str:
    fault = fault_of_death(death, result.run, errors=result.outcome.errors)
    location = fault_location(fault, () if result.run is None else result.run.jobs)
    is_idle = result.run is not None and fault.rank is not None and fault.job is None
    return f"{location}{', which no job uses' if is_idle else ''} was {fault.cause}{_hint(death)}"


def _hint(death: Death) -> str:
    if death.signal_name == "SIGKILL":
        return " (a kill -9, or the kernel when memory ran out: see `dmesg`)"
    if death.signal_name in ("SIGSEGV", "SIGBUS", "SIGABRT", "SIGFPE", "SIGILL"):
        return " (a crash: a defect of the engine or of the MPI library)"
    return ""


def _saved_rounds(request: LaunchRequest, run: Run | None, path: Path) -> str:
    rounds = () if run is None else run.rounds
    if not rounds:
        return NOTHING_MEASURED
    count = "round 1 is" if len(rounds) == 1 else f"{len(rounds)} rounds are"
    if not request.target.continues_runs:
        return f"{count} complete in {path}"
    return f"{count} complete in {path}; `{continuing(request, path)}` continues"


def continuing(request: LaunchRequest, path: Path) -> str:
    """The command that continues this run. The run file contains workload, ranks and settings."""
    where = () if request.on == "local" else ("--on", request.on)
    return shlex.join(("stressbench", "run", "--continue", str(path), *where))
