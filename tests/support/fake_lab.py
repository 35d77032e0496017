"""Labs that are not there: places of ranks, and links whose changes are written down."""

from dataclasses import dataclass, field
from pathlib import Path

from stressbench.launch.errors import LaunchMistake, LinkMistake
from stressbench.launch.lab import LabHost, LabPlace
from stressbench.launch.place import HERE, Place


@dataclass
class FakeLab:
    """A place of one rail whose links are set in words; `refuses` says which."""

    events: list[str] = field(default_factory=list)
    refuses: str = ""

    def place(self, on: str, *, rate: str | None = None, rails: int | None = None) -> Place:
        if rails not in (None, 1):
            raise LinkMistake(on=on, factor="rails", told=f"{rails}: lab fake has 1 rail; expected 1")
        return HERE

    def set_rate(self, on: str, rate: str) -> None:
        self.events.append(f"{on} {rate}")
        if rate == self.refuses:
            raise LaunchMistake(f"{on} is gone")

    def engine(self, place: Place, given: Path | None) -> Path | None:
        return given


PAIR = LabPlace(
    name="pair", hosts=tuple(LabHost(name=f"h{k}", cores=2) for k in range(2)), enter=("enter",), nics=("eth0", "eth1")
)


@dataclass
class Pair(FakeLab):
    """A lab of two cards a host."""

    here: Place = field(default=PAIR)

    def place(self, on: str, *, rate: str | None = None, rails: int | None = None) -> Place:
        return self.here
