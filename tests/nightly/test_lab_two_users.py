"""Two users on one machine: the one who comes first cannot have the other run anything."""

import fcntl
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.example_files import TWO_HOSTS
from support.programs import LIMIT_S

from stressbench.labs.process import find_process

VICTIM, ATTACKER = 64_998, 64_999
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
        capture_output=True, check=False, stdin=subprocess.DEVNULL, timeout=LIMIT_S,
    )  # fmt: skip


@pytest.fixture
def planted() -> Iterator[Path]:
    """A lab that is up by all that is written down, planted where the victim's would be; its nodes can be entered."""
    home = Path(f"/tmp/stressbench-{VICTIM}")
    folder = home / "labs" / "tiny"
    with subprocess.Popen([*as_user(VICTIM), "sleep", "3600"]) as own:
        found = find_process(own.pid)
        assert found is not None
        process = {"pid": found.pid, "started": found.started}
        folder.mkdir(parents=True)
        state = {
            "name": "tiny", "source": "tiny.toml", "text": TWO_HOSTS, "phase": "up",
            "since": "2026-01-02T03:04:05+00:00",
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
        f"stressbench: {planted}: belongs to user {ATTACKER}, not to user {VICTIM}, who runs this; another user may "
        "have created it: remove it, or set STRESSBENCH_LABS to a folder of your own"
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


STATE_FOLDER = Path(f"/tmp/stressbench-{VICTIM}")


def given_to(user: int, path: Path) -> Path:
    os.chown(path, user, user, follow_symlinks=False)
    return path


@pytest.fixture
def thesis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """What the victim would not lose, laid out as labs are; whatever was made for a test goes."""
    home = tmp_path_factory.mktemp("victims-home")
    for above in (home, *home.parents[:2]):
        above.chmod(0o755)
    kept = home / "labs" / "tiny" / "thesis"
    kept.parent.mkdir(parents=True)
    kept.write_text("years of work")
    for path in (home, *home.rglob("*")):
        given_to(VICTIM, path)
    assert not os.path.lexists(STATE_FOLDER)
    yield kept
    if STATE_FOLDER.is_symlink():
        STATE_FOLDER.unlink()
    elif STATE_FOLDER.exists():
        shutil.rmtree(STATE_FOLDER)


def link_in_the_place_of_the_folder(home: Path) -> None:
    STATE_FOLDER.symlink_to(home)
    given_to(ATTACKER, STATE_FOLDER)


def folder_that_leads_to_the_home(home: Path) -> None:
    STATE_FOLDER.mkdir()
    (STATE_FOLDER / "labs").symlink_to(home / "labs")
    given_to(ATTACKER, STATE_FOLDER)


def lab_that_leads_to_the_home(home: Path) -> None:
    (STATE_FOLDER / "labs").mkdir(parents=True)
    (STATE_FOLDER / "labs" / "tiny").symlink_to(home / "labs" / "tiny")
    for path in (STATE_FOLDER, STATE_FOLDER / "labs"):
        given_to(VICTIM, path).chmod(0o777)


@needs_root
@pytest.mark.parametrize("words", [("down", "tiny"), ("down", "--all"), ("up", "tiny")], ids=" ".join)
@pytest.mark.parametrize(
    "attack", [link_in_the_place_of_the_folder, folder_that_leads_to_the_home, lab_that_leads_to_the_home],
    ids=lambda attack: attack.__name__,
)  # fmt: skip
def test_no_link_has_the_victims_files_removed(
    thesis: Path, attack: Callable[[Path], None], words: tuple[str, ...]
) -> None:
    attack(thesis.parents[2])

    ended = stressbench("lab", *words)

    assert ended.returncode == 2, ended.stderr
    assert f"stressbench: {STATE_FOLDER}" in ended.stderr
    assert "remove it, or set STRESSBENCH_LABS to a folder of your own" in ended.stderr
    assert thesis.read_text() == "years of work"
    assert [path.name for path in thesis.parent.iterdir()] == ["thesis"]


@needs_root
def test_a_state_that_somebody_else_made_up_has_no_process_of_the_victim_killed(thesis: Path) -> None:
    assert thesis.exists()
    folder = STATE_FOLDER / "labs" / "tiny"
    with subprocess.Popen([*as_user(VICTIM), "sleep", "3600"]) as own:
        found = find_process(own.pid)
        assert found is not None
        folder.mkdir(parents=True)
        process = {"pid": found.pid, "started": found.started}
        (folder / "state.json").write_text(json.dumps({"keeper": process, "builder": process}), encoding="utf-8")
        (folder / "lock").touch()
        for path in (STATE_FOLDER, *STATE_FOLDER.rglob("*")):
            given_to(VICTIM, path).chmod(0o700 if path.is_dir() else 0o600)

        with (folder / "lock").open("r+b") as lock:  # so that somebody seems to run the lab
            fcntl.flock(lock, fcntl.LOCK_EX)
            subprocess.Popen([*as_user(VICTIM), "true"]).wait()
            ended = stressbench("lab", "down", "tiny")

        assert ended.returncode == 3, ended.stderr
        assert "its processes do not end" in ended.stderr
        assert found.is_alive
        own.kill()


@needs_root
def test_a_lab_of_ones_own_comes_up_is_entered_and_goes_down(thesis: Path) -> None:
    assert thesis.exists()
    up, inside, down = (
        stressbench("lab", *words) for words in (("up", "tiny"), ("exec", "h0", "hostname"), ("down", "tiny"))
    )

    assert (up.returncode, inside.returncode, down.returncode) == (0, 0, 0), up.stderr + inside.stderr + down.stderr
    assert inside.stdout == "h0\n"
    assert down.stderr == "stressbench: lab tiny is down\n"
    assert not STATE_FOLDER.joinpath("labs").exists()


SPY = """\
import socket, sys
server = socket.socket(socket.AF_UNIX)
server.bind(sys.argv[1])
server.listen()
print("listens", flush=True)
talk, _ = server.accept()
talk.sendall(b'{"links": []}\\n')
talk.recv(100)
"""


@needs_root
def test_link_counters_are_not_taken_from_another_user(engine, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("counters")
    for above in (folder, *folder.parents[:2]):
        above.chmod(0o755)
    folder.chmod(0o777)
    (folder / "w.sb").write_text("[JOB_NAME] a\n[NODES] 1\n[MOTIF] barrier\n")
    with subprocess.Popen(
        [*as_user(ATTACKER), sys.executable, "-c", SPY, "links.sock"], stdout=subprocess.PIPE, cwd=folder
    ) as spy:
        assert spy.stdout is not None
        assert spy.stdout.readline() == b"listens\n"
        ended = engine.run(
            "run", "w.sb", "--isolated", "1", "--contended", "0", "-o", "run.jsonl", ranks=2, cwd=folder,
            environment={"STRESSBENCH_LINK_COUNTERS": "links.sock"},
        )  # fmt: skip
        spy.kill()

    assert ended.status == 0, ended.text
    assert (
        f"links.sock': belongs to user {ATTACKER}, not to user 0, who runs this" in (folder / "run.jsonl").read_text()
    )
