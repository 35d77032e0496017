"""What `on`, `rate`, `rails` and `policy` of a study's cells mean, asked of who knows places."""

from pathlib import Path
from typing import Protocol

from stressbench.formats.study.cells import Cell
from stressbench.formats.study.errors import StudyFileMistake
from stressbench.formats.study.file import Study
from stressbench.formats.study.rail_policies import Transport, parse_policy
from stressbench.formats.toml import Complaint, located
from stressbench.launch.errors import LinkMistake
from stressbench.launch.job_ranks import Cast
from stressbench.launch.place import Place
from stressbench.launch.rails import RailMistake, Rails, require_possible
from stressbench.launch.steering import Steering


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


def steering_of(study: Study, cell: Cell, *, place: Place, workload: Path) -> Steering | None:
    """How the cell's messages find their cards; None where it leaves that to MPI and says nothing. RailMistake."""
    if cell.policy is None:
        return None
    nics, policy = study.nics or place.nics, parse_policy(cell.policy)
    if place.nics and (strange := next((nic for nic in nics if nic not in place.nics), None)) is not None:
        raise RailMistake(f"{strange}: hosts of {cell.on} have {', '.join(place.nics)}", option="--nics")
    require_possible(policy, nics, are_virtual=bool(place.nics))
    transport = None if study.transport is None else Transport(study.transport)
    sets = tuple(f"{name}={value}" for name, value in cell.sets)
    cast = Cast(workload=workload, sets=sets, placement=cell.placement)
    return Steering(rails=Rails(policy=policy, nics=nics, transport=transport), cast=cast)


def require_links(study: Study, places: Places, *, text: str, source: str, folder: Path) -> None:
    """Raise StudyFileMistake where a place cannot have what a cell wants of links, LaunchMistake without a place."""
    complaints: dict[str, Complaint] = {}
    asked = ((cell.on, None if study.rate_command else cell.rate, cell.rails) for cell in study.cells)
    for on, rate, rails in sorted({one for one in asked if one[1:] != (None, None)}, key=str):
        try:
            places.place(absolute(on, folder=folder), rate=rate, rails=rails)
        except LinkMistake as mistake:
            complaints[str(mistake)] = Complaint(
                place=("factors", mistake.factor), text=f"factors.{mistake.factor}: {mistake.told}"
            )
    for cell in {(cell.on, cell.policy): cell for cell in study.cells if cell.policy is not None}.values():
        place = places.place(absolute(cell.on, folder=folder))
        try:
            steering_of(study, cell, place=place, workload=folder / cell.workload)
        except RailMistake as wrong:
            key = ("nics",) if wrong.option == "--nics" and study.nics else ("factors", "policy")
            complaints[str(wrong)] = Complaint(place=key, text=f"{'.'.join(key)}: {wrong.told}")
    if complaints:
        raise StudyFileMistake(located(complaints.values(), text=text, source=source))
