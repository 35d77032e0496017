"""What `stressbench doctor` found out about a machine and a launch on it."""

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """Level of a finding. `warning`: results may be wrong or slow. `error`: runs fail, or measure something else."""

    ok = "ok"
    note = "note"
    warning = "warning"
    error = "error"


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One finding of a check. `consequence`: what will go wrong, `remedy`: what to type; null where nothing is."""

    check: str
    level: Level
    found: str
    consequence: str | None
    remedy: str | None


@dataclass(frozen=True, kw_only=True)
class Diagnosis:
    """All findings on a launch target, in the order of the checks. `version` is that of StressBench.

    `ranks` were to be started; `command` started them, null where nothing was started.
    """

    version: str
    target: str
    ranks: int
    command: str | None
    findings: tuple[Finding, ...]

    def count(self, level: Level) -> int:
        """The number of findings of this level."""
        return sum(one.level is level for one in self.findings)

    @property
    def passed(self) -> bool:
        """Whether no error was found."""
        return self.count(Level.error) == 0
