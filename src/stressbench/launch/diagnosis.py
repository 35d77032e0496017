"""Extracts the death of a rank from the output of a launcher. Pure."""

import re
import signal
from collections.abc import Mapping
from dataclasses import dataclass

from stressbench.exit_status import ExitStatus
from stressbench.launch.execute import Outcome


@dataclass(frozen=True, kw_only=True)
class Death:
    """A rank ended by the signal `number`. None: not reported by the launcher. `host`: as named by the launcher."""

    rank: int | None
    host: str | None
    number: int

    @property
    def signal_name(self) -> str:
        """Name of the signal, such as `SIGKILL`."""
        try:
            return signal.Signals(self.number).name
        except ValueError:
            return f"signal {self.number}"


_OPEN_MPI = re.compile(
    r"process\s+rank\s+(?P<rank>[0-9]{1,18})\s+with\s+PID\s+\d+\s+on\s+node\s+(?P<host>\S+)\s+exited\s+on\s+signal\s+(?P<number>[0-9]{1,18})\b"
)
# Sometimes the only message on a rank that a signal ends before MPI_Init. mpirun then exits with 128 + the signal.
_OPEN_MPI_STATUS = re.compile(r"Primary job\s+terminated normally, but \d+ process(?:es)?\s+returned\s+a non-zero exit")
_HYDRA_PLACE = re.compile(r"=\s+(?:RANK (?P<rank>[0-9]{1,18}) )?PID (?P<pid>[0-9]{1,18}) RUNNING AT (?P<host>\S+)")
_HYDRA_SIGNAL = re.compile(r"(?:KILLED BY SIGNAL: |EXIT STRING: [^\n]*\(signal )(?P<number>[0-9]{1,18})\b")
# srun's message on a task ended by a signal. When srun then ends the other tasks, it prints the same for them.
_SRUN = re.compile(
    r"^srun: error: (?P<host>[^:\s]+): tasks? (?P<rank>[0-9]{1,18})\b[\d,-]*: (?P<text>[A-Z][^\n(]*?)(?: \(|$)",
    re.MULTILINE,
)
_SRUN_ENDS_ALL = re.compile(r"^srun: (?:Job step aborted|forcing job termination)", re.MULTILINE)
# Flux's message on a task that has ended while others go on. Releases before 0.87 do not say how it ended.
_FLUX = re.compile(
    r"task-exit: [^\n]*: task rank (?P<rank>[0-9]{1,18}) on host (?P<host>\S+) exited(?: \((?P<text>[^)\n]+)\))?"
)
_FLUX_ENDED = re.compile(r"^flux-job: task\(s\) (?P<text>[^\n(]*?)(?: \(|$)", re.MULTILINE)
_SIGNALLED = 128
_NUMBERS = {text: number for number in signal.Signals if (text := signal.strsignal(number))}


def diagnose(outcome: Outcome) -> Death | None:
    """The death that the launcher reported, or None where it reported none."""
    text = outcome.output + "\n" + outcome.errors
    if match := _OPEN_MPI.search(text):
        return Death(rank=int(match["rank"]), host=match["host"], number=int(match["number"]))
    if death := _srun(outcome.errors) or _flux(outcome.errors):
        return death
    if _OPEN_MPI_STATUS.search(text) and outcome.status > _SIGNALLED and outcome.status != ExitStatus.interrupted:
        return Death(rank=None, host=None, number=outcome.status - _SIGNALLED)
    if signal_match := _HYDRA_SIGNAL.search(text):
        return _hydra(text, int(signal_match["number"]), dict(outcome.rank_of))
    return None


def _srun(errors: str) -> Death | None:
    """The first task ended by a signal before srun itself ended any."""
    ends_all = _SRUN_ENDS_ALL.search(errors)
    match = _SRUN.search(errors, 0, ends_all.start() if ends_all else len(errors))
    if match is None or match["text"] not in _NUMBERS:
        return None
    return Death(rank=int(match["rank"]), host=match["host"], number=_NUMBERS[match["text"]])


def _flux(errors: str) -> Death | None:
    """The task ended by a signal for which Flux ended the others."""
    match = _FLUX.search(errors)
    if match is None:
        return None
    ended = match if match["text"] else _FLUX_ENDED.search(errors)
    number = _NUMBERS.get(ended["text"]) if ended else None
    return None if number is None else Death(rank=int(match["rank"]), host=match["host"], number=number)


def _hydra(text: str, number: int, rank_of: Mapping[int, int]) -> Death:
    """The death in the output of hydra: MPICH reports the process id, Intel MPI also the rank."""
    match = _HYDRA_PLACE.search(text)
    if match is None:
        return Death(rank=None, host=None, number=number)
    rank = int(match["rank"]) if match["rank"] else rank_of.get(int(match["pid"]))
    return Death(rank=rank, host=match["host"], number=number)
