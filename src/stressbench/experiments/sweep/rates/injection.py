"""Sets the injection bandwidth for launches of a program: through the links of a lab, or by a command of the site."""

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from stressbench.experiments.progress import Progress, silent
from stressbench.experiments.study.rate_command import RateCommand
from stressbench.experiments.study.restore import restored_by
from stressbench.formats.study.errors import StudyFault
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.targets import set_link_rate
from stressbench.levels import Level
from stressbench.stop_signals import handled_by

_FULL = Fraction(1)


@dataclass(frozen=True, kw_only=True)
class Injection:
    """Sets the injection bandwidth. `apply` sets a share of the full rate and raises StudyFault where that fails.

    `manual_command`: the shell command that restores the full rate, for warnings.
    """

    apply: Callable[[Fraction], None]
    manual_command: str
    progress: Progress = silent
    _applied: list[Fraction] = field(default_factory=list, init=False)

    def set(self, share: Fraction) -> None:
        """Set the injection bandwidth to this share of the full rate, unless it is set already. Raises StudyFault."""
        if self._applied[-1:] == [share]:
            return
        if share == _FULL:
            self.apply(share)
            self._applied.append(share)
        else:  # recorded first, since a failed attempt may have slowed some links
            self._applied.append(share)
            self.apply(share)

    def restoring_full_rate(self) -> AbstractContextManager[None]:
        """Context that restores the full rate at its end, also after an exception.

        Raises StudyFault where that fails. A StudyFault inside the context takes precedence.
        """
        return restored_by(self._set_full)

    def _set_full(self) -> None:
        if self._applied[-1:] in ([], [_FULL]):
            return
        try:
            with handled_by(lambda *_: None):  # stop signals wait until the rate is restored
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
    """Injection bandwidth set through all links of the lab `on`."""

    def apply(share: Fraction) -> None:
        try:
            set_link_rate(on, share)
        except LaunchMistake as mistake:
            raise StudyFault(str(mistake)) from mistake

    manual_command = f"stressbench lab set all rate=full --lab {on.partition(':')[2]}"
    return Injection(apply=apply, manual_command=manual_command, progress=progress)


def of_command(text: str, *, folder: Path, progress: Progress = silent) -> Injection:
    """Injection bandwidth set by a command of the site. Raises StudyMistake where its program does not exist."""
    command = RateCommand(text=text, folder=folder, environment=os.environ)
    command.check()
    return Injection(
        apply=command.set,
        manual_command=f"{text} {_FULL}",
        progress=progress,
    )
