"""A traced launch: what is added to the user's command and its environment. Starts nothing but `LAUNCHER --version`.

libstressbench-trace.so reads the variables `STRESSBENCH_TRACE_...` when a rank calls MPI_Init.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from stressbench.formats.files import is_own_file
from stressbench.formats.trace import TraceMode
from stressbench.formats.units import parse_digits
from stressbench.launch.command import Command, Launcher
from stressbench.launch.find import recognise_launcher

POOL_VARIABLE = "STRESSBENCH_TRACE_POOL"
_POOLS = Path("/dev/shm")
_NO_POOL = (POOL_VARIABLE, os.devnull)  # no directory
_LAUNCHERS = ("mpirun", "mpiexec", "orterun", "prterun")


@dataclass(frozen=True, kw_only=True)
class Tracing:
    """What to record of a command, and where. `key` distinguishes this launch's leftovers from those of others.

    `names`: with host names. `gap_times`: with the time before each call, in order. `cpu_time`: times outside MPI are
    processor time. `working_set`: with the memory that each rank uses.
    """

    mode: TraceMode
    output: Path
    key: str
    library: Path
    names: bool
    gap_times: bool = False
    cpu_time: bool = False
    working_set: bool = False

    def settings(self) -> tuple[tuple[str, str], ...]:
        """Environment variables that the tracer and its salvage program read."""
        pairs = (
            ("STRESSBENCH_TRACE_MODE", self.mode.value),
            ("STRESSBENCH_TRACE_OUTPUT", str(self.output)),
            ("STRESSBENCH_TRACE_ID", self.key),
            ("STRESSBENCH_TRACE_ONCE", "1"),
        )
        flags = (
            ("STRESSBENCH_TRACE_NAMES", self.names),
            ("STRESSBENCH_TRACE_GAP_TIMES", self.gap_times),
            ("STRESSBENCH_TRACE_CPU_TIME", self.cpu_time),
            ("STRESSBENCH_TRACE_WORKING_SET", self.working_set),
        )
        return (*pairs, *((name, "1") for name, is_set in flags if is_set))

    def environment(self, base_environment: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
        """Variables to add to `base_environment`. A library that is already preloaded is kept."""
        preload = ":".join(text for text in (str(self.library), base_environment.get("LD_PRELOAD", "")) if text)
        return (("LD_PRELOAD", preload), *self.settings())

    @property
    def modules(self) -> Path:
        """The file to which rank 0 writes the paths of the modules with call sites."""
        return self.output.with_name(self.output.name + ".modules")

    def pools(self, base_environment: Mapping[str, str]) -> tuple[tuple[int, Path], ...]:
        """Rank and path of the pools that unfinished ranks left behind on this host, one file per thread.

        Any user may create files of these names, so only those of this user count.
        """
        folder = Path(base_environment.get(POOL_VARIABLE) or _POOLS)
        prefix = f"stressbench-trace-{self.key}-"
        candidates = (
            (parse_digits(path.name.removeprefix(prefix).partition(".")[0]), path)
            for path in folder.glob(f"{prefix}*.pool")
        )
        return tuple(sorted((rank, path) for rank, path in candidates if rank is not None and is_own_file(path)))


def loaded_by_env(
    words: Sequence[str], *, tracing: Tracing, settings: Sequence[tuple[str, str]] = (),
    base_environment: Mapping[str, str], shares_memory: bool,
) -> tuple[str, ...]:  # fmt: skip
    """A program with the tracer, which `env` loads on each rank, so that no launcher has to pass variables on.

    `shares_memory`: whether this process sees the shared memory of all ranks, so that it can remove what they leave
    there. Otherwise ranks keep their data in memory that ends with them. `settings`: more variables of the tracer.
    """
    pool = () if shares_memory else (_NO_POOL,)
    variables = (*tracing.environment(base_environment), *pool, *settings)
    return ("env", *(f"{key}={value}" for key, value in variables), *words)


def remove_leftovers(tracing: Tracing, *, base_environment: Mapping[str, str]) -> None:
    """Remove the files of a launch other than its trace."""
    for path in (tracing.modules, *(pool for _, pool in tracing.pools(base_environment))):
        path.unlink(missing_ok=True)


def with_tracer(words: tuple[str, ...], *, tracing: Tracing, base_environment: Mapping[str, str]) -> Command:
    """The command with the tracer preloaded, on all hosts if the command is a launcher."""
    environment = tracing.environment(base_environment)
    if Path(words[0]).name.startswith(_LAUNCHERS):
        launcher = Launcher(path=Path(words[0]), recognised=recognise_launcher(words[0]))
        names = [name for name, _ in environment]
        names += [POOL_VARIABLE] if base_environment.get(POOL_VARIABLE) else []
        words = (words[0], *launcher.export_options(names), *words[1:])
    return Command(argv=words, environment=environment)
