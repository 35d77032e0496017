"""What all launch targets on simulated labs share: a lab file as it is simulated, and links whose rates are fixed."""

import shutil
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

from stressbench.formats.files import limits, read_text
from stressbench.formats.units import RateShare, stated_rate
from stressbench.labs.catalog import lab_file
from stressbench.labs.file import read_lab
from stressbench.labs.topology import Lab
from stressbench.launch.errors import LaunchMistake, LinkMistake
from stressbench.launch.find import named_program
from stressbench.launch.lab import name_in, reduced_lab
from stressbench.launch.launch_target import NicNumbers
from stressbench.launch.local import Request


class SimulatedLinks:
    """The part of a provider of targets that concerns links. Their rates are fixed, and they have no counters."""

    def set_rate(self, on: str, share: Fraction) -> None:
        """Not supported, since the rates of a simulation are fixed at its start. Raises LaunchMistake."""
        raise LaunchMistake(
            f"--on {on}: rate: {stated_rate(share)}: a simulated lab's rates are fixed when ranks start"
        )

    def nic_totals(self, on: str) -> None:
        """None: there are no counters."""

    def nic_numbers(self, on: str) -> NicNumbers:  # noqa: ARG002  a TargetProvider's
        """None, since there are no counters."""
        return {}

    def link_meter(self, on: str) -> None:
        """None, since there are no counters."""


def simulated_lab(on: str, *, rate: RateShare | None, rails: int | None) -> tuple[Lab, str]:
    """The lab that `--on KIND:NAME` names with its links at `rate`, and the text of its file with these changes.

    Raises LinkMistake for more than one rail, and LabMistake.
    """
    if rails is not None and rails > 1:
        raise LinkMistake(on=on, factor="rails", explanation=f"{rails}: a simulated host has one NIC; expected 1")
    path = lab_file(name_in(on))
    lab = reduced_lab(read_lab(path), on=on, rate=rate, rails=rails)
    changes = "".join(
        f"# {name} = {value}\n" for name, value in (("rate", rate), ("rails", rails)) if value is not None
    )
    return lab, changes + read_text(path, limit=limits.TOML)


def require_simulatable(request: Request) -> None:
    """Raise LaunchMistake for what only ranks on real cores can have."""
    if request.ranks < 1:
        raise LaunchMistake(f"ranks: {request.ranks} is not at least 1")
    if request.extra:
        raise LaunchMistake(f"{' '.join(request.extra)}: there is no mpirun in a simulation; leave it out")
    if request.realtime:
        raise LaunchMistake("--realtime: simulated ranks share no cores; leave it out")


def find_built_program(environment: Mapping[str, str], *, program: str, variable: str, preset: str, needs: str) -> Path:
    """A program that a preset of CMake builds: the one that `variable` names, or the one on PATH.

    `program`: its path below build/PRESET. `needs`: the package of the simulator. Raises LaunchMistake.
    """
    name = Path(program).name
    if path_from_environment := environment.get(variable):
        return named_program(Path(path_from_environment), option=variable)
    if path_on_path := shutil.which(name, path=environment.get("PATH")):
        return Path(path_on_path)
    raise LaunchMistake(
        f"{name} was not found on PATH: `cmake --preset {preset} && cmake --build --preset {preset}` in a checkout "
        f"makes build/{preset}/{program} (it needs {needs}); {variable}=PATH names it"
    )
