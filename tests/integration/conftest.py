"""The whole program, as a user starts it: engines built with both MPIs, launched through scripts/mpirun.sh."""

import importlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest
from trace_lines import Traced, lines_of

from stressbench.launch.tracing import Tracing
from stressbench.model import TraceMode

if TYPE_CHECKING:
    from lab_bench import Bench

CHECKOUT = Path(__file__).resolve().parent.parent.parent
GRACE_S = 120  # stressbench gives its ranks 60 s


@dataclass(frozen=True)
class Outcome:
    """How a program ended: exit status and everything it said."""

    status: int
    output: str
    errors: str

    @property
    def said(self) -> str:
        return self.output + self.errors


@dataclass(frozen=True)
class Engine:
    """`stressbench-mpi` under one MPI."""

    library: str
    compiler: str
    program: Path

    @property
    def build(self) -> Path:
        return self.program.parent.parent

    @property
    def tracer(self) -> Path:
        """The library that captures programs under this MPI."""
        return self.build / "tracer" / "libstressbench-trace.so"

    def command(self, *arguments: str | Path, ranks: int | None = None) -> list[str]:
        """The argument list; `ranks` None starts the program without a launcher."""
        words = [str(self.program), *map(str, arguments)]
        return words if ranks is None else self.launch(*words, ranks=ranks)

    def launch(self, *program: str | Path, ranks: int) -> list[str]:
        """The argument list that starts any program."""
        return [str(CHECKOUT / "scripts" / "mpirun.sh"), self.compiler, str(ranks), *map(str, program)]

    def traced(
        self, *program: str | Path, ranks: int, trace: Path, mode: str = "capture", **environment: str
    ) -> Outcome:
        """Runs any program with the tracer in it, in the folder of the trace; `environment` comes on top."""
        tracing = Tracing(mode=TraceMode(mode), output=trace, key=trace.parent.name, library=self.tracer, names=False)
        return finished(
            self.launch(*program, ranks=ranks), cwd=trace.parent,
            environment={**dict(tracing.environment(os.environ)), **environment},
        )  # fmt: skip

    def stressbench(self, *arguments: str | Path, cwd: Path | None = None, timeout_s: float = 180) -> Outcome:
        """The `stressbench` command with this engine and its tracer."""
        return finished(
            [sys.executable, "-m", "stressbench", *map(str, arguments)],
            cwd=cwd, timeout_s=timeout_s, environment={"STRESSBENCH_MPI": str(self.program)},
        )  # fmt: skip

    def run(
        self,
        *arguments: str | Path,
        ranks: int | None = None,
        cwd: Path | None = None,
        timeout_s: float = 180,
        environment: Mapping[str, str] | None = None,
    ) -> Outcome:
        return finished(self.command(*arguments, ranks=ranks), cwd=cwd, timeout_s=timeout_s, environment=environment)

    def started(
        self,
        *arguments: str | Path,
        ranks: int | None = None,
        cwd: Path | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> "Started":
        return Started(self.command(*arguments, ranks=ranks), cwd=cwd, environment=environment)


def hear_requests_to_stop() -> None:
    """Shells start what runs in the background with SIGINT ignored, nohup with SIGHUP; programs leave it like that."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


class Started:
    """A process in a session of its own; whatever is left of it is killed at the end."""

    def __init__(self, command: Sequence[str], *, cwd: Path | None, environment: Mapping[str, str] | None) -> None:
        self._process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", cwd=cwd,
            env={**os.environ, **(environment or {})}, stdin=subprocess.DEVNULL, start_new_session=True,
            preexec_fn=hear_requests_to_stop,
        )  # fmt: skip

    def __enter__(self) -> subprocess.Popen[str]:
        return self._process

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.communicate(timeout=GRACE_S)
            except subprocess.TimeoutExpired:
                os.killpg(self._process.pid, signal.SIGKILL)
                self._process.communicate()


def finished(
    command: Sequence[str],
    *,
    cwd: Path | None = None,
    timeout_s: float = 180,
    environment: Mapping[str, str] | None = None,
) -> Outcome:
    """Starts the command and waits for its end."""
    with Started(command, cwd=cwd, environment=environment) as process:
        output, errors = process.communicate(timeout=timeout_s)
        return Outcome(process.returncode, output, errors)


ENGINES = (
    Engine("Open MPI", "mpicxx.openmpi", CHECKOUT / "build" / "release" / "engine" / "stressbench-mpi"),
    Engine("MPICH", "mpicxx.mpich", CHECKOUT / "build" / "mpich" / "engine" / "stressbench-mpi"),
)


def require(engine: Engine) -> Engine:
    if not engine.program.exists():
        pytest.fail(f"{engine.program} is not built: start scripts/test.sh system, which builds it")
    return engine


@pytest.fixture(scope="session", params=ENGINES, ids=lambda engine: engine.library)
def any_engine(request: pytest.FixtureRequest) -> Engine:
    """Each MPI in turn."""
    return require(request.param)


@pytest.fixture(scope="session")
def engine() -> Engine:
    """The engine under Open MPI."""
    return require(ENGINES[0])


@pytest.fixture(scope="session")
def patterns(any_engine: Engine) -> Path:
    """The program that makes the calls which the tracer is to see."""
    return any_engine.build / "tests" / "tracer" / "patterns"


@pytest.fixture(scope="session")
def checkout() -> Path:
    return CHECKOUT


@pytest.fixture(scope="session")
def stressbench(engine: Engine) -> Callable[..., Outcome]:
    """The `stressbench` command, with the engine that was built here."""
    return engine.stressbench


@pytest.fixture
def traced(any_engine, tmp_path) -> Callable[..., Traced]:
    """Starts a program with the tracer of an MPI loaded, on 3 ranks since MPICH spins while it waits.

    Ranks leave what they must in the test's own folder.
    """

    def run(program: Sequence[str | Path], *, ranks: int = 3, mode: str = "capture", **environment: str) -> Traced:
        trace = tmp_path / "made.trace"
        environment = {"STRESSBENCH_TRACE_POOL": str(tmp_path), **environment}
        done = any_engine.traced(*program, ranks=ranks, trace=trace, mode=mode, **environment)
        return Traced(done.status, done.said, lines_of(trace))

    return run


@pytest.fixture
def fortran(any_engine, tmp_path) -> Callable[[str], Path]:
    """Compiles a program of tests/tracer/ under an MPI; skips where there is no compiler."""
    compiler = any_engine.compiler.replace("mpicxx", "mpifort")
    if shutil.which(compiler) is None or shutil.which("gfortran") is None:
        pytest.skip(f"{compiler} or gfortran is not installed")

    def compile_(source: str) -> Path:
        program = tmp_path / Path(source).stem
        subprocess.run([compiler, CHECKOUT / "tests" / "tracer" / source, "-o", program], check=True, cwd=tmp_path)
        return program

    return compile_


@pytest.fixture(scope="module")
def benchmark() -> Iterator[Callable[[str], ModuleType]]:
    """Loads a program of benchmarks/ by name; they find each other as scripts do."""
    sys.path.insert(0, str(CHECKOUT / "benchmarks"))
    try:
        yield importlib.import_module
    finally:
        sys.path.remove(str(CHECKOUT / "benchmarks"))


@pytest.fixture(scope="module")
def lab_up(engine, tmp_path_factory) -> Iterator[Callable[..., "Bench"]]:
    """Brings labs up, shipped ones by name or others by their text, each once a module; all go down at its end."""
    from lab_bench import Bench, require_labs  # it needs what stands above

    require_labs()
    up: dict[str, Bench] = {}

    def bring(name: str, text: str | None = None) -> Bench:
        if name not in up:
            bench = Bench(name, tmp_path_factory.mktemp(name), engine.program)
            file = bench.folder / f"{name}.toml"
            if text is not None:
                file.write_text(text, encoding="utf-8")
            bench.lab("up", name if text is None else str(file))
            up[name] = bench
        return up[name]

    yield bring
    for bench in up.values():
        bench.stressbench("lab", "down", "--all")


def wait_until(condition: Callable[[], bool], what: str, *, within_s: float = 60) -> None:
    """Fails with the condition's name where it does not hold in time."""
    end = time.monotonic() + within_s
    while not condition():
        if time.monotonic() > end:
            pytest.fail(f"did not happen within {within_s:.0f} s: {what}")
        time.sleep(0.02)


@pytest.fixture
def wait_for() -> Callable[..., None]:
    """`wait_until`, for tests that import nothing."""
    return wait_until


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 KiB; skips where it cannot be mounted."""
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = (
        shutil.which("mount")
        and not subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)], capture_output=True, check=False
        ).returncode
    )
    if not mounted:
        pytest.skip("a small file system cannot be mounted here (needs root); /dev/full is tested instead")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=False)
