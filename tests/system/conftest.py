"""The whole program, as a user starts it: engines built with both MPIs, launched through scripts/mpirun.sh."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from trace_lines import Traced, lines_of

CHECKOUT = Path(__file__).resolve().parent.parent.parent
GRACE_S = 60


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

    def command(self, *arguments: str | Path, ranks: int | None = None) -> list[str]:
        """The argument list; `ranks` None starts the program without a launcher."""
        words = [str(self.program), *map(str, arguments)]
        return words if ranks is None else [str(CHECKOUT / "scripts" / "mpirun.sh"), self.compiler, str(ranks), *words]

    def run(
        self,
        *arguments: str | Path,
        ranks: int | None = None,
        cwd: Path | None = None,
        timeout_s: float = 180,
        environment: Mapping[str, str] | None = None,
    ) -> Outcome:
        with self.started(*arguments, ranks=ranks, cwd=cwd, environment=environment) as process:
            output, errors = process.communicate(timeout=timeout_s)
            return Outcome(process.returncode, output, errors)

    def started(
        self,
        *arguments: str | Path,
        ranks: int | None = None,
        cwd: Path | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> "Started":
        return Started(self.command(*arguments, ranks=ranks), cwd=cwd, environment=environment)


class Started:
    """A process in a session of its own; whatever is left of it is killed at the end."""

    def __init__(self, command: Sequence[str], *, cwd: Path | None, environment: Mapping[str, str] | None) -> None:
        self._process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", cwd=cwd,
            env={**os.environ, **(environment or {})}, stdin=subprocess.DEVNULL, start_new_session=True,
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
def checkout() -> Path:
    return CHECKOUT


@pytest.fixture(scope="session")
def stressbench(engine: Engine) -> Callable[..., Outcome]:
    """The `stressbench` command, with the engine that was built here."""

    def run(*arguments: str | Path, timeout_s: float = 180) -> Outcome:
        done = subprocess.run(
            [sys.executable, "-m", "stressbench", *map(str, arguments)],
            capture_output=True, text=True, check=False, timeout=timeout_s,
            env={**os.environ, "STRESSBENCH_MPI": str(engine.program)},
        )  # fmt: skip
        return Outcome(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def traced(any_engine, tmp_path) -> Callable[..., Traced]:
    """Starts a program with the tracer of an MPI loaded; on 3 ranks, since MPICH spins while it waits."""
    build = any_engine.program.parent.parent

    def run(program: Sequence[str | Path], *, ranks: int = 3, mode: str = "capture", **environment: str) -> Traced:
        output = tmp_path / "made.trace"
        done = subprocess.run(
            [CHECKOUT / "scripts" / "mpirun.sh", any_engine.compiler, str(ranks), *map(str, program)],
            capture_output=True, text=True, check=False, timeout=180, cwd=tmp_path,
            env={**os.environ, "LD_PRELOAD": str(build / "tracer" / "libstressbench-trace.so"),
                 "STRESSBENCH_TRACE_MODE": mode, "STRESSBENCH_TRACE_OUTPUT": str(output),
                 "STRESSBENCH_TRACE_ID": tmp_path.name, "STRESSBENCH_TRACE_POOL": str(tmp_path), **environment},
        )  # fmt: skip
        return Traced(done.returncode, done.stdout + done.stderr, lines_of(output))

    return run


@pytest.fixture
def patterns(any_engine) -> Path:
    return any_engine.program.parent.parent / "tests" / "tracer" / "patterns"


@pytest.fixture
def wait_for() -> Callable[..., None]:
    """Waits until a condition holds; fails with its name when it does not in a minute."""

    def wait(condition: Callable[[], bool], what: str, *, within_s: float = 60) -> None:
        end = time.monotonic() + within_s
        while not condition():
            if time.monotonic() > end:
                pytest.fail(f"did not happen within {within_s:.0f} s: {what}")
            time.sleep(0.02)

    return wait


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
