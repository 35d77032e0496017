"""What `--on` means: this machine, a lab, or a batch system."""

from collections.abc import Mapping

from stressbench.lab.entering import entering
from stressbench.lab.errors import LabFault, LabMistake
from stressbench.lab.lifecycle import running
from stressbench.launch.batch import batch_systems
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.lab import LabHost, LabPlace
from stressbench.launch.place import HERE, Place

PLACES = "|".join(("local", "lab:NAME", *batch_systems()))
ABOUT = "; ".join(
    (
        "local: mpirun on this machine",
        "lab:NAME: a lab that is up",
        *(f"{name}: {system.about}" for name, system in batch_systems().items()),
    )
)
_NAMED_IN_WORKLOADS = frozenset({"SCRATCH", "TMPDIR"})


def place_of(text: str, *, environment: Mapping[str, str]) -> Place:
    """Where ranks go. Raises LaunchMistake."""
    kind, _, name = text.partition(":")
    if text == "local":
        return HERE
    if (system := batch_systems().get(text)) is not None:
        return system.inside(environment)
    if kind != "lab" or not name:
        others = ", ".join(batch_systems())
        raise LaunchMistake(f"--on: '{text}': expected local, {others}, or lab:NAME such as lab:tiny")
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
