"""Fake labs: launch targets, and links whose changes are recorded.

They serve as targets of a study, and of `--on lab:NAME` through `stressbench.launch.targets.registered`.

They are targets that `stressbench.launch.targets.registered` makes `--on lab:NAME` mean.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

from stressbench.formats.units import RateShare, stated_rate
from stressbench.labs.topology import Node, NodeKind
from stressbench.launch.clock import timed_by
from stressbench.launch.errors import LaunchMistake, LinkMistake
from stressbench.launch.lab import LabTarget, RunningLabs
from stressbench.launch.launch_target import LOCAL, LaunchTarget, NicNumbers, TargetProperties
from stressbench.launch.targets import LinkMeter, NicTotals, registered
from support.fake_clock import FakeClock


@dataclass
class FakeLab:
    """A target with one rail whose link rates are set as text; `refuses` lists those it rejects."""

    events: list[str] = field(default_factory=list)
    refuses: str = ""
    here: LaunchTarget = LOCAL
    properties: ClassVar[TargetProperties] = RunningLabs.properties

    def target(self, on: str, *, rate: RateShare | None = None, rails: int | None = None, **_: object) -> LaunchTarget:
        if rails not in (None, 1):
            raise LinkMistake(on=on, factor="rails", explanation=f"{rails}: lab fake has 1 rail; expected 1")
        return self.here

    def set_rate(self, on: str, share: Fraction) -> None:
        rate = str(stated_rate(share))
        self.events.append(f"{on} {rate}")
        if rate == self.refuses:
            raise LaunchMistake(f"{on} is gone")

    def nic_totals(self, on: str) -> NicTotals | None:
        return None

    def nic_numbers(self, on: str) -> NicNumbers:
        return RunningLabs().nic_numbers(on)

    def link_meter(self, on: str) -> LinkMeter | None:
        return None


def lab_hosts(*cores: int) -> tuple[Node, ...]:
    """Hosts h0, h1, ... with these numbers of cores."""
    return tuple(Node(name=f"h{k}", kind=NodeKind.host, number=k, cores=count) for k, count in enumerate(cores))


_NOWHERE = ("sh", "-c", 'exec "$@"')
"""Starts a command without entering any host; the host's name becomes $0."""
FOUR = LabTarget(name="four", hosts=lab_hosts(2, 2, 2, 2), enter=_NOWHERE, realtime_by_default=False)
PAIR = LabTarget(name="pair", hosts=lab_hosts(2, 2), enter=("enter",), nics=("eth0", "eth1"))


@contextmanager
def four_hosts_on_a_fake_clock() -> Iterator[None]:
    """Context where every lab has four hosts and is not there, and time passes where fakes say so."""
    with registered(lab=FakeLab(here=FOUR)), timed_by(FakeClock.here()):
        yield


@dataclass
class Pair(FakeLab):
    """A lab with two NICs per host."""

    here: LaunchTarget = field(default=PAIR)

    def target(self, on: str, *, rate: RateShare | None = None, rails: int | None = None, **_: object) -> LaunchTarget:
        return self.here
