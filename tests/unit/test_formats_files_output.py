"""Writing what a person asked for: whole or not at all, and never over what must stay."""

import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from stressbench.formats.files import (
    clear_protected_files,
    new_output,
    read_bytes,
    require_output,
    write_atomically,
    write_output,
)

TO_STANDARD_OUTPUT = """\
from pathlib import Path
from stressbench.formats.files import write_output
write_output(Path("/dev/stdout"), "text")
"""


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def refusal(path: Path) -> str:
    before = path.read_bytes() if path.is_file() else None
    for refuses in (require_output, lambda path: write_output(path, "new")):
        with pytest.raises(OSError) as refused:
            refuses(path)
        assert refused.value.filename == str(path)
    assert (path.read_bytes() if path.is_file() else None) == before
    return str(refused.value.strerror)


def test_text_is_written_as_utf_8_and_bytes_as_they_are(tmp_path: Path) -> None:
    write_output(tmp_path / "text", "ä\n")
    write_output(tmp_path / "bytes", b"\xff")

    assert [(tmp_path / name).read_bytes() for name in ("text", "bytes")] == [b"\xc3\xa4\n", b"\xff"]
    assert names(tmp_path) == ["bytes", "text"]


def test_a_file_that_was_read_is_not_replaced_under_any_of_its_names(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    file.write_bytes(b"old")
    (tmp_path / "hard").hardlink_to(file)
    (tmp_path / "soft").symlink_to("run.jsonl")
    (tmp_path / "folder").symlink_to(".")
    read_bytes(tmp_path / "folder" / "run.jsonl", limit=10)

    for name in ("run.jsonl", "hard", "soft", "folder/run.jsonl", "../" + tmp_path.name + "/run.jsonl"):
        assert refusal(tmp_path / name) == "is a file that this command reads; choose another name"


def test_the_next_command_may_replace_what_an_earlier_one_read(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_bytes(b"old")
    read_bytes(file, limit=10)
    clear_protected_files()

    write_output(file, "new")

    assert file.read_text() == "new"


@pytest.mark.parametrize("mark", ["manifest.jsonl", "launches.jsonl"])
@pytest.mark.parametrize(
    "name",
    [
        "manifest.jsonl", "launches.jsonl", "study-1.toml", "study-2.toml", "study-1.json", "environment.json", ".lock",
        "SHA256SUMS", "runs/r1.jsonl", "runs/r1-a2.jsonl", "workloads/a.sb", "workloads/x/b.sb", "schema/a.json",
    ],
)  # fmt: skip
def test_a_study_keeps_its_files_and_their_names(tmp_path: Path, mark: str, name: str) -> None:
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / mark).write_text("{}\n")
    (tmp_path / "study" / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / "link").symlink_to(Path("study", name).parent)

    for path in (tmp_path / "study" / name, tmp_path / "link" / Path(name).name):
        assert refusal(path) == "is a file of a study, which only `stressbench study` writes; choose another name"


@pytest.mark.parametrize("name", ["report.html", "table.csv", "runs/r1.html", "figures/a.json"])
def test_a_report_may_lie_beside_a_study_and_be_made_anew(tmp_path: Path, name: str) -> None:
    (tmp_path / "manifest.jsonl").write_text("{}\n")
    (tmp_path / name).parent.mkdir(exist_ok=True)

    for text in ("first", "second"):
        write_output(tmp_path / name, text)

    assert (tmp_path / name).read_text() == "second"


def test_what_fails_midway_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text("old")

    with pytest.raises(KeyboardInterrupt), new_output(file) as new:
        new.write(b"half")
        raise KeyboardInterrupt

    assert file.read_text() == "old"
    assert names(tmp_path) == ["page.html"]


def test_a_file_that_is_replaced_keeps_its_mode_and_a_new_one_gets_that_of_the_umask(tmp_path: Path) -> None:
    (tmp_path / "there").touch()
    (tmp_path / "there").chmod(0o640)
    before = os.umask(0o027)
    try:
        for name in ("there", "new"):
            write_output(tmp_path / name, "")
    finally:
        os.umask(before)

    assert [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("there", "new")] == [0o640, 0o640]


def test_a_link_of_ones_own_stays_and_the_file_behind_it_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "latest").symlink_to("other")
    (tmp_path / "other").symlink_to("real/page")

    write_output(tmp_path / "latest", "new")

    assert (tmp_path / "latest").is_symlink()
    assert (tmp_path / "real" / "page").read_text() == "new"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a link of another user")
def test_a_link_that_another_user_made_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("old")
    (tmp_path / "planted").symlink_to("victim")
    os.lchown(tmp_path / "planted", 64_999, 64_999)

    assert refusal(tmp_path / "planted") == "is a symbolic link that user 64999 made; name the file itself"
    assert (tmp_path / "victim").read_text() == "old"


def test_links_in_a_circle_folders_sockets_and_missing_folders_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # the address of a socket has 107 characters at most
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")

    assert refusal(tmp_path / "a") == "Too many levels of symbolic links"
    assert refusal(tmp_path) == "Is a directory"
    assert refusal(tmp_path / "socket") == "is not a regular file; choose another name"
    assert refusal(tmp_path / "no" / "page") == "No such file or directory"


def test_a_name_may_be_as_long_as_the_file_system_takes(tmp_path: Path) -> None:
    write_output(tmp_path / ("n" * 255), "text")

    with pytest.raises(OSError, match="File name too long"):
        write_output(tmp_path / ("n" * 256), "text")
    assert names(tmp_path) == ["n" * 255]


def test_a_device_and_a_fifo_are_written_to_as_they_stand(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    reader = os.open(tmp_path / "fifo", os.O_RDONLY | os.O_NONBLOCK)

    write_output(tmp_path / "fifo", "text")
    write_output(Path("/dev/null"), "text")
    said = subprocess.run([sys.executable, "-c", TO_STANDARD_OUTPUT], stdout=subprocess.PIPE, check=True)

    assert os.read(reader, 10) == b"text"
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    assert said.stdout == b"text"


def test_standard_output_in_a_file_keeps_what_is_in_that_file(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("a")
    with (tmp_path / "log").open("a") as log:
        subprocess.run([sys.executable, "-c", TO_STANDARD_OUTPUT], stdout=log, check=True)

    assert (tmp_path / "log").read_text() == "atext"


@pytest.mark.parametrize("folder", ["/dev/fd", "/proc/self/fd", "/proc/thread-self/fd"])
def test_a_pipe_that_is_named_by_its_descriptor_is_written_to(folder: str) -> None:
    """Shells name it so for `-o >(cat)`."""
    reader, writer = os.pipe()
    try:
        path = Path(folder, str(writer))
        require_output(path)
        write_output(path, "text")
        assert os.read(reader, 10) == b"text"
    finally:
        os.close(reader)
        os.close(writer)


def test_an_open_file_that_is_named_by_its_descriptor_keeps_what_is_in_it(tmp_path: Path) -> None:
    with (tmp_path / "log").open("w+") as log:
        log.write("a")
        log.flush()
        write_output(Path("/dev/fd", str(log.fileno())), "text")

    assert (tmp_path / "log").read_text() == "atext"


@pytest.mark.parametrize("folder", ["/proc/self/cwd", "/proc/self/root{cwd}", "/proc/self/fd/{descriptor}"])
def test_files_in_a_folder_of_proc_are_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link").symlink_to("page")
    (tmp_path / "read").write_bytes(b"old")
    read_bytes(tmp_path / "read", limit=10)
    descriptor = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        within = Path(folder.format(cwd=tmp_path, descriptor=descriptor))
        for text in ("first and long", "second"):
            write_output(within / "link", text)
        assert refusal(within / "read") == "is a file that this command reads; choose another name"
        assert refusal(within) == "Is a directory"
    finally:
        os.close(descriptor)

    assert (tmp_path / "page").read_text() == "second"
    assert names(tmp_path) == ["link", "page", "read"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a link of another user")
def test_a_link_of_another_user_is_not_followed_in_a_folder_of_proc(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "victim").write_text("old")
    (tmp_path / "planted").symlink_to("victim")
    os.lchown(tmp_path / "planted", 64_999, 64_999)

    assert refusal(Path("/proc/self/cwd/planted")) == "is a symbolic link that user 64999 made; name the file itself"


def test_our_own_files_are_replaced_without_following_links(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("old")
    (tmp_path / "ours").symlink_to("victim")

    write_atomically(tmp_path / "ours", b"new")

    assert (tmp_path / "victim").read_text() == "old"
    assert (tmp_path / "ours").read_bytes() == b"new"
