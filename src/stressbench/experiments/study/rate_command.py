"""The rate command of a study: a command of the site that sets injection bandwidth where StressBench cannot."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from stressbench.formats.study.errors import StudyFault, StudyMistake
from stressbench.formats.study.fields import split_command

_STANDARD_ERROR = 2


@dataclass(frozen=True, kw_only=True)
class RateCommand:
    """`text` as in the study file. A program with a path is relative to `folder`, a bare name is looked up on PATH."""

    text: str
    folder: Path
    environment: Mapping[str, str]

    def check(self) -> None:
        """Raise StudyMistake where there is no such program."""
        if shutil.which(self._argv[0], path=self.environment.get("PATH")) is None:
            raise StudyMistake(f"rate_command: '{self._argv[0]}': expected a program that can be started")

    def set(self, share: Fraction) -> None:
        """Call the command with the share of the full rate, such as `1/2`, and wait. Raises StudyFault where it fails.

        Its output goes to standard error. The command has its own session, so that Ctrl-C reaches only the study, which
        lets the command end and then calls it with 1.
        """
        argument = str(share)
        try:
            status = subprocess.run(
                [*self._argv, argument], stdin=subprocess.DEVNULL, stdout=_STANDARD_ERROR, check=False,
                env=dict(self.environment), start_new_session=True,
            ).returncode  # fmt: skip
        except OSError as fault:
            raise StudyFault(f"rate command `{self.text} {argument}` cannot be started: {fault.strerror}") from fault
        if status:
            raise StudyFault(f"rate command `{self.text} {argument}` ended with status {status}")

    def set_full(self) -> None:
        """Call the command with 1. Raises StudyFault where it fails."""
        self.set(Fraction(1))

    @property
    def _argv(self) -> tuple[str, ...]:
        program, *words = split_command(self.text)
        return (str(self.folder / program) if os.path.sep in program else program, *words)
