"""Fakes of the engine and of Open MPI's launcher, which starts one process as rank 0, so that no MPI is needed."""

from pathlib import Path

FAKE_ENGINE = Path(__file__).parent / "fake_engine.py"
LIBRARIES = {"mpirun.openmpi": "Open MPI v4.1.4, package: fake", "mpirun.mpich": "MPICH Version: 4.0.2"}
"""What the stand-in for the engine may say it is built with, by launcher."""

_MPIRUN = """\
#!/bin/sh
[ "$1" = --version ] && { echo "mpirun (Open MPI) 4.1.4"; exit 0; }
[ -n "$FAKE_LAUNCHES" ] && printf '%s\\n' "$*" >>"$FAKE_LAUNCHES"
until [ -x "$1" ] || [ "$1" = sh ]; do shift; done
"""


def put_mpirun(folder: Path, *, before: str = "") -> None:
    """Write mpirun to a folder that will be on PATH. `before` is a script that it runs before it executes `$1`."""
    put(folder / "mpirun.openmpi", f'{_MPIRUN}{before}exec "$@"\n')


def put_mpirun_with_a_killed_rank(folder: Path) -> None:
    """As `put_mpirun`; at the end it says that rank 1 was killed.

    The real one cannot be used for this: under load it sometimes does not name a rank that dies and has not called
    MPI_Init, and the fake engine does not.
    """
    said = "mpirun noticed that process rank 1 with PID 7 on node vm exited on signal 9 (Killed)."
    put_mpirun(folder, before=f'"$@"\necho "{said}" >&2\nexit 137\n')


def put(path: Path, script: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(script, encoding="utf-8")
    path.chmod(0o755)
