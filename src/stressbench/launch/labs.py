"""Launch targets that are labs: `lab:NAME`, a lab that is up, and `simgrid:NAME`, one that SimGrid simulates."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction

from stressbench.formats.files import limits, read_text
from stressbench.formats.lab.errors import LabMistake
from stressbench.formats.units import RateShare, stated_rate
from stressbench.labs.catalog import lab_file
from stressbench.labs.counters import bytes_by_nic, read_counters
from stressbench.labs.errors import LabFault
from stressbench.labs.file import read_lab
from stressbench.labs.lifecycle import command_prefix, running_lab
from stressbench.labs.link_control import LinkChange, apply_change
from stressbench.labs.platform import platform_of
from stressbench.labs.subset import with_rails, with_rate_share
from stressbench.labs.topology import Lab
from stressbench.launch.errors import LaunchMistake, LinkMistake
from stressbench.launch.lab import LabHost, LabTarget
from stressbench.launch.launch_target import NicNumbers, TargetProperties
from stressbench.launch.simgrid import SimulatedTarget, cache_folder

_WORKLOAD_VARIABLES = frozenset({"SCRATCH", "TMPDIR"})


class RunningLabs:
    """Provides the targets `lab:NAME`."""

    properties = TargetProperties(form="lab:NAME", controls_links=True, keeps_rate=True, counts_all_hosts=True)

    def target(
        self,
        on: str,
        *,
        environment: Mapping[str, str],
        rate: RateShare | None,
        rails: int | None,
    ) -> LabTarget:
        """The lab that is up under this name. `rate` is only checked, `set_rate` applies it. Raises LaunchMistake."""
        name = _name_in(on)
        with _as_launch_mistakes(on):
            running = running_lab(name)
            enter = command_prefix(running, running.lab.hosts[0].name)
        reduced = _reduced_lab(running.lab, on=on, rate=rate, rails=rails)
        return LabTarget(
            name=name,
            selected_nics=None
            if rails is None or running.lab.rails == 1
            else tuple(f"eth{rail}" for rail in range(reduced.rails)),
            nics=tuple(f"eth{rail}" for rail in range(running.lab.rails)),
            enter=enter,
            hosts=_hosts(running.lab),
            environment=tuple(
                (key, value) for key, value in running.state.environment.items() if key in _WORKLOAD_VARIABLES
            ),
        )

    def set_rate(self, on: str, share: Fraction) -> None:
        """Set all links to this share of the rates in the lab's file. Raises LaunchMistake."""
        with _as_launch_mistakes(on):
            running = running_lab(_name_in(on))
            apply_change(running, running.lab.links, LinkChange(share=float(share)))

    def nic_totals(self, on: str) -> Mapping[str, tuple[int, int]] | None:
        """Bytes sent and received by NIC, summed over the hosts; None where the counters cannot be read."""
        try:
            running = running_lab(_name_in(on))
            return bytes_by_nic(running.lab, read_counters(running))
        except (LabMistake, LabFault):
            return None

    def nic_numbers(self, on: str) -> NicNumbers:
        """NIC numbers from the lab's file; empty where none has this name."""
        try:
            lab = read_lab(lab_file(_name_in(on)))
        except LabMistake:
            return {}
        hosts = {host.name for host in lab.hosts}
        return {(link.name, end.node): link.rail for link in lab.links for end in link.ends if end.node in hosts}


class SimulatedLabs:
    """Provides the targets `simgrid:NAME` and `simgrid:FILE.toml`."""

    properties = TargetProperties(form="simgrid:NAME", controls_links=True, simulated=True, runs_concurrently=True)

    def target(
        self, on: str, *, environment: Mapping[str, str], rate: RateShare | None, rails: int | None
    ) -> SimulatedTarget:
        """The simulated lab with its links at `rate`. Raises LaunchMistake, and LinkMistake for more than one rail."""
        word = _name_in(on)
        if rails is not None and rails > 1:
            raise LinkMistake(on=on, factor="rails", explanation=f"{rails}: a simulated host has one NIC; expected 1")
        with _as_launch_mistakes(on):
            path = lab_file(word)
            lab = _reduced_lab(read_lab(path), on=on, rate=rate, rails=rails)
            platform = platform_of(lab)
        overrides = "".join(
            f"# {name} = {value}\n" for name, value in (("rate", rate), ("rails", rails)) if value is not None
        )
        return SimulatedTarget(
            name=lab.name,
            hosts=_hosts(lab),
            platform=platform,
            source=overrides + read_text(path, limit=limits.TOML),
            folder=cache_folder(environment),
        )

    def set_rate(self, on: str, share: Fraction) -> None:
        """Not supported, since the rates of a simulation are fixed at its start. Raises LaunchMistake."""
        raise LaunchMistake(
            f"--on {on}: rate: {stated_rate(share)}: a simulated lab's rates are fixed when ranks start"
        )

    def nic_totals(self, on: str) -> None:
        """None: a simulation has no counters."""

    def nic_numbers(self, on: str) -> NicNumbers:  # noqa: ARG002  a TargetProvider's
        """None, since there are no counters."""
        return {}


def _name_in(on: str) -> str:
    return on.partition(":")[2]


@contextmanager
def _as_launch_mistakes(on: str) -> Iterator[None]:
    """Context that turns errors of labs into LaunchMistake."""
    try:
        yield
    except (LabMistake, LabFault) as mistake:
        raise LaunchMistake(*(f"--on {on}: {line}" for line in mistake.args)) from mistake


def _reduced_lab(lab: Lab, *, on: str, rate: RateShare | None, rails: int | None) -> Lab:
    """The lab at a share of its rates and with its first rails. Raises LinkMistake."""
    if rails is not None:
        with _link_mistakes("rails", rails, on=on):
            lab = with_rails(lab, rails)
    if rate is not None:
        with _link_mistakes("rate", rate, on=on):
            lab = with_rate_share(lab, float(rate.value))
    return lab


@contextmanager
def _link_mistakes(factor: str, value: object, *, on: str) -> Iterator[None]:
    try:
        yield
    except LabMistake as mistake:
        raise LinkMistake(on=on, factor=factor, explanation=f"{value}: {mistake}") from mistake


def _hosts(lab: Lab) -> tuple[LabHost, ...]:
    return tuple(LabHost(name=host.name, cores=host.cores) for host in lab.hosts)
