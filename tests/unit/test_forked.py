"""`stressbench` as tests run it, forked from a process that has loaded it, does what `python -m stressbench` does."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support import forked
from support.fake_launcher import FAKE_ENGINE
from support.programs import CHECKOUT

RUN = CHECKOUT / "tests" / "golden" / "data" / "v0.1.0" / "run.jsonl"
COMMANDS = [
    ("--version",), ("show", RUN), ("show", RUN, "--json"), ("show", "missing"), ("report", RUN, "--format", "md"),
    ("nonsense",), ("show", "hälo\udcff"),
]  # fmt: skip


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: ascii(" ".join(getattr(w, "name", w) for w in words)))
def test_status_output_and_errors_are_those_of_the_module(words: tuple[str | Path, ...]) -> None:
    started = subprocess.run(
        [sys.executable, "-m", "stressbench", *map(str, words)], capture_output=True, text=True, errors="replace",
        stdin=subprocess.DEVNULL, timeout=300, check=False,
    )  # fmt: skip

    done = forked.stressbench(*words)

    assert (done.returncode, done.stdout, done.stderr) == (started.returncode, started.stdout, started.stderr)


def test_folder_and_environment_are_those_of_the_caller_or_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "w.sb").write_text("[JOB_NAME] a\n[NODES] 1\n[MOTIF] allreduce\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STRESSBENCH_MPI", "no-such-engine")
    named = {**os.environ, "STRESSBENCH_MPI": "another"}

    of_caller = forked.stressbench("run", "here/w.sb", "-n", "2")
    given = forked.stressbench("run", "w.sb", "-n", "2", cwd=tmp_path / "here", environment=named)

    assert (of_caller.returncode, given.returncode) == (2, 2)
    assert "no-such-engine" in of_caller.stderr
    assert "another" in given.stderr


def test_a_command_that_hangs_is_ended_and_the_next_one_is_run(tmp_path: Path) -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        forked.stressbench("study", "watch", "none-yet", cwd=tmp_path, timeout_s=0.1)

    assert forked.stressbench("--version").returncode == 0


def test_a_command_that_a_signal_ends_has_its_status(tmp_path: Path) -> None:
    """The program that is profiled kills its parent, which is the command."""
    environment = {**os.environ, "STRESSBENCH_MPI": str(FAKE_ENGINE), "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    (tmp_path / "w.sb").write_text("[JOB_NAME] a\n[NODES] 1\n[MOTIF] allreduce\n")
    (tmp_path / "mpirun.openmpi").write_text('#!/bin/sh\nkill -9 "$PPID"\n')
    (tmp_path / "mpirun.openmpi").chmod(0o755)

    assert forked.stressbench("run", "w.sb", "-n", "2", cwd=tmp_path, environment=environment).returncode == -9
