"""A folder with fakes of the tracer and its salvage program, in which `stressbench` is run around commands."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from support import forked
from support.fake_launcher import FAKE_ENGINE
from support.traces import ring

COPY = 'cp made.trace "$STRESSBENCH_TRACE_OUTPUT"'


def put_tracer(folder: Path) -> Path:
    """A tracer without effect, which is any existing library."""
    library = folder / "lib" / "libstressbench-trace.so"
    if not library.exists():
        harmless = re.search(r"/\S*/libm\.so\S*|/\S*/libc\.so\S*", Path("/proc/self/maps").read_text())
        assert harmless is not None
        library.parent.mkdir()
        library.symlink_to(harmless[0])
    return library


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A tracer without effect (any existing library), a salvage program, and a trace to copy."""
    put_tracer(tmp_path)
    (tmp_path / "pools").mkdir()
    made = ring(2)
    made.symbols = None
    made.write(tmp_path)
    return tmp_path


def environment(folder: Path, **more: str) -> dict[str, str]:
    return {
        **os.environ,
        "STRESSBENCH_MPI": str(FAKE_ENGINE),
        "STRESSBENCH_TRACE_LIBRARY": str(folder / "lib" / "libstressbench-trace.so"),
        "STRESSBENCH_TRACE_POOL": str(folder / "pools"),
        **more,
    }


def stressbench(folder: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    return forked.stressbench(
        *words, cwd=folder, environment=environment(folder, **more), typed="what stands on standard input"
    )
