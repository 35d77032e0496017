"""OTF2 archives, written by a process of the Python that has the bindings of OTF2."""

import shutil
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from stressbench.errors import MachineFault, UserError

WRITER = Path(__file__).with_name("otf2_writer.py")
_SYSTEM_PYTHON = "/usr/bin/python3"  # where distributions install the bindings, if another Python is first on PATH
_MOST_SHOWN = 2000


def otf2_python() -> str:
    """A Python interpreter that has the bindings of OTF2. Raises UserError."""
    for python in _candidates():
        if _has_bindings(python):
            return python
    raise UserError(
        "--format otf2: no Python on this machine has the module otf2; install OTF2 with its Python bindings "
        "(Debian and Ubuntu: apt install python3-otf2)"
    )


def _candidates() -> list[str]:
    named = (sys.executable, shutil.which("python3"), _SYSTEM_PYTHON)
    return list(dict.fromkeys(name for name in named if name and Path(name).exists()))


def _has_bindings(python: str) -> bool:
    probe = [python, "-c", "import otf2"]
    return subprocess.run(probe, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 0


def write_archive(python: str, folder: Path, lines: Iterable[bytes]) -> None:
    """Write the archive into `folder`, which must not exist. Raises MachineFault if the writer fails."""
    with subprocess.Popen(
        [python, str(WRITER), str(folder)], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as writer:
        assert writer.stdin is not None and writer.stderr is not None
        try:
            with suppress(BrokenPipeError):  # its message and status say why
                writer.stdin.writelines(lines)
            with suppress(BrokenPipeError):
                writer.stdin.close()
        except BaseException:
            writer.kill()
            raise
        why = writer.stderr.read().decode(errors="replace").strip()
    if writer.returncode:
        raise MachineFault(f"the OTF2 writer ended with status {writer.returncode}: {why[-_MOST_SHOWN:]}")
