"""The command line and environment that each flavour of MPI gets. Nothing is started here."""

from dataclasses import replace
from pathlib import Path

import pytest

from stressbench.launch.command import Command, Launcher
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.flavour import Flavour, Recognised
from stressbench.launch.local import Request, advice, build

ROOMY = Request(ranks=4, program=("engine", "run", "a.sb"), cores=8)
CROWDED = replace(ROOMY, ranks=16)


def launcher(flavour: Flavour) -> Launcher:
    return Launcher(path=Path("/opt/mpirun"), recognised=Recognised(flavour=flavour, version="9.9"))


def test_ranks_that_fit_get_the_launcher_s_own_binding() -> None:
    command = build(launcher=launcher(Flavour.openmpi4), request=ROOMY)

    assert command == Command(argv=("/opt/mpirun", "-n", "4", "engine", "run", "a.sb"))


def test_open_mpi_4_shares_cores_without_binding_and_with_yielding() -> None:
    command = build(launcher=launcher(Flavour.openmpi4), request=CROWDED)

    assert command.argv[3:-3] == ("--bind-to", "none", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1")


def test_open_mpi_5_shares_cores_under_its_new_name() -> None:
    command = build(launcher=launcher(Flavour.openmpi5), request=CROWDED)

    assert command.argv[3:7] == ("--bind-to", "none", "--map-by", ":OVERSUBSCRIBE")
    assert "--oversubscribe" not in command.argv


@pytest.mark.parametrize("flavour", [Flavour.mpich, Flavour.intelmpi, Flavour.unknown])
def test_hydra_and_strangers_get_the_number_of_ranks_only(flavour: Flavour) -> None:
    command = build(launcher=launcher(flavour), request=replace(CROWDED, as_root=True))

    assert command == Command(argv=("/opt/mpirun", "-n", "16", "engine", "run", "a.sb"))


@pytest.mark.parametrize("request_", [replace(CROWDED, extra=("--hostfile", "h")), replace(CROWDED, allocated=True)])
def test_where_somebody_else_gives_out_cores_nothing_is_added(request_: Request) -> None:
    command = build(launcher=launcher(Flavour.openmpi4), request=request_)

    assert command.argv == ("/opt/mpirun", "-n", "16", *request_.extra, "engine", "run", "a.sb")


def test_a_binding_that_was_asked_for_is_kept() -> None:
    command = build(launcher=launcher(Flavour.openmpi4), request=replace(CROWDED, extra=("--bind-to", "hwthread")))

    assert command.argv.count("--bind-to") == 1
    assert command.argv[-5:-3] == ("--bind-to", "hwthread")


def test_root_is_allowed_to_run_under_open_mpi() -> None:
    command = build(launcher=launcher(Flavour.openmpi4), request=replace(ROOMY, as_root=True))

    assert command.environment == (("OMPI_ALLOW_RUN_AS_ROOT", "1"), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"))


def test_realtime_puts_chrt_before_the_program_and_behind_the_launcher_s_options() -> None:
    command = build(launcher=launcher(Flavour.mpich), request=replace(ROOMY, realtime=True, extra=("-v",)))

    assert command.argv == ("/opt/mpirun", "-n", "4", "-v", "chrt", "-r", "1", "engine", "run", "a.sb")


def test_open_mpi_is_never_told_to_wait_long_before_it_kills() -> None:
    """It would sleep twice that long after every death of a rank (measured with 4.1.4)."""
    command = build(launcher=launcher(Flavour.openmpi4), request=CROWDED)

    assert not [word for word in command.argv if "sigkill_timeout" in word]


def test_no_ranks_is_a_mistake() -> None:
    with pytest.raises(LaunchMistake, match="ranks: 0 is not at least 1"):
        build(launcher=launcher(Flavour.mpich), request=replace(ROOMY, ranks=0))


def test_a_command_prints_as_it_would_be_typed() -> None:
    command = Command(argv=("mpirun", "a b"), environment=(("X", "1"),))

    assert str(command) == "X=1 mpirun 'a b'"


def test_who_shares_cores_is_told_what_it_means() -> None:
    assert advice(launcher=launcher(Flavour.openmpi4), request=ROOMY) is None
    assert "--realtime" in str(advice(launcher=launcher(Flavour.openmpi4), request=CROWDED))
    assert "spins while it waits" in str(advice(launcher=launcher(Flavour.mpich), request=CROWDED))
