"""Lines of batch scripts that run `stressbench` under a Slurm on a lab, and what their jobs leave behind."""

import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from support.programs import ENGINES, require, wait_until
from support.slurm_lab import Slurm, started

HOSTS = ("h0", "h1", "h2", "h3")
ALL_NODES = ("--nodes=4", "--exclusive")
YIELDING = "export OMPI_MCA_mpi_yield_when_idle=1"  # the hosts of a lab share the cores of this machine


def engine_program() -> Path:
    """Open MPI's engine: one MPICH in six waits for 15 s in MPI_Finalize, as docs/how-to/launchers.md says."""
    return require(ENGINES[0]).program


def stressbench(*words: str | Path) -> list[str]:
    """The command as an argument list."""
    return [sys.executable, "-m", "stressbench", *map(str, words)]


def command(*words: str | Path) -> str:
    """Lines that run `stressbench` in place of the shell."""
    program = shlex.quote(str(engine_program()))
    return "\n".join((f"export STRESSBENCH_MPI={program}", YIELDING, f"exec {shlex.join(stressbench(*words))}"))


def corun_words(
    directory: str, *options: str, on: str, programs: Mapping[str, Sequence[str | Path]], blocks: int
) -> tuple[str | Path, ...]:
    """`corun` of programs by name on two ranks each. Executions count with any overlap, so that blocks are short."""
    brief = ("--blocks", str(blocks), "--executions", "1", "--min-overlap", "1%", "-n", "2")
    words = [word for program in programs.values() for word in ("++", *program)][1:]
    return ("corun", "--on", on, *brief, "-o", directory, *options, "--names", ",".join(programs), "--", *words)


def corun_command(directory: str, *options: str, blocks: int = 100) -> str:
    """A co-run of the same short program twice under Slurm."""
    program = (engine_program(), "motif", "allreduce", "-c", "1", "--repetitions", "50", "--warmup", "0")
    return command(
        *corun_words(directory, *options, on="slurm", programs={"first": program, "second": program}, blocks=blocks)
    )  # fmt: skip


def periods_in(journal: Path) -> int:
    """Lines of a journal of co-runs after its plan."""
    return max(0, journal.read_bytes().count(b"\n") - 1) if journal.exists() else 0


def assert_clean(slurm: Slurm) -> None:
    """Nothing stays in the folder and in the shared memory of hosts but what `stressbench clean` removes.

    It takes directories for temporary ones in use until they are a minute old.
    """

    def is_clean() -> bool:
        started(slurm.lab.stressbench("clean", "--in", slurm.lab.folder))
        for host in HOSTS:
            started(slurm.on(host, *stressbench("clean", "--in", slurm.lab.folder, "--in", "/dev/shm")))
        left = [path.name for path in slurm.lab.folder.glob(".stressbench-*")]
        return not left + [name for host in HOSTS for name in slurm.on(host, "ls", "-A", "/dev/shm").output.split()]

    wait_until(is_clean, "nothing is left", every_s=2)
