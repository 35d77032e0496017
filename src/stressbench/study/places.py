"""What `on`, `rate` and `rails` of a study's cells mean, asked of who knows places."""

from pathlib import Path
from typing import Protocol

from stressbench.launch.errors import LinkMistake
from stressbench.launch.place import Place
from stressbench.study.errors import StudyFileMistake
from stressbench.study.file import Study
from stressbench.toml import Complaint, located


class Places(Protocol):
    """What `--on` means."""

    def place(self, on: str, *, rate: str | None = None, rails: int | None = None) -> Place:
        """Where ranks go, over such links. Raises LaunchMistake."""

    def set_rate(self, on: str, rate: str) -> None:
        """Have all links of a lab that is up carry this share of their rates. Raises LaunchMistake."""

    def engine(self, place: Place, given: Path | None) -> Path | None:
        """The engine that was given, or the one that the place needs. Raises LaunchMistake."""


def absolute(on: str, *, folder: Path) -> str:
    """The same place, a lab file's path no longer relative to `folder`."""
    kind, _, name = on.partition(":")
    return f"{kind}:{folder / name}" if name.endswith(".toml") else on


def require_links(study: Study, places: Places, *, text: str, source: str, folder: Path) -> None:
    """Raise StudyFileMistake where a place cannot have a cell's rate or rails, LaunchMistake where there is none."""
    complaints: dict[str, Complaint] = {}
    asked = ((cell.on, None if study.rate_command else cell.rate, cell.rails) for cell in study.cells)
    for on, rate, rails in sorted({one for one in asked if one[1:] != (None, None)}, key=str):
        try:
            places.place(absolute(on, folder=folder), rate=rate, rails=rails)
        except LinkMistake as mistake:
            complaints[str(mistake)] = Complaint(
                place=("factors", mistake.factor), text=f"factors.{mistake.factor}: {mistake.told}"
            )
    if complaints:
        raise StudyFileMistake(located(complaints.values(), text=text, source=source))
