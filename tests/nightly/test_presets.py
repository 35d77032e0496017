"""CMake presets find any MPI (`mpicxx` in PATH, Cray's compilers, an explicit path) and say what is missing."""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from support.programs import CHECKOUT

PROGRAM = "stressbench-mpi"
CRAY = """\
#!/bin/sh
exec {compiler} $({mpi} --showme:compile) "$@" $({mpi} --showme:link)
"""
LIBRARIES = {"mpicxx.openmpi": "STRESSBENCH_IS_OPEN_MPI", "mpicxx.mpich": "STRESSBENCH_IS_MPICH"}  # by its mpi.h


def cmake(*words: str | Path, environment: Mapping[str, str] | None = None) -> str:
    """What CMake says; it must not fail."""
    done = subprocess.run(
        ["cmake", *map(str, words)], cwd=CHECKOUT, env={**os.environ, **(environment or {})}, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=1800,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    return done.stdout


def configured(build: Path, *words: str, preset: str = "release", environment: Mapping[str, str] | None = None) -> str:
    return cmake("--preset", preset, "-B", build, "-DSTRESSBENCH_TESTS=OFF", *words, environment=environment)


def built(build: Path, target: str) -> None:
    cmake("--build", build, "--target", target, "-j", str(os.cpu_count()))


def cached(build: Path, name: str) -> Path:
    """What CMake found."""
    found = re.search(rf"^{name}:\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE)
    assert found, name
    return Path(found.group(1))


@pytest.fixture
def build(request) -> Path:
    """Below the checkout, so that the compiler cache knows its objects; empty, so that CMake finds everything anew."""
    folder = CHECKOUT / "build" / "presets" / re.sub(r"\W+", "-", request.node.name)
    shutil.rmtree(folder, ignore_errors=True)
    return folder


@pytest.fixture
def prefix(tmp_path):
    """A prefix with nothing in it but the wrappers `mpicxx` and `mpicc` of the MPI that the compiler belongs to."""

    def made(compiler: str) -> Path:
        folder = tmp_path / "mpi" / "bin"
        folder.mkdir(parents=True)
        for name in ("mpicxx", "mpicc"):
            wrapper = folder / name
            wrapper.write_text(f'#!/bin/sh\nexec {compiler.replace("mpicxx", name)} "$@"\n')
            wrapper.chmod(0o755)
        return folder.parent

    return made


def with_path(prefix: Path) -> dict[str, str]:
    return {"PATH": f"{prefix / 'bin'}:{os.environ['PATH']}"}


@pytest.mark.parametrize("compiler", LIBRARIES)
def test_mpicxx_in_path_is_used(prefix, build, compiler):
    folder = prefix(compiler)

    configured(build, environment=with_path(folder))

    assert cached(build, LIBRARIES[compiler]) == Path("1")
    assert cached(build, "MPI_CXX_COMPILER") == folder / "bin" / "mpicxx"
    assert cached(build, "MPI_C_COMPILER") == folder / "bin" / "mpicc"


def test_the_engine_is_built_with_mpicxx_in_path(prefix, build):
    configured(build, environment=with_path(prefix("mpicxx.openmpi")))
    built(build, PROGRAM)

    asked = subprocess.run([build / "engine" / PROGRAM, "--version"], capture_output=True, text=True, check=True)
    assert "MPI library: Open MPI" in asked.stdout


@pytest.mark.parametrize("compiler", LIBRARIES)
def test_a_prefix_comes_before_path(prefix, build, compiler):
    folder = prefix(compiler)

    configured(build, f"-DCMAKE_PREFIX_PATH={folder}")

    assert cached(build, "MPI_CXX_COMPILER") == folder / "bin" / "mpicxx"
    assert cached(build, "MPI_C_COMPILER") == folder / "bin" / "mpicc"


@pytest.mark.parametrize("compiler", LIBRARIES)
def test_the_c_wrapper_beside_an_explicit_path_is_used(prefix, build, compiler):
    folder = prefix(compiler)

    configured(build, f"-DMPI_CXX_COMPILER={folder}/bin/mpicxx")
    built(build, "stressbench_mpi")

    assert cached(build, LIBRARIES[compiler]) == Path("1")
    assert cached(build, "MPI_C_COMPILER") == folder / "bin" / "mpicc"


def test_compilers_that_know_mpi_themselves_need_no_wrapper(tmp_path, build):
    compilers = {"CC": tmp_path / "cc", "CXX": tmp_path / "CC"}
    for path, compiler, mpi in ((tmp_path / "cc", "gcc", "mpicc.openmpi"), (tmp_path / "CC", "g++", "mpicxx.openmpi")):
        path.write_text(CRAY.format(compiler=compiler, mpi=mpi))
        path.chmod(0o755)

    configured(build, environment={name: str(path) for name, path in compilers.items()})
    built(build, "stressbench_mpi")

    assert cached(build, "MPI_CXX_COMPILER") == tmp_path / "CC"
    assert cached(build, "MPI_C_COMPILER") == tmp_path / "cc"


@pytest.mark.parametrize(("preset", "library"), [("openmpi", "openmpi"), ("mpich", "mpich")])
def test_presets_for_two_mpis_side_by_side_name_theirs(build, preset, library):
    configured(build, preset=preset)

    assert library in str(cached(build, "MPI_CXX_COMPILER"))
    assert library in str(cached(build, "MPI_C_COMPILER"))


def test_configuring_says_which_packages_bring_the_backends_that_are_missing(build, tmp_path):
    nothing = {"PKG_CONFIG_LIBDIR": str(tmp_path)}

    found = configured(build, preset="openmpi")
    no_hdf5 = "-DCMAKE_DISABLE_FIND_PACKAGE_HDF5=ON"
    lacking = configured(build / "none", no_hdf5, preset="openmpi", environment=nothing)

    assert "Optional storage backend hdf5: yes" in found
    assert "Optional storage backend pnetcdf: yes" in found
    for backend, package in (("hdf5", "libhdf5-openmpi-dev"), ("pnetcdf", "libpnetcdf-dev")):
        said = next(line for line in lacking.splitlines() if f"storage backend {backend}: no" in line)
        for word in (package, "Debian", "Fedora", "Spack"):
            assert word in said
