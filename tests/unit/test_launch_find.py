"""Finding the engine, and the launcher that fits it."""

from pathlib import Path

import pytest

from stressbench.launch import find
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.find import find_engine, find_launcher, library_of
from stressbench.launch.flavour import Flavour, Recognised

OPEN_MPI = Recognised(flavour=Flavour.openmpi4, version="4.1.4")


def program(path: Path, *, prints: str = "", status: int = 0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\ncat <<'END'\n{prints}\nEND\nexit {status}\n")
    path.chmod(0o755)
    return path


def test_the_engine_that_was_given_comes_before_the_variable_and_the_path(tmp_path: Path) -> None:
    given, named = program(tmp_path / "given"), program(tmp_path / "named")
    on_path = program(tmp_path / "bin" / "stressbench-mpi")
    environment = {"STRESSBENCH_MPI": str(named), "PATH": str(on_path.parent)}

    assert find_engine(explicit=given, environment=environment) == given
    assert find_engine(explicit=None, environment=environment) == named


def test_the_engine_on_the_path_is_used_where_none_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(find, "_installed", lambda: iter(()))
    on_path = program(tmp_path / "stressbench-mpi")

    assert find_engine(explicit=None, environment={"PATH": str(tmp_path)}) == on_path


def test_a_missing_engine_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find, "_installed", lambda: iter(()))

    with pytest.raises(LaunchMistake, match=r"pip install .*--engine PATH or STRESSBENCH_MPI=PATH"):
        find_engine(explicit=None, environment={"PATH": "/nowhere"})


@pytest.mark.parametrize(
    ("name", "says"),
    [("gone", "does not exist"), ("text", "not an executable program"), ("", "not an executable program")],
)
def test_a_wrong_engine_is_named_with_its_reason(tmp_path: Path, name: str, says: str) -> None:
    (tmp_path / "text").write_text("not executable")

    with pytest.raises(LaunchMistake, match=f"--engine: .*{says}"):
        find_engine(explicit=tmp_path / name, environment={})


def test_the_engine_tells_which_mpi_it_needs(tmp_path: Path) -> None:
    engine = program(tmp_path / "e", prints="stressbench-mpi 0.1.0\nMPI library: MPICH Version: 4.0.2\nother: Open MPI")

    assert library_of(engine) == Recognised(flavour=Flavour.mpich, version="4.0.2")


def test_an_engine_that_does_not_start_is_a_mistake_that_points_to_ldd(tmp_path: Path) -> None:
    with pytest.raises(LaunchMistake, match="ldd"):
        library_of(program(tmp_path / "e", status=127))


def test_the_first_launcher_that_fits_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path / "mpirun", prints="HYDRA build details:\n Version: 4.0.2")
    fits = program(tmp_path / "mpiexec", prints="mpiexec (OpenRTE) 4.1.4")

    monkeypatch.setattr(find.shutil, "which", lambda name: str(tmp_path / name) if (tmp_path / name).exists() else None)
    launcher = find_launcher(mpirun=None, library=OPEN_MPI)

    assert (launcher.path, launcher.flavour) == (fits, Flavour.openmpi4)


def test_where_none_fits_the_message_says_what_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = program(tmp_path / "mpirun", prints="HYDRA build details:\n Version: 4.0.2")
    monkeypatch.setattr(find.shutil, "which", lambda name: str(there) if name == "mpirun" else None)

    with pytest.raises(
        LaunchMistake, match=r"built with Open MPI 4\.1\.4, but .*mpirun is MPICH 4\.0\.2; --mpirun PATH"
    ):
        find_launcher(mpirun=None, library=OPEN_MPI)


def test_a_given_launcher_of_another_mpi_is_refused(tmp_path: Path) -> None:
    given = program(tmp_path / "mpirun", prints="HYDRA build details:\n Version: 4.0.2")

    with pytest.raises(LaunchMistake, match=r"is MPICH 4\.0\.2, but the engine was built with Open MPI 4\.1\.4"):
        find_launcher(mpirun=given, library=OPEN_MPI)


def test_intel_mpi_s_ranks_are_started_by_hydra_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its mpirun is a shell script, which a request to stop ends."""
    for name in ("mpirun", "mpiexec.hydra"):
        program(tmp_path / name, prints="Intel(R) MPI Library for Linux* OS, Version 2021.18.1 Build 20260626")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    found = find_launcher(mpirun=None, library=Recognised(flavour=Flavour.intelmpi, version="2021.18.1"))

    assert found.path.name == "mpiexec.hydra"
