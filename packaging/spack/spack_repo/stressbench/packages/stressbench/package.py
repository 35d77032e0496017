"""Spack package of StressBench: its engine, tracer, simulated engine and Python package."""

from pathlib import Path

from spack_repo.builtin.build_systems.cmake import CMakeBuilder, CMakePackage
from spack_repo.builtin.build_systems.python import PythonPipBuilder

from spack.package import *

CHECKOUT = Path(__file__).resolve().parents[6]


class Stressbench(CMakePackage):
    """Congestion benchmark for parallel computers: runs the communication, computation and
    storage patterns of several applications on one machine, each job isolated and then all
    jobs contended, and reports the slowdown of each job with a 95 % interval."""

    # The sources have no public address yet, so both versions come from this checkout.
    git = f"file://{CHECKOUT}"
    url = f"file://{CHECKOUT}/dist/stressbench-0.2.0.tar.gz"

    license("BSD-3-Clause")

    version("main", branch="main", preferred=True)
    # Made by `python -m build --sdist`. Not released, hence without checksum: needs --no-checksum.
    version("0.2.0")

    variant("hdf5", default=False, description="Motif hdf5: parallel HDF5 files")
    variant("pnetcdf", default=False, description="Motif pnetcdf: PnetCDF files")
    variant("simgrid", default=False, description="Engine on SimGrid, for simulated networks")
    variant("tracer", default=True, description="Library that captures MPI calls of programs")
    variant("python", default=True, description="Command stressbench and the Python package")

    depends_on("c", type="build")
    depends_on("cxx", type="build")

    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.9:", type="build", when="+tracer")

    depends_on("mpi@3.1:")
    depends_on("boost@1.70:")
    depends_on("cli11@2:")
    depends_on("fmt@8:")
    depends_on("nlohmann-json@3:")
    depends_on("random123")
    depends_on("hdf5+mpi", when="+hdf5")
    depends_on("parallel-netcdf", when="+pnetcdf")
    depends_on("simgrid@3.32:3+smpi", type=("build", "link", "run"), when="+simgrid")

    extends("python", when="+python")
    with when("+python"):
        depends_on("python@3.11:", type=("build", "run"))
        depends_on("py-pip", type="build")
        depends_on("py-scikit-build-core@0.10:", type="build")
        with default_args(type=("build", "run")):
            depends_on("py-google-re2@1.1:")
            depends_on("py-jinja2@3.1:")
            depends_on("py-markupsafe@2.1:")
            depends_on("py-matplotlib@3.7:")
            depends_on("py-numpy@1.26:")
            depends_on("py-orjson@3.9:")
            depends_on("py-pydantic@2.8:")
            depends_on("py-pydantic-core")
            depends_on("py-rich@13:")
            depends_on("py-scipy@1.15:")
            depends_on("py-tomli-w@1.0:")
            depends_on("py-typer@0.12:")

    conflicts("%gcc@:10", msg="the engine is written in C++20")

    sanity_check_is_file = [join_path("bin", "stressbench-mpi")]

    def cmake_args(self):
        mpi = self.spec["mpi"]
        return [
            self.define("MPI_C_COMPILER", mpi.mpicc),
            self.define("MPI_CXX_COMPILER", mpi.mpicxx),
            self.define_from_variant("STRESSBENCH_HDF5", "hdf5"),
            self.define_from_variant("STRESSBENCH_PNETCDF", "pnetcdf"),
            self.define_from_variant("STRESSBENCH_TRACER", "tracer"),
        ]

    @run_after("install")
    def install_workloads(self):
        for folder in ("workloads", "studies"):
            install_tree(
                join_path(self.stage.source_path, folder),
                join_path(self.prefix.share, "stressbench", folder),
            )

    @run_after("install", when="+simgrid")
    def install_simulated_engine(self):
        wrappers = self.spec["simgrid"].prefix.bin
        generator = "Ninja" if self.spec.satisfies("generator=ninja") else "Unix Makefiles"
        with working_dir(join_path(self.stage.path, "build-simgrid"), create=True):
            cmake(
                self.stage.source_path,
                *CMakeBuilder.std_args(self, generator=generator),
                self.define("MPI_C_COMPILER", wrappers.smpicc),
                self.define("MPI_CXX_COMPILER", wrappers.smpicxx),
                self.define("STRESSBENCH_SIMGRID", True),
                self.define("STRESSBENCH_HDF5", False),
                self.define("STRESSBENCH_PNETCDF", False),
            )
            cmake("--build", ".", "--parallel", str(make_jobs))
            cmake("--install", ".", "--component", "simgrid")

    @run_after("install", when="+python")
    def install_python_package(self):
        pip = self.spec["python"].command
        pip.add_default_arg("-m", "pip")
        with working_dir(self.stage.source_path):
            pip(
                *PythonPipBuilder.std_args(self),
                f"--prefix={self.prefix}",
                "--config-settings=wheel.cmake=false",
                ".",
            )

    def _mpirun(self):
        """Launcher of the MPI library that the engine is built with."""
        bin_folder = self.spec["mpi"].prefix.bin
        launcher = which(bin_folder.mpirun, bin_folder.mpiexec)
        if launcher is None:
            raise SkipTest(f"{bin_folder} has neither mpirun nor mpiexec")
        return launcher

    def test_engine(self):
        """check that the engine starts and names its MPI library"""
        engine = Executable(join_path(self.prefix.bin, "stressbench-mpi"))
        check_outputs(
            [r"stressbench-mpi \d+\.\d+", r"MPI library: \S"],
            engine("--version", output=str.split, error=str.split),
        )

    def test_motif(self):
        """send messages between two ranks, and check every byte"""
        engine = join_path(self.prefix.bin, "stressbench-mpi")
        self._mpirun()("-n", "2", engine, "motif", "pingpong", "--sizes", "8,64KiB", "--verify")

    def test_demo(self):
        """run the demo and, with +python, read its run file"""
        workload = join_path(self.prefix.share, "stressbench", "workloads", "demo.sb")
        engine = join_path(self.prefix.bin, "stressbench-mpi")
        options = "--set solver=2 --isolated 6 --contended 6"
        output = ["--overwrite", "--output", "demo.jsonl"]
        layout = ["--ranks-per-node", "1"]
        self._mpirun()("-n", "6", engine, "run", workload, *layout, *options.split(), *output)
        if self.spec.satisfies("+python"):
            stressbench = Executable(join_path(self.prefix.bin, "stressbench"))
            shown = stressbench("show", "demo.jsonl", "--json", output=str.split, error=str.split)
            check_outputs([r'"complete": true'], shown)

    def test_simulated_engine(self):
        """check that the engine on SimGrid starts"""
        if self.spec.satisfies("~simgrid"):
            raise SkipTest("Package must be installed with +simgrid")
        engine = Executable(join_path(self.prefix.bin, "stressbench-simgrid"))
        check_outputs(
            [r"MPI library: .*SimGrid"], engine("--version", output=str.split, error=str.split)
        )
