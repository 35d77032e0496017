"""Two users on one machine: the one who comes first cannot have the other run anything."""

import fcntl
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from stressbench.lab.process import process_of

VICTIM, ATTACKER = 64_998, 64_999
LAB = '[hosts]\ncount = 2\n[[rail]]\nrate = "100Mbit"\n[topology]\nkind = "single"\n'
PLANTED = "/planted-by-another-user.so"
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as two other users")


def as_user(user: int) -> tuple[str, ...]:
    """The right to read this Python is kept, since it may live in a folder of root."""
    rights = ("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search")
    return ("setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", *rights)


def stressbench(*words: str) -> "subprocess.CompletedProcess[str]":
    taken = ("STRESSBENCH_LABS", "XDG_RUNTIME_DIR")
    environment = {name: value for name, value in os.environ.items() if name not in taken}
    return subprocess.run(
        [*as_user(VICTIM), sys.executable, "-m", "stressbench", *words], env=environment, cwd="/", text=True,
        capture_output=True, check=False, stdin=subprocess.DEVNULL, timeout=120,
    )  # fmt: skip


@pytest.fixture
def planted() -> Iterator[Path]:
    """A lab that is up by all that is written down, planted where the victim's would be; its nodes can be entered."""
    home = Path(f"/tmp/stressbench-{VICTIM}")
    folder = home / "labs" / "tiny"
    with subprocess.Popen([*as_user(VICTIM), "sleep", "300"]) as own:
        found = process_of(own.pid)
        assert found is not None
        process = {"pid": found.pid, "started": found.started}
        folder.mkdir(parents=True)
        state = {
            "name": "tiny", "source": "tiny.toml", "text": LAB, "phase": "up", "since": "2026-01-02T03:04:05+00:00",
            "user_namespace": True, "builder": process, "keeper": process,
            "nodes": dict.fromkeys(("h0", "h1", "s0"), process), "environment": {"LD_PRELOAD": PLANTED}, "cores": {},
        }  # fmt: skip
        (folder / "state.json").write_text(json.dumps(state), encoding="utf-8")
        with (folder / "lock").open("wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            for path in (home, *home.rglob("*")):
                path.chmod(0o777)
                os.chown(path, ATTACKER, ATTACKER)
            yield home
        own.kill()
    shutil.rmtree(home)


@needs_root
@pytest.mark.parametrize(
    "words",
    [("status",), ("list",), ("exec", "h0", "--", "true"), ("up", "tiny"), ("down", "tiny"), ("down", "--all")],
    ids=" ".join,
)
def test_what_another_user_planted_is_refused_and_loads_nothing(planted: Path, words: tuple[str, ...]) -> None:
    ended = stressbench("lab", *words)

    assert ended.returncode == 2, ended.stderr
    assert ended.stdout == ""
    assert ended.stderr.splitlines() == [
        f"stressbench: {planted}: belongs to user {ATTACKER}, not to user {VICTIM}, who runs this; somebody else may "
        "have put it there: remove it, or let STRESSBENCH_LABS name a folder of your own"
    ]


@needs_root
def test_what_another_user_planted_under_a_folder_of_the_victims_is_refused(planted: Path) -> None:
    for path in (planted, planted / "labs", planted / "labs" / "tiny"):
        os.chown(path, VICTIM, VICTIM)
        path.chmod(0o700)

    ended = stressbench("lab", "exec", "h0", "--", "true")

    assert ended.returncode == 2, ended.stderr
    assert PLANTED not in ended.stderr
    assert f"tiny/lock: belongs to user {ATTACKER}" in ended.stderr
