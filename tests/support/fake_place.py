"""A folder to work in, with stand-ins for mpirun and for the engine that probes, and commands run and stopped in it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.fake_launcher import put, put_mpirun
from support.programs import wait_until

TESTS = Path(__file__).parents[1]
ENGINE = f"""#!/bin/sh
export PYTHONPATH="{TESTS}${{PYTHONPATH:+:$PYTHONPATH}}"
exec {sys.executable} {TESTS / "support" / "fake_probes.py"} "$@"
"""
LAB = """
from stressbench.cli.app import main
from stressbench.launch.targets import registered
from support.fake_lab import FOUR, FakeLab
with registered(lab=FakeLab(here=FOUR)):
    main()
"""
"""A command, where every lab has four hosts and is not there."""
INTERRUPTIBLE = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler);"
    "from stressbench.cli.app import main; main()"
)


def environment(folder: Path, **more: str) -> dict[str, str]:
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "STRESSBENCH_MPI": str(folder / "bin" / "engine"), **more}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    put_mpirun(tmp_path / "bin")
    put(tmp_path / "bin" / "engine", ENGINE)
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "demo.sb").write_text("[JOB_NAME] CG\n[NODES] 1\n[MOTIF] allreduce\n")
    (tmp_path / "work" / "bad.sb").write_text("[MOTIF] AlReduce\n")
    return tmp_path / "work"


def run_command(
    command: str, folder: Path, *words: str, on_lab: bool = False, **more: str
) -> subprocess.CompletedProcess[str]:
    start = ("-c", LAB) if on_lab else ("-m", "stressbench")
    if on_lab:
        words = ("--on", "lab:four", *words)
        more["PYTHONPATH"] = os.pathsep.join(filter(None, (str(TESTS), os.environ.get("PYTHONPATH"))))
    return subprocess.run(
        [sys.executable, *start, command, *words],
        cwd=folder, env=environment(folder.parent, **more), capture_output=True, text=True, timeout=150, check=False,
    )  # fmt: skip


def interrupt(
    command: str, folder: Path, words: tuple[str, ...], *, at: str, launches: int, times: int = 1,
    number: int = signal.SIGINT, **more: str,
) -> tuple[int, str]:  # fmt: skip
    """Status and messages of a command that was asked to stop once it had said `at` and probed in so many launches."""
    begun = folder.parent / "begun"
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE, command, *words],
        cwd=folder, env=environment(folder.parent, FAKE_BEGUN=str(begun), **more), stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stderr is not None
    text = ""
    while at not in text:
        line = process.stderr.readline()
        assert line, text
        text += line
    wait_until(lambda: begun.exists() and len(begun.read_text().splitlines()) >= launches, "probes are at work")
    for request in (number, signal.SIGTERM)[:times]:  # another signal is another request, however soon it comes
        process.send_signal(request)
    rest = process.communicate(timeout=120)[1]
    return process.returncode, text + rest


def running(words: str) -> list[int]:
    """Processes with these words on their command line, after a moment for those that are on their way out."""
    for _ in range(600):
        found = [int(path.parent.name) for path in Path("/proc").glob("[0-9]*/cmdline") if words in _words(path)]
        if not found:
            return []
        time.sleep(0.1)
    return found


def _words(path: Path) -> str:
    try:
        return path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""
