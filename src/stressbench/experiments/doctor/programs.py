"""Checks of the programs: engine, launcher, container, workload."""

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from stressbench import __version__
from stressbench.exit_status import ExitStatus
from stressbench.experiments.doctor.check import Setting, Verdict, check, error, note, ok, warning
from stressbench.launch.engine import check_arguments
from stressbench.launch.find import output_of, recognise_launcher
from stressbench.launch.flavour import Flavour
from stressbench.launch.program import request_of
from stressbench.report.units import count

VERSION = re.compile(r"^stressbench-\w+ (\S+)", re.MULTILINE)
"""The engine's version in what its `--version` prints."""
_CHECK_LIMIT_S = 60
_OF_RANKS = ("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK")
_OPEN_MPI = ("OMPI_MCA_", "PMIX_MCA_", "PRTE_MCA_", "UCX_")
_SETTINGS = {
    Flavour.openmpi4: _OPEN_MPI, Flavour.openmpi5: _OPEN_MPI, Flavour.mpich: ("MPICH_", "MPIR_CVAR_", "UCX_", "FI_"),
    Flavour.craympich: ("MPICH_", "FI_"), Flavour.intelmpi: ("I_MPI_", "FI_", "UCX_"),
}  # fmt: skip
"""How the names of settings of each MPI begin."""
_INSTALLATION = "I_MPI_ROOT"
_PMI_LIBRARY = "I_MPI_PMI_LIBRARY"
_IMAGES = ("APPTAINER_CONTAINER", "SINGULARITY_CONTAINER")
_CONTAINER_FILES = (".dockerenv", "run/.containerenv")


@check("engine", "the engine: which one, its version, its MPI library")
def engine(setting: Setting) -> Iterator[Verdict]:
    """The engine must start, and have the version of the package."""
    found = setting.engine
    if found.fault is not None or found.path is None:
        yield error(
            found.fault or "there is no engine",
            consequence="no rank can be started",
            remedy="`pip install .` in a checkout builds the engine for the MPI of this environment; --engine PATH "
            "names another one, and `ldd PATH` shows which libraries it lacks",
        )
        return
    if not is_of_this_package(found.version):
        yield error(
            f"{found.path} is version {found.version or 'unknown'}, but this package is version {__version__}",
            consequence="options, motifs and records of the two differ: runs may be refused or misread",
            remedy="`pip install .` in the checkout of the package, and `unset STRESSBENCH_MPI`; or --engine PATH",
        )
        return
    yield ok(f"{found.path}, version {found.version}, built with {found.library}")


def is_of_this_package(version: str | None) -> bool:
    """Whether an engine of this version fits the package; one that was not installed has no version."""
    return version is not None and (version == __version__ or "+uninstalled" in __version__)


@check("launcher", "the launcher and whether it fits the engine's MPI library")
def launcher(setting: Setting) -> Iterator[Verdict]:
    """The launcher must be that of the engine's MPI."""
    facts = setting.engine
    if facts.library is None:
        return
    if facts.launcher is None:
        yield error(
            facts.launcher_fault or "there is no launcher",
            consequence="a launcher of another MPI would start every rank as an MPI job of one rank",
            remedy=f"load the module, or install the package, that has the mpirun of {facts.library}; or --mpirun PATH",
        )
        return
    found = facts.launcher
    if not found.is_mpirun:
        yield ok(f"{found.path} starts the ranks")
        return
    releases = {release for one in (found.recognised, facts.library) if (release := _release(one.version))}
    if len(releases) > 1:
        yield warning(
            f"{found.path} is {found.recognised}, but the engine was built with {facts.library}",
            consequence="releases of a launcher and a library may not find each other: ranks hang or fail in MPI_Init",
            remedy="load one MPI module only, or name the launcher of the library: --mpirun PATH",
        )
        return
    yield ok(f"{found.path}, {found.recognised}")
    typed = shutil.which("mpirun", path=setting.environment.get("PATH"))
    if typed is None:
        return
    recognised = recognise_launcher(typed)
    if not recognised.flavour.launches(facts.library.flavour):
        yield note(
            f"`mpirun` on PATH is {recognised} ({typed})",
            consequence="typed by hand, it starts every rank of the engine as an MPI job of one rank",
            remedy=f"type {found.path} instead",
        )


def _release(version: str | None) -> str | None:
    """Major and minor number, None where the version is unknown."""
    return None if version is None else ".".join(version.split(".")[:2])


@check("settings", "environment variables that change what the engine's MPI library does, or that of another launch")
def settings(setting: Setting) -> Iterator[Verdict]:
    """Settings of transports and binding apply to every run; variables of a launch confuse a launch inside of it."""
    library = setting.engine.library
    if library is None:
        return
    environment = setting.environment
    if inside := [name for name in _OF_RANKS if name in environment]:
        yield warning(
            f"this process is a rank of another launch ({', '.join(inside)})",
            consequence="the launcher may refuse to start, or add its ranks to that launch and hang",
            remedy=f"start stressbench without mpirun and srun, or: env {' '.join(f'-u {name}' for name in inside)} "
            "stressbench doctor",
        )
    prefixes = _SETTINGS.get(library.flavour, ())
    found = [
        f"{name}={value}"
        for name, value in sorted(environment.items())
        if name.startswith(prefixes) and name != _INSTALLATION
    ]
    if found:
        yield note(
            f"{count(len(found), 'setting')} of {library}: {' '.join(found)}",
            consequence="they apply to all runs, and may choose other transports or another binding",
            remedy=f"unset {' '.join(one.partition('=')[0] for one in found)}",
        )
    uses_srun = setting.engine.launcher is not None and not setting.engine.launcher.is_mpirun and setting.on == "slurm"
    if library.flavour is Flavour.intelmpi and uses_srun and not environment.get(_PMI_LIBRARY):
        yield warning(
            f"{_PMI_LIBRARY} is not set, and srun starts the ranks of {library}",
            consequence="each rank may become an MPI job of its own",
            remedy=f"export {_PMI_LIBRARY}=/usr/lib64/libpmi2.so (of Slurm), or --on local, which uses mpirun",
        )


@check("root", "whether Open MPI is started by root")
def root(setting: Setting) -> Iterator[Verdict]:
    """Open MPI's mpirun refuses root unless two variables are set."""
    launcher = setting.engine.launcher
    if launcher is None or not (launcher.is_mpirun and launcher.flavour.is_openmpi):
        return
    if os.geteuid() == 0:
        yield note(
            "this user is root, which mpirun of Open MPI refuses; stressbench sets the variables that permit it",
            consequence="mpirun typed by hand ends at once",
            remedy="export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
        )


@check("container", "whether this process is in a container, and the wrapper of the ranks")
def container(setting: Setting) -> Iterator[Verdict]:
    """A launcher inside a container starts ranks in this container only."""
    image = next((setting.environment[name] for name in _IMAGES if setting.environment.get(name)), None)
    if image is not None or any((setting.root / name).exists() for name in _CONTAINER_FILES):
        remedy = "start stressbench outside of it where several hosts have ranks"
        if image is not None:
            remedy = f"outside: stressbench run FILE -n N -- apptainer exec {shlex.quote(image)}"
        yield note(
            f"this process is in a container ({image or 'Docker or Podman'})",
            consequence="a launcher inside of it starts ranks in this container only, and on other hosts without it",
            remedy=remedy,
        )
    for wrapper in ("apptainer", "singularity"):
        named = next((word for word in setting.extra if Path(word).name == wrapper), None)
        if named is not None:
            path = shutil.which(named, path=setting.environment.get("PATH"))
            version = None if path is None else output_of(path, "--version")
            if version is None:
                yield error(
                    f"`{wrapper}` is not on PATH, or does not start",
                    consequence="no rank can be started",
                    remedy=f"load the module of {wrapper} on all hosts, or leave the wrapper out",
                )
            else:
                yield ok(f"ranks start in {version.strip()} ({path})")


@check("workload", "the workload FILE.sb, for this number of ranks")
def workload(setting: Setting) -> Iterator[Verdict]:
    """The engine must accept the workload."""
    if setting.workload is None or setting.engine.path is None or setting.engine.library is None:
        return
    request = request_of(("true",), ranks=setting.ranks, target=setting.target, environment=setting.environment)
    arguments = check_arguments(
        engine=setting.engine.path, workload=setting.workload,
        ranks=setting.ranks if setting.target.knows_nodes(request) else None,
        ranks_per_node=setting.target.ranks_per_node(request, explicit=None), sets=(),
    )  # fmt: skip
    try:
        completed = subprocess.run(
            arguments, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False,
            timeout=_CHECK_LIMIT_S, env={**setting.environment, **dict(setting.target.environment)},
        )  # fmt: skip
        status, answer = completed.returncode, (completed.stderr or completed.stdout).strip().splitlines()
    except (OSError, subprocess.TimeoutExpired) as fault:
        status, answer = int(ExitStatus.fault), [str(fault)]
    if status == ExitStatus.ok:
        yield ok(answer[0] if answer else f"{setting.workload} is accepted")
        return
    more = f" (and {len(answer) - 1} more)" if len(answer) > 1 else ""
    yield error(
        f"{answer[0] if answer else f'the check ended with status {status}'}{more}",
        consequence="the run is refused",
        remedy=shlex.join(arguments),
    )


PROGRAM_CHECKS = (engine, launcher, settings, root, container, workload)
