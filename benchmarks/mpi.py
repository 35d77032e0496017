"""The MPI libraries of the benchmarks: how to compile for each and how to start ranks on this machine."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from stressbench.console.escaping import escaped

CHECKOUT = Path(__file__).resolve().parent.parent
INTEL = CHECKOUT / ".cache" / "intel-mpi"


class Unavailable(Exception):
    """Something that a benchmark needs is not installed; the message says how to get it."""


@dataclass(frozen=True)
class Library:
    """An MPI library: compilers, launcher arguments, and environment variables."""

    name: str
    c_compiler: str
    cxx_compiler: str
    launcher: tuple[str, ...]
    oversubscribed_options: tuple[str, ...] = ()  # additional launcher options if there are more ranks than cores
    environment: Mapping[str, str] = field(default_factory=dict)

    def command(self, ranks: int, program: Sequence[str]) -> list[str]:
        """The command that starts `ranks` ranks of `program` on this machine."""
        options = self.oversubscribed_options if ranks > (os.cpu_count() or 1) else ()
        return [*self.launcher, *options, "-n", str(ranks), *program]

    def environment_variables(self) -> dict[str, str]:
        """Environment of the library's compilers and launchers."""
        return {**os.environ, **self.environment}


OPEN_MPI = Library(
    name="Open MPI",
    c_compiler="mpicc.openmpi",
    cxx_compiler="mpicxx.openmpi",
    launcher=("mpirun.openmpi", "--bind-to", "none"),
    oversubscribed_options=("--oversubscribe", "--mca", "mpi_yield_when_idle", "1"),
    environment={"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"},
)
MPICH = Library(name="MPICH", c_compiler="mpicc.mpich", cxx_compiler="mpicxx.mpich", launcher=("mpirun.mpich",))
# mpiexec.hydra, because mpirun of the wheel treats this machine as several nodes.
INTEL_MPI = Library(
    name="Intel MPI",
    c_compiler=str(INTEL / "bin" / "mpigcc"),
    cxx_compiler=str(INTEL / "bin" / "mpigxx"),
    launcher=(str(INTEL / "bin" / "mpiexec.hydra"),),
    environment={"I_MPI_ROOT": str(INTEL), "LD_LIBRARY_PATH": str(INTEL / "lib"), "I_MPI_FABRICS": "shm"},
)


def realtime(priority: int = 1) -> list[str]:
    """`chrt -r PRIORITY` if it is permitted, to reduce disturbance by other processes; otherwise empty."""
    if shutil.which("chrt") is None:
        return []
    prefix = ["chrt", "-r", str(priority)]
    allowed = subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode == 0
    return prefix if allowed else []


def run(library: Library, ranks: int, program: Sequence[str], *, timeout_s: float = 300) -> str:
    """Start `ranks` ranks and return their output. Prints it and raises CalledProcessError if they fail."""
    completed = subprocess.run(
        [*realtime(), *library.command(ranks, program)],
        env=library.environment_variables(), capture_output=True, text=True, check=False, timeout=timeout_s,
    )  # fmt: skip
    if completed.returncode != 0:
        sys.stderr.write(escaped(completed.stdout + completed.stderr))
        completed.check_returncode()
    return completed.stdout


def build_bare(library: Library, name: str) -> Path:
    """Compile benchmarks/bare/NAME.c with the options of the engine's release build and return the program."""
    return _compile(library, name, name)


def build_preload(library: Library, name: str) -> Path:
    """Compile benchmarks/bare/NAME.c to a shared object for LD_PRELOAD."""
    return _compile(library, name, f"{name}.so", "-shared", "-fPIC")


def _compile(library: Library, name: str, result: str, *options: str) -> Path:
    return compile_c(library, CHECKOUT / "benchmarks" / "bare" / f"{name}.c", result, *options)


def compile_c(library: Library, source: Path, result: str, *options: str) -> Path:
    """Compile a C program with the options of the engine's release build and return the program."""
    if shutil.which(library.c_compiler) is None:
        raise Unavailable(f"{library.name}: no compiler '{library.c_compiler}'; scripts/test.sh installs it")
    folder = CHECKOUT / "build" / "bare" / library.name.replace(" ", "-").lower()
    folder.mkdir(parents=True, exist_ok=True)
    flags = ["-O3", "-DNDEBUG", "-Wall", "-Wextra", *options]
    subprocess.run(
        [library.c_compiler, *flags, "-o", str(folder / result), str(source), "-lm"],
        env=library.environment_variables(),
        check=True,
    )
    return folder / result


def build_engine(library: Library, *, target: str = "stressbench-mpi") -> Path:
    """Build the engine, or another target of its build, under `library` and return the program.

    The output of a failed build is printed to standard error.
    """
    folder = CHECKOUT / "build" / f"benchmark-{library.name.replace(' ', '-').lower()}"
    configure = [
        "cmake", "-S", str(CHECKOUT), "-B", str(folder), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
        f"-DMPI_C_COMPILER={library.c_compiler}", f"-DMPI_CXX_COMPILER={library.cxx_compiler}",
    ]  # fmt: skip
    for command in (configure, ["cmake", "--build", str(folder), "--target", target]):
        completed = subprocess.run(
            command, env=library.environment_variables(), capture_output=True, text=True, check=False
        )
        if completed.returncode != 0:
            sys.stderr.write(escaped(completed.stdout[-4000:] + completed.stderr[-4000:]))
            completed.check_returncode()
    return folder / "engine" / "stressbench-mpi"


def build_tracer(library: Library) -> Path:
    """Build the tracer under `library` and return the shared object for LD_PRELOAD."""
    return build_engine(library, target="stressbench-trace").parent.parent / "tracer" / "libstressbench-trace.so"


def traced(tracer: Path, output: Path, *, mode: str = "capture", paused: bool = False) -> list[str]:
    """Command prefix (`env` with assignments) that runs a program under the tracer."""
    return ["env", f"LD_PRELOAD={tracer}", f"STRESSBENCH_TRACE_MODE={mode}", f"STRESSBENCH_TRACE_OUTPUT={output}",
            "STRESSBENCH_TRACE_ID=benchmark", f"STRESSBENCH_TRACE_PAUSED={int(paused)}"]  # fmt: skip


def install_intel() -> None:
    """Install Intel's MPI runtime, benchmarks and compiler wrappers from PyPI in a virtual environment below .cache."""
    if (INTEL / "bin" / "IMB-MPI1").exists() and (INTEL / "bin" / "mpigxx").exists():
        return
    sys.stderr.write("Installing impi-rt and impi-devel into .cache/intel-mpi ...\n")
    subprocess.run([sys.executable, "-m", "venv", str(INTEL)], check=True)
    subprocess.run([str(INTEL / "bin" / "pip"), "install", "-q", "--no-deps", "impi-rt", "impi-devel"], check=True)
