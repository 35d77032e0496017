"""What ranks print to a pipe instead of their launcher, with shell scripts as launchers."""

import os
import tempfile
from pathlib import Path

import pytest
from support.fake_lab import PAIR
from support.fake_launcher import FAKE_ENGINE, LIBRARIES, put_mpirun

from stressbench.launch import program
from stressbench.launch.command import Command
from stressbench.launch.execute import Outcome, execute
from stressbench.launch.launch_target import LOCAL, LaunchTarget
from stressbench.launch.output_pipe import unused_path

MORE_THAN_A_PIPE_HOLDS = 3 << 20


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of temporary files, which has nothing else in it."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def executed(script: str, received: Path) -> Outcome:
    """Execute the script, with the pipe's path as $0. `received`: the file that its output goes to."""
    pipe = unused_path()
    with received.open("wb") as file:
        return execute(Command(argv=("sh", "-c", script, str(pipe)), output_pipe=pipe), output_to=file.fileno())


@pytest.mark.parametrize(
    ("script", "output"),
    [
        ('echo from a rank >"$0"', "from a rank\n"),
        ('echo from a rank >"$0"; echo from another >"$0"', "from a rank\nfrom another\n"),
        ("echo from the launcher", "from the launcher\n"),
        ("exit 0", ""),
    ],
)
def test_output_is_passed_on_and_kept(temporary: Path, tmp_path: Path, script: str, output: str) -> None:
    outcome = executed(script, tmp_path / "received")

    assert (outcome.status, outcome.output) == (0, output)
    assert (tmp_path / "received").read_text() == output
    assert list(temporary.iterdir()) == []


def test_launcher_and_ranks_may_print_both(tmp_path: Path) -> None:
    outcome = executed('echo launcher; echo rank >"$0"; exit 7', tmp_path / "received")

    assert (outcome.status, outcome.output) == (7, "launcher\nrank\n")


def test_no_rank_waits_for_a_full_pipe(tmp_path: Path) -> None:
    outcome = executed(f'head -c {MORE_THAN_A_PIPE_HOLDS} /dev/zero >"$0"', tmp_path / "received")

    assert outcome.status == 0
    assert (tmp_path / "received").stat().st_size == MORE_THAN_A_PIPE_HOLDS


def test_a_rank_that_outlives_its_launcher_is_ended_with_what_it_printed(temporary: Path, tmp_path: Path) -> None:
    rank = '(echo alive; : >"$0.printed"; exec sleep 86400) >"$0" 2>&1'
    outcome = executed(f'{rank} & until [ -e "$0.printed" ]; do sleep 0.01; done', tmp_path / "received")

    assert (outcome.status, outcome.killed_processes, outcome.output) == (0, 1, "alive\n")
    assert list(temporary.iterdir()) == []


def test_nothing_stays_where_the_launcher_cannot_be_started(temporary: Path) -> None:
    with pytest.raises(OSError, match="nowhere"):
        execute(Command(argv=("/nowhere/mpirun",), output_pipe=unused_path()))
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize(("target", "has_pipe"), [(PAIR, True), (LOCAL, False)])
def test_ranks_print_to_a_pipe_where_they_have_real_time_priority(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: LaunchTarget, has_pipe: bool
) -> None:
    put_mpirun(tmp_path / "bin")
    environment = {
        "STRESSBENCH_MPI": str(FAKE_ENGINE), "FAKE_LIBRARY": LIBRARIES["mpirun.openmpi"],
        "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}",
    }  # fmt: skip
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)

    command = program.command_of(
        ("./app", "-x"), folder=tmp_path, ranks=2, target=target, engine=None, environment=dict(os.environ)
    )

    assert (command.output_pipe is not None) is has_pipe
    printing = ("sh", "-c", 'exec "$@" >"$0"', str(command.output_pipe)) if has_pipe else ()
    assert command.argv[-len(printing) - 3 :] == (str(tmp_path), *printing, "./app", "-x")
