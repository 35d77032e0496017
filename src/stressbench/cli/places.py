"""What `--on` means: this machine, a lab, a simulated lab, or a batch system."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from stressbench.formats.files import limits, read_text
from stressbench.formats.lab.errors import LabMistake
from stressbench.formats.units import parse_rate_share
from stressbench.lab.catalog import lab_file
from stressbench.lab.errors import LabFault
from stressbench.lab.file import read_lab
from stressbench.lab.lifecycle import command_prefix, running_lab
from stressbench.lab.link_control import apply_change, parse_change
from stressbench.lab.platform import platform_of
from stressbench.lab.subset import with_rails, with_rate_share
from stressbench.lab.topology import Lab
from stressbench.launch.batch import batch_systems
from stressbench.launch.errors import LaunchMistake, LinkMistake
from stressbench.launch.lab import LabHost, LabPlace
from stressbench.launch.place import HERE, Place
from stressbench.launch.simgrid import SimgridPlace, cache_folder, find_simulated_engine
from stressbench.launch.targets import target_of

PLACES = "|".join(("local", "lab:NAME", "simgrid:NAME", *batch_systems()))
ABOUT = "; ".join(
    (
        "local: mpirun on this machine",
        "lab:NAME: a lab that is up",
        "simgrid:NAME: a lab, or a lab FILE.toml, that SimGrid simulates",
        *(f"{name}: {system.about}" for name, system in batch_systems().items()),
    )
)
_NAMED_IN_WORKLOADS = frozenset({"SCRATCH", "TMPDIR"})


def place_of(text: str, *, environment: Mapping[str, str], rate: str | None = None, rails: int | None = None) -> Place:
    """Where ranks go. Raises LaunchMistake; LinkMistake where the place cannot have such links.

    `rate` is the share of the rates of a lab's file that its links carry: a simulated lab gets it, one that is up is
    only asked whether it could (`set_rate` does it). `rails`: so many of each host's cards carry messages.
    """
    kind, _, name = text.partition(":")
    if (target := target_of(text)) is not None:
        return target.place(text, environment=environment, rate=rate, rails=rails)
    if text == "local":
        return HERE
    if (system := batch_systems().get(text)) is not None:
        return system.inside(environment)
    if kind == "lab" and name:
        return _lab(name, said=text, rate=rate, rails=rails)
    if kind == "simgrid" and name:
        return _simulated(name, said=text, environment=environment, rate=rate, rails=rails)
    others = ", ".join(batch_systems())
    raise LaunchMistake(f"--on: '{text}': expected local, {others}, lab:NAME such as lab:tiny, or simgrid:tiny")


def set_rate(text: str, rate: str) -> None:
    """Have all links of the lab that is up carry this share of their rates from now on. Raises LaunchMistake."""
    if (target := target_of(text)) is not None:
        target.set_rate(text, rate)
        return
    try:
        up = running_lab(text.partition(":")[2])
        apply_change(up, up.lab.links, parse_change(f"rate={rate}"))
    except (LabMistake, LabFault) as mistake:
        raise LaunchMistake(f"--on {text}: {mistake}") from mistake


def _lab(name: str, *, said: str, rate: str | None, rails: int | None) -> LabPlace:
    try:
        up = running_lab(name)
        enter = command_prefix(up, up.lab.hosts[0].name)
    except (LabMistake, LabFault) as mistake:
        raise LaunchMistake(f"--on {said}: {mistake}") from mistake
    part = _part_of(up.lab, said=said, rate=rate, rails=rails)
    return LabPlace(
        name=name,
        cards=None if rails is None or up.lab.rails == 1 else tuple(f"eth{rail}" for rail in range(part.rails)),
        nics=tuple(f"eth{rail}" for rail in range(up.lab.rails)),
        enter=enter,
        hosts=_hosts(up.lab),
        environment=tuple((key, value) for key, value in up.state.environment.items() if key in _NAMED_IN_WORKLOADS),
    )


def _simulated(
    word: str, *, said: str, environment: Mapping[str, str], rate: str | None, rails: int | None
) -> SimgridPlace:
    if rails is not None and rails > 1:
        raise LinkMistake(on=said, factor="rails", told=f"{rails}: a simulated host has one card; expected 1")
    try:
        path = lab_file(word)
        lab = _part_of(read_lab(path), said=said, rate=rate, rails=rails)
        platform = platform_of(lab)
    except LabMistake as mistake:
        raise LaunchMistake(f"--on {said}: {mistake}") from mistake
    changed = "".join(
        f"# {name} = {value}\n" for name, value in (("rate", rate), ("rails", rails)) if value is not None
    )
    return SimgridPlace(
        name=lab.name,
        hosts=_hosts(lab),
        platform=platform,
        source=changed + read_text(path, limit=limits.TOML),
        folder=cache_folder(environment),
    )


def _part_of(lab: Lab, *, said: str, rate: str | None, rails: int | None) -> Lab:
    """The lab at a share of its rates and with its first rails, where that is wanted. Raises LinkMistake."""
    if rails is not None:
        with _factor("rails", rails, said=said):
            lab = with_rails(lab, rails)
    if rate is not None:
        with _factor("rate", rate, said=said):
            lab = with_rate_share(lab, float(parse_rate_share(rate)))
    return lab


@contextmanager
def _factor(name: str, value: object, *, said: str) -> Iterator[None]:
    try:
        yield
    except LabMistake as mistake:
        raise LinkMistake(on=said, factor=name, told=f"{value}: {mistake}") from mistake


def _hosts(lab: Lab) -> tuple[LabHost, ...]:
    return tuple(LabHost(name=host.name, cores=host.cores) for host in lab.hosts)


def engine_for(place: Place, given: Path | None, *, environment: Mapping[str, str]) -> Path | None:
    """The engine that was `given`, or the one that a simulation needs; None leaves it to the usual search.

    Raises LaunchMistake.
    """
    if given is None and isinstance(place, SimgridPlace):
        return find_simulated_engine(environment)
    return given
