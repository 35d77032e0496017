"""Starting a lab from its file, after checking the file and the capabilities of this machine."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from stressbench.formats.lab.arbitration import Arbitration
from stressbench.formats.lab.errors import LabFileMistake, LabMistake
from stressbench.formats.lab.routing import Routing
from stressbench.formats.toml import TomlMistake, read_text
from stressbench.formats.toml.lines import line_of, lines_of
from stressbench.labs.capabilities import load_dependent_routing, marks, missing, multipath, netem, storage, turns
from stressbench.labs.errors import LabFault
from stressbench.labs.file import parse_lab
from stressbench.labs.lifecycle import RunningLab, up
from stressbench.labs.status import Capability
from stressbench.labs.topology import Lab


@dataclass(frozen=True, kw_only=True)
class StartedLab:
    """A lab that is up. `unavailable`: missing capabilities that keep its I/O nodes from serving files, if any."""

    running: RunningLab
    unavailable: tuple[Capability, ...]


def start_lab(path: Path, *, name: str) -> StartedLab:
    """Check the lab file and this machine, then bring the lab up.

    Raises LabMistake if the file is invalid or asks for more than the machine has, and LabFault if the machine lacks
    a required capability or a step fails.
    """
    try:
        text = read_text(path)
    except TomlMistake as fault:
        raise LabMistake(str(fault)) from fault
    lab = parse_lab(text, name=name, source=str(path))
    _check_disks(lab, text, path)
    _check_cores(lab, text, path, available_cores=len(os.sched_getaffinity(0)))
    unavailable = missing()
    if unavailable:
        raise LabFault(*(f"{one.name} missing ({one.why}): {one.remedy}" for one in unavailable))
    for key, test, what in _kernel_needs(lab):
        if not (one := test()).there:
            places = lines_of(text)
            line = line_of(places, next(place for place in places if place[-1] == key))
            raise LabFileMistake([f"{path}:{line}: {what}: {one.remedy}"])
    unserved = tuple(one for one in storage() if not one.there) if lab.io else ()
    return StartedLab(running=up(text, name=name, source=str(path), serve_files=not unserved), unavailable=unserved)


def _check_disks(lab: Lab, text: str, path: Path) -> None:
    """Raise LabFileMistake if I/O nodes have disks."""
    for key in ("disk_write", "disk_read"):
        if lab.io is not None and getattr(lab.io, key) is not None:
            line = line_of(lines_of(text), ("io", key))
            raise LabFileMistake(
                [
                    f"{path}:{line}: io.{key}: I/O nodes of a lab keep files in memory; only simulations have disks "
                    f"(--on simgrid:{path}); leave it out"
                ]
            )


def _kernel_needs(lab: Lab) -> Iterator[tuple[str, Callable[[], Capability], str]]:
    """Keys of the lab file that not every kernel offers: each with its test, and what is said if it fails."""
    if any(link.delay for link in lab.links):
        yield "delay", netem, "delay: this kernel has no netem"
    if lab.arbitration is Arbitration.fair:
        yield "arbitration", turns, 'arbitration: "fair": this kernel has no htb'
    if lab.routing is Routing.ecmp:
        yield "routing", multipath, 'routing: "ecmp": this kernel has no multipath routes'
    if lab.routing is Routing.adaptive:
        yield "routing", load_dependent_routing, 'routing: "adaptive": eBPF is missing'
    if lab.marking is not None:
        yield "marking", marks, "marking: eBPF is missing"


def _check_cores(lab: Lab, text: str, path: Path, *, available_cores: int) -> None:
    """Raise LabFileMistake if the hosts need more than `available_cores`."""
    message = cores_complaint(lab, available_cores=available_cores)
    if message is not None:
        raise LabFileMistake([f"{path}:{line_of(lines_of(text), ('hosts', 'cores'))}: {message}"])


def cores_complaint(lab: Lab, *, available_cores: int) -> str | None:
    """Reason why the lab's hosts do not fit on a machine with `available_cores`; None if they do."""
    largest_host = max(lab.hosts, key=lambda host: host.cores)
    if largest_host.cores > available_cores:
        return (
            f"hosts.cores: {largest_host.name} has {largest_host.cores} cores, but this machine has {available_cores}: "
            f"expected at most {available_cores}"
        )
    total = sum(host.cores for host in lab.hosts)
    if lab.pinned and total > available_cores:
        what = f"hosts.pinned: {len(lab.hosts)} hosts with {total} cores in all do not fit on {available_cores}"
        return f"{what}; without pinned, hosts share cores"
    return None
