"""Two launches at one place: what each place adds so that neither waits for, or sits on, the other. Pure."""

from dataclasses import replace
from pathlib import Path

import pytest
from support.fake_lab import lab_hosts

from stressbench.launch.batch.flux import FluxTarget
from stressbench.launch.batch.slurm import SlurmTarget
from stressbench.launch.command import Launcher
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.flavour import Flavour, Recognised
from stressbench.launch.lab import LabTarget
from stressbench.launch.launch_target import LOCAL, LaunchTarget, build_concurrent
from stressbench.launch.local import Request
from stressbench.launch.simgrid import SimulatedTarget

REQUEST = Request(ranks=4, program=("engine", "run", "a.sb"), cores=8)
HOSTS = lab_hosts(2, 2, 2, 2)
LAB = LabTarget(name="four", hosts=HOSTS, enter=("enter",))


def launcher(flavour: Flavour = Flavour.openmpi4) -> Launcher:
    return Launcher(path=Path("mpirun"), recognised=Recognised(flavour=flavour, version="9.9"))


def built(
    place: LaunchTarget, *, concurrent_ranks: int, request: Request = REQUEST, flavour: Flavour = Flavour.openmpi4
) -> str:
    return " ".join(
        build_concurrent(place, launcher=launcher(flavour), request=request, concurrent_ranks=concurrent_ranks).argv
    )


def test_here_no_rank_is_bound_to_the_core_of_another() -> None:
    assert built(LOCAL, concurrent_ranks=2) == "mpirun -n 4 --bind-to none engine run a.sb"
    assert built(LOCAL, concurrent_ranks=2, flavour=Flavour.mpich) == "mpirun -n 4 engine run a.sb"


def test_here_ranks_yield_where_both_together_are_more_than_the_cores() -> None:
    assert "--bind-to none --oversubscribe --mca mpi_yield_when_idle 1" in built(LOCAL, concurrent_ranks=5)


def test_a_binding_that_is_typed_stays() -> None:
    typed = replace(REQUEST, extra=("--bind-to", "core"))

    assert built(LOCAL, concurrent_ranks=2, request=typed) == "mpirun -n 4 --bind-to core engine run a.sb"


def test_probes_go_to_the_first_hosts_of_a_lab_one_each() -> None:
    pairs = LAB.one_rank_per_host(2)

    assert pairs.shares(2) == (("h0", 1), ("h1", 1))
    assert "--host h0:2,h1:2 --map-by slot --bind-to none" in built(LAB, concurrent_ranks=2)


def test_steps_of_slurm_overlap() -> None:
    place = SlurmTarget(nodes=4, offered=("pmix",), cpus=4)

    assert "--overlap --cpu-bind=none" in built(place, concurrent_ranks=4)
    assert "--nodes=4 --ntasks-per-node=1" in built(place.one_rank_per_host(4), concurrent_ranks=4)
    typed = replace(REQUEST, extra=("--cpu-bind=cores",))
    assert "--overlap --cpu-bind=cores" in built(place, concurrent_ranks=4, request=typed)


@pytest.mark.parametrize(
    "place",
    [
        FluxTarget(nodes=4),
        SimulatedTarget(name="tiny", hosts=HOSTS, platform="", source="", folder=Path("cache")),
    ],
    ids=lambda place: type(place).__name__,
)
def test_where_two_launches_cannot_run_at_once_they_are_refused(place: LaunchTarget) -> None:
    with pytest.raises(LaunchMistake, match="side by side"):
        built(place, concurrent_ranks=1)


def test_places_say_how_many_hosts_they_have() -> None:
    counts = [place.host_count for place in (LOCAL, LAB, SlurmTarget(nodes=3), SlurmTarget(), FluxTarget(nodes=2))]

    assert counts == [1, 4, 3, None, 2]


def test_a_lab_s_launcher_runs_on_the_first_of_the_chosen_hosts() -> None:
    later = LAB.on_hosts(range(1, 4, 2))

    assert later.shares(4) == (("h1", 2), ("h3", 2))
    assert built(later, concurrent_ranks=0).startswith("enter h1 mpirun -n 4 --host h1:2,h3:2")


def test_steps_of_slurm_run_on_the_chosen_nodes() -> None:
    place = SlurmTarget(nodes=4, offered=("pmix",), cpus=4)

    words = built(place.on_hosts(range(2, 4)), concurrent_ranks=4)

    assert "--nodes=2 --ntasks-per-node=2 --relative=2" in words
    with pytest.raises(LaunchMistake, match="steps of Slurm get consecutive nodes"):
        place.on_hosts(range(0, 4, 2))


def test_this_machine_has_no_hosts_to_choose_from() -> None:
    with pytest.raises(LaunchMistake, match="cannot give launches hosts of their own"):
        LOCAL.on_hosts(range(1))
