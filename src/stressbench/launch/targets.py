"""The table of launch targets: what `--on KIND` and `--on KIND:NAME` mean.

It contains local, labs, simulated labs and all batch systems; `registered` adds others. A registered provider handles
all targets of its kind, and replaces a built-in one. Tests register labs that do not exist, and a site may register its
own batch system.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Protocol

from stressbench.formats.units import RateShare, stated_rate
from stressbench.labs.status import LinkDirection
from stressbench.launch.batch import BatchSystem, batch_systems
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.lab import RunningLabs
from stressbench.launch.launch_target import LOCAL, LaunchTarget, NicNumbers, TargetProperties
from stressbench.launch.ns3 import PacketLabs
from stressbench.launch.simgrid import SimulatedLabs, find_simulated_engine

NicTotals = Mapping[str, tuple[int, int]]
"""Bytes sent and received so far by each NIC."""


class TargetProvider(Protocol):
    """Provides the launch targets of one kind of `--on`."""

    @property
    def properties(self) -> TargetProperties:
        """What all of these targets have in common."""

    def target(
        self, on: str, *, environment: Mapping[str, str], rate: RateShare | None, rails: int | None
    ) -> LaunchTarget:
        """The target `on`. `rate`: share of their full rate that links have. `rails`: NICs in use on each host.

        Raises LaunchMistake where `on` cannot be used, LinkMistake where it does not support such links.
        """

    def set_rate(self, on: str, share: Fraction) -> None:
        """Set all links to this share of their full rate. Raises LaunchMistake."""

    def nic_totals(self, on: str) -> NicTotals | None:
        """Bytes by NIC, summed over the hosts. None: unknown."""

    def nic_numbers(self, on: str) -> NicNumbers:
        """The number of the NIC at each link of each host, counted from 0; empty where it is unknown."""

    def link_meter(self, on: str) -> "LinkMeter | None":
        """A meter of the target's links. None: there are no counters. Raises LaunchMistake."""


class LinkMeter(Protocol):
    """Measures how much of the rate of each link is used."""

    def reset(self) -> None:
        """Begin a measurement."""

    def used(self) -> tuple[LinkDirection, ...] | None:
        """The use of each direction of each link since `reset`. None: the counters could not be read."""


@dataclass(frozen=True, kw_only=True)
class _UncontrolledNetwork:
    """Provides targets whose network StressBench cannot control. `system`: the batch system, None: this machine."""

    system: BatchSystem | None = None

    @property
    def properties(self) -> TargetProperties:
        """Those that the batch system states."""
        if self.system is None:
            return TargetProperties(form="local")
        return TargetProperties(form=self.system.name, runs_concurrently=self.system.runs_concurrently)

    def target(
        self,
        on: str,  # noqa: ARG002  a TargetProvider's
        *,
        environment: Mapping[str, str],
        rate: RateShare | None,  # noqa: ARG002  a TargetProvider's
        rails: int | None,  # noqa: ARG002  a TargetProvider's
    ) -> LaunchTarget:
        """The allocation of the batch system, or this machine."""
        return LOCAL if self.system is None else self.system.current_target(environment)

    def set_rate(self, on: str, share: Fraction) -> None:
        """Not supported. Raises LaunchMistake."""
        raise LaunchMistake(f"--on {on}: rate: {stated_rate(share)}: link rates cannot be controlled on this target")

    def nic_totals(self, on: str) -> None:
        """None: there are no counters of all hosts."""

    def nic_numbers(self, on: str) -> NicNumbers:  # noqa: ARG002  a TargetProvider's
        """Unknown before a run."""
        return {}

    def link_meter(self, on: str) -> None:
        """None: there are no counters of links."""


_PAUSE_BYTES = 64 * 1024  # of one input of a switch, from which it pauses the sender with lossless links

_registered: dict[str, TargetProvider] = {}
_BUILT_IN: Mapping[str, TargetProvider] = {
    "local": _UncontrolledNetwork(),
    "lab": RunningLabs(),
    "simgrid": SimulatedLabs(),
    "ns3": PacketLabs(kind="ns3"),
    "ns3-pause": PacketLabs(kind="ns3-pause", pause_bytes=_PAUSE_BYTES),
    **{name: _UncontrolledNetwork(system=system) for name, system in batch_systems().items()},
}
TARGET_NAMES = "|".join(provider.properties.form for provider in _BUILT_IN.values())
"""Forms of `--on`, for help texts."""
TARGET_HELP = "; ".join(
    (
        "local: mpirun on this machine",
        "lab:NAME: a lab that is up",
        "simgrid:NAME: a lab, or a lab FILE.toml, that SimGrid simulates",
        "ns3:NAME: the same, simulated packet by packet by ns-3; ns3-pause:NAME: with pause frames",
        *(f"{name}: {system.about}" for name, system in batch_systems().items()),
    )
)


@contextmanager
def registered(**targets: TargetProvider) -> Iterator[None]:
    """Context in which these providers are registered by kind."""
    before = dict(_registered)
    _registered.update(targets)
    try:
        yield
    finally:
        _registered.clear()
        _registered.update(before)


def resolve_target(
    on: str, *, environment: Mapping[str, str], rate: RateShare | None = None, rails: int | None = None
) -> LaunchTarget:
    """The launch target `on`. Raises LaunchMistake, and LinkMistake where the target does not support such links.

    `rate`: share of the rates in a lab's file that its links have. It applies to a simulated lab, but is only checked
    for a lab that is up (`set_link_rate` applies it). `rails`: number of NICs of each host that carry messages.
    """
    return _provider_of(on).target(on, environment=environment, rate=rate, rails=rails)


def set_link_rate(on: str, share: Fraction) -> None:
    """Set all links of the target to this share of their full rate. Raises LaunchMistake."""
    _provider_of(on).set_rate(on, share)


def nic_counter(on: str) -> Callable[[], NicTotals | None] | None:
    """A function that reads the bytes of each NIC, summed over the target's hosts. None: the target has no counters.

    The function returns None where reading fails. Raises LaunchMistake for an unknown target.
    """
    provider = _provider_of(on)
    return (lambda: provider.nic_totals(on)) if provider.properties.counts_all_hosts else None


def nic_numbers(on: str) -> NicNumbers:
    """The number of the NIC at each link of each host of the target; empty where it is unknown before a run."""
    provider = _provider_of_kind(on)
    return {} if provider is None else provider.nic_numbers(on)


def link_meter(on: str) -> LinkMeter | None:
    """A meter of the target's links. None: it has no counters. Raises LaunchMistake."""
    return _provider_of(on).link_meter(on)


def properties_of(on: str) -> TargetProperties:
    """The properties of targets of this kind. An unknown kind has none; `resolve_target` refuses it."""
    provider = _provider_of_kind(on)
    return TargetProperties(form=on) if provider is None else provider.properties


def forms_with(has_property: Callable[[TargetProperties], bool]) -> tuple[str, ...]:
    """How `--on` names the targets of each kind with this property."""
    return tuple(one.properties.form for one in {**_BUILT_IN, **_registered}.values() if has_property(one.properties))


def engine_for(target: LaunchTarget, explicit_path: Path | None, *, environment: Mapping[str, str]) -> Path | None:
    """The engine `explicit_path`, or else the engine on SimGrid for its simulations. None: the usual search.

    Raises LaunchMistake.
    """
    if explicit_path is None and target.on_simgrid:
        return find_simulated_engine(environment)
    return explicit_path


def _provider_of_kind(on: str) -> TargetProvider | None:
    kind = on.partition(":")[0]
    return _registered.get(kind) or _BUILT_IN.get(kind)


def _provider_of(on: str) -> TargetProvider:
    kind, colon, name = on.partition(":")
    provider = _provider_of_kind(on)
    if provider is not None and kind in _registered:
        return provider
    is_named = provider is not None and ":" in provider.properties.form
    if provider is None or bool(name) != is_named or bool(colon) != bool(name):
        others = ", ".join(batch_systems())
        raise LaunchMistake(f"--on: '{on}': expected local, {others}, lab:NAME such as lab:tiny, or simgrid:tiny")
    return provider
