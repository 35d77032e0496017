"""Where labs are written down: nobody else may have written there, whoever came first."""

import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.commands import CommandResult, invoke
from support.example_files import TWO_HOSTS

from stressbench.formats.files import limits
from stressbench.formats.lab.errors import LabMistake
from stressbench.labs.errors import LabFault
from stressbench.labs.lifecycle import command_prefix, down, labs_up, running_lab
from stressbench.labs.process import Process, find_process
from stressbench.labs.state import LabDirectory, Phase, State, base_directory, lab_directories

NOBODY = 65534
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")


@pytest.fixture
def labs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("STRESSBENCH_LABS", str(tmp_path / "labs"))
    return tmp_path / "labs"


@pytest.fixture
def pair(labs: Path) -> Path:
    """A lab that is up as far as is written down; its folder."""
    slot, here = LabDirectory("pair"), Process(pid=os.getpid(), started=1)
    assert slot.lock()
    slot.write(
        State(
            name="pair", source="pair.toml", text=TWO_HOSTS, phase=Phase.up, since="2026-01-02T03:04:05+00:00",
            user_namespace=False, builder=here, nodes={"h0": here},
        )
    )  # fmt: skip
    return labs / "pair"


def said(*words: str) -> CommandResult:
    return invoke(["lab", *words])


def test_folders_and_files_are_made_for_this_user_alone(pair: Path) -> None:
    made = [pair.parent, pair, *pair.iterdir()]

    assert {path.name for path in made} == {"labs", "pair", "lock", "state.json"}
    assert all(stat.S_IMODE(path.stat().st_mode) & 0o077 == 0 for path in made)


def test_a_state_without_its_root_process_is_a_fault(pair: Path) -> None:
    ended = said("status", pair.name)

    assert (ended.exit_code, ended.exception) == (3, None)
    assert "the state of lab pair does not name its root process; `stressbench lab down pair` clears it" in ended.stderr


@pytest.mark.parametrize("below", ["", "pair"])
def test_a_folder_that_others_may_write_to_is_refused(pair: Path, below: str) -> None:
    pair.parent.joinpath(below).chmod(0o777)

    with pytest.raises(LabMistake, match=r"others may write to it \(mode 0777\).*set STRESSBENCH_LABS to a folder of"):
        running_lab("pair")


@pytest.mark.parametrize("below", ["", "pair", "pair/lock", "pair/state.json"])
def test_a_link_in_the_place_of_what_we_made_is_refused(pair: Path, below: str, tmp_path: Path) -> None:
    ours = pair.parent.joinpath(below)
    elsewhere = tmp_path / "elsewhere"
    ours.rename(elsewhere)
    ours.symlink_to(elsewhere)

    with pytest.raises(LabMistake, match=rf"{ours}: is (a symbolic link or not a directory|not a regular file)"):
        running_lab("pair")


@needs_root
@pytest.mark.parametrize("below", ["", "pair", "pair/lock", "pair/state.json"])
def test_what_belongs_to_another_user_is_refused(pair: Path, below: str) -> None:
    ours = pair.parent.joinpath(below)
    os.chown(ours, NOBODY, NOBODY)

    with pytest.raises(LabMistake, match=rf"{ours}: belongs to user {NOBODY}, not to user 0"):
        running_lab("pair")


@needs_root
@pytest.mark.parametrize("words", [("status",), ("list",), ("exec", "h0", "true"), ("down", "pair"), ("down", "--all")])
def test_every_command_refuses_with_one_line_and_status_2(pair: Path, words: tuple[str, ...]) -> None:
    os.chown(pair.parent, NOBODY, NOBODY)

    ended = said(*words)

    assert ended.exit_code == 2
    assert len(ended.output.splitlines()) == 1
    assert f"{pair.parent}: belongs to user {NOBODY}" in ended.output


@needs_root
@pytest.mark.parametrize("word", ["up", "down"])
def test_nothing_is_made_or_removed_in_the_folder_of_another_user(labs: Path, word: str) -> None:
    (labs / "tiny").mkdir(parents=True)
    os.chown(labs, NOBODY, NOBODY)

    assert said(word, "tiny").exit_code == 2
    assert [path.name for path in labs.rglob("*")] == ["tiny"]


def altered(pair: Path, change: Callable[[dict[str, Any]], object]) -> None:
    state = json.loads((pair / "state.json").read_bytes())
    change(state)
    (pair / "state.json").write_text(json.dumps(state), encoding="utf-8")


def test_the_environment_of_a_lab_is_never_read_from_its_file(pair: Path) -> None:
    assert "LD_PRELOAD" not in running_lab("pair").state.environment
    altered(pair, lambda state: state.update(environment={"LD_PRELOAD": "/tmp/planted.so"}))

    with pytest.raises(LabFault, match=r"state\.json is not a state file of this version; `stressbench lab down"):
        running_lab("pair")


@pytest.mark.parametrize(
    "change",
    [
        lambda state: state.update(scratch="/run/lab/../../home/me"),
        lambda state: state.update(rails=10**9),
        lambda state: state.update(name="other"),
        lambda state: state.update(nodes={"h0": 1}),
        lambda state: state.update(text="x" * (limits.TOML + 1)),
        lambda state: state.pop("text"),
    ],
    ids=["scratch", "rails", "name", "nodes", "text", "missing"],
)
def test_a_state_that_no_lab_has_is_refused(pair: Path, change: Callable[[dict[str, Any]], object]) -> None:
    altered(pair, change)

    with pytest.raises(LabFault, match=r"state\.json is not a state file"):
        running_lab("pair")


@pytest.mark.parametrize("text", [b"", b"[", b"\xff", b"[" * 100_000, b"null"])
def test_a_state_that_is_no_json_is_refused_and_names_no_process(pair: Path, text: bytes) -> None:
    (pair / "state.json").write_bytes(text)

    with pytest.raises(LabFault, match=r"state\.json is not a state file"):
        running_lab("pair")
    assert LabDirectory("pair").processes() == ()


def test_a_state_of_any_size_is_refused_before_it_is_read(pair: Path) -> None:
    os.truncate(pair / "state.json", 1 << 40)

    with pytest.raises(LabMistake, match=r"state\.json: is larger than 16 MiB"):
        running_lab("pair")


def test_a_fifo_in_the_place_of_a_file_is_refused_without_waiting(pair: Path) -> None:
    (pair / "state.json").unlink()
    os.mkfifo(pair / "state.json")

    with pytest.raises(LabMistake, match=r"state\.json: is not a regular file"):
        running_lab("pair")


@pytest.mark.parametrize("name", [".", "..", "../other", "/tmp/p", "/etc", "a/b", "", "-x", "a\nb", "x" * 42])
def test_a_name_that_leads_elsewhere_is_no_name_for_a_lab(labs: Path, name: str) -> None:
    (labs.parent / "other").mkdir()
    for act in (LabDirectory, down, running_lab):
        with pytest.raises(LabMistake, match="is not a valid lab name"):
            act(name)
    assert (labs.parent / "other").is_dir()


def test_down_removes_links_and_not_what_they_lead_to(pair: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").touch()
    (pair / "keeper.log").symlink_to(kept)
    slot = LabDirectory("pair")
    slot.clear()

    assert not pair.exists()
    assert (kept / "file").exists()


def test_folders_whose_name_no_lab_can_have_are_passed_over(pair: Path) -> None:
    (pair.parent / "not a lab").mkdir()
    (pair.parent / "link").symlink_to(pair)

    assert [slot.name for slot in lab_directories()] == ["pair"]
    assert labs_up() == ("pair",)


def as_user(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: number)


def test_without_root_labs_are_in_the_runtime_directory_or_else_in_a_folder_that_names_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    as_user(4242, monkeypatch)

    assert base_directory({"XDG_RUNTIME_DIR": str(tmp_path)}).path == tmp_path / "stressbench" / "labs"
    assert base_directory({"XDG_RUNTIME_DIR": str(tmp_path / "gone")}).path == Path("/tmp/stressbench-4242/labs")
    assert base_directory({}).path == Path("/tmp/stressbench-4242/labs")
    assert base_directory({}).parts == ("stressbench-4242", "labs")  # what is looked at


def test_the_runtime_directory_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    owner = os.geteuid()
    monkeypatch.delenv("STRESSBENCH_LABS", raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    as_user(owner + 4242, monkeypatch)

    with pytest.raises(LabMistake, match=rf"{tmp_path}: belongs to user {owner}, not to user {owner + 4242}"):
        lab_directories()
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def thesis(labs: Path) -> Path:
    """A folder of the user's own where labs are written down, as $STRESSBENCH_LABS may name any."""
    (labs / "thesis" / "chapters").mkdir(parents=True)
    (labs / "thesis" / "thesis.tex").write_text("years of work")
    for path in (labs, labs / "thesis"):
        path.chmod(0o700)
    return labs / "thesis"


@pytest.mark.parametrize("words", [("down", "thesis"), ("up", "tiny", "--name", "thesis")], ids=" ".join)
def test_a_folder_that_holds_something_else_is_no_labs_and_stays(thesis: Path, words: tuple[str, ...]) -> None:
    ended = said(*words)

    assert ended.exit_code == 2
    assert f"{thesis} is not a lab directory: it holds 'chapters' and is left unchanged" in ended.output
    assert sorted(path.name for path in thesis.iterdir()) == ["chapters", "thesis.tex"]


def test_down_all_passes_over_folders_that_are_no_labs(thesis: Path) -> None:
    (thesis.parent / "killed").mkdir(mode=0o700)  # all that an `up` which was killed early left

    ended = said("down", "--all")

    assert ended.exit_code == 0
    assert ended.output == "stressbench: lab killed is down\n"
    assert [path.name for path in thesis.parent.iterdir()] == ["thesis"]
    assert (thesis / "thesis.tex").exists()


def test_only_files_of_labs_are_removed_even_if_others_appear_meanwhile(pair: Path) -> None:
    slot = LabDirectory("pair")
    (pair / "new").touch()

    with pytest.raises(LabFault, match=rf"{pair}: cannot be removed \(directory not empty\)"):
        slot.clear()

    assert [path.name for path in pair.iterdir()] == ["new"]


@pytest.fixture
def sleeper() -> Iterator["subprocess.Popen[bytes]"]:
    with subprocess.Popen(["sleep", "300"]) as process:
        yield process
        process.kill()


def test_a_process_that_is_written_down_but_holds_no_lock_of_the_lab_is_not_killed(
    pair: Path, sleeper: "subprocess.Popen[bytes]"
) -> None:
    found = find_process(sleeper.pid)
    assert found is not None
    altered(pair, lambda state: state.update(keeper={"pid": found.pid, "started": found.started}))

    LabDirectory("pair").kill()

    assert found.is_alive


def test_a_process_that_holds_the_lock_is_killed(pair: Path) -> None:
    with (pair / "lock").open("r+b") as lock, subprocess.Popen(["sleep", "300"], pass_fds=[lock.fileno()]) as process:
        found = find_process(process.pid)
        assert found is not None
        altered(pair, lambda state: state.update(keeper={"pid": found.pid, "started": found.started}))

        LabDirectory("pair").kill()

        assert process.wait() == -signal.SIGKILL


def test_a_process_that_only_has_the_number_of_a_keeper_is_not_killed(pair: Path) -> None:
    with (pair / "lock").open("r+b") as lock, subprocess.Popen(["sleep", "300"], pass_fds=[lock.fileno()]) as process:
        altered(pair, lambda state: state.update(keeper={"pid": process.pid, "started": 1}))

        LabDirectory("pair").kill()

        assert process.poll() is None
        process.kill()


def test_a_log_that_is_a_link_is_replaced_and_not_followed(pair: Path, tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("mine")
    for name in ("keeper.log", "state.json.new"):
        (pair / name).symlink_to(tmp_path / "victim")
    (pair / "hard").hardlink_to(tmp_path / "victim")
    (pair / "hard").rename(pair / "keeper.log")
    slot = LabDirectory("pair")

    with slot.new_log() as log:
        log.write(b"said")
    state = slot.read()
    assert state is not None
    slot.write(state)

    assert (tmp_path / "victim").read_text() == "mine"
    assert slot.last_log_line() == "said"


def test_a_node_whose_process_has_another_start_is_not_entered(pair: Path, sleeper: "subprocess.Popen[bytes]") -> None:
    altered(pair, lambda state: state.update(nodes={"h0": {"pid": sleeper.pid, "started": 1}}))

    ended = subprocess.run(
        [sys.executable, "-m", "stressbench.labs.enter", str(pair), "h0", "true"], capture_output=True, text=True,
        check=False,
    )  # fmt: skip

    assert ended.returncode == 125
    assert ended.stderr == f"stressbench: lab pair, h0: its process {sleeper.pid} has ended; is the lab still up?\n"


def test_a_command_without_a_word_is_refused(pair: Path) -> None:
    ended = said("exec", "h0", "--")

    assert (ended.exit_code, ended.exception) == (2, None)
    assert "CMD is missing: `stressbench lab exec HOST -- CMD...`" in ended.stderr


def test_no_module_of_the_working_directory_is_loaded(
    pair: Path, sleeper: "subprocess.Popen[bytes]", tmp_path: Path
) -> None:
    altered(pair, lambda state: state.update(nodes={"h0": {"pid": sleeper.pid, "started": 1}}))
    download = tmp_path / "download"
    download.mkdir()
    (download / "json.py").write_text("raise SystemExit(9)\n", encoding="utf-8")

    ended = subprocess.run(
        [*command_prefix(running_lab("pair"), "h0"), "true"], cwd=download, capture_output=True, text=True, check=False
    )

    assert ended.returncode == 125  # the process of h0 has ended
    assert "the lab still up?" in ended.stderr
