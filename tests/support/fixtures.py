"""Fixtures for tests that start whole programs."""

import importlib
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest

from support import forked
from support.lab_bench import Bench, require_labs
from support.programs import CHECKOUT, ENGINES, Engine, Outcome, require, wait_until
from support.trace_lines import Traced, lines_of

NIGHTLY = CHECKOUT / "tests" / "nightly"
MPIS = {"openmpi": ENGINES[:1], "mpich": ENGINES[1:], "all": ENGINES}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--mpi", choices=tuple(MPIS),
        help="run only the tests that start ranks under any MPI, with this one; left out, they use Open MPI, "
        "and those in tests/nightly each MPI",
    )  # fmt: skip


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "any_engine" in metafunc.fixturenames:
        named = metafunc.config.getoption("--mpi")
        mpi = named or ("all" if metafunc.definition.path.is_relative_to(NIGHTLY) else "openmpi")
        metafunc.parametrize("any_engine", MPIS[mpi], indirect=True, scope="session", ids=lambda engine: engine.library)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--mpi"):
        left_out = [item for item in items if "any_engine" not in getattr(item, "fixturenames", ())]
        items[:] = [item for item in items if item not in left_out]
        config.hook.pytest_deselected(items=left_out)


def pytest_sessionfinish() -> None:
    forked.close_server()


@pytest.fixture
def interruptible() -> Iterator[None]:
    """SIGINT raises KeyboardInterrupt even where a shell started the tests in the background, with SIGINT ignored."""
    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, former)


@pytest.fixture(scope="session")
def any_engine(request: pytest.FixtureRequest) -> Engine:
    """The engine under each tested MPI in turn (`--mpi`)."""
    return require(request.param)


@pytest.fixture(scope="session")
def engine() -> Engine:
    """The engine under Open MPI."""
    return require(ENGINES[0])


@pytest.fixture(scope="session")
def patterns(any_engine: Engine) -> Path:
    """The program that makes the MPI calls to be traced."""
    return any_engine.build / "tests" / "tracer" / "patterns"


@pytest.fixture(scope="session")
def checkout() -> Path:
    return CHECKOUT


@pytest.fixture(scope="session")
def stressbench(engine: Engine) -> Callable[..., Outcome]:
    """The `stressbench` command with the engine that was built here."""
    return engine.stressbench


@pytest.fixture
def traced(any_engine, tmp_path) -> Callable[..., Traced]:
    """Starts a program with an MPI's tracer on 3 ranks (few, because MPICH polls while it waits).

    Ranks write their files to the test's own folder.
    """

    def run(program: Sequence[str | Path], *, ranks: int = 3, mode: str = "capture", **environment: str) -> Traced:
        trace = tmp_path / "made.trace"
        environment = {"STRESSBENCH_TRACE_POOL": str(tmp_path), **environment}
        done = any_engine.traced(*program, ranks=ranks, trace=trace, mode=mode, **environment)
        return Traced(done.status, done.text, lines_of(trace))

    return run


@pytest.fixture
def fortran(any_engine, tmp_path) -> Callable[[str], Path]:
    """Compiles a program of tests/tracer/ under an MPI; skips the test without a compiler."""
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
    """Loads a program of benchmarks/ by name, with imports as for scripts."""
    with importing_from(CHECKOUT / "benchmarks"):
        yield importlib.import_module


@pytest.fixture(scope="module")
def script() -> Iterator[Callable[[str], ModuleType]]:
    """Loads a program of scripts/ by name, with imports as for scripts."""
    with importing_from(CHECKOUT / "scripts"):
        yield importlib.import_module


@contextmanager
def importing_from(folder: Path) -> Iterator[None]:
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


@pytest.fixture(scope="module")
def lab_up(engine, tmp_path_factory) -> Iterator[Callable[..., Bench]]:
    """Brings up labs, shipped ones by name or others by their text, once per module; takes all down at its end."""
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


@pytest.fixture
def wait_for() -> Callable[..., None]:
    """`wait_until` as a fixture."""
    return wait_until


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 KiB; skips the test if it cannot be mounted."""
    with mounted(tmp_path / "small", "size=64k") as folder:
        yield folder


@pytest.fixture
def read_only_disk(tmp_path: Path) -> Iterator[Path]:
    """A read-only file system; skips the test if it cannot be mounted."""
    with mounted(tmp_path / "read-only", "ro") as folder:
        yield folder


@contextmanager
def mounted(folder: Path, options: str) -> Iterator[Path]:
    folder.mkdir()
    done = (
        shutil.which("mount")
        and not subprocess.run(
            ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], capture_output=True, check=False
        ).returncode
    )
    if not done:
        pytest.skip("file systems cannot be mounted here (needs root); /dev/full is tested instead")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=False)
