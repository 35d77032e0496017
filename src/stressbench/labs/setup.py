"""Detection of missing packages that labs need, and their installation on Debian and Ubuntu."""

import os
import shutil
import subprocess
from collections.abc import Mapping

from stressbench.formats.lab.errors import LabMistake
from stressbench.labs.errors import LabFault
from stressbench.labs.tools import find_tool

_PROGRAMS: Mapping[str, tuple[str, ...]] = {
    "iproute2": ("ip", "tc"),
    "util-linux": ("nsenter", "chrt", "taskset"),
    "glusterfs-client": ("glusterfs", "glusterfsd"),
}
_WAIT_FOR_OTHERS = ("-o", "DPkg::Lock::Timeout=120")


def missing_packages() -> tuple[str, ...]:
    """Packages with a missing program. The GlusterFS client package has the server daemon without its service."""
    return tuple(
        package for package, programs in _PROGRAMS.items() if not all(find_tool(program) for program in programs)
    )


def command(packages: tuple[str, ...]) -> str:
    """The shell command that installs the packages."""
    return " ".join(_arguments(packages))


def install(packages: tuple[str, ...]) -> None:
    """Install the packages with apt-get, which prints to the terminal.

    Raises LabMistake without root privileges and LabFault if the installation fails.
    """
    if os.geteuid() != 0:
        raise LabMistake(f"--install needs root: sudo {command(packages)}")
    if shutil.which("apt-get") is None:
        raise LabFault(f"apt-get not found: install {', '.join(packages)} or the equivalents of this distribution")
    if not _run_succeeds(_arguments(packages)):
        _run_succeeds(("apt-get", "update"))
        if not _run_succeeds(_arguments(packages)):
            raise LabFault(f"`{command(packages)}` failed, see above")
    if missing := missing_packages():
        raise LabFault(f"still missing after the installation: {', '.join(missing)}")


def _arguments(packages: tuple[str, ...]) -> tuple[str, ...]:
    return ("apt-get", "install", "-y", "--no-install-recommends", *packages)


def _run_succeeds(arguments: tuple[str, ...]) -> bool:
    program, *words = arguments
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    return subprocess.run([program, *_WAIT_FOR_OTHERS, *words], env=environment, check=False).returncode == 0
