"""A launcher that calls itself Open MPI's and starts one process, as rank 0: no MPI is needed."""

from pathlib import Path

_MPIRUN = """\
#!/bin/sh
[ "$1" = --version ] && { echo "mpirun (Open MPI) 4.1.4"; exit 0; }
[ -n "$FAKE_LAUNCHES" ] && printf '%s\\n' "$*" >>"$FAKE_LAUNCHES"
until [ -x "$1" ] || [ "$1" = sh ]; do shift; done
exec "$@"
"""


def put_mpirun(folder: Path) -> None:
    """Into a folder that will be on PATH."""
    put(folder / "mpirun.openmpi", _MPIRUN)


def put(path: Path, script: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(script, encoding="utf-8")
    path.chmod(0o755)
