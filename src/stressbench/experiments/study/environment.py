"""Description of the machine and software that ran a study, without names of hosts or people."""

import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from stressbench import __version__

_PACKAGES = ("numpy", "scipy", "pydantic", "orjson")
_SETTINGS = ("OMPI_", "PMIX_", "PRTE_", "UCX_", "FI_", "MPICH_", "I_MPI_", "PSM2_", "OMP_", "STRESSBENCH_")


def environment() -> dict[str, Any]:
    """Versions, kernel, processors, and environment variables of MPI libraries, except those that contain a path."""
    return {
        "stressbench": __version__,
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in _PACKAGES},
        "kernel": f"{platform.system()} {platform.release()}",
        "machine": platform.machine(),
        "processors": os.cpu_count(),
        "byte_order": sys.byteorder,
        "variables": {
            name: value
            for name, value in sorted(os.environ.items())
            if name.startswith(_SETTINGS) and os.path.sep not in value
        },
    }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
