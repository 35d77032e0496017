"""A working folder with fakes of mpirun and of a probing engine, and commands that are run and stopped in it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support import forked
from support.fake_clock import VARIABLE, FakeClock
from support.fake_launcher import put, put_mpirun
from support.fake_tracer import put_tracer
from support.programs import wait_until

MAY_TAKE_S = 300
"""Ends what hangs; no machine needs as long."""
TESTS = Path(__file__).parents[1]
ENGINE = f"""#!/bin/sh
case "$1 ${{2##*/}}" in
  --version*) echo "stressbench-mpi 0.1.0"; echo "MPI library: Open MPI v4.1.4, package: fake"; exit 0 ;;
  "check bad"*) echo "$2:1:1: error: 'AlReduce' is not a motif" >&2; exit 2 ;;
  check*)
    [ "$FAKE_PROBES" = old ] && grep -q compression "$2" || exit 0
    echo "$2: error: 'compression' is not a motif" >&2
    exit 2 ;;
esac
export PYTHONPATH="{TESTS}${{PYTHONPATH:+:$PYTHONPATH}}"
exec {sys.executable} {TESTS / "support" / "fake_probes.py"} "$@"
"""
"""It finds what a workload says wrong, and leaves runs to support/fake_probes.py."""
START_MS = 10
"""What it takes to start a program: less than a round of probes."""
_MPIRUN_TAKES_TIME = f"case $1 in */engine) ;; *) elapse {START_MS} ;; esac\n"
COMMAND = """
import signal
from stressbench.cli.console.app import main
from support.fake_lab import four_hosts_on_a_fake_clock
signal.signal(signal.SIGINT, signal.default_int_handler)
with four_hosts_on_a_fake_clock():
    main()
"""


def environment(folder: Path, **more: str) -> dict[str, str]:
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    found = os.pathsep.join(filter(None, (str(TESTS), os.environ.get("PYTHONPATH"))))
    return {
        **os.environ, "PATH": path, "STRESSBENCH_MPI": str(folder / "bin" / "engine"), "PYTHONPATH": found,
        "STRESSBENCH_TRACE_LIBRARY": str(put_tracer(folder)), VARIABLE: str(folder / "clock"), **more,
    }  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    put_mpirun(tmp_path / "bin", before=_MPIRUN_TAKES_TIME)
    FakeClock(tmp_path / "clock").put(tmp_path / "bin")
    put(tmp_path / "bin" / "engine", ENGINE)
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "demo.sb").write_text("[JOB_NAME] CG\n[NODES] 1\n[MOTIF] allreduce\n")
    (tmp_path / "work" / "bad.sb").write_text("[MOTIF] AlReduce\n")
    return tmp_path / "work"


def run_command(
    command: str, folder: Path, *words: str, on_lab: bool = False, **more: str
) -> subprocess.CompletedProcess[str]:
    if on_lab:
        words = ("--on", "lab:four", *words)
    return forked.stressbench(
        command, *words, cwd=folder, environment=environment(folder.parent, **more), timeout_s=MAY_TAKE_S,
        within="support.fake_lab:four_hosts_on_a_fake_clock",
    )  # fmt: skip


def interrupt(
    command: str, folder: Path, words: tuple[str, ...], *, requests: tuple[int, ...] = (signal.SIGINT,), **more: str
) -> tuple[int, str]:
    """Status and messages of a command that is asked to stop when a fake has created ../here.

    Two equal signals may merge into one if they arrive close together, so `requests` should differ.
    """
    process = subprocess.Popen(
        [sys.executable, "-c", COMMAND, command, *words],
        cwd=folder, env=environment(folder.parent, **more), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    here = folder.parent / "here"
    wait_until(lambda: here.exists() or process.poll() is not None, "somebody is there to be asked")
    for request in requests:
        process.send_signal(request)
    said = process.communicate(timeout=MAY_TAKE_S)[1]
    return process.returncode, said


def running(folder: Path) -> list[str]:
    """Processes started for this folder that still run, after a moment for those that are ending.

    All processes of `run_command` have the folder's clock in their environment.
    """
    mark = f"{VARIABLE}={folder.parent / 'clock'}".encode()
    for _ in range(3000):
        found = [
            _words(path.parent) for path in Path("/proc").glob("[0-9]*/environ") if mark in _read(path).split(b"\0")
        ]
        if not found:
            return []
        time.sleep(0.1)
    return found


def _words(process: Path) -> str:
    return _read(process / "cmdline").replace(b"\0", b" ").decode(errors="replace")


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
