"""What `--on` means."""

from stressbench.lab.entering import entering
from stressbench.lab.errors import LabFault, LabMistake
from stressbench.lab.lifecycle import running
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.lab import LabHost, LabPlace
from stressbench.launch.place import HERE, Place

_NAMED_IN_WORKLOADS = frozenset({"SCRATCH", "TMPDIR"})


def place_of(text: str) -> Place:
    """`local`, or `lab:NAME` of a lab that is up. Raises LaunchMistake."""
    kind, _, name = text.partition(":")
    if text == "local":
        return HERE
    if kind != "lab" or not name:
        raise LaunchMistake(f"--on: '{text}': expected local, or lab:NAME such as lab:tiny")
    try:
        up = running(name)
        enter = entering(up, up.lab.hosts[0].name)
    except (LabMistake, LabFault) as mistake:
        raise LaunchMistake(f"--on {text}: {mistake}") from mistake
    return LabPlace(
        name=name,
        enter=enter,
        hosts=tuple(LabHost(name=host.name, cores=host.cores) for host in up.lab.hosts),
        environment=tuple((key, value) for key, value in up.state.environment.items() if key in _NAMED_IN_WORKLOADS),
    )
