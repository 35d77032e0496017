"""Evaluates how the launches of a measurement ended, and defines the exception that aborts a measurement."""

from stressbench.errors import StressBenchError
from stressbench.exit_status import ExitStatus
from stressbench.experiments.progress import Progress
from stressbench.launch.diagnosis import diagnose
from stressbench.launch.execute import Outcome


class MeasurementAborted(StressBenchError):
    """A launch failed or was interrupted, so that the measurement cannot continue.

    The message is the `reason`, followed by its `effect` on the result.
    """

    def __init__(self, reason: str, *, status: int, effect: str = "") -> None:
        self.reason = reason
        self.exit_status = ExitStatus(status)
        super().__init__(reason + effect)


def require_success(outcome: Outcome, *, name: str, progress: Progress) -> None:
    """Raise MeasurementAborted unless the program `name` ended with status 0; report processes that it left behind.

    A program whose work was done counts as successful, even if its ranks had to be terminated.
    """
    if outcome.status == 0 or outcome.hung_in_finalize:
        if outcome.killed_processes and not outcome.hung_in_finalize:
            processes = "a process" if outcome.killed_processes == 1 else f"{outcome.killed_processes} processes"
            progress(f"{name} left {processes} behind, which were terminated")
        return
    after = f"after {elapsed_s(outcome):.3g} s"
    death = diagnose(outcome)
    if death is not None:
        rank = "a rank" if death.rank is None else f"rank {death.rank}"
        reason = f"{rank} of {name} was killed by {death.signal_name} {after}"
    else:
        reason = f"{name} ended with status {outcome.status} {after}"
    raise MeasurementAborted(
        reason, status=ExitStatus.fault, effect="; no result is reported for a program that fails"
    )  # fmt: skip


def elapsed_s(outcome: Outcome) -> float:
    """Time from start to end of the launcher, s."""
    return outcome.ended_s - outcome.began_s
