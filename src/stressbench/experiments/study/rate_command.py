"""A study's rate command: a program of the site that sets injection bandwidth where no link is ours."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from stressbench.formats.study.errors import StudyFault, StudyMistake
from stressbench.formats.study.fields import split_command
from stressbench.formats.units import FULL, parse_rate_share

_STANDARD_ERROR = 2


def argument_of(rate: str) -> str:
    """The rate as commands get it: `1`, `1/2`, `1/8`, however the study says it."""
    return str(parse_rate_share(rate))


@dataclass(frozen=True, kw_only=True)
class RateCommand:
    """`text` as the study has it; a path in it is relative to `folder`, a bare name is looked up."""

    text: str
    folder: Path
    environment: Mapping[str, str]

    def check(self) -> None:
        """Raise StudyMistake where there is no such program."""
        if shutil.which(self._argv[0], path=self.environment.get("PATH")) is None:
            raise StudyMistake(f"rate_command: '{self._argv[0]}': expected a program that can be started")

    def set(self, rate: str) -> None:
        """Call it with the rate and wait. What it prints goes to standard error. Raises StudyFault where it fails.

        It has a session of its own: Ctrl-C is for the study, which then lets it end and calls it with 1.
        """
        argument = argument_of(rate)
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
        """Call it with 1."""
        self.set(FULL)

    @property
    def _argv(self) -> tuple[str, ...]:
        program, *words = split_command(self.text)
        return (str(self.folder / program) if os.path.sep in program else program, *words)
