"""Checks of the network: NICs and their counters, links of labs, names of hosts."""

import json
import socket
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from stressbench.experiments.doctor.check import Setting, Verdict, check, error, note, ok, warning
from stressbench.formats.errors import reason_of
from stressbench.formats.files import limits, read_text
from stressbench.launch.find import output_of
from stressbench.launch.targets import link_meter, properties_of

_NIC_SOURCES = ("ethernet", "infiniband", "cxi")
_HOST_OPTIONS = frozenset({"-H", "--host", "-host", "--hosts", "-hosts"})
_FILE_OPTIONS = frozenset({"--hostfile", "-hostfile", "--machinefile", "-machinefile", "-f", "--default-hostfile"})
_COMMENTS = ("#", "!")


@check("NICs", "NICs, the state of their ports, and their counters")
def nics(setting: Setting) -> Iterator[Verdict]:
    """Ports of InfiniBand must be active; without counters, `show --telemetry` has no NICs."""
    for path in sorted((setting.root / "sys/class/infiniband").glob("*/ports/*")):
        state = setting.text(str(path.relative_to(setting.root) / "state"))
        if state is not None and "ACTIVE" not in state:
            yield warning(
                f"port {path.name} of {path.parts[-3]} is not active ({state})",
                consequence="MPI uses another port, or TCP",
                remedy="ibstat; look at the cable and the subnet manager (`sminfo`)",
            )
    if setting.engine.path is None or setting.engine.library is None:
        return
    devices = counted_devices(output_of(str(setting.engine.path), "telemetry", "--json") or "")
    if devices:
        yield ok("; ".join(f"{source}: {', '.join(_with_rates(setting, names))}" for source, names in devices.items()))
    else:
        yield note(
            "no NIC of this host has counters",
            consequence="`show --telemetry` and link utilisation have no rows",
            remedy="stressbench-mpi telemetry lists where counters are looked for; --telemetry-command CMD adds others",
        )


def counted_devices(text: str) -> dict[str, list[str]]:
    """The NICs with counters of each source, from the output of `stressbench-mpi telemetry --json`."""
    try:
        sources = json.loads(text)
        found = {
            one["name"]: sorted({counter["device"] for counter in one["counters"] if counter["device"]})
            for one in sources if one["name"] in _NIC_SOURCES
        }  # fmt: skip
    except (ValueError, KeyError, TypeError):
        return {}
    return {name: devices for name, devices in found.items() if devices}


def _with_rates(setting: Setting, names: list[str]) -> Iterator[str]:
    """The names of interfaces, with their rates where the kernel knows them."""
    for name in names:
        rate = setting.text(f"sys/class/net/{name}/speed")
        yield f"{name} ({int(rate) / 1000:g} Gbit/s)" if rate is not None and rate.isdigit() else name


@check("links", "the links of a lab")
def links(setting: Setting) -> Iterator[Verdict]:
    """All links of a lab must be up."""
    kind, _, name = setting.on.partition(":")
    meter = link_meter(setting.on) if properties_of(setting.on).controls_links else None
    if meter is None:
        return
    meter.reset()
    directions = meter.used()
    if directions is None:
        yield warning(
            f"the links of {kind} {name} cannot be read",
            consequence="it is unknown whether they are up",
            remedy=f"stressbench lab status {name}",
        )
        return
    down = sorted({one.link for one in directions if not one.is_up})
    if down:
        yield error(
            f"{', '.join(down)} of {kind} {name} {'is' if len(down) == 1 else 'are'} down",
            consequence="ranks wait forever for messages over this link",
            remedy="; ".join(f"stressbench lab set {link} up --lab {name}" for link in down),
        )
    else:
        yield ok(f"{len({one.link for one in directions})} links of {kind} {name} are up")


@check("host names", "whether the names of this host and of the launcher's hosts can be resolved")
def host_names(setting: Setting) -> Iterator[Verdict]:
    """Launchers connect to hosts by their names."""
    own = socket.gethostname()
    own_fault = resolution_fault(own)
    if own_fault is not None:
        yield warning(
            f"the name of this host, {own}, cannot be resolved: {own_fault}",
            consequence="hydra and mpirun cannot start ranks on other hosts, or wait for the name service",
            remedy=f"as root: echo '127.0.1.1 {own}' >> /etc/hosts",
        )
    try:
        named = hosts_in(setting.extra)
    except OSError as unreadable:
        yield error(
            f"{unreadable.filename}: {reason_of(unreadable)}",
            consequence="the launcher starts no rank",
            remedy="name a file that lists a host a line: -- --hostfile FILE",
        )
        return
    unknown = {name: fault for name in named if (fault := resolution_fault(name))}
    if unknown:
        yield error(
            "; ".join(f"host {name} cannot be resolved: {fault}" for name, fault in unknown.items()),
            consequence="the launcher starts no rank, or waits until its connection times out",
            remedy=f"getent hosts {' '.join(unknown)}; correct the names in {' '.join(setting.extra)}",
        )
    elif own_fault is None:
        yield ok(f"{own} can be resolved" + (f", and so can {', '.join(named)}" if named else ""))


def hosts_in(words: tuple[str, ...]) -> tuple[str, ...]:
    """The hosts that options of a launcher name, also in host files. Raises OSError for a file that cannot be read."""
    names = []
    for option, value in pairwise(words):
        if option in _HOST_OPTIONS:
            names += [one.partition(":")[0] for one in value.split(",")]
        elif option in _FILE_OPTIONS:
            lines = (line.split("#")[0].split() for line in read_text(Path(value), limit=limits.OUTPUT).splitlines())
            names += [line[0].partition(":")[0] for line in lines if line and not line[0].startswith(_COMMENTS)]
    return tuple(dict.fromkeys(name for name in names if name))


def resolution_fault(name: str) -> str | None:
    """Why the name cannot be resolved; None if it can."""
    try:
        socket.getaddrinfo(name, None)
    except OSError as fault:
        return (fault.strerror or str(fault)).lower()
    except UnicodeError:
        return "no host can have this name"
    return None


NETWORK_CHECKS = (nics, links, host_names)
