"""Sets the injection bandwidth for launches of a program: through the links of a lab, or by a command of the site."""

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from stressbench.experiments.progress import Progress, silent
from stressbench.experiments.study.rate_command import RateCommand
from stressbench.experiments.study.restore import restored_by
from stressbench.formats.study.errors import StudyFault
from stressbench.formats.units import FULL
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.targets import set_link_rate
from stressbench.levels import Level
from stressbench.stop_signals import handled_by

_FULL = "1"


@dataclass(frozen=True, kw_only=True)
class Injection:
    """`apply` sets a rate such as `1/2`, StudyFault where it fails; `manual_command` is the one that restores it."""

    apply: Callable[[str], None]
    manual_command: str
    progress: Progress = silent
    _applied: list[str] = field(default_factory=list, init=False)

    def set(self, rate: str) -> None:
        """Have nodes send at this share of their rate from now on, unless they do. Raises StudyFault."""
        if self._applied[-1:] == [rate]:
            return
        if rate == _FULL:
            self.apply(rate)
            self._applied.append(rate)
        else:  # what fails may have slowed something
            self._applied.append(rate)
            self.apply(rate)

    def restoring_full_rate(self) -> AbstractContextManager[None]:
        """However it ends inside, the full rate is set again.

        Raises StudyFault where that fails; but a failure inside is the one to be told.
        """
        return restored_by(self._set_full)

    def _set_full(self) -> None:
        if self._applied[-1:] in ([], [_FULL]):
            return
        try:
            with handled_by(lambda *_: None):  # who asks to stop wants this done first
                self.apply(_FULL)
        except StudyFault:
            self.progress(
                f"injection bandwidth may still be {self._applied[-1]} of the full rate: "
                f"`{self.manual_command}` restores it",
                level=Level.warning,
            )
            raise
        self._applied.append(_FULL)


def of_lab(on: str, *, progress: Progress = silent) -> Injection:
    """All links of the lab that is up."""

    def apply(rate: str) -> None:
        try:
            set_link_rate(on, FULL if rate == _FULL else rate)
        except LaunchMistake as mistake:
            raise StudyFault(str(mistake)) from mistake

    manual_command = f"stressbench lab set all rate=full --lab {on.partition(':')[2]}"
    return Injection(apply=apply, manual_command=manual_command, progress=progress)


def of_command(text: str, *, folder: Path, progress: Progress = silent) -> Injection:
    """A program of the site. Raises StudyMistake where there is none."""
    command = RateCommand(text=text, folder=folder, environment=os.environ)
    command.check()
    return Injection(
        apply=lambda rate: command.set(FULL if rate == _FULL else rate),
        manual_command=f"{text} {_FULL}",
        progress=progress,
    )
