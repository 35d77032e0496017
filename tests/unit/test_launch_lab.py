"""Ranks on a lab: the command line that each MPI gets. Nothing is started here."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.fake_lab import lab_hosts

from stressbench.launch.command import Launcher
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.flavour import Flavour, Recognised
from stressbench.launch.lab import LabTarget
from stressbench.launch.launch_target import LOCAL
from stressbench.launch.local import Request
from stressbench.launch.targets import resolve_target

HOSTS = lab_hosts(2, 2, 1, 1)
PLACE = LabTarget(name="mine", hosts=HOSTS, enter=("enter",))
REQUEST = Request(ranks=6, program=("engine", "run", "a.sb"), cores=2)


def launcher(flavour: Flavour) -> Launcher:
    return Launcher(path=Path("/opt/mpirun"), recognised=Recognised(flavour=flavour, version="9.9"))


@pytest.mark.parametrize(
    ("flavour", "windows"), [(Flavour.openmpi4, ("--mca", "osc", "^rdma")), (Flavour.openmpi5, ())]
)
def test_open_mpi_starts_in_the_lab_and_fills_its_hosts_one_after_the_other(
    flavour: Flavour, windows: tuple[str, ...]
) -> None:
    command = PLACE.build(launcher=launcher(flavour), request=REQUEST)

    where = ("--host", "h0:2,h1:2,h2:1,h3:1", "--map-by", "slot", "--bind-to", "none")
    assert command.argv == ("enter", "h0", "/opt/mpirun", "-n", "6", *where, *windows, "engine", "run", "a.sb")


def test_hydra_has_its_own_word_for_hosts() -> None:
    command = PLACE.build(launcher=launcher(Flavour.mpich), request=replace(REQUEST, realtime=True, extra=("-v",)))

    assert command.argv[2:] == (
        *("/opt/mpirun", "-n", "6", "-hosts", "h0:2,h1:2,h2:1,h3:1", "-v"),
        *("chrt", "-r", "1", "engine", "run", "a.sb"),
    )


def test_ranks_on_hosts_with_sockets_are_bound_before_their_nic_is_chosen() -> None:
    place = replace(PLACE, sockets=2)

    command = place.build(launcher=launcher(Flavour.mpich), request=replace(REQUEST, realtime=True))

    start = command.argv.index("chrt")
    assert command.argv[start + 3 : start + 5] == ("sh", "-c")
    assert "taskset" in command.argv[start + 5]
    assert command.argv[start + 6 :] == ("sockets", "engine", "run", "a.sb")
    assert (place.numa_sysfs, PLACE.numa_sysfs) == ("/run/lab/numa/$(hostname)", None)


def on_cores(*numbers: int, **more: Any) -> LabTarget:
    return replace(PLACE, cores=tuple((f"h{host}", (core,)) for host, core in enumerate(numbers)), **more)


def test_ranks_of_launches_beside_each_other_are_bound_to_cores_of_their_own() -> None:
    place = on_cores(0, 1, 1, 0)
    first, second = (place.on_own_cores(part, of=2) for part in range(2))

    assert (first.own_cores, second.own_cores) == ((("0", "0"), ("1", "0")), (("0", "1"), ("1", "1")))
    command = second.build(launcher=launcher(Flavour.mpich), request=replace(REQUEST, realtime=True))
    start = command.argv.index("chrt")
    assert command.argv[start + 3 : start + 5] == ("sh", "-c")
    assert "/run/lab/cores/$(hostname)" in command.argv[start + 5]
    assert command.argv[start + 6 :] == ("cores", "engine", "run", "a.sb")


def test_cores_stay_as_they_are_where_there_is_nothing_to_divide() -> None:
    for place in (on_cores(0, 0, 0, 0), on_cores(0, 1, 0, 1, sockets=2), PLACE):
        assert place.on_own_cores(0, of=2) is place
    own = on_cores(0, 1, 2, 3).on_hosts(range(2))
    assert own.on_own_cores(0, of=2) is own  # no other host has their cores
    shared = on_cores(0, 1, 0, 1).on_hosts(range(2))
    assert shared.on_own_cores(1, of=2).own_cores == (("0", "1"), ("1", "1"))


@pytest.mark.parametrize(
    ("ranks", "shares"),
    [(1, [1]), (3, [2, 1]), (6, [2, 2, 1, 1]), (8, [2, 2, 2, 2]), (9, [3, 3, 3]), (10, [3, 3, 3, 1])],
)
def test_consecutive_ranks_share_a_host(ranks: int, shares: list[int]) -> None:
    assert [count for _, count in PLACE.shares(ranks)] == shares


@pytest.mark.parametrize(("ranks", "each"), [(3, 2), (6, "2(x2),1(x2)"), (8, 2), (10, 3)])
def test_ranks_of_all_nodes_are_known(ranks: int, each: int | str) -> None:
    assert PLACE.ranks_per_node(replace(REQUEST, ranks=ranks), explicit=None) == each


def test_what_is_typed_counts() -> None:
    own = replace(REQUEST, extra=("--host", "h3:6"))

    assert PLACE.ranks_per_node(REQUEST, explicit=1) == 1
    assert PLACE.build(launcher=launcher(Flavour.openmpi4), request=own).argv.count("--host") == 1
    assert not PLACE.knows_nodes(own)


def test_a_lab_is_as_large_as_its_hosts_cores() -> None:
    assert PLACE.ranks == 6
    assert LOCAL.ranks is None


def test_who_cannot_take_turns_is_told() -> None:
    assert "do not take turns" in str(PLACE.advice(launcher=launcher(Flavour.openmpi4), request=REQUEST))
    assert "spins" in str(PLACE.advice(launcher=launcher(Flavour.mpich), request=replace(REQUEST, realtime=True)))
    assert PLACE.advice(launcher=launcher(Flavour.openmpi4), request=replace(REQUEST, realtime=True)) is None


def test_no_ranks_is_a_mistake() -> None:
    with pytest.raises(LaunchMistake, match="ranks: 0 is not at least 1"):
        PLACE.build(launcher=launcher(Flavour.mpich), request=replace(REQUEST, ranks=0))


def test_places_by_name(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("STRESSBENCH_LABS", str(tmp_path / "labs"))

    assert resolve_target("local", environment={}) is LOCAL
    with pytest.raises(
        LaunchMistake,
        match="--on: 'labs': expected local, flux, pbs, slurm, lab:NAME such as lab:tiny, or simgrid:tiny",
    ):
        resolve_target("labs", environment={})
    with pytest.raises(
        LaunchMistake, match="--on lab:tiny: lab tiny is not up; `stressbench lab up tiny` brings it up"
    ):
        resolve_target("lab:tiny", environment={})
