"""Programs as users start them: engines built with both MPIs, launched through scripts/mpirun.sh."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from stressbench.formats.trace import TraceMode
from stressbench.launch.tracing import Tracing
from support import forked
from support.forked import GRACE_S, LIMIT_S

CHECKOUT = Path(__file__).resolve().parents[2]
TWO_JOBS = "[JOB_NAME] one\n[NODES] 2\n[MOTIF] allreduce\n[JOB_NAME] two\n[NODES] 2\n[MOTIF] pingpong\n"
"""A workload of four nodes, where what matters is how ranks start and end."""


@dataclass(frozen=True)
class Outcome:
    """Result of a program: exit status and all of its output."""

    status: int
    output: str
    errors: str

    @property
    def text(self) -> str:
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
        """Argument list; without `ranks`, the program is started without a launcher."""
        words = [str(self.program), *map(str, arguments)]
        return words if ranks is None else self.launch(*words, ranks=ranks)

    def launch(self, *program: str | Path, ranks: int) -> list[str]:
        """Argument list that launches any program."""
        return [str(CHECKOUT / "scripts" / "mpirun.sh"), self.compiler, str(ranks), *map(str, program)]

    def traced(
        self, *program: str | Path, ranks: int, trace: Path, mode: str = "capture", **environment: str
    ) -> Outcome:
        """Run any program with the tracer in the folder of the trace; `environment` is added."""
        trace.unlink(missing_ok=True)  # written by the first program only
        tracing = Tracing(mode=TraceMode(mode), output=trace, key=trace.parent.name, library=self.tracer, names=False)
        return finished(
            self.launch(*program, ranks=ranks), cwd=trace.parent,
            environment={**dict(tracing.environment(os.environ)), **environment},
        )  # fmt: skip

    def stressbench(self, *arguments: str | Path, cwd: Path | None = None, timeout_s: float = LIMIT_S) -> Outcome:
        """The `stressbench` command with this engine and its tracer."""
        done = forked.stressbench(
            *arguments, cwd=cwd, timeout_s=timeout_s, environment={**os.environ, "STRESSBENCH_MPI": str(self.program)}
        )
        return Outcome(done.returncode, done.stdout, done.stderr)

    def run(
        self,
        *arguments: str | Path,
        ranks: int | None = None,
        cwd: Path | None = None,
        timeout_s: float = LIMIT_S,
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
    """Restore default signal handling: shells start background processes with SIGINT ignored, nohup with SIGHUP."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


class Started:
    """A process in its own session; remaining processes of the session are killed at the end."""

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
                with suppress(subprocess.TimeoutExpired):
                    self._process.communicate(timeout=GRACE_S)
            finally:  # pytest-timeout may end the waiting, too
                if self._process.poll() is None:
                    os.killpg(self._process.pid, signal.SIGKILL)
                    self._process.communicate()


def finished(
    command: Sequence[str],
    *,
    cwd: Path | None = None,
    timeout_s: float = LIMIT_S,
    environment: Mapping[str, str] | None = None,
) -> Outcome:
    """Run the command and wait for its end."""
    with Started(command, cwd=cwd, environment=environment) as process:
        output, errors = process.communicate(timeout=timeout_s)
        return Outcome(process.returncode, output, errors)


ENGINES = (
    Engine("Open MPI", "mpicxx.openmpi", CHECKOUT / "build" / "openmpi" / "engine" / "stressbench-mpi"),
    Engine("MPICH", "mpicxx.mpich", CHECKOUT / "build" / "mpich" / "engine" / "stressbench-mpi"),
)


def require(engine: Engine) -> Engine:
    if not engine.program.exists():
        pytest.fail(f"{engine.program} is not built: start scripts/test.sh engine, which builds it")
    return engine


def wait_until(condition: Callable[[], bool], what: str, *, within_s: float = 300, every_s: float = 0.02) -> None:
    """Wait for a condition; fails with its name after the timeout. `every_s`: pause between two looks at it."""
    end = time.monotonic() + within_s
    while not condition():
        if time.monotonic() > end:
            pytest.fail(f"did not happen within {within_s:.0f} s: {what}")
        time.sleep(every_s)


def wait_for_rounds(run_file: Path, number: int = 1) -> None:
    """Wait until so many rounds are complete in a run file."""
    wait_until(
        lambda: run_file.exists() and run_file.read_bytes().count(b'"type":"round"') >= number,
        f"{number} rounds are complete in {run_file.name}",
    )


def ranks_of(program: Path) -> list[int]:
    """Ids of the processes that run this program, in ascending order."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if (folder / "exe").readlink() == program:
                found.append(int(folder.name))
        except OSError:
            continue
    return sorted(found)


def own_copy(engine: Engine, folder: Path) -> Engine:
    """A copy of the engine with its own path, so that other launches' ranks are not affected."""
    program = folder / "stressbench-mpi"
    program.write_bytes(engine.program.read_bytes())
    program.chmod(0o755)
    return replace(engine, program=program)


def send(number: signal.Signals, processes: Iterable[int]) -> None:
    """Send a signal to those of the processes that there still are."""
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, number)


def kill_ranks_when(program: Path, condition: Callable[[], bool], what: str) -> None:
    """Send SIGKILL to all ranks of this program while the condition holds; they are stopped for the check."""

    def caught() -> bool:
        ranks = ranks_of(program)
        send(signal.SIGSTOP, ranks)
        wait_until(lambda: all(stands_still(rank) for rank in ranks), "all ranks stand still")
        holds = condition()
        send(signal.SIGKILL if holds else signal.SIGCONT, ranks)
        return holds

    wait_until(caught, what)


def stands_still(pid: int) -> bool:
    """Whether SIGSTOP has stopped every thread, or it has ended."""
    states = set()
    with suppress(OSError):  # of the folder
        for path in Path(f"/proc/{pid}/task").glob("*/stat"):
            with suppress(OSError):
                states.add(path.read_text().rpartition(")")[2].split()[0])
    return states <= {"T", "t", "Z", "X"}


def launchers_of(command: int) -> list[int]:
    """The ids of the mpirun processes that the process `command` has started."""
    found = []
    with suppress(OSError):
        for pid in Path(f"/proc/{command}/task/{command}/children").read_text().split():
            with suppress(OSError):
                if b"mpirun" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    found.append(int(pid))
    return found
