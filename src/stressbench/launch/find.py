"""Finds the engine and its launcher. Asks programs for their version, and starts nothing else."""

import os
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

from stressbench.launch.command import Launcher
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.flavour import Flavour, Recognised, recognise

ENGINE = "stressbench-mpi"
ENGINE_VARIABLE = "STRESSBENCH_MPI"
_LIBRARY_LABEL = "MPI library:"
_ANSWER_WITHIN_S = 30

_NAMES = {
    Flavour.openmpi4: ("mpirun.openmpi", "mpirun", "mpiexec", "orterun"),
    Flavour.openmpi5: ("mpirun.openmpi", "mpirun", "mpiexec", "prterun"),
    Flavour.mpich: ("mpirun.mpich", "mpiexec.mpich", "mpirun", "mpiexec", "mpiexec.hydra"),
    Flavour.craympich: ("mpiexec", "aprun", "mpirun"),
    Flavour.intelmpi: ("mpiexec.hydra", "mpirun", "mpiexec"),  # its mpirun is a script, which ends by SIGUSR1
    Flavour.simgrid: ("smpirun",),
    Flavour.unknown: ("mpirun", "mpiexec"),
}


def find_engine(*, explicit: Path | None, environment: Mapping[str, str]) -> Path:
    """The engine: the one given, then $STRESSBENCH_MPI, then the one installed with this package, then the one on PATH.

    Raises LaunchMistake where the named one is not a program, or where there is none.
    """
    if explicit is not None:
        return named_program(explicit, option="--engine")
    if path_from_environment := environment.get(ENGINE_VARIABLE):
        return named_program(Path(path_from_environment), option=ENGINE_VARIABLE)
    for path in _installed():
        if os.access(path, os.X_OK):
            return path
    if path_on_path := shutil.which(ENGINE, path=environment.get("PATH")):
        return Path(path_on_path)
    raise LaunchMistake(
        f"{ENGINE} was not found next to this command or on PATH. "
        f"`pip install .` in a checkout builds it; --engine PATH or {ENGINE_VARIABLE}=PATH names another one"
    )


def _installed() -> Iterator[Path]:
    """Places where pip may have put the engine, the recorded one first."""
    try:
        recorded = files("stressbench") or []
    except PackageNotFoundError:
        recorded = []
    yield from (Path(str(entry.locate())).resolve() for entry in recorded if entry.name == ENGINE)
    yield Path(sysconfig.get_path("scripts")) / ENGINE


def named_program(path: Path, *, option: str) -> Path:
    """Absolute path of a program that the user named. A bare name is looked up on PATH. Raises LaunchMistake."""
    if path.name == str(path) and not path.exists() and (found := shutil.which(str(path))):
        return Path(found)
    if not path.exists():
        raise LaunchMistake(f"{option}: {path} does not exist")
    if path.is_dir() or not os.access(path, os.X_OK):
        raise LaunchMistake(f"{option}: {path} is not an executable program")
    return path.absolute()


def library_of(engine: Path) -> Recognised:
    """The MPI that the engine was built with, from its `--version`. Raises LaunchMistake where it does not start."""
    text = _version_text(engine)
    if text is None:
        raise LaunchMistake(f"{engine} --version failed: is its MPI library installed? (`ldd {engine}` shows it)")
    lines = [line.partition(_LIBRARY_LABEL)[2] for line in text.splitlines() if _LIBRARY_LABEL in line]
    return recognise(lines[0] if lines else "")


def find_launcher(*, mpirun: Path | None, library: Recognised) -> Launcher:
    """The `mpirun` that starts programs built with `library`: the one given, or the first on PATH that matches.

    A launcher of another MPI would start every rank with its own MPI_COMM_WORLD, so a mismatch raises LaunchMistake.
    """
    if mpirun is not None:
        launcher = _launcher_at(named_program(mpirun, option="--mpirun"))
        if not launcher.flavour.launches(library.flavour):
            raise LaunchMistake(f"--mpirun: {mpirun} is {launcher.recognised}, but the engine was built with {library}")
        return launcher
    candidates = [_launcher_at(Path(path)) for name in _NAMES[library.flavour] if (path := shutil.which(name))]
    for launcher in candidates:
        if launcher.flavour.launches(library.flavour):
            return launcher
    available = (
        ", ".join(f"{launcher.path} is {launcher.recognised}" for launcher in candidates)
        or "there is no mpirun on PATH"
    )
    raise LaunchMistake(f"the engine was built with {library}, but {available}; --mpirun PATH names the right one")


def recognise_launcher(program: str) -> Recognised:
    """Flavour and version of a launcher, `Flavour.unknown` where it does not start."""
    return recognise(_version_text(Path(program)) or "")


def _launcher_at(path: Path) -> Launcher:
    return Launcher(path=path, recognised=recognise_launcher(str(path)))


def _version_text(program: Path) -> str | None:
    """What `program --version` prints, or None where it fails."""
    return output_of(str(program), "--version")


def output_of(*command: str) -> str | None:
    """Standard output and error of a short command, or None where it fails."""
    try:
        completed = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_ANSWER_WITHIN_S)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return completed.stdout + completed.stderr if completed.returncode == 0 else None


def require_on_path(program: str, *, option: str) -> None:
    """Raise LaunchMistake unless the program is on PATH."""
    if shutil.which(program) is None:
        raise LaunchMistake(f"{option}: {program} is not on PATH")
