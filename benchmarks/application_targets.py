"""Where benchmarks/applications.py compares: a launch target, or the labs of a directory one after the other."""

from dataclasses import dataclass
from pathlib import Path

import sources

from stressbench.formats.lab.errors import LabMistake
from stressbench.labs.file import read_lab


@dataclass(frozen=True, kw_only=True)
class SuiteTarget:
    """A launch target, and how many ranks start there. `lab`: the file of a lab that has to be brought up for it."""

    on: str
    ranks: int
    lab: Path | None = None
    about: str = ""

    @property
    def is_lab(self) -> bool:
        """Whether it is a lab, whose links are slow."""
        return self.on.startswith("lab:")

    @property
    def title(self) -> str:
        """The line above the table of a lab; empty for other targets."""
        return "" if self.lab is None else f"{self.on}: {self.about}"


def lab_target(path: Path) -> SuiteTarget:
    """A lab file, with a rank on each of its hosts. Raises SourceMistake."""
    try:
        lab = read_lab(path)
    except LabMistake as mistake:
        raise sources.SourceMistake(str(mistake)) from mistake
    return SuiteTarget(on=f"lab:{lab.name}", ranks=len(lab.hosts), lab=path.absolute(), about=lab.about)


def lab_targets(folder: Path) -> list[SuiteTarget]:
    """The labs of a directory, with a rank on each of their hosts. Raises SourceMistake."""
    targets = [lab_target(path) for path in sorted(folder.glob("*.toml"))]
    if not targets:
        raise sources.SourceMistake(f"{folder}: expected lab files, NAME.toml")
    return targets
